#pragma once
// BiCache's depth: how many shallow layers' prefix K/V may be reused, by the prefix's share of the
// request. Tables are made by profiling similarities on a corpus; see docs/bicache.md.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/result.hpp"

namespace orrery::models {

/// Share of the prefix in percent, rounded half to even as the original does: 12.5 -> 12. 0 when
/// the request is empty.
std::int64_t prefix_ratio_percent(std::int64_t prefix, std::int64_t total);

/// Monotone map from ratio (percent, inclusive lower bound) to depth (layers).
class DepthTable {
 public:
  struct Row {
    std::int64_t ratio_percent = 0;
    std::int64_t depth = 0;
  };
  /// Sorts by ratio. Depths that fall are raised to the running maximum, which adjusted() reports.
  /// Faults: an empty table, ratios outside 0..100 or twice, depths outside 0..layers.
  static Result<DepthTable> make(std::vector<Row> rows, std::int64_t layers);

  /// Depth of the greatest ratio not above `ratio_percent`; 0 below the first row.
  std::int64_t depth(std::int64_t ratio_percent) const;
  /// The least ratio from which `depth` layers are reused, or -1.
  std::int64_t first_ratio(std::int64_t depth) const;
  std::int64_t layers() const { return layers_; }
  bool adjusted() const { return adjusted_; }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
  std::int64_t layers_ = 0;
  bool adjusted_ = false;
};

/// Reads `ratio,depth` lines (a header line is skipped); faults carry file and line.
Result<DepthTable> load_depth_table(const std::string& path, std::int64_t layers);
/// The published table of a built-in model (llada-8b, llada-1.5, dream-7b), or nullptr.
const DepthTable* published_depth_table(std::string_view model);

}  // namespace orrery::models
