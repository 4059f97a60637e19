// What every registered reader promises, whatever its format.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support.hpp"

namespace orrery::traces {
namespace {

using testing::HasSubstr;

/// Gives at most so many bytes at a time, as a pipe may.
class Dribble final : public ByteSource {
 public:
  Dribble(std::string_view text, std::size_t most) : rest_(text), most_(most) {}
  std::size_t read(char* out, std::size_t size) override {
    const std::size_t count = std::min({size, most_, rest_.size()});
    std::copy_n(rest_.data(), count, out);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
  std::size_t most_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class EveryReader : public testing::TestWithParam<FormatSample> {
 protected:
  const std::string& text() const { return GetParam().text; }
  std::vector<Request> whole() const { return read_text(text()).requests; }
};

TEST_P(EveryReader, ReadsItsSampleWholeAndRecognisesIt) {
  const Drained sniffed = read_text(text());
  const Drained named = read_text(text(), GetParam().format);
  EXPECT_TRUE(sniffed.faults.empty()) << to_string(sniffed.faults);
  EXPECT_EQ(sniffed.requests.size(), 5U);
  EXPECT_TRUE(equal(sniffed.requests, named.requests));
  EXPECT_EQ(sniffed.requests[0].arrival.count(), 0);
}

TEST_P(EveryReader, ReadsGzipAndZstdLikePlainText) {
  EXPECT_TRUE(equal(read_text(gzipped(text())).requests, whole()));
  EXPECT_TRUE(equal(read_text(zstandard(text())).requests, whole()));
}

TEST_P(EveryReader, ReadsSeveralCompressedPiecesInARow) {
  const std::string first = text().substr(0, text().size() / 2);
  const std::string second = text().substr(text().size() / 2);
  EXPECT_TRUE(equal(read_text(gzipped(first) + gzipped(second)).requests, whole()));
  EXPECT_TRUE(equal(read_text(zstandard(first) + zstandard(second)).requests, whole()));
}

TEST_P(EveryReader, ReadsAByteAtATimeAlike) {
  for (const std::string& bytes : {text(), gzipped(text()), zstandard(text())}) {
    const Drained read = read_bytes(decompressed(std::make_unique<Dribble>(bytes, 1)));
    EXPECT_TRUE(equal(read.requests, whole())) << to_string(read.faults);
  }
}

TEST_P(EveryReader, TakesEitherLineEndAMissingLastOneBlankLinesAndAByteOrderMark) {
  const std::string unix_ends = replaced(text(), "\r\n", "\n");
  std::string bare = unix_ends;
  while (bare.back() == '\n') bare.pop_back();
  EXPECT_TRUE(equal(read_text(bare).requests, whole()));
  EXPECT_TRUE(equal(read_text(bare + "\n").requests, whole()));
  EXPECT_TRUE(equal(read_text(replaced(bare, "\n", "\r\n")).requests, whole()));
  EXPECT_TRUE(equal(read_text(bare + "\n\n  \n\n").requests, whole()));
  EXPECT_TRUE(equal(read_text("\xef\xbb\xbf" + bare).requests, whole()));
}

TEST_P(EveryReader, GivesAPrefixOfTheRequestsHoweverTheTextIsCut) {
  const std::vector<Request> all = whole();
  for (std::size_t length = 0; length < text().size(); ++length) {
    const Drained read = read_text(text().substr(0, length));
    ASSERT_LE(read.requests.size(), all.size());
    // The last row may be cut inside a number; those before are as they were.
    for (std::size_t i = 0; i + 1 < read.requests.size(); ++i) {
      EXPECT_TRUE(equal(read.requests[i], all[i])) << length;
    }
    EXPECT_FALSE(read.requests.empty() && read.faults.empty()) << length;
    for (const Diagnostic& fault : read.faults) {
      EXPECT_FALSE(fault.message.empty());
      EXPECT_EQ(fault.where.file, "t");
    }
  }
}

TEST_P(EveryReader, ReportsCompressedDataThatEndTooEarlyAtEveryLength) {
  for (const std::string& bytes : {gzipped(text()), zstandard(text())}) {
    for (std::size_t length = 4; length < bytes.size(); ++length) {
      const Drained read = read_text(std::string_view(bytes).substr(0, length));
      ASSERT_FALSE(read.faults.empty()) << length;
      EXPECT_THAT(to_string(read.faults), HasSubstr("too early")) << length;
    }
  }
}

TEST_P(EveryReader, ReportsDamagedCompressedData) {
  std::string bytes = gzipped(text());
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 0x55);  // the checksum
  EXPECT_THAT(to_string(read_text(bytes).faults), HasSubstr("damaged gzip"));
  bytes = zstandard(text());
  bytes[4] = static_cast<char>(bytes[4] ^ 0x08);  // a reserved bit
  EXPECT_THAT(to_string(read_text(bytes).faults), HasSubstr("damaged zstd"));
}

TEST_P(EveryReader, ReportsEachRowOfGarbageWithItsLine) {
  const bool header = text().front() != '{';
  std::string lines = replaced(text(), "\r\n", "\n");
  if (lines.back() != '\n') lines += '\n';
  const auto before = std::count(lines.begin(), lines.end(), '\n');
  const Drained read = read_text(lines + "garbage\n\x01\x02\x1b[31m\n[1,2\n", GetParam().format);
  ASSERT_EQ(read.faults.size(), 3U) << to_string(read.faults);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read.faults[i].where.line, before + 1 + static_cast<std::ptrdiff_t>(i));
    EXPECT_GE(read.faults[i].where.column, 1);
  }
  EXPECT_EQ(to_string(read.faults).find('\x1b'), std::string::npos);
  EXPECT_EQ(read.requests.size(), 5U) << header;
}

TEST_P(EveryReader, StopsAfterTwentyFaultsAndSaysSo) {
  std::string lines = text();
  for (int i = 0; i < 50; ++i) lines += "\ngarbage";
  const Drained read = read_text(lines, GetParam().format);
  ASSERT_EQ(read.faults.size(), 21U);
  EXPECT_THAT(read.faults.back().message, HasSubstr("stopped at 20 faults"));
}

TEST_P(EveryReader, RefusesARowThatArrivesBeforeTheOneAbove) {
  std::string lines = replaced(text(), "\r\n", "\n");
  if (lines.back() == '\n') lines.pop_back();
  // The first request once more at the end.
  const bool header = text().front() != '{';
  const std::size_t begin = header ? lines.find('\n') + 1 : 0;
  const Drained read =
      read_text(lines + "\n" + lines.substr(begin, lines.find('\n', begin) - begin));
  ASSERT_EQ(read.faults.size(), 1U) << to_string(read.faults);
  EXPECT_THAT(read.faults[0].message, HasSubstr("before the request above"));
  EXPECT_THAT(read.faults[0].allowed, HasSubstr("sort"));
}

TEST_P(EveryReader, RefusesAHeaderWithoutRequests) {
  if (text().front() == '{') return;  // JSON lines have no header
  const Drained read = read_text(text().substr(0, text().find('\n')));
  ASSERT_EQ(read.faults.size(), 1U);
  EXPECT_EQ(read.faults[0].message, "the trace holds no request");
}

TEST_P(EveryReader, StaysAtItsEndWhenPulledAgain) {
  auto source = read_trace(open_memory(text()), "t", "auto", {});
  ASSERT_TRUE(source);
  EXPECT_EQ(drain(**source).requests.size(), 5U);
  Request request;
  EXPECT_EQ((*source)->next(request), Pull::kEnd);
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryReader, testing::ValuesIn(format_samples()),
                         [](const auto& each) { return std::string(each.param.format); });

TEST(Formats, EveryRegisteredFormatHasASample) {
  std::vector<std::string> with_sample;
  for (const FormatSample& candidate : format_samples()) with_sample.emplace_back(candidate.format);
  std::vector<std::string> registered;
  for (const FormatEntry& entry : formats()) {
    registered.emplace_back(entry.name);
    EXPECT_FALSE(entry.help.empty());
    EXPECT_FALSE(entry.source.empty());
  }
  EXPECT_THAT(with_sample, testing::UnorderedElementsAreArray(registered));
}

// Numbers that no trace should hold, in either notation.
class WrongNumber : public testing::TestWithParam<const char*> {};

TEST_P(WrongNumber, IsRefusedAsTokens) {
  const std::string number = GetParam();
  const Drained csv =
      read_text("arrival_s,prompt_tokens,output_tokens\n0,5,5\n1," + number + ",5\n");
  ASSERT_EQ(csv.faults.size(), 1U) << to_string(csv.faults);
  EXPECT_EQ(csv.faults[0].where.line, 3);
  const Drained json =
      read_text("{\"arrival_s\": 0, \"prompt_tokens\": 5, \"output_tokens\": " + number + "}");
  EXPECT_EQ(json.faults.size(), 1U) << to_string(json.faults);
}

INSTANTIATE_TEST_SUITE_P(Tokens, WrongNumber,
                         testing::Values("0", "-1", "NaN", "nan", "inf", "-inf", "1e300", "1e10",
                                         "99999999999999999999", "1.5", "0x10", "", " ", "1 2",
                                         "--1", "1e", "12abc", "1000000001"));

class WrongTime : public testing::TestWithParam<const char*> {};

TEST_P(WrongTime, IsRefusedAsArrival) {
  const std::string number = GetParam();
  const Drained csv = read_text("arrival_s,prompt_tokens,output_tokens\n" + number + ",5,5\n");
  ASSERT_EQ(csv.faults.size(), 1U) << to_string(csv.faults);
  EXPECT_EQ(csv.faults[0].where.line, 2);
  EXPECT_EQ(csv.faults[0].where.column, 1);
  EXPECT_EQ(read_text("{\"prompt_tokens\": 5, \"output_tokens\": 5, \"arrival_s\": " + number + "}")
                .faults.size(),
            1U);
}

INSTANTIATE_TEST_SUITE_P(Arrivals, WrongTime,
                         testing::Values("-1", "-0.5", "NaN", "inf", "1e300", "1e10", "3155760001",
                                         "999999999999999999999", "", "1,5", "2023-13-01 00:00:00",
                                         "2023-11-16", "abc", "1s"));

TEST(Faults, NameTheNearestColumnAndThoseThatAreThere) {
  const Drained read = read_text("arrival_s,prompt_token,output_tokens\n0,5,5\n");
  ASSERT_EQ(read.faults.size(), 1U);
  EXPECT_EQ(to_string(read.faults[0]),
            "t:1:1: no column \"prompt_tokens\"; did you mean \"prompt_token\"? (allowed: "
            "arrival_s, prompt_token, output_tokens)");
}

TEST(Faults, NameTheNearestKey) {
  const Drained read = read_text("{\"arrival_s\": 0, \"prompt_tokns\": 5, \"output_tokens\": 5}");
  ASSERT_EQ(read.faults.size(), 1U);
  EXPECT_EQ(read.faults[0].nearest, "prompt_tokns");
}

TEST(Faults, PointAtTheColumnOfTheCell) {
  const Drained read = read_text("arrival_s,prompt_tokens,output_tokens\n0,5,x\n");
  ASSERT_EQ(read.faults.size(), 1U);
  EXPECT_EQ(read.faults[0].where.line, 2);
  EXPECT_EQ(read.faults[0].where.column, 5);
}

TEST(Faults, PointAtTheColumnOfWrongJson) {
  const Drained read = read_text("{\"arrival_s\": 0, \"prompt_tokens\": 5 \"output_tokens\": 5}");
  ASSERT_EQ(read.faults.size(), 1U);
  EXPECT_EQ(read.faults[0].where.column, 37);
  EXPECT_THAT(read.faults[0].message, HasSubstr("comma"));
}

TEST(Faults, CountMissingAndExtraCells) {
  const Drained read = read_text("arrival_s,prompt_tokens,output_tokens\n0,5\n1,5,5,5\n2,\"5,5\n");
  ASSERT_EQ(read.faults.size(), 3U);
  EXPECT_EQ(read.faults[0].message, "2 columns, the header has 3");
  EXPECT_EQ(read.faults[1].message, "4 columns, the header has 3");
  EXPECT_EQ(read.faults[2].message, "a quote that does not end");
}

TEST(Faults, ABinaryFileIsNoTrace) {
  for (const std::string& bytes : {std::string("\x7f"
                                               "ELF\x02\x01\x01\x00\x00",
                                               9),
                                   std::string("\xff\xfe"
                                               "a\0,\0b\0\n\0",
                                               10),
                                   std::string("\0\0\0\0", 4)}) {
    const Drained read = read_text(bytes);
    ASSERT_EQ(read.faults.size(), 1U);
    EXPECT_THAT(read.faults[0].message, HasSubstr("not a text file"));
  }
}

TEST(Faults, AnUnknownFormatGetsTheNearestName) {
  const Drained read = read_text("a,b\n", "mooncaek");
  ASSERT_EQ(read.faults.size(), 1U);
  EXPECT_EQ(read.faults[0].nearest, "mooncake");
}

TEST(Faults, AnEmptyTraceIsNamed) {
  for (const std::string& bytes : {std::string{}, gzipped(""), zstandard("")}) {
    const Drained read = read_text(bytes);
    ASSERT_EQ(read.faults.size(), 1U);
    EXPECT_EQ(read.faults[0].message, "the trace is empty");
  }
}

TEST(Faults, MissingFilesFoldersAndSlipsOfSampleNames) {
  config::Trace trace;
  trace.set_path("azure-cnov-2023");
  const Drained missing = drain(open_trace(trace));
  ASSERT_EQ(missing.faults.size(), 1U);
  EXPECT_EQ(missing.faults[0].nearest, "azure-conv-2023");
  trace.set_path("/");
  EXPECT_THAT(to_string(drain(open_trace(trace)).faults), HasSubstr("folder"));
}

TEST(Lines, LongerThanTheLimitAreRefusedInBoundedMemory) {
  /// Letters without end.
  class Endless final : public ByteSource {
   public:
    std::size_t read(char* out, std::size_t size) override {
      given_ += size;
      std::fill_n(out, size, 'a');
      return size;
    }
    std::size_t given_ = 0;
  };
  auto endless = std::make_unique<Endless>();
  const Endless& counted = *endless;
  LineReader lines(std::move(endless));
  std::string_view line;
  EXPECT_FALSE(lines.next(line));
  EXPECT_THAT(lines.error(), HasSubstr("longer than 16 MiB"));
  EXPECT_LT(counted.given_, 2 * LineReader::kLongestLine);
}

TEST(Lines, ReadErrorsAreReportedThroughDecompression) {
  /// Fails after a few bytes, as a disk may.
  class Failing final : public ByteSource {
   public:
    explicit Failing(std::string_view text) : rest_(text) {}
    std::size_t read(char* out, std::size_t size) override {
      const std::size_t count = std::min(size, rest_.size());
      std::copy_n(rest_.data(), count, out);
      rest_.remove_prefix(count);
      if (count == 0) error_ = "the disk is on fire";
      return count;
    }

   private:
    std::string_view rest_;
  };
  const std::string& text = format_samples().front().text;
  for (const std::string& bytes : {text, gzipped(text), zstandard(text)}) {
    const std::string_view part = std::string_view(bytes).substr(0, bytes.size() - 9);
    const Drained read = read_bytes(decompressed(std::make_unique<Failing>(part)));
    EXPECT_THAT(to_string(read.faults), HasSubstr("the disk is on fire"));
  }
}

TEST(Json, DeepNestingIsRefused) {
  const std::string deep(100'000, '[');
  const Drained read = read_text("{\"a\": " + deep, "jsonl");
  ASSERT_EQ(read.faults.size(), 1U);
  EXPECT_THAT(read.faults[0].message, HasSubstr("nested too deeply"));
}

TEST(Json, UnusualButValidObjectsAreRead) {
  const Drained read = read_text(
      "  { \"x\\\"y\" : \"a\\\\\" , \"arrival_s\":1.5e0,\"prompt_tokens\":\t5, \"n\":[[],{}] , "
      "\"output_tokens\":6.0,\"t\":true,\"f\":false,\"z\":null,\"prompt_tokens\":7} ",
      "jsonl");
  ASSERT_EQ(read.requests.size(), 1U) << to_string(read.faults);
  EXPECT_EQ(read.requests[0].prompt_tokens, 7);
  EXPECT_EQ(read.requests[0].output_tokens, 6);
}

TEST(Sessions, TurnsAreCountedForASessionThatGoesOnAmongHundredsOfThousands) {
  std::string text = "arrival_s,prompt_tokens,output_tokens,session\n";
  constexpr int kOthers = 300'000;
  for (int i = 0; i < kOthers; ++i) {
    text += "0,1,1," + std::to_string(1000 + i) + "\n";
    if (i % 50'000 == 0) text += "0,1,1,5\n";
  }
  const Drained read = read_text(text);
  ASSERT_TRUE(read.faults.empty());
  std::vector<std::int32_t> turns;
  for (const Request& request : read.requests) {
    if (request.session == 5) turns.push_back(request.turn);
  }
  EXPECT_THAT(turns, testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

}  // namespace
}  // namespace orrery::traces
