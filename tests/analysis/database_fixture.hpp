#pragma once
// A folder of its own for each test, and runs to store in it.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/query/reader.hpp"
#include "analysis/store/store.hpp"

namespace orrery::analysis {

class DatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::string path(const std::string& name = "orrery.db") const {
    return (folder_ / name).string();
  }
  /// Opens, or fails the test.
  Store open_store(const std::string& name = "orrery.db", StoreOptions options = {}) const;
  Reader open_reader(const std::string& name = "orrery.db") const;
  /// All rows of a SELECT as text, columns joined by '|'.
  std::vector<std::string> rows(const std::string& sql,
                                const std::string& name = "orrery.db") const;

  std::filesystem::path folder_;
};

RunHeader header_for(const std::string& name, std::uint64_t seed = 1);
/// Request `id`: arrives at `id` s, waits 1 s, first token after 2 s, `4` tokens, done after 5 s.
sim::RequestRecord completed_request(std::int64_t id);
RunOutcome outcome_of(std::vector<sim::Metric> metrics = {});
/// Stores a complete run of `requests` requests and gives its id.
std::string store_run(Store& store, const std::string& name, std::int64_t requests,
                      std::uint64_t seed = 1);

}  // namespace orrery::analysis
