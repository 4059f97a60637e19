#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace orrery::cli {
namespace {

// Length of the UTF-8 sequence at the start of `text`, 0 when it is not valid.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  std::size_t length = 0;
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) length = 2;
  if (first >= 0xE0 && first < 0xF0) length = 3;
  if (first >= 0xF0 && first < 0xF5) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and numbers beyond Unicode.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

// C0 and DEL, the C1 controls (U+0080 to U+009F), and the marks that turn the writing direction.
bool is_control(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (sequence.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  if (sequence.size() != 3 || byte(0) != 0xE2) return false;
  return (byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
         (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
}

bool variable_is(const char* name, std::string_view value) {
  const char* found = std::getenv(name);
  return found != nullptr && found == value;
}

}  // namespace

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

std::size_t terminal_width(std::FILE* stream) {
  constexpr std::size_t kDefault = 80;
  if (!is_terminal(stream)) return 0;
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const char* columns = std::getenv("COLUMNS")) {
    const long parsed = std::strtol(columns, nullptr, 10);
    if (parsed > 0 && parsed < 10000) return static_cast<std::size_t>(parsed);
  }
  return kDefault;
}

bool use_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return is_terminal(stream) && !variable_is("TERM", "dumb");
}

std::string bold(std::string_view text, bool colour) {
  return colour ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

std::string dim(std::string_view text, bool colour) {
  return colour ? fmt::format("\x1b[2m{}\x1b[0m", text) : std::string(text);
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
    if (length == 0 || is_control(sequence)) {
      for (const char c : sequence) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // Combining diacritical marks (U+0300 to U+036F).
    const bool combining = length == 2 && (first == 0xCC || first == 0xCD) &&
                           !(first == 0xCD && static_cast<unsigned char>(text[1]) > 0xAF);
    if (!combining) ++width;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return width;
}

std::string clipped(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t end = 0;
  std::size_t columns = 0;
  while (end < text.size() && columns + 1 < width) {
    const std::size_t length = sequence_length(text.substr(end));
    end += length == 0 ? 1 : length;
    columns = display_width(text.substr(0, end));
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent) {
  std::string out;
  std::size_t column = indent.size();
  while (!text.empty()) {
    const auto end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    const std::size_t needed = display_width(word);
    if (width > 0 && column > indent.size() && column + 1 + needed > width) {
      out += '\n';
      out += indent;
      column = indent.size();
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += needed;
  }
  return out;
}

}  // namespace orrery::cli
