#include "models/cost/profile.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "models/cost/cost_sources.hpp"
#include "models/shipped_data.hpp"

namespace orrery::models {
namespace {

namespace fs = std::filesystem;

class ProfileFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("orrery-profile-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = folder_ / "test.orp";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static ProfileTable table() {
    ProfileTable table;
    table.operation = "gemm";
    table.variant = "bf16";
    table.keys = {"n", "k", "m"};
    table.columns = {{64, 64, 128}, {64, 64, 64}, {1, 8, 1}};
    table.values = {2.5, 1000.0, 7654.321};
    table.spread = 0.04;
    return table;
  }

  static Profile profile() {
    ProfileHeader header;
    header.name = "test";
    header.device = "h100-sxm-80gb";
    header.engine = "hand";
    Profile profile(header);
    profile.add(table());
    return profile;
  }

  fs::path folder_;
  fs::path path_;
};

TEST_F(ProfileFile, KeepsKeysExactlyAndValuesWithinATenthOfAPercent) {
  ASSERT_TRUE(profile().save(path_));
  const Result<Profile> loaded = Profile::load(path_);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->header().engine, "hand");
  const Result<ProfileTable> read = loaded->table("gemm", "bf16");
  ASSERT_TRUE(read) << to_string(read.faults());
  EXPECT_EQ(read->columns, table().columns);
  EXPECT_DOUBLE_EQ(read->spread, 0.04);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(read->values[i] / table().values[i], 1.0, 1e-3);
}

TEST_F(ProfileFile, EveryTruncationIsRefusedOrLosesWholeTables) {
  ASSERT_TRUE(profile().save(path_));
  std::ostringstream text;
  text << std::ifstream(path_).rdbuf();
  const std::string whole = text.str();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, n);
    const Result<Profile> loaded = Profile::load(path_);
    if (loaded) {
      const Result<ProfileTable> read = loaded->table("gemm", "bf16");
      EXPECT_FALSE(read && read->rows() != 3) << n;
    }
  }
}

TEST_F(ProfileFile, DamageIsNeverReadAsANumber) {
  ASSERT_TRUE(profile().save(path_));
  std::ostringstream text;
  text << std::ifstream(path_).rdbuf();
  const std::string whole = text.str();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string broken = whole;
    broken[i] = static_cast<char>(broken[i] ^ 0x5a);
    std::ofstream(path_, std::ios::binary) << broken;
    const Result<Profile> loaded = Profile::load(path_);
    if (!loaded) continue;
    const Result<ProfileTable> read = loaded->table("gemm", "bf16");
    if (!read) continue;
    for (const double value : read->values) EXPECT_TRUE(value > 0.0 && value < 1e300);
  }
}

TEST_F(ProfileFile, MissingTablesAndFilesAreFaults) {
  EXPECT_FALSE(profile().table("gemm", "fp8"));
  EXPECT_FALSE(Profile::load(folder_ / "none.orp"));
  EXPECT_FALSE(Profile::load(folder_));
  std::ofstream(path_) << "hello";
  EXPECT_FALSE(Profile::load(path_));
}

TEST(ShippedProfiles, AreCompleteAndSayWhereTheyComeFrom) {
  const std::vector<ProfileInfo> profiles = shipped_profiles();
  ASSERT_GE(profiles.size(), 12U);
  std::size_t points = 0;
  for (const ProfileInfo& info : profiles) {
    EXPECT_NE(find_device(info.device), nullptr) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
    EXPECT_FALSE(info.engine.empty()) << info.name;
    points += info.points;
  }
  EXPECT_GT(points, 1'000'000U);
}

// Spot checks against rows of the published tables, in microseconds.
TEST(ShippedProfiles, HoldThePublishedFigures) {
  const Result<Profile> h100 =
      Profile::load(shipped_data("calibration/profiles/h100-sxm/vllm-0.24.0.orp"));
  ASSERT_TRUE(h100);
  const Result<ProfileTable> gemm = h100->table("gemm", "bf16");
  ASSERT_TRUE(gemm);
  bool found = false;
  for (std::size_t i = 0; i < gemm->rows(); ++i) {
    if (gemm->column("m")[i] == 1 && gemm->column("n")[i] == 32 && gemm->column("k")[i] == 32) {
      EXPECT_NEAR(gemm->values[i], 2.6, 0.002);
      found = true;
    }
  }
  EXPECT_TRUE(found);
  // 268,435,456 halves over 8 GPUs take 2,111 us: 445 GB/s of bus bandwidth.
  const Result<ProfileTable> nccl = h100->table("all_reduce", "nccl");
  ASSERT_TRUE(nccl);
  found = false;
  for (std::size_t i = 0; i < nccl->rows(); ++i) {
    if (nccl->column("ranks")[i] == 8 && nccl->column("bytes")[i] == 536870912) {
      EXPECT_NEAR(nccl->values[i], 2111, 2);
      found = true;
    }
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace orrery::models
