#include "models/registry.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace orrery {
namespace {

const std::vector<std::string> kNames{"vllm", "vllm_v0", "sarathi", "orca", "static"};

TEST(NearestName, FindsSlipsOfThePen) {
  EXPECT_EQ(nearest_name("vlm", kNames), "vllm");
  EXPECT_EQ(nearest_name("VLLM", kNames), "vllm");
  EXPECT_EQ(nearest_name("vllm-v0", kNames), "vllm_v0");
  EXPECT_EQ(nearest_name("sarahti", kNames), "sarathi") << "two letters swapped";
  EXPECT_EQ(nearest_name("sara", kNames), "sarathi") << "part of a name";
}

TEST(NearestName, SuggestsNothingForSomethingElse) {
  EXPECT_EQ(nearest_name("banana", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'v'), kNames), "");
}

}  // namespace
}  // namespace orrery
