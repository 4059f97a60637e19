#include "models/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace orrery {
namespace {

TEST(Diagnostic, ReadsAsOneLineWithWhatIsKnown) {
  Diagnostic fault;
  fault.message = "no such field";
  EXPECT_EQ(to_string(fault), "no such field");
  fault.where = {"a.yaml", 3, 7};
  fault.field = "serving.replicsa";
  fault.nearest = "replicas";
  fault.allowed = "replicas, router";
  EXPECT_EQ(to_string(fault),
            "a.yaml:3:7: serving.replicsa: no such field; did you mean \"replicas\"? (allowed: "
            "replicas, router)");
}

TEST(Result, HoldsAValueOrFaults) {
  const Result<std::string> good(std::string("x"));
  EXPECT_TRUE(good);
  EXPECT_EQ(*good, "x");
  const Result<std::string> bad(Diagnostic{});
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.faults().size(), 1U);
}

TEST(Result, GivesUpWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> value = *std::move(result);
  EXPECT_EQ(*value, 5);
}

}  // namespace
}  // namespace orrery
