#include "scenarios/rules.hpp"

#include <fmt/format.h>

#include <vector>

namespace orrery::scenarios {
namespace {

namespace pb = google::protobuf;

std::string number_text(const pb::FieldDescriptor& field, double value) {
  if (is_integer(field)) return fmt::format("{:.0f}", value);
  return format_quantity(value, dimension_of(field));
}

bool has_defaults(const pb::Descriptor& message) {
  for (int i = 0; i < message.field_count(); ++i) {
    const pb::FieldDescriptor& field = *message.field(i);
    if (field.real_containing_oneof() != nullptr) continue;
    if (is_message(field) ? has_defaults(*field.message_type()) : field.has_default_value())
      return true;
  }
  return false;
}

}  // namespace

const config::FieldRules& rules_of(const pb::FieldDescriptor& field) {
  return field.options().GetExtension(config::rules);
}

Dimension dimension_of(const pb::FieldDescriptor& field) {
  switch (rules_of(field).unit()) {
    case config::UNIT_NONE:
      return Dimension::kNone;
    case config::UNIT_FRACTION:
      return Dimension::kFraction;
    case config::UNIT_DURATION:
      return Dimension::kDuration;
    case config::UNIT_BYTES:
      return Dimension::kBytes;
    case config::UNIT_BANDWIDTH:
      return Dimension::kBandwidth;
    case config::UNIT_FLOPS:
      return Dimension::kFlops;
    case config::UNIT_RATE:
      return Dimension::kRate;
    case config::UNIT_MONEY:
      return Dimension::kMoney;
    case config::UNIT_POWER:
      return Dimension::kPower;
  }
  return Dimension::kNone;
}

bool is_message(const pb::FieldDescriptor& field) {
  return field.cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE;
}

bool is_integer(const pb::FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
    case pb::FieldDescriptor::CPPTYPE_INT64:
    case pb::FieldDescriptor::CPPTYPE_UINT32:
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return true;
    default:
      return false;
  }
}

std::string range_text(const pb::FieldDescriptor& field) {
  const config::FieldRules& rules = rules_of(field);
  if (rules.has_min() && rules.has_max()) {
    return fmt::format("{}{} to {}", rules.exclusive_min() ? "above " : "",
                       number_text(field, rules.min()), number_text(field, rules.max()));
  }
  if (rules.has_min()) {
    return fmt::format("{} {}", rules.exclusive_min() ? "above" : "at least",
                       number_text(field, rules.min()));
  }
  if (rules.has_max()) return fmt::format("at most {}", number_text(field, rules.max()));
  return {};
}

std::string type_text(const pb::FieldDescriptor& field) {
  const config::FieldRules& rules = rules_of(field);
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return "true or false";
    case pb::FieldDescriptor::CPPTYPE_ENUM: {
      std::vector<std::string> names;
      for (int i = 0; i < field.enum_type()->value_count(); ++i) {
        names.push_back(field.enum_type()->value(i)->name());
      }
      return fmt::format("one of {}", fmt::join(names, ", "));
    }
    case pb::FieldDescriptor::CPPTYPE_STRING:
      if (rules.has_vocabulary()) {
        return fmt::format("name of a {}{}", rules.vocabulary(),
                           rules.or_path() ? ", or a path" : "");
      }
      return rules.path() ? "path" : "text";
    case pb::FieldDescriptor::CPPTYPE_MESSAGE:
      return "mapping";
    default:
      break;
  }
  if (is_integer(field)) return "whole number";
  const Dimension dimension = dimension_of(field);
  if (dimension == Dimension::kNone) return "number";
  return fmt::format("number with a unit ({})", accepted_units(dimension));
}

std::string default_text(const pb::FieldDescriptor& field) {
  if (rules_of(field).has_default_text()) return rules_of(field).default_text();
  if (!field.has_default_value()) return {};
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return field.default_value_bool() ? "true" : "false";
    case pb::FieldDescriptor::CPPTYPE_ENUM:
      return field.default_value_enum()->name();
    case pb::FieldDescriptor::CPPTYPE_STRING:
      return field.default_value_string();
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      return format_quantity(field.default_value_double(), dimension_of(field));
    case pb::FieldDescriptor::CPPTYPE_INT32:
      return fmt::format("{}", field.default_value_int32());
    case pb::FieldDescriptor::CPPTYPE_INT64:
      return fmt::format("{}", field.default_value_int64());
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return fmt::format("{}", field.default_value_uint64());
    default:
      return {};
  }
}

const pb::FieldDescriptor* shorthand_of(const pb::Descriptor& message) {
  const std::string& name = message.options().GetExtension(config::shorthand);
  return name.empty() ? nullptr : message.FindFieldByName(name);
}

bool acts_by_default(const pb::FieldDescriptor& field) {
  if (field.real_containing_oneof() != nullptr) return false;
  const pb::Descriptor& message = *field.message_type();
  for (int i = 0; i < message.field_count(); ++i) {
    if (rules_of(*message.field(i)).required()) return false;
  }
  return !rules_of(field).switches_on() && has_defaults(message);
}

const std::string& message_help(const pb::Descriptor& message) {
  return message.options().GetExtension(config::message_help);
}

}  // namespace orrery::scenarios
