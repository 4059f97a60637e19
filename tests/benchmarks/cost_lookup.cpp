// What does a price cost? Decode iterations whose context grows, as fast-forwarding asks for them,
// and mixed ones.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "models/architecture/config_json.hpp"
#include "models/cost/cost_sources.hpp"
#include "models/cost/iteration_cost.hpp"

namespace {

using namespace orrery::models;

std::unique_ptr<IterationCost> make(const std::string& model, const char* device, int tensor) {
  CostRequest request;
  request.architecture = load_architecture(model).value();
  request.device = find_device(device);
  request.layout.tensor = tensor;
  return make_iteration_cost(request).value();
}

void decode(benchmark::State& state, const char* model, const char* device, int tensor) {
  auto cost = make(model, device, tensor);
  BatchShape batch;
  batch.decode_sequences = 64;
  batch.logit_rows = 64;
  std::int64_t context = 64 * 100;
  for (auto round : state) {
    batch.decode_context_tokens = context;
    batch.decode_context_max = context / 32;
    context = context < 64 * 4000 ? context + 64 : 64 * 100;
    benchmark::DoNotOptimize(cost->stage(batch, 0));
  }
}

void mixed(benchmark::State& state) {
  auto cost = make("llama-3.1-70b", "h100", 4);
  std::vector<PrefillChunk> chunks{{512, 0}, {100, 700}};
  BatchShape batch;
  batch.prefills = chunks;
  batch.decode_sequences = 64;
  batch.decode_context_tokens = 64 * 900;
  batch.decode_context_max = 3000;
  batch.logit_rows = 66;
  for (auto round : state) {
    chunks[0].new_tokens = 1 + (chunks[0].new_tokens * 7 + 1) % 2000;
    benchmark::DoNotOptimize(cost->stage(batch, 0));
  }
}

}  // namespace

BENCHMARK_CAPTURE(decode, llama8b_h100_operators, "llama-3.1-8b", "h100", 1);
BENCHMARK_CAPTURE(decode, llama70b_h100_operators, "llama-3.1-70b", "h100", 4);
BENCHMARK_CAPTURE(decode, llama8b_rtx4090_layer_table, "llama-3.1-8b", "rtx-4090", 1);
BENCHMARK_CAPTURE(decode, llama8b_mi300x_roofline, "llama-3.1-8b", "mi300x", 1);
BENCHMARK(mixed);
