#include "sim/serving/sequence.hpp"

#include <utility>

#include "sim/core/check.hpp"

namespace orrery::sim {

Sequence* SequencePool::take() {
  if (free_.empty()) {
    storage_.emplace_back();
    free_.push_back(&storage_.back());
  }
  Sequence* sequence = free_.back();
  free_.pop_back();
  // Vectors keep their memory; everything else starts anew.
  Sequence fresh;
  fresh.blocks = std::move(sequence->blocks);
  fresh.former = std::move(sequence->former);
  fresh.block_hashes = std::move(sequence->block_hashes);
  fresh.blocks.clear();
  fresh.former.clear();
  fresh.block_hashes.clear();
  *sequence = std::move(fresh);
  sequence->serial = next_serial_++;
  return sequence;
}

void SequencePool::put(Sequence* sequence) { free_.push_back(sequence); }

void SequenceQueue::grow_if_full() {
  if (size_ < ring_.size()) return;
  std::vector<Sequence*> larger(ring_.empty() ? 16 : ring_.size() * 2);
  for (std::size_t i = 0; i < size_; ++i) larger[i] = at(i);
  ring_.swap(larger);
  head_ = 0;
}

void SequenceQueue::push_back(Sequence* sequence) {
  grow_if_full();
  ring_[(head_ + size_) & mask()] = sequence;
  ++size_;
}

void SequenceQueue::push_front(Sequence* sequence) {
  grow_if_full();
  head_ = (head_ + ring_.size() - 1) & mask();
  ring_[head_] = sequence;
  ++size_;
}

Sequence* SequenceQueue::pop_front() {
  ORRERY_CHECK(size_ > 0);
  Sequence* sequence = ring_[head_];
  head_ = (head_ + 1) & mask();
  --size_;
  return sequence;
}

}  // namespace orrery::sim
