#pragma once
// One JSON object in a line of text, looked at in place: finds the values of its members without
// building a tree, so that neither a long list nor deep nesting takes memory. Depth is limited.

#include <cstddef>
#include <string_view>
#include <vector>

namespace orrery::traces {

class JsonLine {
 public:
  /// A member of the outermost object, both as written: the key without its quotes and with its
  /// escapes, the value without the blanks around it.
  struct Member {
    std::string_view key;
    std::string_view value;
  };

  static constexpr int kDeepest = 64;

  /// Checks the whole text; false when it is not one JSON object.
  bool parse(std::string_view text);
  const std::vector<Member>& members() const { return members_; }
  /// The value of a key (the last one, if it is there twice), or nullptr.
  const Member* find(std::string_view key) const;
  /// Where parse() stopped, and why.
  std::size_t position() const { return at_; }
  const char* error() const { return error_; }

 private:
  bool fail(const char* error);
  void skip_blanks();
  bool take(char c);
  bool string();
  bool number();
  bool literal(std::string_view word);
  bool value(int depth);
  bool object(int depth);
  bool array(int depth);

  std::string_view text_;
  std::size_t at_ = 0;
  const char* error_ = "";
  std::vector<Member> members_;
};

}  // namespace orrery::traces
