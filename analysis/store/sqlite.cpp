#include "analysis/store/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <utility>

namespace orrery::analysis::detail {

std::string explain(int code, const std::string& path, std::string_view detail) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return fmt::format("{}: the disk is full; nothing was changed in the database", path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format(
          "{}: another process is writing to the database and did not finish in time", path);
    case SQLITE_READONLY:
      return fmt::format("{}: the database or its folder is read-only", path);
    case SQLITE_CANTOPEN:
      return fmt::format("{}: cannot open the database or a file beside it ({})", path, detail);
    case SQLITE_NOTADB:
      return fmt::format("{}: this file is not a SQLite database", path);
    case SQLITE_CORRUPT:
      return fmt::format(
          "{}: the database is damaged ({}); `sqlite3 FILE .recover` may save what is readable",
          path, detail);
    case SQLITE_IOERR:
      return fmt::format(
          "{}: reading or writing the database failed (disk full, or a limit on file "
          "sizes?): {}; nothing was changed in it",
          path, detail);
    default:
      return fmt::format("{}: {}", path, detail);
  }
}

Connection::Connection(sqlite3* handle, std::string path)
    : handle_(handle), path_(std::move(path)) {}

void Connection::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

void Connection::fail(int code) const {
  throw StoreFailure(explain(code, path_, sqlite3_errmsg(handle())), code & 0xff);
}

void Connection::execute(const std::string& sql) const {
  const int code = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Connection::integer(std::string_view sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Connection::text(std::string_view sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : std::string{};
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement::Statement(const Connection& connection, std::string_view sql)
    : connection_(&connection) {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v2(connection.handle(), sql.data(), static_cast<int>(sql.size()),
                                      &raw, nullptr);
  statement_.reset(raw);
  if (code != SQLITE_OK) connection.fail(code);
}

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(handle(), index, value);
  return *this;
}

Statement& Statement::bind(int index, double value) {
  if (!std::isfinite(value)) return bind_null(index);
  sqlite3_bind_double(handle(), index, value);
  return *this;
}

Statement& Statement::bind(int index, std::string_view value) {
  const char* data = value.empty() ? "" : value.data();
  const auto size = static_cast<sqlite3_uint64>(value.size());
  const int code =
      sqlite3_bind_text64(handle(), index, data, size, SQLITE_TRANSIENT, SQLITE_UTF8);  // NOLINT
  if (code != SQLITE_OK) connection_->fail(code);
  return *this;
}

Statement& Statement::bind_static(int index, std::string_view value) {
  sqlite3_bind_text(handle(), index, value.data(), static_cast<int>(value.size()), nullptr);
  return *this;
}

Statement& Statement::bind_null(int index) {
  sqlite3_bind_null(handle(), index);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) connection_->fail(code);
  return false;
}

void Statement::execute() {
  step();
  reset();
}

void Statement::reset() { sqlite3_reset(handle()); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle(), column); }

std::string Statement::text(int column) const {
  const unsigned char* bytes = sqlite3_column_text(handle(), column);
  if (bytes == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle(), column));
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle(), column) == SQLITE_NULL;
}

Transaction::Transaction(const Connection& connection) : connection_(connection) {
  connection_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  // The transaction may already be gone: SQLite rolls back by itself on a full disk.
  if (open_) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace orrery::analysis::detail
