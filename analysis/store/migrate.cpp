#include "analysis/store/migrate.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "analysis/embedded_sql.hpp"
#include "analysis/store/store.hpp"

namespace orrery::analysis::detail {
namespace {

bool is_empty(const Connection& connection) {
  return connection.integer("SELECT count(*) FROM sqlite_master") == 0;
}

void drop_views(const Connection& connection) {
  std::vector<std::string> drops;
  Statement views(connection,
                  "SELECT 'DROP VIEW \"' || replace(name, '\"', '\"\"') || '\"' FROM sqlite_master "
                  "WHERE type = 'view'");
  while (views.step()) drops.push_back(views.text(0));
  views.reset();
  for (const std::string& drop : drops) connection.execute(drop);
}

}  // namespace

std::optional<Diagnostic> foreign_database(const Connection& connection) {
  const std::int64_t application = connection.integer("PRAGMA application_id");
  const std::int64_t version = connection.integer("PRAGMA user_version");
  Diagnostic fault;
  fault.where.file = connection.path();
  if (application != kApplicationId) {
    if (application == 0 && version == 0 && is_empty(connection)) return std::nullopt;
    fault.message = "this SQLite database belongs to another program; nothing was changed";
    return fault;
  }
  if (version > kSchemaVersion) {
    fault.message = fmt::format(
        "this database has schema version {}, written by a newer Orrery; this one knows versions "
        "up "
        "to {}; nothing was changed",
        version, kSchemaVersion);
    return fault;
  }
  return std::nullopt;
}

void migrate(const Connection& connection) {
  if (connection.integer("PRAGMA user_version") == kSchemaVersion) return;
  Transaction transaction(connection);
  // Another process may have done it while this one waited for the lock.
  const std::int64_t version = connection.integer("PRAGMA user_version");
  if (version == kSchemaVersion) return;
  drop_views(connection);
  const auto texts = store_sql();
  if (version == 0) {
    connection.execute(std::string(texts[0].text));
  } else {
    // texts[2] brings version 1 to 2, texts[3] version 2 to 3, ...
    for (std::size_t i = static_cast<std::size_t>(version) + 1; i < texts.size(); ++i) {
      connection.execute(std::string(texts[i].text));
    }
  }
  connection.execute(std::string(texts[1].text));
  connection.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                 kApplicationId, kSchemaVersion));
  transaction.commit();
}

}  // namespace orrery::analysis::detail
