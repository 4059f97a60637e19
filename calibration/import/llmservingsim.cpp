// LLMServingSim's layer tables: measured inside vLLM, one layer's operator a row, microseconds.

#include <map>
#include <set>

#include "calibration/import/csv_table.hpp"
#include "calibration/import/import.hpp"
#include "calibration/import/table_builder.hpp"

namespace orrery::calibration {
namespace {

namespace fs = std::filesystem;

fs::path find_file(const fs::path& folder, const std::string& name) {
  const fs::path compressed = folder / (name + ".zst");
  return fs::exists(compressed) ? compressed : folder / name;
}

// layer,SIZE,time_us: a table a layer.
Result<bool> add_layers(models::Profile& profile, const fs::path& path, const char* key) {
  Result<CsvTable> csv = CsvTable::load(path);
  if (!csv) return std::move(csv).faults();
  std::map<std::string, TableBuilder> layers;
  for (std::size_t row = 0; row < csv->rows(); ++row) {
    layers.try_emplace(std::string(csv->text(row, "layer")), std::vector<std::string>{key})
        .first->second.add({csv->number(row, key)}, csv->number(row, "time_us"));
  }
  for (const auto& [layer, rows] : layers) {
    if (!rows.empty()) profile.add(rows.build(layer, "bf16"));
  }
  return true;
}

Result<bool> add_attention(models::Profile& profile, const fs::path& path) {
  Result<CsvTable> csv = CsvTable::load(path);
  if (!csv) return std::move(csv).faults();
  TableBuilder rows({"chunk", "chunk_context", "sequences", "context"});
  for (std::size_t row = 0; row < csv->rows(); ++row) {
    rows.add({csv->number(row, "prefill_chunk"), csv->number(row, "kv_prefill"),
              csv->number(row, "n_decode"), csv->number(row, "kv_decode")},
             csv->number(row, "time_us"));
  }
  profile.add(rows.build("mixed_attention", "bf16"));
  return true;
}

// Where a batch of uneven contexts falls between one of all-mean (0) and one of all-longest (1): a
// share for each number of sequences, over all batches without a prefill chunk, weighted by time.
Result<bool> add_skew(models::Profile& profile, const fs::path& path) {
  Result<CsvTable> csv = CsvTable::load(path);
  if (!csv) return std::move(csv).faults();
  std::map<double, std::pair<double, double>> sums;
  for (std::size_t row = 0; row < csv->rows(); ++row) {
    if (csv->text(row, "regime") != "pure") continue;
    const double mean = csv->number(row, "t_mean_us");
    auto& [above_mean, range] = sums[csv->number(row, "n")];
    above_mean += csv->number(row, "t_skew_us") - mean;
    range += csv->number(row, "t_max_us") - mean;
  }
  TableBuilder rows({"sequences"});
  for (const auto& [sequences, sum] : sums) {
    constexpr double kLeast = 1e-4;  // The format holds positive values.
    if (sum.second > 0.0) {
      rows.add({sequences}, std::min(1.0, std::max(kLeast, sum.first / sum.second)));
    }
  }
  if (rows.empty()) return true;
  models::ProfileTable table = rows.build("decode_skew", "bf16");
  table.unit = "share";
  profile.add(table);
  return true;
}

Result<bool> add_experts(models::Profile& profile, const fs::path& path) {
  Result<CsvTable> csv = CsvTable::load(path);
  if (!csv) return std::move(csv).faults();
  TableBuilder rows({"tokens", "activated"});
  for (std::size_t row = 0; row < csv->rows(); ++row) {
    rows.add({csv->number(row, "tokens"), csv->number(row, "activated_experts")},
             csv->number(row, "time_us"));
  }
  if (!rows.empty()) profile.add(rows.build("experts", "bf16"));
  return true;
}

}  // namespace

Result<models::Profile> import_llmservingsim(const fs::path& folder,
                                             const models::ProfileHeader& header) {
  models::Profile profile(header);
  Result<bool> done = add_layers(profile, find_file(folder, "dense.csv"), "tokens");
  if (done) done = add_layers(profile, find_file(folder, "per_sequence.csv"), "sequences");
  if (done) done = add_attention(profile, find_file(folder, "attention.csv"));
  const fs::path skew = find_file(folder, "skew.csv");
  if (done && fs::exists(skew)) done = add_skew(profile, skew);
  const fs::path experts = find_file(folder, "moe.csv");
  if (done && fs::exists(experts)) done = add_experts(profile, experts);
  if (!done) return std::move(done).faults();
  return profile;
}

}  // namespace orrery::calibration
