// The HOLD model on ns-3, with each of its schedulers that does not degrade to a list.

#include <benchmark/benchmark.h>
#include <ns3/calendar-scheduler.h>
#include <ns3/heap-scheduler.h>
#include <ns3/map-scheduler.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/priority-queue-scheduler.h>
#include <ns3/simulator.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

constexpr double kMeanNanoseconds = 1e6;
constexpr std::int64_t kEventsPerRound = 1 << 16;

std::vector<std::int64_t> gaps;
std::size_t next_gap = 0;
std::int64_t handled = 0;

void event() {
  ++handled;
  ns3::Simulator::Schedule(ns3::NanoSeconds(gaps[next_gap++ & 0xffff]), &event);
}

void hold(benchmark::State& state, const std::string& scheduler) {
  if (gaps.empty()) {
    std::uint64_t bits = 88172645463325252ULL;
    gaps.resize(1 << 16);
    for (std::int64_t& gap : gaps) {
      bits ^= bits << 13U;
      bits ^= bits >> 7U;
      bits ^= bits << 17U;
      const double uniform = (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53;
      gap = static_cast<std::int64_t>(-kMeanNanoseconds * std::log(uniform)) + 1;
    }
  }
  ns3::ObjectFactory factory;
  factory.SetTypeId("ns3::" + scheduler);
  ns3::Simulator::SetScheduler(factory);
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    ns3::Simulator::Schedule(ns3::NanoSeconds(gaps[next_gap++ & 0xffff]), &event);
  }
  const double per_event = kMeanNanoseconds / static_cast<double>(state.range(0));
  const auto run_for = [](double nanoseconds) {
    ns3::Simulator::Stop(ns3::NanoSeconds(static_cast<std::int64_t>(nanoseconds)));
    ns3::Simulator::Run();
  };
  run_for(4 * kMeanNanoseconds);
  handled = 0;
  for (auto round : state) run_for(per_event * kEventsPerRound);
  state.counters["events_per_s"] =
      benchmark::Counter(static_cast<double>(handled), benchmark::Counter::kIsRate);
  ns3::Simulator::Destroy();
}

const bool registered = [] {
  for (const char* scheduler :
       {"MapScheduler", "HeapScheduler", "CalendarScheduler", "PriorityQueueScheduler"}) {
    benchmark::RegisterBenchmark(("hold/ns3_" + std::string(scheduler)).c_str(), hold,
                                 std::string(scheduler))
        ->RangeMultiplier(10)
        ->Range(1000, 1000000);
  }
  return true;
}();

}  // namespace
