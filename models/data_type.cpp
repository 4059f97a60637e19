#include "models/data_type.hpp"

#include <array>
#include <utility>

namespace orrery::models {
namespace {

constexpr std::array kNames{std::pair{DataType::kFp32, std::string_view("fp32")},
                            std::pair{DataType::kBf16, std::string_view("bf16")},
                            std::pair{DataType::kFp16, std::string_view("fp16")},
                            std::pair{DataType::kFp8, std::string_view("fp8")},
                            std::pair{DataType::kInt8, std::string_view("int8")},
                            std::pair{DataType::kFp4, std::string_view("fp4")},
                            std::pair{DataType::kInt4, std::string_view("int4")}};

constexpr std::array kTorchNames{std::pair{DataType::kFp32, std::string_view("float32")},
                                 std::pair{DataType::kBf16, std::string_view("bfloat16")},
                                 std::pair{DataType::kFp16, std::string_view("float16")}};

}  // namespace

std::string_view data_type_name(DataType type) {
  for (const auto& [known, name] : kNames) {
    if (known == type) return name;
  }
  return "unknown";
}

std::optional<DataType> data_type_named(std::string_view name) {
  for (const auto& [type, known] : kNames) {
    if (known == name) return type;
  }
  for (const auto& [type, known] : kTorchNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

std::vector<std::string> data_type_names() {
  std::vector<std::string> names;
  for (const auto& entry : kNames) names.emplace_back(entry.second);
  return names;
}

}  // namespace orrery::models
