#pragma once
// Text tables that fit the terminal: columns aligned, the widest text columns cut first, and one
// field a line where even that does not fit.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::cli {

enum class Align { kLeft, kRight };

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> columns);
  /// Cells are made printable; missing ones are empty.
  void add(std::vector<std::string> row);
  void align(std::size_t column, Align align) { alignment_[column] = align; }
  /// Text that does not fit goes on in the next line instead of being cut.
  void wrap_text() { wrap_ = true; }
  std::size_t size() const { return rows_.size(); }
  /// Forgets the rows but keeps the widths seen so far.
  void clear_rows() { rows_.clear(); }

  /// The table within `width` columns (0: as wide as it is). `header`: with the line of names.
  std::string text(std::size_t width, bool header = true, bool colour = false) const;

 private:
  std::vector<std::size_t> fitted(std::size_t width) const;
  std::string line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;
  std::string records(std::size_t width) const;

  bool wrap_ = false;
  std::vector<std::string> columns_;
  std::vector<Align> alignment_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace orrery::cli
