#include "analysis/query/reader.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "analysis/query/functions.hpp"
#include "analysis/store/migrate.hpp"
#include "analysis/store/store.hpp"
#include "models/registry.hpp"

namespace orrery::analysis {
namespace {

namespace fs = std::filesystem;
using detail::Connection;
using detail::Statement;

Diagnostic fault_at(const std::string& file, std::string message) {
  Diagnostic fault;
  fault.where.file = file;
  fault.message = std::move(message);
  return fault;
}

Diagnostic fault_in(std::string field, std::string message) {
  Diagnostic fault;
  fault.field = std::move(field);
  fault.message = std::move(message);
  return fault;
}

// Reading is all that a query may do, whatever it says: no attach, no pragma, no write, no
// extension.
int authorize(void* /*data*/, int action, const char* /*a*/, const char* function,
              const char* /*c*/, const char* /*d*/) {
  if (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE) {
    return SQLITE_OK;
  }
  if (action == SQLITE_FUNCTION) {
    const std::string_view name = function == nullptr ? "" : function;
    return name == "load_extension" ? SQLITE_DENY : SQLITE_OK;
  }
  return SQLITE_DENY;
}

std::string uri_of(const std::string& path, bool immutable) {
  std::error_code error;
  std::string uri = "file:";
  for (const char c : fs::absolute(path, error).string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  return uri + (immutable ? "?mode=ro&immutable=1" : "?mode=ro");
}

// A reader of a WAL database needs the file's `-shm`, which it cannot make in a read-only folder.
// Without pending log the file alone is the whole truth and can be read as it is.
enum class Access { kNormal, kImmutable, kPendingLog };
Access access_of(const std::string& path) {
  std::error_code error;
  const fs::path file(path);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (::access(folder.c_str(), W_OK) == 0) return Access::kNormal;
  if (fs::exists(path + "-shm", error)) return Access::kNormal;
  const auto log_bytes = fs::file_size(path + "-wal", error);
  return error || log_bytes == 0 ? Access::kImmutable : Access::kPendingLog;
}

std::vector<std::string> column(const Connection& connection, std::string_view sql) {
  std::vector<std::string> names;
  Statement statement(connection, sql);
  while (statement.step()) names.push_back(statement.text(0));
  return names;
}

// "no such column: ttft" and "no such table: requests" get the nearest name that there is.
std::string nearest_identifier(const Connection& connection, std::string_view message) {
  constexpr std::string_view kColumn = "no such column: ";
  constexpr std::string_view kTable = "no such table: ";
  std::string_view sql;
  if (message.substr(0, kColumn.size()) == kColumn) {
    message.remove_prefix(kColumn.size());
    if (const auto dot = message.rfind('.'); dot != message.npos) message.remove_prefix(dot + 1);
    sql = "SELECT DISTINCT c.name FROM sqlite_master m, pragma_table_info(m.name) c ORDER BY 1";
  } else if (message.substr(0, kTable.size()) == kTable) {
    message.remove_prefix(kTable.size());
    sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY 1";
  } else {
    return {};
  }
  const std::string wanted(message);
  sqlite3_set_authorizer(connection.handle(), nullptr, nullptr);
  std::string nearest = nearest_name(wanted, column(connection, sql));
  sqlite3_set_authorizer(connection.handle(), authorize, nullptr);
  return nearest;
}

void bind_text_or_number(Statement& statement, int index, const std::string& text) {
  const char* end = text.data() + text.size();
  std::int64_t integer = 0;
  double real = 0;
  if (const auto r = std::from_chars(text.data(), end, integer);
      r.ec == std::errc{} && r.ptr == end && !text.empty()) {
    statement.bind(index, integer);
  } else if (const auto d = std::from_chars(text.data(), end, real);
             d.ec == std::errc{} && d.ptr == end && !text.empty()) {
    statement.bind(index, real);
  } else {
    statement.bind(index, std::string_view(text));
  }
}

// Binds what is given; the faults are names that the statement does not have.
Diagnostics bind_parameters(Statement& statement,
                            const std::map<std::string, std::string>& parameters) {
  std::vector<std::string> names;
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement.handle()); ++i) {
    const char* name = sqlite3_bind_parameter_name(statement.handle(), i);
    if (name == nullptr) continue;
    names.emplace_back(name + 1);
    const auto given = parameters.find(names.back());
    if (given == parameters.end()) continue;
    // Runs are named by text even when it is all digits.
    if (names.back().rfind("run", 0) == 0) {
      statement.bind(i, std::string_view(given->second));
    } else if (!given->second.empty()) {
      bind_text_or_number(statement, i, given->second);
    }
  }
  Diagnostics unknown;
  for (const auto& [name, value] : parameters) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    unknown.push_back(fault_in("--param " + name, "the query has no such parameter"));
    unknown.back().nearest = nearest_name(name, names);
  }
  return unknown;
}

