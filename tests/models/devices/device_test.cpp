#include "models/devices/device.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace orrery::models {
namespace {

TEST(Devices, HaveDistinctNamesAndAliases) {
  std::set<std::string> seen;
  for (const std::string& name : device_names()) EXPECT_TRUE(seen.insert(name).second) << name;
  for (const std::string& alias : device_aliases()) {
    EXPECT_TRUE(seen.insert(alias).second) << alias;
    EXPECT_NE(find_device(alias), nullptr);
  }
}

TEST(Devices, EveryOneIsSourcedAndWithinPhysicalBounds) {
  ASSERT_GT(devices().size(), 30U);
  for (const Device& d : devices()) {
    EXPECT_FALSE(d.source.empty()) << d.name;
    EXPECT_GT(d.memory_bytes, 8e9) << d.name;
    EXPECT_LT(d.memory_bytes, 400e9) << d.name;
    EXPECT_GT(d.memory_bandwidth_bytes_per_s, 200e9) << d.name;
    EXPECT_LT(d.memory_bandwidth_bytes_per_s, 10e12) << d.name;
    EXPECT_GE(d.fp16_flops, d.fp32_flops) << d.name;
    // What anyone measured stays below the datasheet.
    if (d.bf16_flops > 0.0) {
      EXPECT_LE(d.max_measured_bf16_flops, d.bf16_flops) << d.name;
    }
    EXPECT_LT(d.idle_watts, d.power_watts) << d.name;
    // Prices and idle power are guesses of ours; so is the driver's total where no log shows it.
    std::set<std::string> assumed(d.assumed.begin(), d.assumed.end());
    EXPECT_EQ(assumed.erase("idle_watts") + assumed.erase("usd_per_hour"), 2U) << d.name;
    assumed.erase("reported_memory_bytes");
    EXPECT_TRUE(assumed.empty()) << d.name;
    EXPECT_GT(d.usd_per_hour, 0.0) << d.name;
    EXPECT_LE(d.reported_memory_bytes, d.memory_bytes) << d.name;
    EXPECT_GE(d.reported_memory_bytes, 0.91 * d.memory_bytes) << d.name;
  }
}

TEST(Devices, AreFoundWithoutCaseAndByShortNames) {
  const Device* h100 = find_device("h100-sxm-80gb");
  ASSERT_NE(h100, nullptr);
  EXPECT_EQ(find_device("H100_SXM_80GB"), h100);
  EXPECT_EQ(find_device("h100"), h100);
  EXPECT_EQ(find_device("h10"), nullptr);
}

// Recorded with the measured run of vLLM 0.19.
TEST(Devices, ReportTheMemoryThatADriverReported) {
  EXPECT_NEAR(find_device("rtx-4090")->reported_memory_bytes, 25'250'627'584.0, 1e5);
}

TEST(Devices, CarryTheDatasheetsFigures) {
  const Device* h100 = find_device("h100");
  ASSERT_NE(h100, nullptr);
  EXPECT_DOUBLE_EQ(h100->bf16_flops, 989.4e12);
  EXPECT_DOUBLE_EQ(h100->memory_bandwidth_bytes_per_s, 3352e9);
  EXPECT_DOUBLE_EQ(h100->memory_bytes, 80.0 * 1024 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(h100->matrix_flops(DataType::kFp8), 1978.9e12);
  EXPECT_EQ(find_device("a100")->matrix_flops(DataType::kFp8), 0.0);
}

}  // namespace
}  // namespace orrery::models
