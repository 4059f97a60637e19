#pragma once
// What the streams of this process can show: is someone looking, how wide, with colours?

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace orrery::cli {

bool is_terminal(std::FILE* stream);

/// Columns of the terminal behind `stream`; 0 when it is no terminal (then nothing is fitted).
std::size_t terminal_width(std::FILE* stream);

/// True on a terminal that understands escape sequences, unless NO_COLOR or TERM=dumb says no.
bool use_colour(std::FILE* stream);

/// `text` in bold, or as it is.
std::string bold(std::string_view text, bool colour);
std::string dim(std::string_view text, bool colour);

/// `text` with control characters (escape sequences, line ends) and bytes that are not UTF-8 shown
/// as \xNN, so that no stored text can drive the terminal.
std::string printable(std::string_view text);

/// Columns that `text` takes, counting one for each code point and none for combining marks.
std::size_t display_width(std::string_view text);

/// `text` cut to `width` columns, the last one an ellipsis when something was cut.
std::string clipped(std::string_view text, std::size_t width);

/// `text` in lines of at most `width` columns (0: one line), broken at blanks. The caller has
/// already written as many columns as `indent` has; further lines begin with it.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent);

}  // namespace orrery::cli
