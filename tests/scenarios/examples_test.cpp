// The shipped scenarios load, explain themselves, and name the schema for editors.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/scenarios/fixture.hpp"

namespace orrery::scenarios::testing {
namespace {

namespace fs = std::filesystem;

TEST(Examples, AllLoadAndDescribeThemselves) {
  int count = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(ORRERY_SOURCE_DIR) / "scenarios/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const Result<config::Scenario> scenario = load_scenario(entry.path(), {}, vocabularies());
    ASSERT_TRUE(scenario) << to_string(scenario.faults());
    EXPECT_EQ(scenario->name(), entry.path().stem().string());
    EXPECT_GT(scenario->description().size(), 60U) << entry.path();
    std::string first;
    std::ifstream file(entry.path());
    std::getline(file, first);
    EXPECT_EQ(first, "# yaml-language-server: $schema=../../scenario.schema.json") << entry.path();
  }
  EXPECT_GE(count, 13);
}

}  // namespace
}  // namespace orrery::scenarios::testing
