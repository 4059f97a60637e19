#include "analysis/store/store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "analysis/store/migrate.hpp"

namespace orrery::analysis {
namespace {

namespace fs = std::filesystem;

Diagnostic fault_at(const std::string& path, std::string message) {
  Diagnostic fault;
  fault.where.file = path;
  fault.message = std::move(message);
  return fault;
}

// What is wrong with the path itself, before SQLite is asked.
std::string path_fault(const std::string& path) {
  std::error_code error;
  const fs::path file(path);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (path.empty()) return "the name of the database file is empty";
  if (path.find('\0') != std::string::npos) return "the name of the database file has a zero byte";
  if (fs::is_directory(file, error)) return "this is a folder, not a database file";
  if (!fs::is_directory(folder, error)) {
    return fmt::format("there is no folder {} for the database", folder.string());
  }
  if (fs::exists(file, error)) {
    if (!fs::is_regular_file(file, error)) return "this is not a regular file";
    if (::access(path.c_str(), W_OK) != 0) return "the database file is read-only";
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    return fmt::format("the folder {} is read-only, so no database can be written there",
                       fs::absolute(folder, error).string());
  }
  return {};
}

void configure(const detail::Connection& connection, bool fresh) {
  // The page size only takes effect in a file without pages; larger pages suit rows in bulk.
  if (fresh) connection.execute("PRAGMA page_size = 8192");
  connection.execute("PRAGMA journal_mode = WAL");
  connection.execute("PRAGMA synchronous = NORMAL");
  connection.execute("PRAGMA foreign_keys = ON");
  connection.execute("PRAGMA cache_size = -16384");
}

// Waits in small steps so that Ctrl-C is heard.
int wait_for_lock(void* data, int attempt) {
  constexpr std::chrono::milliseconds kStep{10};
  const auto& options = *static_cast<const StoreOptions*>(data);
  if (attempt * kStep >= options.busy_timeout) return 0;
  if (options.interrupted && options.interrupted()) return 0;
  std::this_thread::sleep_for(kStep);
  return 1;
}

}  // namespace

Result<Store> Store::open(const std::string& path, StoreOptions options) {
  if (std::string fault = path_fault(path); !fault.empty()) return fault_at(path, fault);
  sqlite3* raw = nullptr;
  // A relative name that begins with a dash or "file:" must stay a name.
  const std::string name = fs::path(path).is_absolute() ? path : "./" + path;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(name.c_str(), &raw, flags, nullptr);
  auto connection = std::make_shared<detail::Connection>(raw, path);
  if (code != SQLITE_OK) connection->fail(code);
  auto kept = std::make_shared<StoreOptions>(std::move(options));
  sqlite3_busy_handler(raw, wait_for_lock, kept.get());
  sqlite3_extended_result_codes(raw, 1);
  try {
    if (auto foreign = detail::foreign_database(*connection)) return std::move(*foreign);
    std::error_code error;
    configure(*connection, fs::file_size(name, error) == 0);
    detail::migrate(*connection);
  } catch (const StoreFailure& failure) {
    // A file that is something else, or that cannot be written, is a wrong argument.
    const int kind = failure.code();
    if (kind == SQLITE_NOTADB || kind == SQLITE_READONLY || kind == SQLITE_CANTOPEN) {
      const std::string prefix = path + ": ";
      const std::string message = failure.what();
      return fault_at(path,
                      message.rfind(prefix, 0) == 0 ? message.substr(prefix.size()) : message);
    }
    throw;
  }
  return Store(std::move(kept), std::move(connection));
}

}  // namespace orrery::analysis
