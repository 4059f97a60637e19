#pragma once
// The discrete-event engine: a clock, pending events, and callbacks that run in the order (time,
// priority, sequence). One engine belongs to one thread.
//
//   Engine engine;
//   engine.schedule_at(SimTime{std::chrono::seconds(1)}, [&] { ... });
//   engine.run();
//
// Callbacks are stored inline in slots of 64 bytes, so in steady state an event allocates nothing.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <vector>

#include "sim/core/check.hpp"
#include "sim/core/event_queue.hpp"
#include "sim/core/time.hpp"

namespace orrery::sim {

/// Of events at the same time, a lower priority value runs first; 0 to 15.
struct Priority {
  std::uint8_t value = 0;
};

/// Names a scheduled event. The default one names none.
struct EventHandle {
  std::uint64_t word = 0;
};

/// `time + duration`, at most kTimeNever.
constexpr SimTime saturating_add(SimTime time, Duration duration) {
  return duration >= kTimeNever - time ? kTimeNever : time + duration;
}

/// What a callback has to be: small and freely copyable, e.g. a lambda that captures pointers.
template <class F>
concept EventCallback = std::is_trivially_copyable_v<F> && std::is_trivially_destructible_v<F> &&
                            sizeof(F) <= 48 &&
                        alignof(F) <= 8 && std::is_invocable_v<F&>;

template <class Queue>
class BasicEngine {
 public:
  SimTime now() const { return now_; }

  /// Runs `callback` at `time`, which may not lie in the past.
  template <EventCallback F>
  EventHandle schedule_at(SimTime time, F callback, Priority priority = {}) {
    ORRERY_CHECK(time >= now_ && priority.value < 16);
    const std::uint32_t index = take_slot();
    ORRERY_CHECK(next_sequence_ < kSequences);
    const std::uint64_t word =
        (std::uint64_t{priority.value} << 60) | (next_sequence_++ << kSlotBits) | index;
    Slot& slot = slots_[index];
    ::new (static_cast<void*>(slot.storage)) F(callback);
    slot.invoke = [](void* storage) { (*std::launder(static_cast<F*>(storage)))(); };
    slot.word = word;
    queue_.push({static_cast<std::uint64_t>(time.time_since_epoch().count()), word});
    ++pending_;
    return EventHandle{word};
  }

  /// After `duration` from now; saturates at kTimeNever.
  template <EventCallback F>
  EventHandle schedule_after(Duration duration, F callback, Priority priority = {}) {
    return schedule_at(saturating_add(now_, duration), callback, priority);
  }

  /// True when the event has neither run nor been cancelled.
  bool pending(EventHandle handle) const {
    const std::uint64_t index = handle.word & kSlotMask;
    return handle.word != 0 && index < slots_.size() && slots_[index].word == handle.word;
  }

  /// Forgets the event; false when it has run or been cancelled before. O(1).
  bool cancel(EventHandle handle) {
    if (!pending(handle)) return false;
    free_slot(static_cast<std::uint32_t>(handle.word & kSlotMask));
    --pending_;
    ++stale_;
    // Nodes of cancelled events are skipped when they come up; many of them are removed at once.
    if (stale_ > 64 && stale_ > 2 * pending_) {
      queue_.remove_if([this](const EventNode& node) { return stale(node); });
      stale_ = 0;
    }
    return true;
  }

  /// Time of the next event, or kTimeNever.
  SimTime next_event_time() {
    drop_stale();
    if (queue_.empty()) return kTimeNever;
    return SimTime{Duration{static_cast<std::int64_t>(queue_.top().time)}};
  }

  /// Runs the next event; false when there is none or stop() was called.
  bool step() {
    if (stopped_) return false;
    drop_stale();
    if (queue_.empty()) return false;
    const EventNode node = queue_.pop();
    now_ = SimTime{Duration{static_cast<std::int64_t>(node.time)}};
    const auto index = static_cast<std::uint32_t>(node.word & kSlotMask);
    // The callback may schedule, and so move the slots: it runs from a copy.
    alignas(8) std::byte storage[kStorage];
    std::memcpy(storage, slots_[index].storage, kStorage);
    void (*const invoke)(void*) = slots_[index].invoke;
    free_slot(index);
    --pending_;
    ++handled_;
    invoke(storage);
    return true;
  }

  /// Runs until nothing is pending or stop() is called.
  void run() {
    while (step()) {
    }
  }

  /// Runs the events up to and including `time`, then sets the clock to it.
  void run_until(SimTime time) {
    while (!stopped_ && next_event_time() <= time && step()) {
    }
    if (!stopped_ && now_ < time) now_ = time;
  }

  /// Makes run(), run_until() and step() return; the rest stays pending.
  void stop() { stopped_ = true; }

  std::uint64_t events_handled() const { return handled_; }
  std::uint64_t events_pending() const { return pending_; }

 private:
  static constexpr std::size_t kStorage = 48;
  static constexpr std::uint64_t kSlotBits = 24;
  static constexpr std::uint64_t kSlotMask = (std::uint64_t{1} << kSlotBits) - 1;
  static constexpr std::uint64_t kSequences = std::uint64_t{1} << 36;

  struct Slot {
    alignas(8) std::byte storage[kStorage];
    void (*invoke)(void*) = nullptr;
    std::uint64_t word = 0;  // of the event that it holds; else the next free slot
  };
  static_assert(sizeof(Slot) == 64);

  bool stale(const EventNode& node) const {
    return slots_[node.word & kSlotMask].word != node.word;
  }

  void drop_stale() {
    while (stale_ > 0 && !queue_.empty() && stale(queue_.top())) {
      queue_.pop();
      --stale_;
    }
  }

  std::uint32_t take_slot() {
    if (free_.empty()) {
      ORRERY_CHECK(slots_.size() <= kSlotMask);  // 16.7 million events at once
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }

  void free_slot(std::uint32_t index) {
    slots_[index].word = 0;
    free_.push_back(index);
  }

  Queue queue_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  SimTime now_ = kTimeZero;
  std::uint64_t next_sequence_ = 1;
  std::uint64_t pending_ = 0;
  std::uint64_t stale_ = 0;
  std::uint64_t handled_ = 0;
  bool stopped_ = false;
};

using Engine = BasicEngine<LadderQueue>;
/// The plain path: same results, slower for many events.
using HeapEngine = BasicEngine<HeapQueue>;

}  // namespace orrery::sim
