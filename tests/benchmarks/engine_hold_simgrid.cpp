// The HOLD model on SimGrid: kernel timers, its lightest kind of event.

#include <benchmark/benchmark.h>

#include <cmath>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <vector>

namespace {

constexpr double kMeanSeconds = 1.0;
constexpr std::int64_t kEventsPerRound = 1 << 14;

std::vector<double> gaps;
std::size_t next_gap = 0;
std::int64_t handled = 0;

void plan() {
  const double when = simgrid::s4u::Engine::get_clock() + gaps[next_gap++ & 0xffff];
  simgrid::kernel::timer::Timer::set(when, [] {
    ++handled;
    plan();
  });
}

// SimGrid has one engine a process, with a host and somebody who sleeps so that it goes on.
simgrid::s4u::Engine& engine() {
  static simgrid::s4u::Engine* instance = [] {
    static int argc = 2;
    static char name[] = "bench";
    static char quiet[] = "--log=root.thresh:critical";
    static char* argv[] = {name, quiet, nullptr};
    auto* made = new simgrid::s4u::Engine(&argc, argv);
    auto* zone = simgrid::s4u::create_full_zone("zone");
    auto* host = zone->create_host("host", 1e9)->seal();
    zone->seal();
    simgrid::s4u::Actor::create("sleeper", host, [] { simgrid::s4u::this_actor::sleep_for(1e15); });
    return made;
  }();
  return *instance;
}

void hold(benchmark::State& state) {
  if (gaps.empty()) {
    std::uint64_t bits = 88172645463325252ULL;
    gaps.resize(1 << 16);
    for (double& gap : gaps) {
      bits ^= bits << 13U;
      bits ^= bits >> 7U;
      bits ^= bits << 17U;
      gap = -kMeanSeconds * std::log((static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53);
    }
  }
  engine();
  // Sizes are run in ascending order, so pending timers of the size before are topped up.
  static std::int64_t pending = 0;
  for (; pending < state.range(0); ++pending) plan();
  const double per_event = kMeanSeconds / static_cast<double>(pending);
  handled = 0;
  for (auto round : state) {
    engine().run_until(simgrid::s4u::Engine::get_clock() + per_event * kEventsPerRound);
  }
  state.counters["events_per_s"] =
      benchmark::Counter(static_cast<double>(handled), benchmark::Counter::kIsRate);
}

}  // namespace

BENCHMARK(hold)->Name("hold/simgrid_timers")->RangeMultiplier(10)->Range(1000, 1000000);
