// How many events a second does an engine handle? The HOLD model (Jones 1986): N events are
// pending, each one handled schedules one, exponentially distributed increments. Peers run the same
// model in the same program where they are installed.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "sim/core/engine.hpp"

namespace {

using orrery::sim::Duration;
using orrery::sim::EventHandle;

constexpr std::int64_t kEventsPerRound = 1 << 18;

// Exponential increments are drawn beforehand, so that all engines pay the same for them: nothing.
const std::vector<std::int64_t>& increments() {
  static const std::vector<std::int64_t> values = [] {
    std::vector<std::int64_t> drawn(1 << 16);
    std::uint64_t state = 88172645463325252ULL;
    for (std::int64_t& value : drawn) {
      state ^= state << 13U;
      state ^= state >> 7U;
      state ^= state << 17U;
      const double uniform = (static_cast<double>(state >> 11U) + 0.5) * 0x1.0p-53;
      value = static_cast<std::int64_t>(-1e6 * std::log(uniform)) + 1;
    }
    return drawn;
  }();
  return values;
}

void report(benchmark::State& state) {
  state.counters["events_per_s"] = benchmark::Counter(
      static_cast<double>(state.iterations() * kEventsPerRound), benchmark::Counter::kIsRate);
}

template <class Engine>
struct Hold {
  Engine* engine;
  std::size_t* next;
  void operator()() const {
    engine->schedule_after(Duration{increments()[(*next)++ & 0xffff]}, *this);
  }
};

template <class Engine>
void hold(benchmark::State& state) {
  Engine engine;
  std::size_t next = 0;
  for (std::int64_t i = 0; i < state.range(0); ++i) Hold<Engine>{&engine, &next}();
  for (std::int64_t i = 0; i < 4 * state.range(0); ++i) engine.step();
  for (auto round : state) {
    for (std::int64_t i = 0; i < kEventsPerRound; ++i) engine.step();
  }
  report(state);
}

// Each event also cancels another one and plans it anew.
template <class Engine>
struct Replan {
  Engine* engine;
  std::size_t* next;
  std::vector<EventHandle>* handles;
  std::size_t own;
  void operator()() const {
    const std::vector<std::int64_t>& gaps = increments();
    (*handles)[own] = engine->schedule_after(Duration{gaps[(*next)++ & 0xffff]}, *this);
    const std::size_t other = static_cast<std::size_t>(gaps[*next & 0xffff]) % handles->size();
    if (engine->cancel((*handles)[other])) {
      (*handles)[other] = engine->schedule_after(Duration{gaps[(*next)++ & 0xffff]},
                                                 Replan{engine, next, handles, other});
    }
  }
};

template <class Engine>
void hold_with_cancel(benchmark::State& state) {
  Engine engine;
  std::size_t next = 0;
  std::vector<EventHandle> handles(static_cast<std::size_t>(state.range(0)));
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const Replan<Engine> event{&engine, &next, &handles, i};
    handles[i] = engine.schedule_after(Duration{increments()[next++ & 0xffff]}, event);
  }
  for (std::int64_t i = 0; i < 4 * state.range(0); ++i) engine.step();
  for (auto round : state) {
    for (std::int64_t i = 0; i < kEventsPerRound; ++i) engine.step();
  }
  report(state);
}

// What one would write without an engine.
void hold_priority_queue(benchmark::State& state) {
  struct Entry {
    std::int64_t time;
    std::uint64_t sequence;
    std::function<void()> callback;
    bool operator<(const Entry& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };
  std::priority_queue<Entry> queue;
  std::int64_t now = 0;
  std::size_t next = 0;
  std::uint64_t sequence = 0;
  std::function<void()> event = [&] {
    queue.push({now + increments()[next++ & 0xffff], sequence++, event});
  };
  const auto step = [&] {
    now = queue.top().time;
    const std::function<void()> callback = queue.top().callback;
    queue.pop();
    callback();
  };
  for (std::int64_t i = 0; i < state.range(0); ++i) event();
  for (std::int64_t i = 0; i < 4 * state.range(0); ++i) step();
  for (auto round : state) {
    for (std::int64_t i = 0; i < kEventsPerRound; ++i) step();
  }
  report(state);
}

}  // namespace

BENCHMARK(hold<orrery::sim::Engine>)
    ->Name("hold/orrery")
    ->RangeMultiplier(10)
    ->Range(1000, 1000000);
BENCHMARK(hold<orrery::sim::HeapEngine>)
    ->Name("hold/orrery_heap")
    ->RangeMultiplier(10)
    ->Range(1000, 1000000);
BENCHMARK(hold_priority_queue)
    ->Name("hold/std_priority_queue")
    ->RangeMultiplier(10)
    ->Range(1000, 1000000);
BENCHMARK(hold_with_cancel<orrery::sim::Engine>)
    ->Name("hold_cancel/orrery")
    ->RangeMultiplier(10)
    ->Range(1000, 1000000);
BENCHMARK(hold_with_cancel<orrery::sim::HeapEngine>)
    ->Name("hold_cancel/orrery_heap")
    ->RangeMultiplier(10)
    ->Range(1000, 1000000);
