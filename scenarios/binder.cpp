#include "scenarios/binder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>

#include "models/registry.hpp"
#include "scenarios/rules.hpp"

namespace orrery::scenarios {
namespace {

namespace pb = google::protobuf;

// A file that expands to more nodes (by aliases) or nests deeper is refused.
constexpr std::size_t kMostNodes = 100'000;
constexpr std::size_t kDeepest = 64;

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::vector<std::string> field_names(const pb::Descriptor& message) {
  std::vector<std::string> names;
  for (int i = 0; i < message.field_count(); ++i) names.push_back(message.field(i)->name());
  return names;
}

std::string shown(const YAML::Node& node) {
  if (node.IsScalar()) return fmt::format("\"{}\"", node.Scalar().substr(0, 60));
  if (node.IsSequence()) return "a list";
  if (node.IsMap()) return "a mapping";
  return "nothing";
}

std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 40;
  if (names.size() <= kMostShown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, and {} more", fmt::join(names.begin(), names.begin() + kMostShown, ", "),
                     names.size() - kMostShown);
}

}  // namespace

void Binder::fault(const YAML::Mark& mark, const std::string& path, std::string message,
                   std::string allowed, std::string nearest) {
  refused_.insert(path);
  constexpr std::size_t kMostFaults = 100;
  if (faults_.size() >= kMostFaults) return;
  Diagnostic diagnostic;
  if (override_.empty()) {
    diagnostic.where.file = file_;
    diagnostic.where.line = mark.line + 1;
    diagnostic.where.column = mark.column + 1;
  } else {
    diagnostic.where.file = "--set " + override_;
  }
  diagnostic.field = path;
  diagnostic.message = std::move(message);
  diagnostic.allowed = std::move(allowed);
  diagnostic.nearest = std::move(nearest);
  faults_.push_back(std::move(diagnostic));
}

bool Binder::too_much(const YAML::Node& node) {
  if (gave_up_) return true;
  if (++visited_ > kMostNodes) {
    gave_up_ = true;
    fault(node.Mark(), "", fmt::format("the file expands to more than {} values", kMostNodes));
  } else if (depth_ > kDeepest) {
    gave_up_ = true;
    fault(node.Mark(), "", fmt::format("nested deeper than {} levels", kDeepest));
  }
  return gave_up_;
}

void Binder::bind_message(const YAML::Node& node, pb::Message& message, const std::string& path) {
  if (too_much(node)) return;
  const pb::FieldDescriptor* shorthand = shorthand_of(*message.GetDescriptor());
  if (node.IsScalar() && shorthand != nullptr) {
    places_[path] = node.Mark();
    bind_field(node, message, *shorthand, path);
    return;
  }
  if (!node.IsMap()) {
    std::string allowed = "a mapping with " + list_names(field_names(*message.GetDescriptor()));
    if (shorthand != nullptr) allowed += fmt::format(", or a value for {}", shorthand->name());
    fault(node.Mark(), path, fmt::format("{} where a mapping belongs", shown(node)),
          std::move(allowed));
    return;
  }
  places_[path] = node.Mark();
  ++depth_;
  std::vector<std::string> seen;
  for (const auto& entry : node) {
    if (gave_up_) break;
    bind_entry(entry.first, entry.second, message, path, seen);
  }
  --depth_;
}

void Binder::bind_entry(const YAML::Node& key, const YAML::Node& value, pb::Message& message,
                        const std::string& path, std::vector<std::string>& seen) {
  if (!key.IsScalar()) {
    fault(key.Mark(), path, fmt::format("{} as a key", shown(key)), "a name");
    return;
  }
  const std::string& name = key.Scalar();
  const pb::Descriptor& descriptor = *message.GetDescriptor();
  const pb::FieldDescriptor* field = descriptor.FindFieldByName(name);
  if (field == nullptr) {
    const std::vector<std::string> names = field_names(descriptor);
    fault(key.Mark(), joined(path, name.substr(0, 60)), "no such field", list_names(names),
          nearest_name(name, names));
    return;
  }
  if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
    fault(key.Mark(), joined(path, name), "given twice");
    return;
  }
  seen.push_back(name);
  if (value.IsNull()) return;  // "field:" with nothing behind it leaves the default.
  if (const pb::OneofDescriptor* choice = field->real_containing_oneof(); choice != nullptr) {
    const pb::FieldDescriptor* other =
        message.GetReflection()->GetOneofFieldDescriptor(message, choice);
    if (other != nullptr) {
      fault(key.Mark(), joined(path, name), fmt::format("given beside {}", other->name()),
            "one of the two");
      return;
    }
  }
  bind_field(value, message, *field, joined(path, name));
}

