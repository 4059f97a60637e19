#pragma once
// SQL texts compiled into the library, so that the binary needs no files beside it.

#include <span>
#include <string_view>

namespace orrery::analysis::detail {

/// A file's name without ending, and its content.
struct SqlText {
  std::string_view name;
  std::string_view text;
};

/// schema, views, then the migrations in order (002_... brings version 1 to 2).
std::span<const SqlText> store_sql();
/// The named queries, in the order in which they are listed.
std::span<const SqlText> query_sql();

}  // namespace orrery::analysis::detail