Value value_of(sqlite3_stmt* row, int index) {
  switch (sqlite3_column_type(row, index)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(row, index)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(row, index);
    case SQLITE_NULL:
      return std::monostate{};
    default:
      break;
  }
  const bool blob = sqlite3_column_type(row, index) == SQLITE_BLOB;
  const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(row, index));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, index));
  if (!blob) return std::string(reinterpret_cast<const char*>(bytes), size);
  Blob out;
  for (std::size_t i = 0; i < size; ++i) out.hex += fmt::format("{:02x}", bytes[i]);
  return out;
}

}  // namespace

struct Reader::Guard {
  ReaderOptions options;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  void start() {
    if (options.time_limit.count() > 0) {
      deadline = std::chrono::steady_clock::now() + options.time_limit;
    }
  }
  static int check(void* data) {
    const auto& guard = *static_cast<const Guard*>(data);
    if (guard.options.interrupted && guard.options.interrupted()) return 1;
    return std::chrono::steady_clock::now() > guard.deadline ? 1 : 0;
  }
};

Reader::Reader(std::shared_ptr<Guard> guard, std::shared_ptr<Connection> connection)
    : guard_(std::move(guard)), connection_(std::move(connection)) {}

Result<Reader> Reader::open(const std::string& path, ReaderOptions options) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return fault_at(path, "there is no such database; `orrery run` makes one");
  }
  if (!fs::is_regular_file(path, error)) return fault_at(path, "this is not a database file");
  const Access access = access_of(path);
  if (access == Access::kPendingLog) {
    return fault_at(path,
                    "the folder is read-only and results beside the database (-wal) are not merged "
                    "yet; copy the files to a folder that can be written");
  }
  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  const std::string uri = uri_of(path, access == Access::kImmutable);
  const int code = sqlite3_open_v2(uri.c_str(), &raw, flags, nullptr);
  auto connection = std::make_shared<Connection>(raw, path);
  if (code != SQLITE_OK) return fault_at(path, sqlite3_errmsg(raw));
  sqlite3_busy_timeout(raw, 5000);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_limit(raw, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  detail::register_functions(raw);
  try {
    if (auto foreign = detail::foreign_database(*connection)) return std::move(*foreign);
    const std::int64_t version = connection->integer("PRAGMA user_version");
    if (version == 0) return fault_at(path, "the database is empty; `orrery run` fills it");
    if (version < kSchemaVersion) {
      return fault_at(path,
                      fmt::format("this database has schema version {}, made by an older Orrery; "
                                  "the next `orrery run --db` with it brings it to version {}",
                                  version, kSchemaVersion));
    }
  } catch (const StoreFailure& failure) {
    if (failure.code() != SQLITE_NOTADB) throw;
    return fault_at(path, "this file is not a SQLite database");
  }
  auto guard = std::make_shared<Guard>(Guard{std::move(options)});
  sqlite3_progress_handler(raw, 10000, Guard::check, guard.get());
  sqlite3_set_authorizer(raw, authorize, nullptr);
  return Reader(std::move(guard), std::move(connection));
}

