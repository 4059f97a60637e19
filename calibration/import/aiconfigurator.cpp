// aiconfigurator's tables: one CSV an operator, latencies in microseconds. Attention lengths: `isl`
// new tokens after `step` cached ones; a decode step has isl 1. Message sizes count elements.

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "calibration/import/csv_table.hpp"
#include "calibration/import/import.hpp"
#include "calibration/import/spread.hpp"
#include "calibration/import/table_builder.hpp"

namespace orrery::calibration {
namespace {

namespace fs = std::filesystem;

std::string format_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames{
      {{"bfloat16", "bf16"}, {"float16", "fp16"}, {"half", "fp16"}, {"int8", "int8"}}};
  for (const auto& [theirs, ours] : kNames) {
    if (theirs == name) return std::string(ours);
  }
  return std::string(name);
}

// Finds NAME.csv or NAME.csv.zst; a collection need not have every table.
Result<std::optional<CsvTable>> open(const fs::path& folder, const std::string& name) {
  for (const char* ending : {".csv.zst", ".csv"}) {
    const fs::path path = folder / (name + ending);
    if (!fs::exists(path)) continue;
    Result<CsvTable> table = CsvTable::load(path);
    if (!table) return std::move(table).faults();
    return std::optional<CsvTable>(*std::move(table));
  }
  return std::optional<CsvTable>{};
}

using Tables = std::map<std::string, TableBuilder>;  // by variant

TableBuilder& builder(Tables& tables, const std::string& variant,
                      const std::vector<std::string>& keys) {
  return tables.try_emplace(variant, keys).first->second;
}

Tables read_gemm(const CsvTable& csv) {
  Tables tables;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    builder(tables, format_name(csv.text(row, "gemm_dtype")), {"n", "k", "m"})
        .add({csv.number(row, "n"), csv.number(row, "k"), csv.number(row, "m")},
             csv.number(row, "latency_us"));
  }
  return tables;
}

std::string attention_variant(const CsvTable& csv, std::size_t row, std::string_view dtype) {
  return format_name(csv.text(row, dtype)) + "/" + format_name(csv.text(row, "kv_cache_dtype"));
}

double window(const CsvTable& csv, std::size_t row) {
  const double value = csv.number(row, "window_size");
  return value > 0.0 ? value : 0.0;
}

Tables read_prefill(const CsvTable& csv) {
  Tables tables;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    if (csv.number(row, "step") != 0.0) continue;
    builder(tables, attention_variant(csv, row, "attn_dtype"),
            {"heads", "kv_heads", "head_dim", "window", "batch", "tokens"})
        .add({csv.number(row, "num_heads"), csv.number(row, "num_key_value_heads"),
              csv.number(row, "head_dim"), window(csv, row), csv.number(row, "batch_size"),
              csv.number(row, "isl")},
             csv.number(row, "latency_us"));
  }
  return tables;
}

Tables read_decode(const CsvTable& csv) {
  Tables tables;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    builder(tables, attention_variant(csv, row, "attn_dtype"),
            {"heads", "kv_heads", "head_dim", "window", "batch", "context"})
        .add({csv.number(row, "num_heads"), csv.number(row, "num_key_value_heads"),
              csv.number(row, "head_dim"), window(csv, row), csv.number(row, "batch_size"),
              csv.number(row, "isl") + csv.number(row, "step")},
             csv.number(row, "latency_us"));
  }
  return tables;
}

// Latent attention: one latent "KV head" of 512 + 64 elements.
Tables read_latent(const CsvTable& csv, const char* length) {
  Tables tables;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    const double tokens = csv.number(row, "isl");
    const double step = csv.number(row, "step");
    if (std::string_view(length) == "tokens" && step != 0.0) continue;
    builder(tables, attention_variant(csv, row, "mla_dtype"),
            {"heads", "kv_heads", "head_dim", "window", "batch", length})
        .add({csv.number(row, "num_heads"), 1.0, 576.0, 0.0, csv.number(row, "batch_size"),
              std::string_view(length) == "tokens" ? tokens : tokens + step},
             csv.number(row, "latency_us"));
  }
  return tables;
}

