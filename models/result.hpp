#pragma once
// Errors of input are values. A function that reads what a person wrote returns Result<T>: the
// value, or every fault found, each with its place, what was found, what is allowed and the nearest
// valid name. The command prints all of them and exits with 2. Exceptions are only for what ends a
// run (full disk, cancelled).

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace orrery {

/// A place in an input file. `line` and `column` count from 1; 0 means "not known".
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One fault of an input. Only `message` is always set.
struct Diagnostic {
  SourceLocation where;
  std::string field;    ///< Path as written in YAML, e.g. `serving.scheduler.policy`.
  std::string message;  ///< What was found, as a sentence without the final stop.
  std::string allowed;  ///< What would be accepted, e.g. `1 to 1048576`.
  std::string nearest;  ///< The nearest valid name ("did you mean"), or empty.
};

using Diagnostics = std::vector<Diagnostic>;

/// `file:line:column: field: message (allowed: ...; did you mean "..."?)`, parts that are empty
/// left out.
std::string to_string(const Diagnostic& diagnostic);
/// One line for each diagnostic.
std::string to_string(const Diagnostics& diagnostics);

/// Either a T or the faults that prevented it (at least one).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Diagnostics faults) : state_(std::in_place_index<1>, std::move(faults)) {}  // NOLINT
  Result(Diagnostic fault)
      : state_(std::in_place_index<1>, Diagnostics{std::move(fault)}) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  /// Requires ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  /// Requires !ok().
  const Diagnostics& faults() const& { return std::get<1>(state_); }
  Diagnostics&& faults() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Diagnostics> state_;
};

}  // namespace orrery