Cursor::Cursor(std::shared_ptr<Connection> connection, Statement statement)
    : connection_(std::move(connection)), statement_(std::move(statement)) {
  const int count = sqlite3_column_count(statement_.handle());
  for (int i = 0; i < count; ++i)
    columns_.emplace_back(sqlite3_column_name(statement_.handle(), i));
}

bool Cursor::next(std::vector<Value>& row) {
  const int code = sqlite3_step(statement_.handle());
  if (code == SQLITE_INTERRUPT) {
    throw StoreFailure("the query was ended: interrupted, or over its time limit", code);
  }
  if (code != SQLITE_ROW && code != SQLITE_DONE) connection_->fail(code);
  row.resize(columns_.size());
  if (code == SQLITE_DONE) return false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = value_of(statement_.handle(), static_cast<int>(i));
  }
  return true;
}

Result<Cursor> Reader::query(std::string_view sql,
                             const std::map<std::string, std::string>& parameters) {
  sqlite3* raw = connection_->handle();
  sqlite3_stmt* checked = nullptr;
  const char* tail = nullptr;
  guard_->start();
  const int code =
      sqlite3_prepare_v2(raw, sql.data(), static_cast<int>(sql.size()), &checked, &tail);
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> owner(checked, sqlite3_finalize);
  if (code == SQLITE_AUTH) {
    return fault_in("query", "a query may only read: one SELECT, no PRAGMA, ATTACH or change");
  }
  if (code != SQLITE_OK) {
    const std::string message = sqlite3_errmsg(raw);
    const int offset = sqlite3_error_offset(raw);
    Diagnostic fault = fault_in(
        "query", offset < 0 ? message : fmt::format("{} (at character {})", message, offset + 1));
    fault.nearest = nearest_identifier(*connection_, message);
    return fault;
  }
  const std::string_view rest(tail, static_cast<std::size_t>(sql.data() + sql.size() - tail));
  if (checked == nullptr || sqlite3_column_count(checked) == 0 || !sqlite3_stmt_readonly(checked) ||
      rest.find_first_not_of(" \t\r\n;") != rest.npos) {
    return fault_in("query", "a query is exactly one SELECT statement");
  }
  Statement statement(*connection_, sql);
  Diagnostics unknown = bind_parameters(statement, parameters);
  if (!unknown.empty()) return unknown;
  return Cursor(connection_, std::move(statement));
}

Result<std::string> Reader::resolve_run(std::string_view text) {
  Statement find(*connection_, R"(
    SELECT id FROM run WHERE CASE ?1
      WHEN 'last' THEN key = (SELECT max(key) FROM run)
      WHEN 'previous' THEN key = (SELECT key FROM run ORDER BY key DESC LIMIT 1 OFFSET 1)
      ELSE id = ?1 OR name = ?1 OR (length(?1) >= 4 AND substr(id, 1, length(?1)) = lower(?1)) END
    ORDER BY id = ?1 DESC, name = ?1 DESC, key DESC)");
  find.bind(1, text);
  if (find.step()) {
    const std::string first = find.text(0);
    if (!find.step()) return first;
    // Several: the last run of a name, but an id's beginning has to be unique.
    const bool is_prefix = first.compare(0, text.size(), text) == 0;
    if (!is_prefix || first == text) return first;
    return fault_in("run", fmt::format("\"{}\" begins the id of several runs", text));
  }
  const auto names = column(*connection_, "SELECT DISTINCT name FROM run ORDER BY name");
  Diagnostic fault;
  fault.field = "run";
  if (connection_->integer("SELECT count(*) FROM run") == 0) {
    fault.message = "the database holds no run yet";
  } else if (text == "previous") {
    fault.message = "the database holds only one run";
  } else {
    fault.message =
        fmt::format("no run has the id or name \"{}\"; `orrery query runs` lists them", text);
    fault.nearest = nearest_name(text, names);
  }
  return fault;
}

}  // namespace orrery::analysis
