#include "analysis/query/functions.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace orrery::analysis::detail {
namespace {

// What quantile() gathers over a group. SQLite hands out zeroed memory, so only a pointer lives
// there.
struct Gathered {
  std::vector<double>* values;
  double q;
};

void quantile_step(sqlite3_context* context, int /*count*/, sqlite3_value** arguments) {
  if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
  auto* gathered = static_cast<Gathered*>(sqlite3_aggregate_context(context, sizeof(Gathered)));
  if (gathered == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (gathered->values == nullptr) gathered->values = new std::vector<double>;
    gathered->values->push_back(sqlite3_value_double(arguments[0]));
  } catch (const std::bad_alloc&) {
    return sqlite3_result_error_nomem(context);
  }
  gathered->q = sqlite3_value_double(arguments[1]);
}

// Linear interpolation between the order statistics around q (n - 1) (Hyndman and Fan 1996, type
// 7).
void quantile_final(sqlite3_context* context) {
  auto* gathered = static_cast<Gathered*>(sqlite3_aggregate_context(context, 0));
  if (gathered == nullptr || gathered->values == nullptr) return sqlite3_result_null(context);
  const std::unique_ptr<std::vector<double>> values(gathered->values);
  gathered->values = nullptr;
  if (!(gathered->q >= 0.0 && gathered->q <= 1.0)) {
    return sqlite3_result_error(context, "quantile(x, q): q must be from 0 to 1", -1);
  }
  const double rank = gathered->q * static_cast<double>(values->size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(rank));
  std::nth_element(values->begin(), values->begin() + below, values->end());
  const double low = (*values)[static_cast<std::size_t>(below)];
  double result = low;
  if (rank > std::floor(rank)) {
    const double high = *std::min_element(values->begin() + below + 1, values->end());
    result = low + (high - low) * (rank - std::floor(rank));
  }
  sqlite3_result_double(context, result);
}

}  // namespace

void register_functions(sqlite3* connection) {
  sqlite3_create_function_v2(connection, "quantile", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                             nullptr, quantile_step, quantile_final, nullptr);
}

}  // namespace orrery::analysis::detail
