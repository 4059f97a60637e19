// What happens when the disk, another process or the machine does not play along. Children are
// forked where a limit, a kill or another user is needed.

#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/analysis/database_fixture.hpp"

namespace orrery::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uid_t kNobody = 65534;

class StoreFaultsTest : public DatabaseTest {
 protected:
  // Runs `body` in a child; its exit status, or -signal.
  static int in_child(const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
      int code = 99;
      try {
        code = body();
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
      }
      ::_exit(code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  // Root writes everywhere, so the test continues as somebody else.
  static void become_ordinary() {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(98);
  }
};

TEST_F(StoreFaultsTest, GarbageIsNotADatabaseAndStaysAsItIs) {
  const std::string garbage(5000, 'x');
  { std::ofstream(path()) << garbage; }
  const auto store = Store::open(path());
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(to_string(store.faults()), HasSubstr("not a SQLite database"));
  EXPECT_FALSE(Reader::open(path()).ok());
  std::ifstream file(path());
  const std::string after((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(after, garbage);
}

TEST_F(StoreFaultsTest, MissingFolderAndFolderInPlaceOfAFileAreFaults) {
  const auto missing = Store::open(path("no/such/orrery.db"));
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(to_string(missing.faults()), HasSubstr("there is no folder"));
  EXPECT_FALSE(Store::open(folder_.string()).ok());
  EXPECT_FALSE(Store::open("").ok());
  EXPECT_FALSE(Store::open("/dev/null").ok());
  EXPECT_FALSE(Reader::open(path("missing.db")).ok());
  EXPECT_FALSE(std::filesystem::exists(path("missing.db")));
}

TEST_F(StoreFaultsTest, ReadOnlyFolderIsSaidBeforeAnythingRuns) {
  std::filesystem::permissions(folder_, static_cast<std::filesystem::perms>(0555));
  const int code = in_child([&] {
    become_ordinary();
    const auto store = Store::open(path());
    return !store.ok() && to_string(store.faults()).find("read-only") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(StoreFaultsTest, ReadOnlyFileIsSaidBeforeAnythingRuns) {
  { Store store = open_store(); }
  std::filesystem::permissions(folder_, static_cast<std::filesystem::perms>(0777));
  std::filesystem::permissions(path(), static_cast<std::filesystem::perms>(0444));
  const int code = in_child([&] {
    become_ordinary();
    const auto store = Store::open(path());
    return !store.ok() && to_string(store.faults()).find("read-only") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(StoreFaultsTest, ADatabaseInAReadOnlyFolderCanBeQueried) {
  {
    Store store = open_store();
    store_run(store, "a", 5);
  }
  std::filesystem::permissions(path(), static_cast<std::filesystem::perms>(0444));
  std::filesystem::permissions(folder_, static_cast<std::filesystem::perms>(0555));
  const int code = in_child([&] {
    become_ordinary();
    return rows("SELECT count(*) FROM request") == std::vector<std::string>{"5"} ? 0 : 1;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(StoreFaultsTest, AFullDiskEndsTheRunAndLeavesTheDatabaseWhole) {
  {
    Store store = open_store();
    store_run(store, "a", 100);
  }
  // A limit on the size of files stands for a disk that fills while rows are written.
  const int code = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    Store store = open_store();
    RunWriter writer = store.begin_run(header_for("b"));
    for (std::int64_t i = 0; i < 100'000; ++i) writer.add(completed_request(i));
    const rlimit limit{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      writer.finish(outcome_of());
    } catch (const StoreFailure& failure) {
      return std::string_view(failure.what()).find("disk") != std::string_view::npos ? 0 : 1;
    }
    return 2;
  });
  EXPECT_EQ(code, 0);
  EXPECT_THAT(rows("SELECT name, (SELECT count(*) FROM request) FROM run"), ElementsAre("a|100"));
  Store store = open_store();
  store_run(store, "c", 10);
  EXPECT_THAT(rows("SELECT count(*) FROM run"), ElementsAre("2"));
}

TEST_F(StoreFaultsTest, AWriterKilledInTheMiddleLeavesNoTraceOfItsRun) {
  {
    Store store = open_store();
    store_run(store, "a", 10);
  }
  const int code = in_child([&] {
    // The process dies while half of the rows are in the open transaction.
    std::int64_t asked = 0;
    StoreOptions options;
    options.interrupted = [&] {
      if (++asked == 10) ::raise(SIGKILL);
      return false;
    };
    Store store = open_store("orrery.db", options);
    RunWriter writer = store.begin_run(header_for("a"));
    for (std::int64_t i = 0; i < 100'000; ++i) writer.add(completed_request(i));
    writer.finish(outcome_of());
    return 0;
  });
  EXPECT_EQ(code, -SIGKILL);
  EXPECT_THAT(rows("SELECT name, status, (SELECT count(*) FROM request) FROM run"),
              ElementsAre("a|complete|10"));
  Store store = open_store();
  store_run(store, "b", 1);
  EXPECT_THAT(rows("SELECT count(*) FROM run"), ElementsAre("2"));
}

TEST_F(StoreFaultsTest, AnInterruptWhileWritingChangesNothing) {
  bool stop = false;
  StoreOptions options;
  options.interrupted = [&] { return stop; };
  Store store = open_store("orrery.db", options);
  store_run(store, "a", 10);
  RunWriter writer = store.begin_run(header_for("a"));
  for (std::int64_t i = 0; i < 20'000; ++i) writer.add(completed_request(i));
  stop = true;
  EXPECT_THROW(writer.finish(outcome_of()), StoreFailure);
  EXPECT_THAT(rows("SELECT count(*) FROM request"), ElementsAre("10"));
}

TEST_F(StoreFaultsTest, WaitsForAnotherWriterAndThenSaysSo) {
  StoreOptions options;
  options.busy_timeout = std::chrono::milliseconds(100);
  Store store = open_store("orrery.db", options);
  RunWriter writer = store.begin_run(header_for("a"));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  try {
    writer.finish(outcome_of());
    ADD_FAILURE() << "the lock was not respected";
  } catch (const StoreFailure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("another process is writing"));
  }
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_TRUE(writer.finish(outcome_of()));
}

TEST_F(StoreFaultsTest, AReaderSeesOnlyWholeRunsWhileAnotherWrites) {
  Store store = open_store();
  store_run(store, "a", 5000, 0);
  std::vector<std::string> seen;
  std::thread reader([&] {
    for (int i = 0; i < 50; ++i) {
      for (std::string& row : rows("SELECT DISTINCT n FROM (SELECT count(*) AS n FROM run JOIN "
                                   "request ON request.run = run.key GROUP BY run.key)")) {
        seen.push_back(std::move(row));
      }
    }
  });
  for (std::uint64_t seed = 1; seed < 10; ++seed) store_run(store, "a", 5000, seed);
  reader.join();
  EXPECT_FALSE(seen.empty());
  EXPECT_THAT(seen, ::testing::Each("5000"));
}

TEST_F(StoreFaultsTest, TwoProcessesMayWriteAtOnce) {
  { Store store = open_store(); }
  const auto write_many = [&](const std::string& name) {
    Store store = open_store();
    for (std::uint64_t seed = 0; seed < 20; ++seed) store_run(store, name, 200, seed);
    return 0;
  };
  const pid_t child = ::fork();
  if (child == 0) ::_exit(write_many("child"));
  write_many("parent");
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(rows("SELECT name, count(*) FROM run GROUP BY name"),
              ElementsAre("child|20", "parent|20"));
}

}  // namespace
}  // namespace orrery::analysis
