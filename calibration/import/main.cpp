// Makes the shipped profiles from public collections: `orrery-import-profiles DATA OUT`, where DATA
// holds aiconfigurator/ and llmservingsim/ as laid out in their repositories' exports. Prints, for
// every table, how well it predicts points that were held out.

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "calibration/import/import.hpp"
#include "calibration/import/spread.hpp"
#include "models/result.hpp"

namespace {

namespace fs = std::filesystem;
using orrery::models::Profile;
using orrery::models::ProfileHeader;

constexpr const char* kOperatorSource =
    "ai-dynamo/aiconfigurator 095f58a, Apache-2.0, medians per key";
constexpr const char* kLayerSource = "casys-kaist/LLMServingSim 5daddb21, MIT";
constexpr const char* kUnknown = "clocks, driver, power limit and temperature are not recorded";

bool finish(const orrery::Result<Profile>& profile, const fs::path& out) {
  if (!profile) {
    fmt::print(stderr, "{}", orrery::to_string(profile.faults()));
    return false;
  }
  const ProfileHeader header = profile->header();
  const orrery::Result<bool> saved = profile->save(out / (header.name + ".orp"));
  if (!saved) {
    fmt::print(stderr, "{}", orrery::to_string(saved.faults()));
    return false;
  }
  fmt::print("{}: {} points\n", header.name, profile->points());
  for (const char* operation :
       {"gemm", "attention_prefill", "attention_decode", "latent_prefill", "latent_decode",
        "experts", "all_reduce", "all_gather", "reduce_scatter", "all_to_all"}) {
    if (!header.model.empty()) break;
    for (const std::string& variant : profile->variants(operation)) {
      const auto table = profile->table(operation, variant);
      if (!table) continue;
      const auto held = orrery::calibration::hold_out(*table);
      fmt::print(
          "  {:18} {:22} {:6} points {:6} held out: median {:5.2f} % p90 {:5.1f} %, nearest "
          "neighbour {:5.1f} % {:6.1f} %\n",
          operation, variant, table->rows(), held.points, 100 * held.median, 100 * held.p90,
          100 * held.nearest_median, 100 * held.nearest_p90);
    }
  }
  return true;
}

bool import_operators(const fs::path& data, const fs::path& out) {
  struct Gpu {
    const char* folder;
    const char* name;
    const char* device;
    const char* engine;
  };
  constexpr std::array<Gpu, 5> kGpus{{
      {"a100_sxm", "a100-sxm/vllm-0.14.0", "a100-sxm-80gb", "vLLM 0.14.0, NCCL 2.27.3"},
      {"h100_sxm", "h100-sxm/vllm-0.24.0", "h100-sxm-80gb", "vLLM 0.24.0, NCCL 2.29.2"},
      {"h200_sxm", "h200-sxm/vllm-0.24.0", "h200-sxm-141gb", "vLLM 0.24.0, NCCL 2.29.2"},
      {"b200_sxm", "b200-sxm/vllm-0.24.0", "b200-sxm-180gb", "vLLM 0.24.0, NCCL 2.29.2"},
      {"l40s", "l40s/vllm-0.24.0", "l40s", "vLLM 0.24.0, NCCL 2.27.3"},
  }};
  bool good = true;
  for (const Gpu& gpu : kGpus) {
    const ProfileHeader header{gpu.name,    gpu.device, gpu.engine, kOperatorSource,
                               "2025-2026", kUnknown,   "",         0};
    good = finish(orrery::calibration::import_aiconfigurator(data / "aiconfigurator" / gpu.folder,
                                                             header),
                  out) &&
           good;
  }
  return good;
}

bool import_layers(const fs::path& data, const fs::path& out) {
  struct Table {
    const char* folder;
    const char* name;
    const char* device;
    const char* model;
    int tensor;
  };
  constexpr std::array<Table, 7> kTables{{
      {"RTX4090/Llama-3.1-8B/tp1", "rtx-4090/llama-3.1-8b/tp1", "rtx-4090", "llama-3.1-8b", 1},
      {"RTXPRO6000/Llama-3.1-8B/tp1", "rtx-pro-6000/llama-3.1-8b/tp1", "rtx-pro-6000-blackwell",
       "llama-3.1-8b", 1},
      {"RTXPRO6000/Llama-3.1-8B/tp2", "rtx-pro-6000/llama-3.1-8b/tp2", "rtx-pro-6000-blackwell",
       "llama-3.1-8b", 2},
      {"RTXPRO6000/Qwen3-32B/tp1", "rtx-pro-6000/qwen3-32b/tp1", "rtx-pro-6000-blackwell",
       "qwen3-32b", 1},
      {"RTXPRO6000/Qwen3-32B/tp2", "rtx-pro-6000/qwen3-32b/tp2", "rtx-pro-6000-blackwell",
       "qwen3-32b", 2},
      {"RTXPRO6000/Qwen3-30B-A3B-Instruct-2507/tp1", "rtx-pro-6000/qwen3-30b-a3b/tp1",
       "rtx-pro-6000-blackwell", "qwen3-30b-a3b", 1},
      {"RTXPRO6000/Qwen3-30B-A3B-Instruct-2507/tp2", "rtx-pro-6000/qwen3-30b-a3b/tp2",
       "rtx-pro-6000-blackwell", "qwen3-30b-a3b", 2},
  }};
  bool good = true;
  for (const Table& table : kTables) {
    const ProfileHeader header{table.name, table.device, "vLLM 0.19.0, eager", kLayerSource,
                               "2026-08",  kUnknown,     table.model,          table.tensor};
    good = finish(orrery::calibration::import_llmservingsim(data / "llmservingsim" / table.folder,
                                                            header),
                  out) &&
           good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: orrery-import-profiles DATA OUT\n");
    return 2;
  }
  const bool operators = import_operators(argv[1], argv[2]);
  const bool layers = import_layers(argv[1], argv[2]);
  return operators && layers ? 0 : 1;
}
