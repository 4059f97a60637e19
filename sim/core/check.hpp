#pragma once
// Assertions for programmers' errors; no input can reach them. ORRERY_CHECK is always on,
// ORRERY_DCHECK only in Debug builds.

#include <cstdio>
#include <cstdlib>

namespace orrery::sim::detail {
[[noreturn]] inline void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "orrery: internal error at %s:%d: %s\n", file, line, expression);
  std::abort();
}
}  // namespace orrery::sim::detail

#define ORRERY_CHECK(condition)       \
  ((condition) ? static_cast<void>(0) \
               : ::orrery::sim::detail::check_failed(#condition, __FILE__, __LINE__))
#ifdef NDEBUG
#define ORRERY_DCHECK(condition) static_cast<void>(0)
#else
#define ORRERY_DCHECK(condition) ORRERY_CHECK(condition)
#endif
