#include "sim/serving/kv_cache.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace orrery::sim {
namespace {

Sequence sequence_of(std::uint64_t serial, std::int64_t prompt, std::vector<std::uint64_t> hashes) {
  Sequence sequence;
  sequence.serial = serial;
  sequence.prompt_tokens = prompt;
  sequence.output_tokens = 1;
  sequence.hash_block_tokens = hashes.empty() ? 0 : 4;
  sequence.block_hashes = std::move(hashes);
  return sequence;
}

TEST(KvCache, GrowsByWholeBlocksAndRefusesWhatDoesNotFit) {
  KvCache kv(3, 4, false);
  Sequence a = sequence_of(1, 9, {});
  EXPECT_TRUE(kv.grow(a, 9));
  EXPECT_EQ(kv.free_blocks(), 0);
  EXPECT_TRUE(kv.grow(a, 12)) << "the third block has room";
  EXPECT_FALSE(kv.grow(a, 13));
  EXPECT_EQ(a.block_count, 3) << "a refusal changes nothing";
  kv.release(a, false);
  EXPECT_EQ(kv.free_blocks(), 3);
}

TEST(KvCache, AdmissionLeavesTheLastTokenToCompute) {
  KvCache kv(10, 4, true);
  Sequence a = sequence_of(1, 8, {5, 6});
  ASSERT_TRUE(kv.admit(a, 8, 0).ok);
  kv.publish(a, 8);
  Sequence b = sequence_of(2, 8, {5, 6});
  const KvCache::Admission admission = kv.admit(b, 8, 0);
  EXPECT_EQ(admission.cached_tokens, 4) << "the second block holds the last token";
  EXPECT_EQ(admission.new_tokens, 4);
  EXPECT_EQ(kv.used_blocks(), 3) << "one block is shared";
}

TEST(KvCache, FreedBlocksStayFindableUntilTheyAreReused) {
  KvCache kv(4, 4, true);
  Sequence a = sequence_of(1, 9, {5, 6, 7});
  ASSERT_TRUE(kv.admit(a, 9, 0).ok);
  kv.publish(a, 9);
  kv.release(a, false);
  EXPECT_EQ(kv.free_blocks(), 4);
  Sequence b = sequence_of(2, 9, {5, 6, 8});
  EXPECT_EQ(kv.cached_prefix_tokens(b), 8);
  // Four fresh blocks push everything out, the end of a sequence first.
  Sequence c = sequence_of(3, 8, {});
  ASSERT_TRUE(kv.grow(c, 8));
  EXPECT_EQ(kv.cached_prefix_tokens(b), 8)
      << "an unused block and the partly filled one went first";
  Sequence d = sequence_of(4, 4, {});
  ASSERT_TRUE(kv.grow(d, 4));
  EXPECT_EQ(kv.cached_prefix_tokens(b), 4);
}

TEST(KvCache, AHitNeedsEverythingBeforeItToo) {
  KvCache kv(10, 4, true);
  Sequence a = sequence_of(1, 12, {5, 6, 7});
  ASSERT_TRUE(kv.admit(a, 12, 0).ok);
  kv.publish(a, 12);
  Sequence b = sequence_of(2, 12, {9, 6, 7});
  EXPECT_EQ(kv.cached_prefix_tokens(b), 0);
}

TEST(KvCache, TraceBlocksOfOtherSizesAreDividedOrJoined) {
  // The trace knows blocks of 16 tokens, the cache has blocks of 4: two requests that share the
  // first trace block share four cache blocks.
  KvCache kv(100, 4, true);
  Sequence a = sequence_of(1, 32, {});
  a.hash_block_tokens = 16;
  a.block_hashes = {1, 2};
  ASSERT_TRUE(kv.admit(a, 32, 0).ok);
  kv.publish(a, 32);
  Sequence b = sequence_of(2, 32, {});
  b.hash_block_tokens = 16;
  b.block_hashes = {1, 3};
  EXPECT_EQ(kv.cached_prefix_tokens(b), 16);
  // And the other way round: trace blocks of 4, cache blocks of 8.
  KvCache coarse(100, 8, true);
  Sequence c = sequence_of(3, 17, {1, 2, 3, 4, 5});
  ASSERT_TRUE(coarse.admit(c, 17, 0).ok);
  coarse.publish(c, 17);
  Sequence d = sequence_of(4, 17, {1, 2, 3, 9, 10});
  EXPECT_EQ(coarse.cached_prefix_tokens(d), 8) << "only the first pair of trace blocks is alike";
}

// Against a plain model: hits are the blocks whose chain of hashes some live or cached block holds.
// With room for everything, nothing is ever evicted, so the hit count is that of a set.
TEST(KvCache, WithRoomForEverythingHitsEqualAPlainSetOfHashes) {
  std::mt19937 random(42);
  KvCache kv(100000, 4, true);
  std::map<std::uint64_t, bool> seen;
  for (std::uint64_t i = 1; i <= 500; ++i) {
    std::vector<std::uint64_t> hashes;
    std::uint64_t chain = random() % 3;
    const std::size_t blocks = 1 + random() % 12;
    for (std::size_t b = 0; b < blocks; ++b) {
      chain = chain * 4 + random() % 2 + 1;
      hashes.push_back(chain * 100 + b);
    }
    Sequence sequence = sequence_of(i, static_cast<std::int64_t>(blocks) * 4 + 1, hashes);
    std::int64_t expected = 0;
    while (expected < static_cast<std::int64_t>(blocks) &&
           seen.count(hashes[static_cast<std::size_t>(expected)]) > 0) {
      ++expected;
    }
    const KvCache::Admission admission = kv.admit(sequence, sequence.prompt_tokens, 0);
    ASSERT_TRUE(admission.ok);
    ASSERT_EQ(admission.cached_tokens, expected * 4);
    kv.publish(sequence, sequence.prompt_tokens);
    for (const std::uint64_t hash : hashes) seen[hash] = true;
    if (i % 3 != 0) kv.release(sequence, false);
  }
}

TEST(BlockIndex, BehavesAsAMapUnderInsertionsAndErasures) {
  std::mt19937_64 random(3);
  BlockIndex index;
  std::map<std::uint64_t, std::uint32_t> reference;
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t hash = (random() % 997) * 64 + 1;  // many collide
    const auto block = static_cast<std::uint32_t>(1 + random() % 5);
    if (random() % 2 == 0) {
      index.insert(hash, block);
      reference.emplace(hash, block);
    } else {
      index.erase(hash, block);
      const auto found = reference.find(hash);
      if (found != reference.end() && found->second == block) reference.erase(found);
    }
    const std::uint64_t probe = (random() % 997) * 64 + 1;
    const auto found = reference.find(probe);
    ASSERT_EQ(index.find(probe), found == reference.end() ? BlockIndex::kNone : found->second);
  }
}

}  // namespace
}  // namespace orrery::sim
