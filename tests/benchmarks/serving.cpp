// How many requests a second are simulated? The set-up of Vidur's published figures (first 10,000
// requests of the Azure 2023 conversation trace, cut to 4,096 tokens, Llama-3-8B on one A100, vLLM
// v0, 128 sequences), and the whole trace on one H100 with vLLM v1, with and without
// fast-forwarding.

#include <benchmark/benchmark.h>

#include "scenarios/scenario.pb.h"
#include "sim/simulate.hpp"

namespace {

using orrery::config::Scenario;

Scenario vidur_set_up() {
  Scenario scenario;
  scenario.set_kind(orrery::config::serving);
  scenario.mutable_cluster()->set_device("a100-sxm-80gb");
  scenario.mutable_model()->set_name("llama-3-8b");
  scenario.mutable_workload()->mutable_trace()->set_path("azure-conv-2023");
  scenario.mutable_workload()->set_limit(10000);
  scenario.mutable_workload()->set_max_total_tokens(4096);
  scenario.mutable_serving()->set_max_context_tokens(4096);
  scenario.mutable_serving()->mutable_scheduler()->set_policy("vllm_v0");
  scenario.mutable_serving()->mutable_scheduler()->set_max_sequences(128);
  scenario.mutable_serving()->mutable_scheduler()->set_max_batched_tokens(4096);
  return scenario;
}

Scenario whole_trace() {
  Scenario scenario;
  scenario.set_kind(orrery::config::serving);
  scenario.mutable_cluster()->set_device("h100-sxm-80gb");
  scenario.mutable_model()->set_name("llama-3.1-8b");
  scenario.mutable_workload()->mutable_trace()->set_path("azure-conv-2023");
  return scenario;
}

// A fleet of 16 H100s at sixteen times the rate.
Scenario fleet() {
  Scenario scenario = whole_trace();
  scenario.mutable_workload()->set_repeat(16);
  scenario.mutable_workload()->set_rate_scale(16);
  scenario.mutable_serving()->set_replicas(16);
  scenario.mutable_serving()->mutable_router()->set_policy("least_outstanding");
  return scenario;
}

void run(benchmark::State& state, Scenario scenario, bool fast_forward) {
  scenario.mutable_serving()->set_fast_forward(fast_forward);
  double requests = 0.0;
  for (auto round : state) {
    orrery::sim::Observer observer;
    const auto summary = orrery::sim::simulate(scenario, observer);
    if (!summary) {
      state.SkipWithError(orrery::to_string(summary.faults()).c_str());
      return;
    }
    requests += summary->metrics.front().value;
  }
  state.counters["requests_per_s"] = benchmark::Counter(requests, benchmark::Counter::kIsRate);
}

}  // namespace

BENCHMARK_CAPTURE(run, vidur_set_up, vidur_set_up(), true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, vidur_set_up_plain, vidur_set_up(), false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, azure_conv_vllm, whole_trace(), true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, azure_conv_vllm_plain, whole_trace(), false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, fleet_of_16, fleet(), true)->Unit(benchmark::kMillisecond);
