#pragma once
// SQLite behind two owning types, with failures as exceptions: a full disk, a lock that is not
// given up or a damaged file ends the command (caught in cli/).

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace orrery::analysis {

/// The database could not be read or written; the message is for the user. Nothing half-written is
/// left behind: the transaction was rolled back.
class StoreFailure : public std::runtime_error {
 public:
  StoreFailure(const std::string& message, int sqlite_code)
      : std::runtime_error(message), code_(sqlite_code) {}
  /// Primary SQLite result code (SQLITE_FULL, SQLITE_BUSY, ...).
  int code() const { return code_; }

 private:
  int code_;
};

namespace detail {

class Connection;

/// A prepared statement. Columns and parameters are numbered as in SQLite (from 0 and from 1).
class Statement {
 public:
  Statement(const Connection& connection, std::string_view sql);

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);  ///< NaN and infinities become NULL.
  /// The text is copied.
  Statement& bind(int index, std::string_view value);
  /// `value` must outlive the next step (string literals).
  Statement& bind_static(int index, std::string_view value);
  Statement& bind_null(int index);

  /// True when there is a row. Throws StoreFailure.
  bool step();
  /// Steps a statement without rows, then makes it ready to be bound and run again.
  void execute();
  void reset();

  std::int64_t integer(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;
  sqlite3_stmt* handle() const { return statement_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const Connection* connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Connection {
 public:
  /// Takes over an open handle. `path` is for messages.
  Connection(sqlite3* handle, std::string path);

  void execute(const std::string& sql) const;
  /// The first column of the first row.
  std::int64_t integer(std::string_view sql) const;
  std::string text(std::string_view sql) const;
  /// Throws StoreFailure with SQLite's last error on this connection, explained.
  [[noreturn]] void fail(int code) const;
  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
  std::string path_;
};

/// Begins a write transaction; rolls back unless commit() was called.
class Transaction {
 public:
  explicit Transaction(const Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  const Connection& connection_;
  bool open_ = true;
};

/// What a result code means for someone who has never heard of SQLite.
std::string explain(int code, const std::string& path, std::string_view detail);

}  // namespace detail
}  // namespace orrery::analysis
