#include "models/diffusion/depth_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

namespace orrery::models {
namespace {

// Tables at similarity 0.97 from BiCache's profiler, run by the authors of ACache on 500 WildChat
// samples a ratio: sands-lab/ACache d9200d9 (Apache-2.0), policies/bicache_llada.json and
// bicache_dream.json.
const std::vector<DepthTable::Row> kLladaRows{{0, 1},   {5, 2},   {10, 3},  {13, 5},  {15, 7},
                                              {20, 8},  {21, 9},  {30, 10}, {49, 11}, {54, 13},
                                              {66, 14}, {68, 15}, {73, 16}, {87, 17}, {93, 18},
                                              {95, 19}, {97, 20}, {98, 22}, {99, 32}};
const std::vector<DepthTable::Row> kDreamRows{{0, 1},   {9, 2},   {10, 4},  {19, 5},  {32, 6},
                                              {47, 7},  {56, 8},  {63, 9},  {76, 12}, {85, 13},
                                              {86, 14}, {92, 16}, {94, 17}, {95, 18}, {96, 28}};

Diagnostic fault(std::string message, std::string allowed) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  diagnostic.allowed = std::move(allowed);
  return diagnostic;
}

bool parse_row(std::string_view line, DepthTable::Row& row) {
  const char* end = line.data() + line.size();
  const auto ratio = std::from_chars(line.data(), end, row.ratio_percent);
  if (ratio.ec != std::errc{} || ratio.ptr == end || *ratio.ptr != ',') return false;
  const auto depth = std::from_chars(ratio.ptr + 1, end, row.depth);
  return depth.ec == std::errc{} && depth.ptr == end;
}

}  // namespace

std::int64_t prefix_ratio_percent(std::int64_t prefix, std::int64_t total) {
  if (total <= 0) return 0;
  // In whole numbers, so that halves are exact: 100 P / T = whole + rest / T.
  const std::int64_t scaled = 100 * prefix;
  const std::int64_t whole = scaled / total;
  const std::int64_t twice_rest = 2 * (scaled % total);
  if (twice_rest > total) return whole + 1;
  if (twice_rest < total) return whole;
  return whole % 2 == 0 ? whole : whole + 1;
}

Result<DepthTable> DepthTable::make(std::vector<Row> rows, std::int64_t layers) {
  Diagnostics faults;
  if (rows.empty()) faults.push_back(fault("the depth table is empty", "at least one row"));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.ratio_percent < b.ratio_percent; });
  DepthTable table;
  std::int64_t deepest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].ratio_percent < 0 || rows[i].ratio_percent > 100) {
      faults.push_back(fault(fmt::format("ratio {}", rows[i].ratio_percent), "0 to 100 percent"));
    }
    if (rows[i].depth < 0 || rows[i].depth > layers) {
      faults.push_back(
          fault(fmt::format("depth {} at ratio {}", rows[i].depth, rows[i].ratio_percent),
                fmt::format("0 to {} layers", layers)));
    }
    if (i > 0 && rows[i].ratio_percent == rows[i - 1].ratio_percent) {
      faults.push_back(fault(fmt::format("ratio {} twice", rows[i].ratio_percent), "each once"));
    }
    table.adjusted_ = table.adjusted_ || rows[i].depth < deepest;
    deepest = std::max(deepest, rows[i].depth);
    rows[i].depth = deepest;
  }
  if (!faults.empty()) return faults;
  table.rows_ = std::move(rows);
  table.layers_ = layers;
  return table;
}

std::int64_t DepthTable::depth(std::int64_t ratio_percent) const {
  std::int64_t found = 0;
  for (const Row& row : rows_) {
    if (row.ratio_percent > ratio_percent) break;
    found = row.depth;
  }
  return found;
}

std::int64_t DepthTable::first_ratio(std::int64_t depth) const {
  for (const Row& row : rows_) {
    if (row.depth >= depth) return row.ratio_percent;
  }
  return -1;
}

Result<DepthTable> load_depth_table(const std::string& path, std::int64_t layers) {
  constexpr std::size_t kMostRows = 10000;
  std::ifstream file(path);
  if (!file) {
    Diagnostic diagnostic = fault("cannot open the depth table", "a file of ratio,depth lines");
    diagnostic.where.file = path;
    return diagnostic;
  }
  std::vector<DepthTable::Row> rows;
  Diagnostics faults;
  std::string line;
  for (int number = 1; std::getline(file, line) && rows.size() < kMostRows; ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    DepthTable::Row row;
    if (parse_row(line, row)) {
      rows.push_back(row);
    } else if (number > 1) {
      Diagnostic diagnostic = fault("not a row of the table", "ratio,depth as whole numbers");
      diagnostic.where = {path, number, 1};
      faults.push_back(std::move(diagnostic));
    }
  }
  if (!faults.empty()) return faults;
  Result<DepthTable> table = DepthTable::make(std::move(rows), layers);
  if (table) return table;
  faults = table.faults();
  for (Diagnostic& diagnostic : faults) diagnostic.where.file = path;
  return faults;
}

const DepthTable* published_depth_table(std::string_view model) {
  constexpr std::int64_t kLladaLayers = 32;
  constexpr std::int64_t kDreamLayers = 28;
  static const DepthTable llada = DepthTable::make(kLladaRows, kLladaLayers).value();
  static const DepthTable dream = DepthTable::make(kDreamRows, kDreamLayers).value();
  if (model == "llada-8b" || model == "llada-1.5") return &llada;
  if (model == "dream-7b") return &dream;
  return nullptr;
}

}  // namespace orrery::models
