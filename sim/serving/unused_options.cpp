#include "sim/serving/unused_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "scenarios/scenario.pb.h"

namespace orrery::sim {
namespace {

bool uses(const SchedulerEntry& entry, std::string_view path) {
  return std::find(entry.options.begin(), entry.options.end(), path) != entry.options.end();
}

bool equals_default(const google::protobuf::Message& message,
                    const google::protobuf::FieldDescriptor& field) {
  const google::protobuf::Reflection& r = *message.GetReflection();
  switch (field.cpp_type()) {
    case google::protobuf::FieldDescriptor::CPPTYPE_BOOL:
      return r.GetBool(message, &field) == field.default_value_bool();
    case google::protobuf::FieldDescriptor::CPPTYPE_INT32:
      return r.GetInt32(message, &field) == field.default_value_int32();
    case google::protobuf::FieldDescriptor::CPPTYPE_DOUBLE:
      return r.GetDouble(message, &field) == field.default_value_double();
    case google::protobuf::FieldDescriptor::CPPTYPE_ENUM:
      return r.GetEnum(message, &field) == field.default_value_enum();
    default:
      return false;
  }
}

// Whether the field at a dotted path below `message` is set to something else than its default (a
// scenario printed with all defaults filled in stays valid).
bool is_set(const google::protobuf::Message& message, std::string_view path) {
  const std::size_t dot = path.find('.');
  const google::protobuf::FieldDescriptor* field =
      message.GetDescriptor()->FindFieldByName(std::string(path.substr(0, dot)));
  if (field == nullptr || !message.GetReflection()->HasField(message, field)) return false;
  if (dot == std::string_view::npos) {
    return !field->has_default_value() || !equals_default(message, *field);
  }
  return is_set(message.GetReflection()->GetMessage(message, field), path.substr(dot + 1));
}

}  // namespace

Diagnostics unused_options(const config::Serving& serving, const SchedulerEntry& chosen,
                           std::span<const SchedulerEntry> all) {
  std::vector<std::string_view> paths;
  for (const SchedulerEntry& entry : all) {
    for (const std::string_view path : entry.options) {
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    }
  }
  Diagnostics faults;
  for (const std::string_view path : paths) {
    if (uses(chosen, path) || !is_set(serving, path)) continue;
    std::vector<std::string_view> users;
    for (const SchedulerEntry& entry : all) {
      if (uses(entry, path)) users.push_back(entry.name);
    }
    Diagnostic fault;
    fault.field = fmt::format("serving.{}", path);
    fault.message = fmt::format("scheduler {} does not use this option; it belongs to {}",
                                chosen.name, fmt::join(users, ", "));
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace orrery::sim
