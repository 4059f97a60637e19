#pragma once
// Reads typed and bounded values from a configuration and gathers faults on the way.

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "models/result.hpp"

namespace orrery::models::detail {

class ConfigReader {
 public:
  /// `object` is a part of the file's `text`, at `path` ("text_config." or nothing) and after the
  /// byte `start` of it; all must outlive the reader.
  ConfigReader(const nlohmann::json& object, std::string file, std::string_view text,
               std::string path = {}, std::size_t start = 0)
      : object_(object),
        file_(std::move(file)),
        text_(text),
        path_(std::move(path)),
        start_(start) {}

  /// The first of `keys` that is present; a fault and 1 when none is, or when it is no whole number
  /// from 1 to kLargest.
  std::int64_t required(std::initializer_list<const char*> keys);
  std::int64_t required(const char* key) { return required({key}); }
  /// `otherwise` where the key is absent or null; 0 is allowed.
  std::int64_t optional(const char* key, std::int64_t otherwise);
  bool flag(const char* key, bool otherwise);
  std::string text(const char* key, std::string otherwise);
  bool has(const char* key) const { return object_.contains(key) && !object_[key].is_null(); }
  /// True when the key is there, be it with null: families give null a meaning of its own.
  bool mentions(const char* key) const { return object_.contains(key); }
  const nlohmann::json& object() const { return object_; }

  void fault(std::string key, std::string message, std::string allowed = {},
             std::string nearest = {});
  Diagnostics& faults() { return faults_; }

  static constexpr std::int64_t kLargest = 100'000'000;  // No dimension comes near it.

 private:
  std::int64_t whole(const char* key, std::int64_t least);

  const nlohmann::json& object_;
  std::string file_;
  std::string_view text_;
  std::string path_;
  std::size_t start_;
  Diagnostics faults_;
};

/// Line and column of byte `offset` (from 0) of `text`.
SourceLocation place_of(std::string_view file, std::string_view text, std::size_t offset);
/// Where `"key":` first stands in `text` at or after byte `start`, else npos. The JSON library
/// keeps no places, so a key is looked for in the text.
std::size_t find_key(std::string_view text, std::string_view key, std::size_t start);

}  // namespace orrery::models::detail
