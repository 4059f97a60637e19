#pragma once
// Creates the schema in a new database and brings older ones forward.

#include <optional>

#include "analysis/store/sqlite.hpp"
#include "models/result.hpp"

namespace orrery::analysis::detail {

/// The fault of a database that this program must not touch: another program's, or written by a
/// newer version. Reads only.
std::optional<Diagnostic> foreign_database(const Connection& connection);

/// Brings the schema to kSchemaVersion, in one transaction. Requires !foreign_database().
void migrate(const Connection& connection);

}  // namespace orrery::analysis::detail
