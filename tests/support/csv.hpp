#pragma once
// Reads small tables of reference values.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace orrery::testing {

using Row = std::map<std::string, std::string>;

inline std::vector<Row> read_csv(const std::string& file) {
  std::ifstream in(std::string(ORRERY_SOURCE_DIR) + "/tests/data/" + file);
  EXPECT_TRUE(in) << file;
  std::vector<Row> rows;
  std::vector<std::string> names;
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = i < cells.size() ? cells[i] : "";
    rows.push_back(row);
  }
  return rows;
}

inline std::int64_t whole(const Row& row, const char* name) {
  return std::atoll(row.at(name).c_str());
}
inline double number(const Row& row, const char* name) { return std::atof(row.at(name).c_str()); }

}  // namespace orrery::testing