Tables read_experts(const CsvTable& csv) {
  Tables tables;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    // Mild imbalance is what real routers show; where both were measured it takes precedence.
    std::string variant = format_name(csv.text(row, "moe_dtype"));
    const std::string_view distribution = csv.text(row, "distribution");
    if (distribution == "balanced") variant += "/balanced";
    if (distribution == "power_law_1.2") variant += "/skewed";
    builder(tables, variant,
            {"hidden", "ffn", "experts", "per_token", "tensor", "expert_parallel", "tokens"})
        .add({csv.number(row, "hidden_size"), csv.number(row, "inter_size"),
              csv.number(row, "num_experts"), csv.number(row, "topk"),
              csv.number(row, "moe_tp_size"), csv.number(row, "moe_ep_size"),
              csv.number(row, "num_tokens")},
             csv.number(row, "latency_us"));
  }
  return tables;
}

Tables read_custom_all_reduce(const CsvTable& csv) {
  constexpr double kElementBytes = 2.0;
  Tables tables;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    const bool graph = csv.text(row, "backend").find("graph") != std::string_view::npos;
    builder(tables, graph ? "custom" : "custom_eager", {"ranks", "bytes"})
        .add({csv.number(row, "num_gpus"), csv.number(row, "message_size") * kElementBytes},
             csv.number(row, "latency_us"));
  }
  return tables;
}

Tables read_nccl(const CsvTable& csv, std::string_view operation) {
  Tables tables;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    if (csv.text(row, "op_name") != operation || csv.text(row, "nccl_dtype") != "half") continue;
    builder(tables, "nccl", {"ranks", "bytes"})
        .add({csv.number(row, "num_gpus"), csv.number(row, "message_size") * 2.0},
             csv.number(row, "latency_us"));
  }
  return tables;
}

void add_all(models::Profile& profile, const std::string& operation, const Tables& tables) {
  for (const auto& [variant, rows] : tables) {
    if (rows.empty()) continue;
    models::ProfileTable table = rows.build(operation, variant);
    table.spread = estimate_spread(table);
    profile.add(table);
  }
}

}  // namespace

Result<models::Profile> import_aiconfigurator(const fs::path& folder,
                                              const models::ProfileHeader& header) {
  models::Profile profile(header);
  struct Part {
    const char* file;
    const char* operation;
    Tables (*read)(const CsvTable&);
  };
  const std::array<Part, 11> parts{{
      {"gemm", "gemm", read_gemm},
      {"context_attention", "attention_prefill", read_prefill},
      {"generation_attention", "attention_decode", read_decode},
      {"context_mla", "latent_prefill", [](const CsvTable& t) { return read_latent(t, "tokens"); }},
      {"generation_mla", "latent_decode",
       [](const CsvTable& t) { return read_latent(t, "context"); }},
      {"moe", "experts", read_experts},
      {"custom_allreduce", "all_reduce", read_custom_all_reduce},
      {"nccl", "all_reduce", [](const CsvTable& t) { return read_nccl(t, "all_reduce"); }},
      {"nccl", "all_gather", [](const CsvTable& t) { return read_nccl(t, "all_gather"); }},
      {"nccl", "reduce_scatter", [](const CsvTable& t) { return read_nccl(t, "reduce_scatter"); }},
      {"nccl", "all_to_all", [](const CsvTable& t) { return read_nccl(t, "alltoall"); }},
  }};
  for (const Part& part : parts) {
    Result<std::optional<CsvTable>> csv = open(folder, part.file);
    if (!csv) return std::move(csv).faults();
    if (csv->has_value()) add_all(profile, part.operation, part.read(**csv));
  }
  if (profile.points() == 0) {
    Diagnostic fault;
    fault.where.file = folder.string();
    fault.message = "no operator tables here";
    fault.allowed = "a folder with gemm.csv, context_attention.csv, ... (plain or .zst)";
    return fault;
  }
  return profile;
}

}  // namespace orrery::calibration
