#pragma once
// Reads typed and bounded values from a configuration and gathers faults on the way.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "models/result.hpp"

namespace orrery::models::detail {

class ConfigReader {
 public:
  ConfigReader(const nlohmann::json& object, std::string file)
      : object_(object), file_(std::move(file)) {}

  /// The first of `keys` that is present; a fault and 1 when none is, or when it is no whole number
  /// from 1 to kLargest.
  std::int64_t required(std::initializer_list<const char*> keys);
  std::int64_t required(const char* key) { return required({key}); }
  /// `otherwise` where the key is absent or null; 0 is allowed.
  std::int64_t optional(const char* key, std::int64_t otherwise);
  bool flag(const char* key, bool otherwise);
  std::string text(const char* key, std::string otherwise);
  bool has(const char* key) const { return object_.contains(key) && !object_[key].is_null(); }
  const nlohmann::json& object() const { return object_; }

  void fault(std::string key, std::string message, std::string allowed = {},
             std::string nearest = {});
  Diagnostics& faults() { return faults_; }

  static constexpr std::int64_t kLargest = 100'000'000;  // No dimension comes near it.

 private:
  std::int64_t whole(const char* key, std::int64_t least);

  const nlohmann::json& object_;
  std::string file_;
  Diagnostics faults_;
};

}  // namespace orrery::models::detail
