// What each format's rows mean, from small pieces of the published files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace orrery::traces {
namespace {

using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string& sample(const std::string& format) {
  for (const FormatSample& candidate : format_samples()) {
    if (candidate.format == format) return candidate.text;
  }
  ADD_FAILURE() << "no sample of " << format;
  return format_samples().front().text;
}

std::vector<std::int64_t> nanoseconds_of(const Drained& drained) {
  std::vector<std::int64_t> out;
  for (const Request& request : drained.requests) out.push_back(request.arrival.count());
  return out;
}

TEST(Azure, KeepsHundredNanosecondsAcrossMidnight) {
  const Drained read = read_text(sample("azure"));
  ASSERT_TRUE(read.faults.empty()) << to_string(read.faults);
  // 18:15:46.68059 to 18:15:50.995169 and to 23:59:59.9999999, by hand.
  EXPECT_THAT(nanoseconds_of(read), ElementsAre(0, 4'314'579'000, 20'653'319'409'900,
                                                20'653'319'410'000, 20'653'319'410'000));
  EXPECT_EQ(read.requests[2].prompt_tokens, 879);
  EXPECT_EQ(read.requests[2].output_tokens, 55);
  EXPECT_EQ(read.requests[4].id, 4);
  EXPECT_EQ(read.requests[4].session, -1);
  EXPECT_TRUE(read.requests[4].block_hashes.empty());
}

TEST(Azure, ReadsTheTimesOf2024WithZonesAndAnyFraction) {
  const Drained read = read_text(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2024-05-10 00:00:00.009930+00:00,2162,5\n"
      "2024-05-10 00:00:01+00:00,2399,6\n"
      "2024-05-10T00:00:02.5Z,76,15\n"
      "2024-05-10 02:00:03+0200,76,15\n");
  ASSERT_TRUE(read.faults.empty()) << to_string(read.faults);
  EXPECT_THAT(nanoseconds_of(read), ElementsAre(0, 990'070'000, 2'490'070'000, 2'990'070'000));
}

TEST(Azure, CountsLeapDays) {
  const Drained read = read_text(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-28 00:00:00,1,1\n2024-03-01 "
      "00:00:00,1,1\n");
  ASSERT_EQ(read.requests.size(), 2U);
  EXPECT_EQ(read.requests[1].arrival, std::chrono::hours(48));
  EXPECT_FALSE(read_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-02-29 00:00:00,1,1\n")
                   .faults.empty());
}

TEST(Mooncake, ReadsMillisecondsAndKeepsBlockIds) {
  const Drained read = read_text(sample("mooncake"));
  ASSERT_TRUE(read.faults.empty()) << to_string(read.faults);
  EXPECT_THAT(nanoseconds_of(read),
              ElementsAre(0, 3'053'000'000, 3'053'000'000, 3'054'000'000, 3'055'000'000));
  EXPECT_EQ(read.requests[0].hash_block_tokens, 512);
  EXPECT_EQ(read.requests[0].block_hashes.size(), 14U);
  EXPECT_EQ(read.requests[0].block_hashes[13], 2354U);
  EXPECT_THAT(read.requests[3].block_hashes, ElementsAre(46, 99));
}

TEST(Mooncake, RefusesMoreBlockIdsThanBlocks) {
  const Drained read = read_text(
      "{\"timestamp\": 0, \"input_length\": 512, \"output_length\": 1, \"hash_ids\": [1, 2, 3]}");
  ASSERT_EQ(read.faults.size(), 1U);
  EXPECT_THAT(read.faults[0].message, HasSubstr("3 block ids"));
}

TEST(Llmservingsim, ReadsSecondsAndSixteenTokenBlocks) {
  const Drained read = read_text(sample("llmservingsim"));
  ASSERT_TRUE(read.faults.empty()) << to_string(read.faults);
  EXPECT_EQ(read.requests[1].arrival, nanoseconds(301'012'143));
  EXPECT_EQ(read.requests[3].hash_block_tokens, 16);
  EXPECT_THAT(read.requests[3].block_hashes, ElementsAre(0, 1, 2));
}

TEST(Burstgpt, LeavesFailedRequestsOutAndSaysHowMany) {
  const Drained read = read_text(sample("burstgpt"));
  ASSERT_TRUE(read.faults.empty()) << to_string(read.faults);
  ASSERT_EQ(read.requests.size(), 5U);
  EXPECT_THAT(read.notes, ElementsAre(HasSubstr("1 failed requests")));
  EXPECT_THAT(nanoseconds_of(read),
              ElementsAre(0, 51'000'000'000, 83'500'000'000, 84'000'000'000, 85'000'000'000));
}

TEST(Burstgpt, NumbersTheTurnsOfSessionsAndLeavesOtherRequestsAlone) {
  const Drained read = read_text(sample("burstgpt"));
  ASSERT_EQ(read.requests.size(), 5U);
  EXPECT_GE(read.requests[0].session, 0);
  EXPECT_EQ(read.requests[0].session, read.requests[2].session);
  EXPECT_NE(read.requests[0].session, read.requests[1].session);
  EXPECT_EQ(read.requests[0].turn, 0);
  EXPECT_EQ(read.requests[2].turn, 1);
  EXPECT_EQ(read.requests[3].session, -1);
}

TEST(Burstgpt, ReadsTheLayoutWithoutSessions) {
  const Drained read = read_text(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5,ChatGPT,472,18,490,Conversation log\n45,ChatGPT,1087,230,1317,API log\n");
  ASSERT_EQ(read.requests.size(), 2U) << to_string(read.faults);
  EXPECT_EQ(read.requests[1].arrival, std::chrono::seconds(40));
  EXPECT_EQ(read.requests[1].session, -1);
}

TEST(Burstgpt, RefusesATraceOfFailuresOnly) {
  const Drained read = read_text(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,A,472,0,472,API\n");
  ASSERT_EQ(read.faults.size(), 1U);
  EXPECT_THAT(read.faults[0].message, HasSubstr("only failed requests"));
}

TEST(Vidur, ArrivesAtOnceWithoutTimes) {
  const Drained read = read_text("num_prefill_tokens,num_decode_tokens\n3772,54\n2015,156\n");
  ASSERT_EQ(read.requests.size(), 2U) << to_string(read.faults);
  EXPECT_THAT(nanoseconds_of(read), ElementsAre(0, 0));
  EXPECT_EQ(read.requests[1].prompt_tokens, 2015);
}

TEST(Vidur, UsesTimesWhereTheyAre) {
  EXPECT_THAT(nanoseconds_of(read_text(sample("vidur"))),
              ElementsAre(0, 250'000'000, 1'500'000'000, 1'500'000'000, 2'000'000'000));
}

TEST(Splitwise, TakesPromptAndTokenSizes) {
  const Drained read = read_text(sample("splitwise"));
  ASSERT_EQ(read.requests.size(), 5U) << to_string(read.faults);
  EXPECT_EQ(read.requests[4].prompt_tokens, 92);
  EXPECT_EQ(read.requests[4].output_tokens, 17);
  EXPECT_EQ(read.requests[1].arrival, nanoseconds(4'299'000'000));
}

TEST(PlainCsv, TakesColumnsByNameInAnyOrderAndUnit) {
  config::TraceColumns columns;
  columns.set_arrival("when_ms");
  columns.set_arrival_unit(0.001);
  columns.set_prompt("in");
  columns.set_output("out");
  columns.set_session("user");
  columns.set_block_hashes("blocks");
  columns.set_hash_block_tokens(4);
  const Drained read = read_text(
      "out,extra,in,blocks,user,when_ms\n5,x,9,7 8;9,anna,1.5\n6,\"a, \"\"b\"\"\",2,,,4\n", "auto",
      columns);
  ASSERT_EQ(read.requests.size(), 2U) << to_string(read.faults);
  EXPECT_EQ(read.requests[0].prompt_tokens, 9);
  EXPECT_THAT(read.requests[0].block_hashes, ElementsAre(7, 8, 9));
  EXPECT_EQ(read.requests[0].hash_block_tokens, 4);
  EXPECT_EQ(read.requests[1].arrival, nanoseconds(2'500'000));
  EXPECT_EQ(read.requests[1].output_tokens, 6);
  EXPECT_EQ(read.requests[1].session, -1);
}

TEST(PlainCsv, NamedColumnsWinOverARecognisedFormat) {
  config::TraceColumns columns;
  columns.set_arrival("TIMESTAMP");
  columns.set_prompt("GeneratedTokens");
  columns.set_output("ContextTokens");
  const Drained read = read_text(sample("azure"), "auto", columns);
  ASSERT_EQ(read.requests.size(), 5U) << to_string(read.faults);
  EXPECT_EQ(read.requests[0].prompt_tokens, 44);
}

TEST(PlainCsv, KeepsNanosecondsOfClockTimes) {
  // A double of this many seconds is only good to a quarter of a microsecond.
  const Drained read = read_text(
      "arrival_s,prompt_tokens,output_tokens\n1700000000.000000001,1,1\n1700000000.000000003,1,"
      "1\n");
  ASSERT_EQ(read.requests.size(), 2U) << to_string(read.faults);
  EXPECT_EQ(read.requests[1].arrival, nanoseconds(2));
}

TEST(PlainJsonl, TakesSessionsTurnsAndBlockSizesPerLine) {
  const Drained read = read_text(sample("jsonl"));
  ASSERT_EQ(read.requests.size(), 5U) << to_string(read.faults);
  EXPECT_EQ(read.requests[0].session, 7);
  EXPECT_EQ(read.requests[1].session, -1);
  EXPECT_EQ(read.requests[2].turn, 1);
  EXPECT_THAT(read.requests[3].block_hashes, ElementsAre(1, 18446744073709551615ULL));
  EXPECT_EQ(read.requests[3].hash_block_tokens, 16);
  EXPECT_GE(read.requests[4].session, 0);
}

TEST(PlainCsv, TakesTurnsFromTheirColumn) {
  const Drained read =
      read_text("arrival_s,prompt_tokens,output_tokens,session,turn\n0,1,1,3,5\n1,1,1,3,6\n");
  ASSERT_EQ(read.requests.size(), 2U) << to_string(read.faults);
  EXPECT_EQ(read.requests[0].turn, 5);
  EXPECT_EQ(read.requests[1].turn, 6);
}

}  // namespace
}  // namespace orrery::traces
