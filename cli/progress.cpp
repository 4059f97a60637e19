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
  constexpr std::size_t kLeastBar = 8;
  constexpr std::size_t kWidestBar = 24;
  const double done = static_cast<double>(progress.done);
  const double rate = elapsed_s > 0.0 ? done / elapsed_s : 0.0;
  if (progress.total <= 0) {
    return clipped(fmt::format("{} requests  {}", grouped(progress.done), rate_text(rate)), width);
  }
  const double total = static_cast<double>(progress.total);
  const double share = std::clamp(done / total, 0.0, 1.0);
  std::string text = fmt::format("{:3.0f} %  {} of {} requests  {}", std::floor(100.0 * share),
                                 grouped(progress.done), grouped(progress.total), rate_text(rate));
  const std::string left =
      rate > 0.0 ? left_text(std::max(0.0, total - done) / rate) : std::string();
  if (!left.empty()) text += fmt::format("  {}", left);
  // The bar takes what the text leaves.
  const std::size_t frame = display_width(text) + 3;
  const std::size_t room = width > frame ? width - frame : 0;
  if (room < kLeastBar) return clipped(text, width);
  const std::size_t bar = std::min(room, kWidestBar);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar));
  return fmt::format("[{}{}] {}", std::string(filled, '#'), std::string(bar - filled, '-'), text);
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
