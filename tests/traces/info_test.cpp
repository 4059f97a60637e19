// Statistics of traces against published figures and brute force.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "support.hpp"
#include "traces/distinct_ids.hpp"
#include "traces/info.hpp"
#include "traces/length_counts.hpp"

namespace orrery::traces {
namespace {

TraceInfo info_of(const std::string& path) {
  config::Trace trace;
  trace.set_path(path);
  auto source = open_trace(trace);
  EXPECT_TRUE(source.ok()) << to_string(source.faults());
  auto info = inspect(**source);
  EXPECT_TRUE(info.ok()) << to_string(info.faults());
  return *std::move(info);
}

TraceInfo info_of_text(const std::string& text) {
  auto source = read_trace(open_memory(text), "t", "auto", {});
  return *inspect(**source);
}

TEST(Samples, AzureConversationHasItsPublishedFigures) {
  const TraceInfo info = info_of("azure-conv-2023");
  EXPECT_EQ(info.requests, 19'366);
  EXPECT_NEAR(info.span_s, 3501.7, 0.05);
  EXPECT_NEAR(info.mean_rate, 5.530, 0.001);
  EXPECT_NEAR(info.gap_cv, 1.094, 0.0005);
  EXPECT_NEAR(info.prompt_tokens.mean(), 1154.7, 0.05);
  EXPECT_EQ(info.prompt_tokens.quantile(0.5), 1020);
  EXPECT_EQ(info.prompt_tokens.quantile(0.99), 4142);
  EXPECT_EQ(info.prompt_tokens.max(), 14'050);
  EXPECT_NEAR(info.output_tokens.mean(), 211.1, 0.05);
  EXPECT_EQ(info.output_tokens.quantile(0.5), 129);
  EXPECT_EQ(info.output_tokens.quantile(0.99), 601);
  EXPECT_EQ(info.output_tokens.max(), 1000);
  EXPECT_EQ(info.prompt_blocks, 0);
}

TEST(Samples, AzureCodeHasItsPublishedFigures) {
  const TraceInfo info = info_of("azure-code-2023");
  EXPECT_EQ(info.requests, 8'819);
  EXPECT_NEAR(info.span_s, 3435.9, 0.05);
  EXPECT_NEAR(info.mean_rate, 2.567, 0.0005);
  EXPECT_NEAR(info.gap_cv, 13.15, 0.005);
  EXPECT_NEAR(info.prompt_tokens.mean(), 2047.8, 0.05);
  EXPECT_EQ(info.prompt_tokens.quantile(0.5), 1469);
  EXPECT_EQ(info.output_tokens.quantile(0.5), 13);
  EXPECT_EQ(info.output_tokens.max(), 1899);
}

TEST(Samples, MooncakeConversationHasItsPublishedFigures) {
  const TraceInfo info = info_of("mooncake-conversation");
  EXPECT_EQ(info.requests, 12'031);
  EXPECT_NEAR(info.span_s, 3537.0, 0.05);
  EXPECT_NEAR(info.prompt_tokens.mean(), 12'035, 0.5);
  EXPECT_EQ(info.prompt_tokens.quantile(0.5), 6909);
  EXPECT_EQ(info.prompt_tokens.max(), 126'195);
  EXPECT_NEAR(info.output_tokens.mean(), 343, 0.5);
  EXPECT_EQ(info.output_tokens.max(), 2000);
  EXPECT_EQ(info.prompt_blocks, 288'500);
  EXPECT_EQ(info.unique_blocks, 182'790);
  EXPECT_NEAR(info.block_reuse, 0.3664, 0.00005);
  EXPECT_TRUE(info.blocks_complete);
}

TEST(Samples, AreListedByName) {
  EXPECT_EQ(sample_names(), (std::vector<std::string>{"azure-code-2023", "azure-conv-2023",
                                                      "mooncake-conversation"}));
  const std::vector<std::string> formats = format_names();
  EXPECT_EQ(formats.front(), "auto");
  EXPECT_EQ(formats.size(), 9U);
}

// Traces that do not ship, where the folder beside the project is there.
TEST(OtherTraces, HaveTheirPublishedFigures) {
  const std::filesystem::path data = std::filesystem::path(ORRERY_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no ../shared/data";
  const TraceInfo synthetic =
      info_of((data / "traces/mooncake/synthetic_trace.jsonl.zst").string());
  EXPECT_EQ(synthetic.requests, 3'993);
  EXPECT_EQ(synthetic.unique_blocks, 43'924);
  EXPECT_NEAR(synthetic.block_reuse, 0.6396, 0.00005);
  EXPECT_EQ(synthetic.prompt_tokens.max(), 191'378);
  const std::filesystem::path runs = data / "measured/llmservingsim_vllm300";
  const TraceInfo llama = info_of((runs / "workload_Llama-3.1-8B.block_hashes.jsonl.gz").string());
  EXPECT_EQ(llama.requests, 300);
  EXPECT_EQ(llama.prompt_blocks, 15'942);
  EXPECT_EQ(llama.prompt_blocks - llama.unique_blocks, 1'220);
  const TraceInfo vidur =
      info_of((data / "traces/vidur_lengths/arxiv_summarization_lengths.csv.zst").string());
  EXPECT_EQ(vidur.requests, 28'257);
  EXPECT_EQ(vidur.prompt_tokens.max(), 4054);
  EXPECT_EQ(vidur.output_tokens.quantile(0.5), 167);
}

TEST(Inspect, CountsRatesByHand) {
  // Five in the first second, none in minute 1, two in minute 2: counts 5, 0, 2.
  const TraceInfo info = info_of_text(
      "arrival_s,prompt_tokens,output_tokens\n"
      "0,1,5\n0.1,2,4\n0.2,3,3\n0.3,4,2\n0.9,5,1\n120,6,1\n121.5,7,1\n");
  EXPECT_EQ(info.peak_rate_second, 5.0);
  EXPECT_DOUBLE_EQ(info.peak_rate_minute, 5.0 / 60.0);
  const double mean = 7.0 / 3.0;
  EXPECT_NEAR(info.dispersion_minute, (29.0 / 3.0 - mean * mean) / mean, 1e-12);
  EXPECT_DOUBLE_EQ(info.mean_rate, 7.0 / 121.5);
  EXPECT_EQ(info.prompt_tokens.quantile(0.5), 4.0);
}

TEST(Inspect, CorrelatesLengthsWithoutCancellation) {
  std::string text = "arrival_s,prompt_tokens,output_tokens\n";
  for (int i = 0; i < 100; ++i) {
    text += "0," + std::to_string(900'000'000 + i) + "," + std::to_string(100 + 2 * i) + "\n";
  }
  EXPECT_NEAR(info_of_text(text).length_correlation, 1.0, 1e-9);
}

TEST(Inspect, OfASingleRequestIsFiniteEverywhere) {
  const TraceInfo info = info_of_text("arrival_s,prompt_tokens,output_tokens\n7,3,4\n");
  EXPECT_EQ(info.requests, 1);
  for (const double value : {info.span_s, info.mean_rate, info.gap_cv, info.dispersion_minute,
                             info.length_correlation, info.block_reuse, info.token_reuse}) {
    EXPECT_EQ(value, 0.0);
  }
}

TEST(Inspect, PassesOnFaultsAndNotes) {
  auto bad =
      read_trace(open_memory("arrival_s,prompt_tokens,output_tokens\n0,0,1\n"), "t", "auto", {});
  EXPECT_FALSE(inspect(**bad).ok());
  const TraceInfo info = info_of_text(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,A,4,0,4,API\n6,A,4,"
      "1,5,API\n");
  ASSERT_EQ(info.notes.size(), 1U);
}

TEST(Inspect, CountsHitTokensOfWholeAndPartialBlocks) {
  // 20 tokens in blocks of 16 and 4, then the same prompt, then one that shares the first block.
  const TraceInfo info = info_of_text(
      "{\"arrival_s\": 0, \"input_toks\": 20, \"output_toks\": 1, \"hash_ids16\": [1, 2]}\n"
      "{\"arrival_s\": 1, \"input_toks\": 20, \"output_toks\": 1, \"hash_ids16\": [1, 2]}\n"
      "{\"arrival_s\": 2, \"input_toks\": 60, \"output_toks\": 1, \"hash_ids16\": [1, 3]}\n");
  EXPECT_EQ(info.prompt_blocks, 6);
  EXPECT_EQ(info.unique_blocks, 3);
  EXPECT_DOUBLE_EQ(info.block_reuse, 0.5);
  EXPECT_DOUBLE_EQ(info.token_reuse, (20.0 + 16.0) / 100.0);
}

TEST(Inspect, FindsAnswersInTheNextTurn) {
  config::Workload options;
  config::Generator& generator = *options.mutable_generate();
  generator.set_requests(5000);
  generator.mutable_prompt()->set_fixed(160);
  generator.mutable_output()->set_fixed(160);
  generator.mutable_sessions()->set_turns(5);
  generator.mutable_sessions()->set_think_time(1);
  auto source = make_source(options, 1);
  const TraceInfo info = *inspect(**source);
  // Turn k (from 0) holds 320 k + 160 tokens, of which 320 k were said before.
  std::vector<std::int64_t> turns;
  double before = 0.0;
  double all = 0.0;
  for (const Request& request : drain(make_source(options, 1)).requests) {
    before += 320.0 * request.turn;
    all += 320.0 * request.turn + 160.0;
    if (request.turn == 0) turns.push_back(request.session);
  }
  EXPECT_DOUBLE_EQ(info.token_reuse, before / all);
  EXPECT_DOUBLE_EQ(info.block_reuse, before / all);
  EXPECT_EQ(info.sessions, static_cast<std::int64_t>(turns.size()));
}

TEST(DistinctIds, CountExactlyWhileThereIsRoom) {
  DistinctIds ids;
  std::set<std::uint64_t> brute;
  std::uint64_t id = 1;
  for (int i = 0; i < 50'000; ++i) {
    id = id * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t few = id >> 49U;
    EXPECT_EQ(ids.insert(few), brute.insert(few).second);
  }
  EXPECT_TRUE(ids.exact());
  EXPECT_EQ(ids.count(), static_cast<std::int64_t>(brute.size()));
}

TEST(DistinctIds, EstimateWithinFourStandardErrorsBeyond) {
  for (const std::uint64_t step : {1ULL, 2ULL, 4096ULL}) {
    DistinctIds ids(10'000);
    constexpr std::int64_t kAll = 1'000'000;
    for (std::int64_t i = 0; i < 2 * kAll; ++i) {
      const std::uint64_t id = static_cast<std::uint64_t>(i % kAll) * step;
      if (ids.sampled(id)) ids.insert(id);
    }
    EXPECT_FALSE(ids.exact());
    EXPECT_NEAR(static_cast<double>(ids.count()) / kAll, 1.0, 4.0 / std::sqrt(5'000.0));
  }
}

TEST(LengthCounts, AreExactForLengthsOfPromptsAndCloseBeyond) {
  LengthCounts counts;
  for (const std::int64_t tokens : {5, 1, 5, 1'048'576, 1'048'577, 999'999'999, 500'000'001}) {
    counts.add(tokens);
  }
  const std::vector<LengthCounts::Entry> entries = counts.entries();
  ASSERT_EQ(entries.size(), 6U);
  EXPECT_EQ(entries[0].tokens, 1);
  EXPECT_EQ(entries[1].count, 2U);
  EXPECT_EQ(entries[2].tokens, 1'048'576);
  EXPECT_EQ(entries.back().tokens, 999'999'999);
  EXPECT_NEAR(static_cast<double>(entries[4].tokens), 500'000'001.0, 500'000'001.0 * 0.001);
  std::uint64_t total = 0;
  for (const LengthCounts::Entry& entry : entries) total += entry.count;
  EXPECT_EQ(total, counts.total());
}

}  // namespace
}  // namespace orrery::traces