void Binder::bind_field(const YAML::Node& node, pb::Message& message, const Field& field,
                        const std::string& path) {
  if (field.is_repeated()) {
    if (!node.IsSequence()) {
      fault(node.Mark(), path, fmt::format("{} where a list belongs", shown(node)), "a list");
      return;
    }
    int index = 0;
    for (const YAML::Node& element : node) {
      if (gave_up_) return;
      const std::string place = fmt::format("{}.{}", path, index++);
      if (is_message(field)) {
        bind_message(element, *message.GetReflection()->AddMessage(&message, &field), place);
      } else {
        bind_scalar(element, message, field, place);
      }
    }
    return;
  }
  if (is_message(field)) {
    bind_message(node, *message.GetReflection()->MutableMessage(&message, &field), path);
  } else {
    bind_scalar(node, message, field, path);
  }
}

void Binder::bind_scalar(const YAML::Node& node, pb::Message& message, const Field& field,
                         const std::string& path) {
  if (too_much(node)) return;
  if (!node.IsScalar()) {
    fault(node.Mark(), path, fmt::format("{} where a value belongs", shown(node)),
          type_text(field));
    return;
  }
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      if (node.Scalar() == "true" || node.Scalar() == "false") {
        message.GetReflection()->SetBool(&message, &field, node.Scalar() == "true");
      } else {
        fault(node.Mark(), path, fmt::format("{} is neither true nor false", shown(node)),
              "true or false");
      }
      return;
    case pb::FieldDescriptor::CPPTYPE_ENUM:
      set_enum(node, message, field, path);
      return;
    case pb::FieldDescriptor::CPPTYPE_STRING:
      set_text(node, message, field, path);
      return;
    default:
      set_number(node, message, field, path);
  }
}

bool Binder::in_range(double value, const Field& field) const {
  const config::FieldRules& rules = rules_of(field);
  if (rules.has_max() && value > rules.max()) return false;
  if (!rules.has_min()) return true;
  return rules.exclusive_min() ? value > rules.min() : value >= rules.min();
}

void Binder::set_number(const YAML::Node& node, pb::Message& message, const Field& field,
                        const std::string& path) {
  const bool whole = is_integer(field);
  Result<double> parsed = parse_quantity(node.Scalar(), dimension_of(field));
  if (!parsed) {
    const Diagnostic& reason = parsed.faults().front();
    fault(node.Mark(), path, reason.message, reason.allowed, reason.nearest);
    return;
  }
  const double value = *parsed;
  if (whole && value != std::floor(value)) {
    fault(node.Mark(), path, fmt::format("{} is no whole number", shown(node)), "a whole number");
    return;
  }
  // Doubles hold whole numbers exactly up to 2^53 only; nothing sensible is larger.
  constexpr double kLargestWhole = 9007199254740992.0;
  const bool fits = !whole || (std::abs(value) <= kLargestWhole &&
                               (field.cpp_type() != pb::FieldDescriptor::CPPTYPE_INT32 ||
                                std::abs(value) <= std::numeric_limits<std::int32_t>::max()));
  const bool negative = field.cpp_type() == pb::FieldDescriptor::CPPTYPE_UINT64 && value < 0.0;
  if (!fits || negative || !in_range(value, field)) {
    std::string allowed = range_text(field);
    if (allowed.empty()) allowed = negative ? "at least 0" : "at most 2^53 (2^31 for small counts)";
    fault(node.Mark(), path, fmt::format("{} is out of range", shown(node)), std::move(allowed));
    return;
  }
  const pb::Reflection& reflection = *message.GetReflection();
  const auto set = [&](auto setter, auto adder, auto typed) {
    field.is_repeated() ? (reflection.*adder)(&message, &field, typed)
                        : (reflection.*setter)(&message, &field, typed);
  };
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
      set(&pb::Reflection::SetInt32, &pb::Reflection::AddInt32, static_cast<std::int32_t>(value));
      return;
    case pb::FieldDescriptor::CPPTYPE_INT64:
      set(&pb::Reflection::SetInt64, &pb::Reflection::AddInt64, static_cast<std::int64_t>(value));
      return;
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      set(&pb::Reflection::SetUInt64, &pb::Reflection::AddUInt64,
          static_cast<std::uint64_t>(value));
      return;
    default:
      set(&pb::Reflection::SetDouble, &pb::Reflection::AddDouble, value);
  }
}

void Binder::set_enum(const YAML::Node& node, pb::Message& message, const Field& field,
                      const std::string& path) {
  const pb::EnumDescriptor& type = *field.enum_type();
  const pb::EnumValueDescriptor* value = type.FindValueByName(node.Scalar());
  if (value != nullptr) {
    message.GetReflection()->SetEnum(&message, &field, value);
    return;
  }
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) names.push_back(type.value(i)->name());
  fault(node.Mark(), path, fmt::format("unknown value {}", shown(node)), list_names(names),
        nearest_name(node.Scalar(), names));
}

