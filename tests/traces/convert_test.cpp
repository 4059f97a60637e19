// Traces that are written are read back as they were, or not written at all.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.hpp"
#include "traces/convert.hpp"

namespace orrery::traces {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Drained read_file(const std::string& path) {
  config::Trace trace;
  trace.set_path(path);
  return drain(open_trace(trace));
}

/// Conversations with shared prefixes from time zero on: every field of a request is used.
config::Workload everything() {
  config::Workload options;
  config::Generator& generator = *options.mutable_generate();
  generator.set_requests(500);
  generator.mutable_arrivals()->set_rate(3);
  generator.mutable_prompt()->mutable_lognormal()->set_mean(300);
  generator.mutable_output()->mutable_lognormal()->set_mean(100);
  generator.mutable_sessions()->set_turns(3);
  generator.mutable_shared_prefixes()->mutable_length()->set_fixed(100);
  generator.mutable_shared_prefixes()->set_groups(3);
  return options;
}

class Written : public testing::TestWithParam<const char*> {};

TEST_P(Written, IsReadBackEqualWithoutNamingColumns) {
  ScratchFolder folder;
  const std::string path = folder.file(GetParam());
  const auto written = write_trace(**make_source(everything(), 1), path);
  ASSERT_TRUE(written.ok()) << to_string(written.faults());
  EXPECT_EQ(*written, 500);
  EXPECT_THAT(folder.names(), ElementsAre(GetParam()));
  Drained read = read_file(path);
  ASSERT_TRUE(read.faults.empty()) << to_string(read.faults);
  std::vector<Request> made = drain(make_source(everything(), 1)).requests;
  // Reading makes the first arrival time zero.
  const std::chrono::nanoseconds origin = made[0].arrival;
  for (Request& request : made) request.arrival -= origin;
  EXPECT_TRUE(equal(read.requests, made));
}

TEST_P(Written, ReplacesAFileOnlyWhenWhole) {
  ScratchFolder folder;
  const std::string path = folder.write(GetParam(), "before");
  auto bad = read_trace(open_memory("arrival_s,prompt_tokens,output_tokens\n0,1,1\n1,x,1\n"), "t",
                        "auto", {});
  const auto written = write_trace(**bad, path);
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(to_string(written.faults()), HasSubstr("t:3:3"));
  EXPECT_THAT(folder.names(), ElementsAre(GetParam()));
  std::string content;
  std::getline(std::ifstream(path), content);
  EXPECT_EQ(content, "before");
}

INSTANTIATE_TEST_SUITE_P(Endings, Written,
                         testing::Values("t.csv", "t.jsonl", "t.csv.gz", "t.csv.zst", "t.jsonl.gz",
                                         "t.jsonl.zst"));

TEST(Convert, ShippedSamplesSurvive) {
  ScratchFolder folder;
  for (const std::string& name : sample_names()) {
    config::Trace trace;
    trace.set_path(name);
    const std::string path = folder.file(name + ".csv.zst");
    ASSERT_TRUE(write_trace(**open_trace(trace), path).ok());
    EXPECT_TRUE(equal(read_file(path).requests, read_file(name).requests)) << name;
  }
}

TEST(Convert, AFullDiskIsAFaultWithItsReason) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  ScratchFolder folder;
  for (const char* ending : {"t.csv", "t.csv.gz", "t.jsonl.zst"}) {
    const std::string path = folder.file(ending);
    ASSERT_EQ(::symlink("/dev/full", path.c_str()), 0);
    const auto written = write_trace(**make_source(everything(), 1), path);
    ASSERT_FALSE(written.ok()) << ending;
    EXPECT_THAT(to_string(written.faults()), HasSubstr("No space left on device"));
  }
}

TEST(Convert, WhatCannotBeWrittenLeavesNothing) {
  ScratchFolder folder;
  for (const std::string& path :
       {folder.file("missing/t.csv"), folder.file("t.parquet"), folder.file("csv")}) {
    const auto written = write_trace(**make_source(everything(), 1), path);
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.faults()[0].where.file, path);
  }
  EXPECT_THAT(folder.names(), IsEmpty());
}

}  // namespace
}  // namespace orrery::traces
