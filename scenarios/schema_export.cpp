#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "scenarios/describe.hpp"
#include "scenarios/rules.hpp"
#include "scenarios/scenario.pb.h"

namespace orrery::scenarios {
namespace {

namespace pb = google::protobuf;
using Json = nlohmann::ordered_json;

Json scalar_schema(const pb::FieldDescriptor& field) {
  const config::FieldRules& rules = rules_of(field);
  Json schema;
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      schema["type"] = "boolean";
      break;
    case pb::FieldDescriptor::CPPTYPE_ENUM:
      for (int i = 0; i < field.enum_type()->value_count(); ++i) {
        schema["enum"].push_back(field.enum_type()->value(i)->name());
      }
      break;
    case pb::FieldDescriptor::CPPTYPE_STRING:
      schema["type"] = "string";
      break;
    default:
      // Numbers may carry a unit, and then are strings.
      schema["type"] = Json::array({is_integer(field) ? "integer" : "number", "string"});
      if (rules.has_max()) schema["maximum"] = rules.max();
      if (rules.has_min())
        schema[rules.exclusive_min() ? "exclusiveMinimum" : "minimum"] = rules.min();
      schema["pattern"] = "^[0-9+\\-.eE_$ ]+[A-Za-z%/$ ]*$";
  }
  const std::string standard = default_text(field);
  std::string text = rules.help();
  if (!standard.empty()) text += fmt::format(" Default: {}.", standard);
  text += fmt::format(" ({})", type_text(field));
  schema["description"] = text;
  return schema;
}

Json message_schema(const pb::Descriptor& message);

Json field_schema(const pb::FieldDescriptor& field) {
  if (!is_message(field)) return scalar_schema(field);
  Json object = message_schema(*field.message_type());
  const pb::FieldDescriptor* shorthand = shorthand_of(*field.message_type());
  if (shorthand == nullptr) {
    object["description"] = rules_of(field).help();
    return object;
  }
  Json either;
  either["description"] = rules_of(field).help();
  either["oneOf"] = Json::array({scalar_schema(*shorthand), object});
  return either;
}

Json message_schema(const pb::Descriptor& message) {
  Json schema;
  schema["type"] = "object";
  schema["additionalProperties"] = false;
  for (int i = 0; i < message.field_count(); ++i) {
    const pb::FieldDescriptor& field = *message.field(i);
    schema["properties"][field.name()] = field_schema(field);
    if (rules_of(field).required()) schema["required"].push_back(field.name());
  }
  return schema;
}

}  // namespace

std::string json_schema() {
  Json schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "Orrery scenario";
  schema.update(message_schema(*config::Scenario::descriptor()));
  return schema.dump(1) + "\n";
}

}  // namespace orrery::scenarios
