#include "cli/parameters.hpp"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include <string>

#include "scenarios/rules.hpp"
#include "scenarios/scenario.pb.h"

namespace orrery::cli {
namespace {

using analysis::Parameter;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Value = decltype(Parameter::value);

// Field `index` of a list, or the single field when `index` is negative.
Value scalar(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& r = *message.GetReflection();
  const bool list = index >= 0;
  const auto* f = &field;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return std::int64_t{list ? r.GetRepeatedInt32(message, f, index) : r.GetInt32(message, f)};
    case FieldDescriptor::CPPTYPE_INT64:
      return std::int64_t{list ? r.GetRepeatedInt64(message, f, index) : r.GetInt64(message, f)};
    case FieldDescriptor::CPPTYPE_UINT32:
      return std::int64_t{list ? r.GetRepeatedUInt32(message, f, index) : r.GetUInt32(message, f)};
    case FieldDescriptor::CPPTYPE_UINT64: {
      const std::uint64_t value =
          list ? r.GetRepeatedUInt64(message, f, index) : r.GetUInt64(message, f);
      if (value > static_cast<std::uint64_t>(INT64_MAX)) return fmt::format("{}", value);
      return static_cast<std::int64_t>(value);
    }
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return list ? r.GetRepeatedDouble(message, f, index) : r.GetDouble(message, f);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return double{list ? r.GetRepeatedFloat(message, f, index) : r.GetFloat(message, f)};
    case FieldDescriptor::CPPTYPE_BOOL:
      return std::int64_t{list ? r.GetRepeatedBool(message, f, index) : r.GetBool(message, f)};
    case FieldDescriptor::CPPTYPE_ENUM:
      return std::string(
          (list ? r.GetRepeatedEnum(message, f, index) : r.GetEnum(message, f))->name());
    default:
      return list ? r.GetRepeatedString(message, f, index) : r.GetString(message, f);
  }
}

void append(const Message& message, const std::string& prefix, std::vector<Parameter>& out) {
  const Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    const std::string path = prefix + field.name();
    const bool is_message = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (field.is_repeated()) {
      for (int e = 0; e < reflection.FieldSize(message, &field); ++e) {
        const std::string element = fmt::format("{}.{}", path, e);
        if (is_message) {
          append(reflection.GetRepeatedMessage(message, &field, e), element + ".", out);
        } else {
          out.push_back({element, scalar(message, field, e)});
        }
      }
    } else if (is_message) {
      if (reflection.HasField(message, &field) || scenarios::acts_by_default(field)) {
        append(reflection.GetMessage(message, &field), path + ".", out);
      }
    } else if (reflection.HasField(message, &field) || field.has_default_value()) {
      out.push_back({path, scalar(message, field, -1)});
    }
  }
}

}  // namespace

std::vector<analysis::Parameter> flatten(const config::Scenario& scenario) {
  std::vector<Parameter> out;
  append(scenario, "", out);
  return out;
}

}  // namespace orrery::cli
