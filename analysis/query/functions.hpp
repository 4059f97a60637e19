#pragma once
// SQL functions that named queries use beside SQLite's own.

struct sqlite3;

namespace orrery::analysis::detail {

/// Registers quantile(x, q) on the connection.
void register_functions(sqlite3* connection);

}  // namespace orrery::analysis::detail
