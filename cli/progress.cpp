#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/numbers.hpp"
#include "cli/terminal.hpp"

namespace orrery::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenDraws{100};
constexpr std::chrono::milliseconds kBeforeFirst{300};  // Short runs show no bar at all.

std::string rate_text(double per_s) {
  if (per_s >= 1e6) return fmt::format("{:.1f} M/s", per_s * 1e-6);
  if (per_s >= 1e3) return fmt::format("{:.0f} k/s", per_s * 1e-3);
  return fmt::format("{:.0f} /s", per_s);
}

std::string left_text(double seconds) {
  if (!(seconds < 360'000.0)) return {};
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole >= 3600) return fmt::format("{} h {} min left", whole / 3600, whole % 3600 / 60);
  if (whole >= 60) return fmt::format("{} min {} s left", whole / 60, whole % 60);
  return fmt::format("{} s left", whole);
}

}  // namespace

std::string progress_line(const sim::Progress& progress, double elapsed_s, std::size_t width) {
  constexpr std::size_t kBar = 24;
  const double done = static_cast<double>(progress.done);
  const double rate = elapsed_s > 0.0 ? done / elapsed_s : 0.0;
  std::string line;
  if (progress.total > 0) {
    const double share = std::clamp(done / static_cast<double>(progress.total), 0.0, 1.0);
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBar));
    line = fmt::format("[{}{}] {:3.0f} %  {} of {} requests", std::string(filled, '#'),
                       std::string(kBar - filled, '-'), std::floor(100.0 * share),
                       grouped(progress.done), grouped(progress.total));
  } else {
    line = fmt::format("{} requests", grouped(progress.done));
  }
  line += "  " + rate_text(rate);
  if (progress.total > 0 && rate > 0.0) {
    const auto left =
        static_cast<double>(std::max<std::int64_t>(0, progress.total - progress.done));
    if (const std::string text = left_text(left / rate); !text.empty()) line += "  " + text;
  }
  return clipped(line, width);
}

ProgressBar::ProgressBar(bool enabled) : start_(Clock::now()), next_(start_ + kBeforeFirst) {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  enabled_ = enabled && is_terminal(stderr) && !dumb;
}

void ProgressBar::update(const sim::Progress& progress) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetweenDraws;
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  // The last column stays free: some terminals wrap when it is filled.
  const std::size_t width = std::max<std::size_t>(terminal_width(stderr), 2) - 1;
  say(progress_line(progress, elapsed_s, width));
}

void ProgressBar::say(const std::string& text) {
  if (!enabled_) return;
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace orrery::cli
