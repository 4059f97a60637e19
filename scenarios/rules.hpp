#pragma once
// The field options of the schema in the words of people: dimension, range, type.

#include <google/protobuf/descriptor.h>

#include <string>

#include "models/quantity.hpp"
#include "scenarios/options.pb.h"

namespace orrery::scenarios {

const config::FieldRules& rules_of(const google::protobuf::FieldDescriptor& field);
Dimension dimension_of(const google::protobuf::FieldDescriptor& field);
bool is_message(const google::protobuf::FieldDescriptor& field);
bool is_integer(const google::protobuf::FieldDescriptor& field);
/// "1 to 1048576", "above 0", "at least 2"; empty when anything goes.
std::string range_text(const google::protobuf::FieldDescriptor& field);
/// "number with a unit (ns, us, ...)", "whole number", "true or false", "one of a, b", "text".
std::string type_text(const google::protobuf::FieldDescriptor& field);
/// The default as people write it, or default_text; empty when there is none.
std::string default_text(const google::protobuf::FieldDescriptor& field);
/// The field that a scalar stands for (shorthand), or nullptr.
const google::protobuf::FieldDescriptor* shorthand_of(const google::protobuf::Descriptor& message);
/// Whether a message that is not there still acts with its defaults: not when it is a choice, has
/// required fields, or switches something on by being there.
bool acts_by_default(const google::protobuf::FieldDescriptor& field);
/// Help of a message.
const std::string& message_help(const google::protobuf::Descriptor& message);

}  // namespace orrery::scenarios
