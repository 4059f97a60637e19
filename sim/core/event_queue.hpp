#pragma once
// Pending events in the order (time, priority, sequence). Two structures behind one interface: a
// 4-ary heap, the plain path, and a radix ladder, the fast one, which tests compare.
//
// An event is a node of 16 bytes: its time and a word that holds priority (4 bits), sequence number
// (36 bits) and the slot (24 bits) of its callback. Comparing nodes as one 128-bit number gives the
// order, without ties. What the event does lies elsewhere (engine.hpp).

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/core/time.hpp"

namespace orrery::sim {

struct EventNode {
  std::uint64_t time = 0;  ///< Nanoseconds; never negative.
  std::uint64_t word = 0;  ///< priority:4 | sequence:36 | slot:24

  friend bool operator<(const EventNode& a, const EventNode& b) {
    return a.time != b.time ? a.time < b.time : a.word < b.word;
  }
  friend bool operator==(const EventNode&, const EventNode&) = default;
};

/// A 4-ary min-heap.
class HeapQueue {
 public:
  bool empty() const { return nodes_.empty(); }
  std::size_t size() const { return nodes_.size(); }
  const EventNode& top() { return nodes_.front(); }

  void push(EventNode node) {
    nodes_.push_back(node);
    std::size_t i = nodes_.size() - 1;
    while (i > 0) {
      const std::size_t parent = (i - 1) / 4;
      if (!(node < nodes_[parent])) break;
      nodes_[i] = nodes_[parent];
      i = parent;
    }
    nodes_[i] = node;
  }

  /// Requires !empty().
  EventNode pop() {
    const EventNode first = nodes_.front();
    const EventNode last = nodes_.back();
    nodes_.pop_back();
    if (!nodes_.empty()) sift_down(last);
    return first;
  }

  /// Removes the nodes for which `stale` holds.
  template <class Predicate>
  void remove_if(Predicate stale) {
    std::vector<EventNode> kept;
    for (const EventNode& node : nodes_) {
      if (!stale(node)) kept.push_back(node);
    }
    nodes_.clear();
    for (const EventNode& node : kept) push(node);
  }

 private:
  void sift_down(EventNode node) {
    const std::size_t count = nodes_.size();
    std::size_t i = 0;
    for (;;) {
      const std::size_t first = 4 * i + 1;
      if (first >= count) break;
      std::size_t least = first;
      const std::size_t end = std::min(first + 4, count);
      for (std::size_t child = first + 1; child < end; ++child) {
        if (nodes_[child] < nodes_[least]) least = child;
      }
      if (!(nodes_[least] < node)) break;
      nodes_[i] = nodes_[least];
      i = least;
    }
    nodes_[i] = node;
  }

  std::vector<EventNode> nodes_;
};

/// A monotone queue: nothing may be pushed before the last popped time. Nodes lie in buckets by the
/// highest bit in which their time differs from a base; the nearest bucket is split until it is
/// small, then sorted and consumed. What is pushed into the range being consumed goes to a small
/// heap. Each node is moved a few times in long sequential runs, where a heap would miss the cache
/// at each level.
class LadderQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push(EventNode node) {
    ++size_;
    if (node.time < near_end_) {
      late_.push(node);
    } else {
      bucket_of(node.time).push_back(node);
    }
  }

  /// Requires !empty(). May reorganise, hence not const.
  const EventNode& top() {
    if (near_.empty() && late_.empty()) refill();
    if (near_.empty()) return late_.top();
    if (late_.empty()) return near_.back();
    return late_.top() < near_.back() ? late_.top() : near_.back();
  }

  /// Requires !empty().
  EventNode pop() {
    if (near_.empty() && late_.empty()) refill();
    --size_;
    if (near_.empty() || (!late_.empty() && late_.top() < near_.back())) return late_.pop();
    const EventNode node = near_.back();
    near_.pop_back();
    return node;
  }

  template <class Predicate>
  void remove_if(Predicate stale) {
    late_.remove_if(stale);
    std::erase_if(near_, stale);
    size_ = late_.size() + near_.size();
    for (std::vector<EventNode>& bucket : buckets_) {
      std::erase_if(bucket, stale);
      size_ += bucket.size();
    }
  }

 private:
  static constexpr std::size_t kSortAtMost = 96;  // Measured best between 32 and 256.

  // Bucket 0 holds times equal to the base, bucket i + 1 those whose highest differing bit is i.
  std::vector<EventNode>& bucket_of(std::uint64_t time) {
    return buckets_[static_cast<std::size_t>(std::bit_width(time ^ base_))];
  }

  // Moves the earliest bucket into near_, sorted from last to first. Requires that nothing is near.
  void refill() {
    std::size_t index = 0;
    while (buckets_[index].empty()) ++index;
    while (index > 0 && buckets_[index].size() > kSortAtMost) {
      std::vector<EventNode>& bucket = buckets_[index];
      base_ = std::min_element(bucket.begin(), bucket.end())->time;
      splitting_.swap(bucket);
      for (const EventNode& node : splitting_) bucket_of(node.time).push_back(node);
      splitting_.clear();
      splitting_.swap(bucket);  // Gives the bucket its memory back.
      index = 0;
      while (buckets_[index].empty()) ++index;
    }
    near_.swap(buckets_[index]);
    std::sort(near_.begin(), near_.end(),
              [](const EventNode& a, const EventNode& b) { return b < a; });
    if (index == 0) {
      near_end_ = base_ + 1;
      return;
    }
    // The bucket spans the times that agree with the base above bit index - 1 and differ there.
    const std::uint64_t bit = std::uint64_t{1} << (index - 1);
    base_ = ((base_ | (bit - 1)) ^ (bit - 1)) | bit;
    near_end_ = base_ + bit;
  }

  std::vector<EventNode> near_;  // sorted, the next at the back
  HeapQueue late_;
  std::array<std::vector<EventNode>, 65> buckets_;
  std::vector<EventNode> splitting_;
  std::uint64_t base_ = 0;
  std::uint64_t near_end_ = 0;  // everything before it is in near_ or late_
  std::size_t size_ = 0;
};

}  // namespace orrery::sim
