#include "calibration/import/spread.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "models/cost/interpolation.hpp"
#include "models/cost/operator_tables.hpp"
#include "models/cost/roofline.hpp"
#include "models/devices/device.hpp"

namespace orrery::calibration {
namespace {

using models::LogCurve;
using models::LogGrid;
using models::ProfileTable;

constexpr std::size_t kEvery = 7;

struct Errors {
  std::vector<double> ours;
  std::vector<double> nearest;

  void add(double predicted, double neighbour, double measured) {
    ours.push_back(std::abs(predicted / measured - 1.0));
    nearest.push_back(std::abs(neighbour / measured - 1.0));
  }
};

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

using Group = std::vector<std::int64_t>;
using Points = std::vector<std::pair<double, double>>;

// Curves over the last key, by the keys before it.
std::map<Group, Points> curves(const ProfileTable& table) {
  std::map<Group, Points> out;
  const std::size_t last = table.columns.size() - 1;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Group group;
    for (std::size_t k = 0; k < last; ++k) group.push_back(table.columns[k][row]);
    out[group].emplace_back(static_cast<double>(table.columns[last][row]), table.values[row]);
  }
  return out;
}

double nearest_value(const Points& points, double size) {
  double best = points.front().second;
  double distance = INFINITY;
  for (const auto& [other, value] : points) {
    const double away = std::abs(std::log(other / size));
    if (away < distance) {
      distance = away;
      best = value;
    }
  }
  return best;
}

void leave_out_sizes(const ProfileTable& table, Errors& errors) {
  std::size_t phase = 0;
  for (auto& [group, points] : curves(table)) {
    std::sort(points.begin(), points.end());
    Points kept;
    Points held;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool interior = i > 0 && i + 1 < points.size();
      (interior && (i + phase) % kEvery == 0 ? held : kept).push_back(points[i]);
    }
    ++phase;
    if (kept.size() < 2) continue;
    const LogCurve curve(kept);
    for (const auto& [size, value] : held) {
      errors.add(curve.at(size), nearest_value(kept, size), value);
    }
  }
}

ProfileTable without_shape(const ProfileTable& table, std::int64_t n, std::int64_t k) {
  ProfileTable rest = table;
  rest.values.clear();
  for (auto& column : rest.columns) column.clear();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.column("n")[row] == n && table.column("k")[row] == k) continue;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      rest.columns[c].push_back(table.columns[c][row]);
    }
    rest.values.push_back(table.values[row]);
  }
  return rest;
}

// Matrix products of whole shapes that the table does not have, as a model's usually are.
void leave_out_shapes(const ProfileTable& table, Errors& errors) {
  // The yardstick's device hardly matters: only ratios of neighbouring shapes enter.
  const models::Device* device = models::find_device("h100-sxm-80gb");
  if (device == nullptr) return;
  const models::Roofline roofline(*device);
  const auto all = curves(table);
  std::set<std::int64_t> ns;
  std::set<std::int64_t> ks;
  for (const auto& entry : all) {
    ns.insert(entry.first[0]);
    ks.insert(entry.first[1]);
  }
  constexpr std::int64_t kSmallest = 512;  // Smaller shapes do not occur in models of interest.
  std::size_t index = 0;
  for (const auto& [shape, points] : all) {
    const std::int64_t n = shape[0];
    const std::int64_t k = shape[1];
    const bool interior =
        n > *ns.begin() && n < *ns.rbegin() && k > *ks.begin() && k < *ks.rbegin();
    if (!interior || n < kSmallest || k < kSmallest || ++index % kEvery != 0) continue;
    const LogCurve curve =
        models::gemm_curve(without_shape(table, n, k), roofline, models::DataType::kBf16, n, k);
    const auto neighbour = std::prev(all.find(shape));
    for (const auto& [m, value] : points) {
      errors.add(curve.at(m) * 1e6, nearest_value(neighbour->second, m), value);
    }
  }
}

Errors errors_of(const ProfileTable& table) {
  Errors errors;
  leave_out_sizes(table, errors);
  if (table.operation == "gemm") leave_out_shapes(table, errors);
  return errors;
}

}  // namespace

HoldOut hold_out(const ProfileTable& table) {
  const Errors errors = errors_of(table);
  return {errors.ours.size(), quantile(errors.ours, 0.5), quantile(errors.ours, 0.9),
          quantile(errors.nearest, 0.5), quantile(errors.nearest, 0.9)};
}

double estimate_spread(const ProfileTable& table) { return 1.4826 * hold_out(table).median; }

}  // namespace orrery::calibration
