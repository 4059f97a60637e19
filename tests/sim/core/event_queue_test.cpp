// Both queues against a sorted container, on random sequences of operations.

#include "sim/core/event_queue.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>
#include <tuple>

namespace orrery::sim {
namespace {

template <class Queue>
class EventQueue : public ::testing::Test {};

using Queues = ::testing::Types<HeapQueue, LadderQueue>;
TYPED_TEST_SUITE(EventQueue, Queues);

using Reference = std::set<std::tuple<std::uint64_t, std::uint64_t>>;

// `increment` draws how far after the last popped time a new event lies.
template <class Queue>
void compare(std::uint32_t seed, int operations,
             const std::function<std::uint64_t(std::mt19937_64&)>& increment) {
  std::mt19937_64 random(seed);
  Queue queue;
  Reference reference;
  std::uint64_t now = 0;
  std::uint64_t sequence = 0;
  for (int i = 0; i < operations; ++i) {
    const bool push = reference.empty() || random() % 100 < (i < operations / 2 ? 60U : 40U);
    if (push) {
      const std::uint64_t priority = random() % 3;
      const EventNode node{now + increment(random), (priority << 60U) | (++sequence << 24U)};
      queue.push(node);
      reference.emplace(node.time, node.word);
    } else {
      const auto [time, word] = *reference.begin();
      ASSERT_EQ(queue.top(), (EventNode{time, word})) << "operation " << i;
      ASSERT_EQ(queue.pop(), (EventNode{time, word})) << "operation " << i;
      reference.erase(reference.begin());
      now = time;
    }
    ASSERT_EQ(queue.size(), reference.size());
  }
  while (!reference.empty()) {
    const EventNode node = queue.pop();
    ASSERT_EQ(std::make_tuple(node.time, node.word), *reference.begin());
    reference.erase(reference.begin());
  }
  EXPECT_TRUE(queue.empty());
}

TYPED_TEST(EventQueue, PopsInOrderWhenEventsAreClose) {
  compare<TypeParam>(1, 60000, [](std::mt19937_64& random) { return random() % 50; });
}

TYPED_TEST(EventQueue, PopsInOrderWhenManyEventsShareATime) {
  compare<TypeParam>(2, 60000,
                     [](std::mt19937_64& random) { return random() % 8 == 0 ? 1000U : 0U; });
}

TYPED_TEST(EventQueue, PopsInOrderOverManyScales) {
  compare<TypeParam>(3, 60000,
                     [](std::mt19937_64& random) { return random() >> (2 + random() % 60); });
}

TYPED_TEST(EventQueue, PopsInOrderNearTheEndOfTime) {
  compare<TypeParam>(4, 2000, [](std::mt19937_64& random) {
    return random() % 10 == 0 ? std::uint64_t{1} << 49U : random() % 1000;
  });
}

TYPED_TEST(EventQueue, RemovesWhatIsStaleAndKeepsTheRestInOrder) {
  std::mt19937_64 random(5);
  TypeParam queue;
  Reference kept;
  for (std::uint64_t i = 1; i <= 20000; ++i) {
    const EventNode node{random() % 1'000'000, i << 24U};
    queue.push(node);
    if (i % 3 != 0) kept.emplace(node.time, node.word);
    if (i == 10000) {
      for (int k = 0; k < 100; ++k) {
        const EventNode popped = queue.pop();
        kept.erase({popped.time, popped.word});
      }
    }
  }
  queue.remove_if([](const EventNode& node) { return (node.word >> 24U) % 3 == 0; });
  ASSERT_EQ(queue.size(), kept.size());
  for (const auto& [time, word] : kept) ASSERT_EQ(queue.pop(), (EventNode{time, word}));
}

}  // namespace
}  // namespace orrery::sim
