#pragma once
// Gathers rows of one operator table: the fastest of equal keys, sorted by key.

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/cost/profile.hpp"

namespace orrery::calibration {

class TableBuilder {
 public:
  TableBuilder() = default;
  explicit TableBuilder(std::vector<std::string> keys) : keys_(std::move(keys)) {}

  void add(const std::vector<double>& key, double value) {
    if (!(value > 0.0) || !std::isfinite(value)) return;
    std::vector<std::int64_t> whole;
    for (const double part : key) {
      if (!(std::abs(part) < 1e15)) return;  // NaN as well
      whole.push_back(static_cast<std::int64_t>(part));
    }
    const auto [place, added] = fastest_.emplace(std::move(whole), value);
    if (!added && value < place->second) place->second = value;
  }

  bool empty() const { return fastest_.empty(); }

  models::ProfileTable build(std::string operation, std::string variant) const {
    models::ProfileTable table;
    table.operation = std::move(operation);
    table.variant = std::move(variant);
    table.keys = keys_;
    table.columns.resize(keys_.size());
    for (const auto& [key, value] : fastest_) {
      for (std::size_t k = 0; k < keys_.size(); ++k) table.columns[k].push_back(key[k]);
      table.values.push_back(value);
    }
    return table;
  }

 private:
  std::vector<std::string> keys_;
  std::map<std::vector<std::int64_t>, double> fastest_;
};

}  // namespace orrery::calibration