void Binder::set_text(const YAML::Node& node, pb::Message& message, const Field& field,
                      const std::string& path) {
  namespace fs = std::filesystem;
  const config::FieldRules& rules = rules_of(field);
  std::string value = node.Scalar();
  const auto found = vocabularies_.find(rules.vocabulary());
  const bool listed =
      found != vocabularies_.end() &&
      std::find(found->second.begin(), found->second.end(), value) != found->second.end();
  if ((rules.or_path() || rules.path()) && !listed) {
    std::error_code error;
    const fs::path beside = folder_ / value;
    const bool relative = fs::path(value).is_relative() && !folder_.empty();
    if (relative && fs::exists(beside, error)) value = beside.lexically_normal().string();
    if (!fs::exists(value, error)) {
      const std::vector<std::string> none;
      const std::vector<std::string>& names = found == vocabularies_.end() ? none : found->second;
      fault(node.Mark(), path,
            names.empty() ? fmt::format("no file {}", shown(node))
                          : fmt::format("{} is neither a known {} nor a file", shown(node),
                                        rules.vocabulary()),
            list_names(names), nearest_name(node.Scalar(), names));
      return;
    }
  } else if (rules.has_vocabulary() && !listed && found != vocabularies_.end()) {
    fault(node.Mark(), path, fmt::format("unknown {} {}", rules.vocabulary(), shown(node)),
          list_names(found->second), nearest_name(value, found->second));
    return;
  }
  field.is_repeated() ? message.GetReflection()->AddString(&message, &field, value)
                      : message.GetReflection()->SetString(&message, &field, value);
}

void Binder::bind_override(const std::string& argument, pb::Message& message) {
  override_ = argument;
  const YAML::Mark nowhere = YAML::Mark::null_mark();
  const std::size_t equals = argument.find('=');
  const std::string path = argument.substr(0, equals);
  if (equals == std::string::npos || path.empty()) {
    fault(nowhere, "", "no assignment", "path.to.field=value");
    override_.clear();
    return;
  }
  pb::Message* target = &message;
  const Field* field = nullptr;
  std::string rest = path;
  std::string walked;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.');
    const std::string name = rest.substr(0, dot);
    rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
    field = target->GetDescriptor()->FindFieldByName(name);
    if (field == nullptr || (!rest.empty() && (!is_message(*field) || field->is_repeated()))) {
      const std::vector<std::string> names = field_names(*target->GetDescriptor());
      const std::string nearest = nearest_name(name, names);
      fault(nowhere, joined(walked, name),
            field == nullptr ? "no such field" : "has no fields below", list_names(names),
            nearest.empty() ? "" : joined(walked, nearest));
      override_.clear();
      return;
    }
    walked = joined(walked, name);
    if (!rest.empty()) target = target->GetReflection()->MutableMessage(target, field);
  }
  const std::string text = argument.substr(equals + 1);
  try {
    const YAML::Node value = YAML::Load(text);
    if (value.IsNull() || field->is_repeated()) target->GetReflection()->ClearField(target, field);
    if (!value.IsNull()) bind_field(value, *target, *field, path);
  } catch (const YAML::Exception& error) {
    fault(nowhere, path,
          fmt::format("\"{}\" is not valid YAML: {}", text.substr(0, 60), error.msg));
  }
  override_.clear();
}

void Binder::check_required(const pb::Message& message, const std::string& path) {
  const pb::Descriptor& descriptor = *message.GetDescriptor();
  const pb::Reflection& reflection = *message.GetReflection();
  const auto place = places_.find(path);
  const YAML::Mark mark = place == places_.end() ? YAML::Mark::null_mark() : place->second;
  for (int i = 0; i < descriptor.oneof_decl_count(); ++i) {
    const pb::OneofDescriptor& choice = *descriptor.oneof_decl(i);
    if (!choice.options().GetExtension(config::one_required)) continue;
    if (reflection.HasOneof(message, &choice) || refused_.count(path) > 0) continue;
    std::vector<std::string> names;
    for (int k = 0; k < choice.field_count(); ++k) names.push_back(choice.field(k)->name());
    fault(mark, path, fmt::format("needs one of {}", fmt::join(names, ", ")));
  }
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const pb::FieldDescriptor& field = *descriptor.field(i);
    const std::string name = joined(path, field.name());
    if (field.is_repeated()) {
      for (int k = 0; is_message(field) && k < reflection.FieldSize(message, &field); ++k) {
        check_required(reflection.GetRepeatedMessage(message, &field, k),
                       fmt::format("{}.{}", name, k));
      }
    } else if (!reflection.HasField(message, &field)) {
      // One fault is enough for a field, also when its message was given as a single value.
      const bool refused = refused_.count(name) > 0 || refused_.count(path) > 0;
      if (rules_of(field).required() && !refused) {
        fault(mark, name, "missing",
              fmt::format("{}: {}", type_text(field), rules_of(field).help()));
      }
    } else if (is_message(field)) {
      check_required(reflection.GetMessage(message, &field), name);
    }
  }
}

}  // namespace orrery::scenarios
