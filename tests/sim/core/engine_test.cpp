#include "sim/core/engine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <random>
#include <string>
#include <vector>

namespace {

std::uint64_t allocations = 0;  // counts every allocation of this program

}  // namespace

// Not inlined, or the compiler takes the pair for mismatched.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace orrery::sim {
namespace {

SimTime at(std::int64_t nanoseconds) { return SimTime{Duration{nanoseconds}}; }

template <class E>
class EngineTest : public ::testing::Test {};

using Engines = ::testing::Types<Engine, HeapEngine>;
TYPED_TEST_SUITE(EngineTest, Engines);

TYPED_TEST(EngineTest, RunsEventsByTimeThenPriorityThenOrderOfScheduling) {
  TypeParam engine;
  std::string order;
  std::string* out = &order;
  engine.schedule_at(at(20), [out] { *out += 'd'; });
  engine.schedule_at(
      at(10), [out] { *out += 'b'; }, Priority{1});
  engine.schedule_at(
      at(10), [out] { *out += 'c'; }, Priority{1});
  engine.schedule_at(
      at(10), [out] { *out += 'a'; }, Priority{0});
  engine.run();
  EXPECT_EQ(order, "abcd");
  EXPECT_EQ(engine.now(), at(20));
  EXPECT_EQ(engine.events_handled(), 4U);
}

TYPED_TEST(EngineTest, EventsMayScheduleAtTheirOwnTime) {
  TypeParam engine;
  int count = 0;
  struct Chain {
    TypeParam* engine;
    int* count;
    void operator()() const {
      if (++*count < 100) engine->schedule_at(engine->now(), *this);
    }
  };
  engine.schedule_at(at(5), Chain{&engine, &count});
  engine.run();
  EXPECT_EQ(count, 100);
  EXPECT_EQ(engine.now(), at(5));
}

TYPED_TEST(EngineTest, CancelledEventsNeverRunAndCancellingTwiceIsFalse) {
  TypeParam engine;
  int ran = 0;
  int* out = &ran;
  const EventHandle first = engine.schedule_at(at(1), [out] { ++*out; });
  const EventHandle second = engine.schedule_at(at(2), [out] { *out += 10; });
  EXPECT_TRUE(engine.pending(first));
  EXPECT_TRUE(engine.cancel(first));
  EXPECT_FALSE(engine.cancel(first));
  EXPECT_FALSE(engine.pending(first));
  EXPECT_FALSE(engine.cancel(EventHandle{}));
  engine.run();
  EXPECT_EQ(ran, 10);
  EXPECT_FALSE(engine.cancel(second)) << "it has run";
}

TYPED_TEST(EngineTest, AHandleStaysDeadWhenItsSlotIsUsedAgain) {
  TypeParam engine;
  int ran = 0;
  int* out = &ran;
  const EventHandle old = engine.schedule_at(at(1), [out] { ++*out; });
  engine.cancel(old);
  engine.schedule_at(at(1), [out] { *out += 10; });
  EXPECT_FALSE(engine.cancel(old));
  engine.run();
  EXPECT_EQ(ran, 10);
}

TYPED_TEST(EngineTest, AnEventMayCancelAnotherOfTheSameTime) {
  TypeParam engine;
  int ran = 0;
  int* out = &ran;
  const EventHandle victim = engine.schedule_at(
      at(1), [out] { ++*out; }, Priority{2});
  engine.schedule_at(
      at(1), [&engine, victim] { engine.cancel(victim); }, Priority{1});
  engine.run();
  EXPECT_EQ(ran, 0);
}

TYPED_TEST(EngineTest, RunUntilStopsAfterItsTimeAndSetsTheClock) {
  TypeParam engine;
  int ran = 0;
  int* out = &ran;
  for (const std::int64_t time : {10, 20, 30}) engine.schedule_at(at(time), [out] { ++*out; });
  engine.run_until(at(20));
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(engine.now(), at(20));
  EXPECT_EQ(engine.next_event_time(), at(30));
  engine.run_until(at(25));
  EXPECT_EQ(engine.now(), at(25));
  engine.run();
  EXPECT_EQ(engine.next_event_time(), kTimeNever);
}

TYPED_TEST(EngineTest, StopLeavesTheRestPending) {
  TypeParam engine;
  TypeParam* pointer = &engine;
  engine.schedule_at(at(1), [pointer] { pointer->stop(); });
  engine.schedule_at(at(2), [] {});
  engine.run();
  EXPECT_EQ(engine.now(), at(1));
  EXPECT_EQ(engine.events_pending(), 1U);
}

TYPED_TEST(EngineTest, SchedulingInThePastIsAProgrammersError) {
  TypeParam engine;
  engine.schedule_at(at(5), [] {});
  engine.run();
  EXPECT_DEATH(engine.schedule_at(at(4), [] {}), "internal error");
}

TYPED_TEST(EngineTest, TimesBeyondTheRangeSaturate) {
  TypeParam engine;
  engine.schedule_at(at(5), [] {});
  engine.run();
  engine.schedule_after(Duration::max(), [] {});
  EXPECT_EQ(engine.next_event_time(), kTimeNever);
  EXPECT_EQ(saturating_add(kTimeNever, Duration{1}), kTimeNever);
}

// A thousand events at any time, each handled one schedules the next, some are planned anew.
TYPED_TEST(EngineTest, AllocatesNothingInSteadyState) {
  TypeParam engine;
  struct Hold {
    TypeParam* engine;
    std::uint64_t state;
    void operator()() {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      engine->schedule_after(Duration{static_cast<std::int64_t>(state >> 44U)}, *this);
    }
  };
  for (std::uint64_t i = 0; i < 1000; ++i) engine.schedule_at(at(0), Hold{&engine, i * 77});
  for (int i = 0; i < 2'000'000; ++i) engine.step();
  const std::uint64_t before = allocations;
  for (int i = 0; i < 500'000; ++i) engine.step();
  EXPECT_LE(allocations - before, 20U) << "a bucket may still grow now and then, an event may not";
}

TYPED_TEST(EngineTest, CancellingForEverKeepsMemoryBounded) {
  TypeParam engine;
  EventHandle handle{};
  for (std::int64_t i = 0; i < 300'000; ++i) {
    engine.cancel(handle);
    handle = engine.schedule_at(at(1'000'000 + i), [] {});
  }
  EXPECT_EQ(engine.events_pending(), 1U);
  const std::uint64_t before = allocations;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    engine.cancel(handle);
    handle = engine.schedule_at(at(2'000'000 + i), [] {});
  }
  EXPECT_LE(allocations - before, 100'000U / 10) << "stale nodes are removed in bulk";
}

// Ten million events through both queues end in the same state.
TEST(Engines, LadderAndHeapGiveTheSameHistory) {
  const auto digest = [](auto engine) {
    std::uint64_t hash = 0;
    struct Hop {
      decltype(engine)* owner;
      std::uint64_t state;
      std::uint64_t* hash;
      void operator()() {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        *hash = *hash * 31 + state +
                static_cast<std::uint64_t>(owner->now().time_since_epoch().count());
        owner->schedule_after(Duration{static_cast<std::int64_t>(state % 5000)}, *this,
                              Priority{static_cast<std::uint8_t>(state % 3)});
      }
    };
    for (std::uint64_t i = 0; i < 3000; ++i) engine.schedule_at(at(0), Hop{&engine, i, &hash});
    for (int i = 0; i < 5'000'000; ++i) engine.step();
    return hash;
  };
  EXPECT_EQ(digest(Engine{}), digest(HeapEngine{}));
}

}  // namespace
}  // namespace orrery::sim
