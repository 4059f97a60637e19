#pragma once
// A progress bar on stderr, drawn at most ten times a second and only when someone looks:
//   [########------------]  42 %  8,140 of 19,366  1.2 M/s  4 s left

#include <chrono>
#include <cstddef>
#include <string>

#include "sim/core/observer.hpp"

namespace orrery::cli {

/// The line for `progress` after `elapsed_s`, within `width` columns.
std::string progress_line(const sim::Progress& progress, double elapsed_s, std::size_t width);

class ProgressBar {
 public:
  /// `enabled` false: never writes. It is also silent where stderr is no terminal or TERM=dumb.
  explicit ProgressBar(bool enabled);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(const sim::Progress& progress);
  /// Replaces the bar with a word on what is being done.
  void say(const std::string& text);
  /// Removes the line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
};

}  // namespace orrery::cli
