#pragma once
// Named queries: one .sql file each in analysis/queries, compiled in. The file begins with comment
// lines that are its help, then one line a parameter, then the statement:
//
//   -- The slowest requests of a run.
//   -- :run = last | Run: an id or its beginning, a name, last or previous.
//   -- :limit = 20 | How many.
//   SELECT ...

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::analysis {

struct QueryParameter {
  std::string name;           ///< Without the colon.
  std::string default_value;  ///< Empty: NULL unless given.
  std::string help;
};

struct NamedQuery {
  std::string name;
  std::string help;
  std::vector<QueryParameter> parameters;
  std::string_view sql;
};

/// Splits the header of a query's text from its statement's parameters and help.
NamedQuery parse_query(std::string_view name, std::string_view text);

/// All named queries, in the order in which they are listed.
std::span<const NamedQuery> named_queries();

}  // namespace orrery::analysis
