#pragma once
// Reads a results database without ever changing it: the file is opened read-only and only SELECT
// statements are prepared. SQL has one function more than SQLite's: quantile(x, q), the exact
// quantile of x over the group with linear interpolation (NULLs are left out).

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/store/sqlite.hpp"
#include "models/result.hpp"

namespace orrery::analysis {

/// NULL, integer, real, text, or a blob as hexadecimal digits (`is_blob`).
struct Blob {
  std::string hex;
};
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;

/// The rows of one statement, one at a time.
class Cursor {
 public:
  const std::vector<std::string>& columns() const { return columns_; }
  /// False after the last row. Throws StoreFailure (interrupted, time limit, arithmetic overflow,
  /// damaged file).
  bool next(std::vector<Value>& row);

 private:
  friend class Reader;
  Cursor(std::shared_ptr<detail::Connection> connection, detail::Statement statement);
  std::shared_ptr<detail::Connection> connection_;
  detail::Statement statement_;
  std::vector<std::string> columns_;
};

struct ReaderOptions {
  /// A statement that runs longer is ended; zero: no limit.
  std::chrono::milliseconds time_limit{0};
  /// Asked often; true ends the statement with StoreFailure.
  std::function<bool()> interrupted = nullptr;
};

class Reader {
 public:
  /// Faults: no such file, not an Orrery database, written by a newer version, an older schema
  /// (`orrery run` brings it forward), or a writer's log that a read-only folder does not let us
  /// read. A database in a read-only folder is read as it is.
  static Result<Reader> open(const std::string& path, ReaderOptions options = {});

  /// Runs one SELECT. `parameters` are bound to `:name`; those that the statement does not have are
  /// faults, those that it has and that are not given are NULL.
  Result<Cursor> query(std::string_view sql, const std::map<std::string, std::string>& parameters);

  /// The id of the run that `text` means: last, previous, an id or its beginning, or a name (the
  /// last run of it).
  Result<std::string> resolve_run(std::string_view text);

 private:
  struct Guard;
  Reader(std::shared_ptr<Guard> guard, std::shared_ptr<detail::Connection> connection);
  // In this order: the connection's callbacks refer to the guard.
  std::shared_ptr<Guard> guard_;
  std::shared_ptr<detail::Connection> connection_;
};

}  // namespace orrery::analysis
