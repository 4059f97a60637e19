#include "cli/table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/terminal.hpp"

namespace orrery::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastText = 10;  // Text columns are not cut below this.

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string shown = clipped(cell, width);
  const std::size_t used = display_width(shown);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return align == Align::kRight ? blanks + shown : shown + blanks;
}

std::size_t total(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
         kGap * (widths.empty() ? 0 : widths.size() - 1);
}

}  // namespace

TextTable::TextTable(std::vector<std::string> columns) : alignment_(columns.size(), Align::kLeft) {
  for (std::string& name : columns) {
    columns_.push_back(printable(name));
    widths_.push_back(display_width(columns_.back()));
  }
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(columns_.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = printable(row[i]);
    widths_[i] = std::max(widths_[i], display_width(row[i]));
  }
  rows_.push_back(std::move(row));
}

// The widths that fit into `width`, or none when the columns cannot be cut that far. Numbers are
// never cut: half a number is a wrong number.
std::vector<std::size_t> TextTable::fitted(std::size_t width) const {
  std::vector<std::size_t> widths = widths_;
  if (width == 0) return widths;
  while (total(widths) > width) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool can_shrink = alignment_[i] == Align::kLeft && widths[i] > kLeastText;
      if (can_shrink && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) return {};
    const std::size_t excess = total(widths) - width;
    const std::size_t step = std::max<std::size_t>(1, excess / 2);
    widths[widest] = std::max(kLeastText, widths[widest] - std::min(step, widths[widest]));
  }
  return widths;
}

std::string TextTable::line(const std::vector<std::string>& cells,
                            const std::vector<std::size_t>& widths) const {
  std::vector<std::string> left = cells;
  std::string out;
  bool more = true;
  while (more) {
    more = false;
    std::string row;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (i > 0) row.append(kGap, ' ');
      std::string now = std::exchange(left[i], {});
      if (wrap_ && alignment_[i] == Align::kLeft) {
        const std::string lines = wrapped(now, widths[i], "");
        const auto end = lines.find('\n');
        now = lines.substr(0, end);
        if (end != lines.npos)
          left[i] = cells[i].substr(cells[i].size() - (lines.size() - end - 1));
        more = more || !left[i].empty();
      }
      row += padded(now, widths[i], alignment_[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + '\n';
  }
  return out;
}

std::string TextTable::records(std::size_t width) const {
  std::size_t names = 0;
  for (const std::string& column : columns_) names = std::max(names, display_width(column));
  std::string out;
  for (const auto& row : rows_) {
    if (!out.empty()) out += '\n';
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t room =
          width > names + kGap + 8 ? width - names - kGap : display_width(row[i]);
      out += padded(columns_[i], names, Align::kLeft) + "  " + clipped(row[i], room) + '\n';
    }
  }
  return out;
}

std::string TextTable::text(std::size_t width, bool header, bool colour) const {
  if (columns_.empty()) return {};
  const std::vector<std::size_t> widths = fitted(width);
  if (widths.empty()) return records(width);
  std::string out;
  if (header) {
    std::string names = line(columns_, widths);
    names.pop_back();
    out += bold(names, colour) + '\n';
    if (!colour) out += std::string(total(widths), '-') + '\n';
  }
  for (const auto& row : rows_) out += line(row, widths);
  return out;
}

}  // namespace orrery::cli
