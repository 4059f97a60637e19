#include "traces/readers/json_line.hpp"

namespace orrery::traces {

bool JsonLine::fail(const char* error) {
  error_ = error;
  return false;
}

void JsonLine::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
}

bool JsonLine::take(char c) {
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonLine::string() {
  if (!take('"')) return fail("a string in double quotes is missing");
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return true;
    if (c == '\\' && at_ < text_.size()) ++at_;
  }
  return fail("a string does not end");
}

bool JsonLine::number() {
  const std::size_t begin = at_;
  bool digits = false;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool digit = c >= '0' && c <= '9';
    if (!digit && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E') break;
    digits = digits || digit;
    ++at_;
  }
  if (digits) return true;
  at_ = begin;
  return fail("a value is missing");
}

bool JsonLine::literal(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return fail("a value is missing");
  at_ += word.size();
  return true;
}

bool JsonLine::value(int depth) {
  if (depth > kDeepest) return fail("nested too deeply");
  if (at_ >= text_.size()) return fail("the line ends too early");
  switch (text_[at_]) {
    case '{':
      return object(depth);
    case '[':
      return array(depth);
    case '"':
      return string();
    case 't':
      return literal("true");
    case 'f':
      return literal("false");
    case 'n':
      return literal("null");
    default:
      return number();
  }
}

bool JsonLine::object(int depth) {
  take('{');
  skip_blanks();
  if (take('}')) return true;
  for (;;) {
    skip_blanks();
    const std::size_t key_begin = at_;
    if (!string()) return false;
    const std::string_view key = text_.substr(key_begin + 1, at_ - key_begin - 2);
    skip_blanks();
    if (!take(':')) return fail("a colon is missing");
    skip_blanks();
    const std::size_t value_begin = at_;
    if (!value(depth + 1)) return false;
    if (depth == 0) members_.push_back({key, text_.substr(value_begin, at_ - value_begin)});
    skip_blanks();
    if (take('}')) return true;
    if (!take(',')) return fail("a comma or } is missing");
  }
}

bool JsonLine::array(int depth) {
  take('[');
  skip_blanks();
  if (take(']')) return true;
  for (;;) {
    skip_blanks();
    if (!value(depth + 1)) return false;
    skip_blanks();
    if (take(']')) return true;
    if (!take(',')) return fail("a comma or ] is missing");
  }
}

bool JsonLine::parse(std::string_view text) {
  text_ = text;
  at_ = 0;
  error_ = "";
  members_.clear();
  skip_blanks();
  if (at_ >= text_.size() || text_[at_] != '{') return fail("not a JSON object");
  if (!object(0)) return false;
  skip_blanks();
  return at_ == text_.size() || fail("something stands behind the object");
}

const JsonLine::Member* JsonLine::find(std::string_view key) const {
  for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
    if (member->key == key) return &*member;
  }
  return nullptr;
}

}  // namespace orrery::traces
