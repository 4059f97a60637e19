#include "scenarios/describe.hpp"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include <vector>

#include "models/registry.hpp"
#include "scenarios/rules.hpp"
#include "scenarios/scenario.pb.h"

namespace orrery::scenarios {
namespace {

namespace pb = google::protobuf;

std::string indent(int depth) { return std::string(static_cast<std::size_t>(depth) * 2, ' '); }

std::string field_summary(const pb::FieldDescriptor& field) {
  std::string text = type_text(field);
  const std::string range = range_text(field);
  if (!range.empty()) text += ", " + range;
  if (rules_of(field).required()) text += ", required";
  if (field.real_containing_oneof() != nullptr) text += ", a choice";
  const std::string standard = default_text(field);
  if (!standard.empty()) text += "; default: " + standard;
  if (rules_of(field).assumed()) text += " (assumed)";
  return text;
}

void describe_field(const pb::FieldDescriptor& field, int depth, std::string& out);

void describe_message(const pb::Descriptor& message, int depth, std::string& out) {
  for (int i = 0; i < message.field_count(); ++i) describe_field(*message.field(i), depth, out);
}

void describe_field(const pb::FieldDescriptor& field, int depth, std::string& out) {
  const std::string& help = rules_of(field).help();
  if (!is_message(field)) {
    out += fmt::format("{}{}  [{}]\n", indent(depth), field.name(), field_summary(field));
    if (!help.empty()) out += fmt::format("{}  {}\n", indent(depth + 1), help);
    return;
  }
  std::string note = rules_of(field).required() ? "  [required]" : "";
  if (const pb::FieldDescriptor* shorthand = shorthand_of(*field.message_type())) {
    note += fmt::format("  (a single value sets {})", shorthand->name());
  }
  out += fmt::format("{}{}:{}\n", indent(depth), field.name(), note);
  if (!help.empty()) out += fmt::format("{}  {}\n", indent(depth + 1), help);
  describe_message(*field.message_type(), depth + 1, out);
}

// Text that reads back as the same YAML string.
std::string quoted(const std::string& text) {
  const bool plain =
      !text.empty() && text.find_first_of(":#{}[],&*!|>'\"%@`\n\t\\") == std::string::npos &&
      text.front() != ' ' && text.back() != ' ' && text.front() != '-' && text.front() != '?' &&
      text.find_first_not_of("0123456789.+-eE_") != std::string::npos && text != "true" &&
      text != "false" && text != "null" && text != "~";
  if (plain) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string value_text(const pb::Message& message, const pb::FieldDescriptor& field) {
  const pb::Reflection& r = *message.GetReflection();
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return r.GetBool(message, &field) ? "true" : "false";
    case pb::FieldDescriptor::CPPTYPE_ENUM:
      return r.GetEnum(message, &field)->name();
    case pb::FieldDescriptor::CPPTYPE_STRING:
      return quoted(r.GetString(message, &field));
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      return format_quantity(r.GetDouble(message, &field), dimension_of(field));
    case pb::FieldDescriptor::CPPTYPE_INT32:
      return fmt::format("{}", r.GetInt32(message, &field));
    case pb::FieldDescriptor::CPPTYPE_INT64:
      return fmt::format("{}", r.GetInt64(message, &field));
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return fmt::format("{}", r.GetUInt64(message, &field));
    default:
      return {};
  }
}

class Printer {
 public:
  explicit Printer(bool comments) : comments_(comments) {}

  void print(const pb::Message& message, int depth, bool inherited) {
    const pb::Descriptor& descriptor = *message.GetDescriptor();
    for (int i = 0; i < descriptor.field_count(); ++i) {
      const pb::FieldDescriptor& field = *descriptor.field(i);
      if (field.is_repeated()) continue;
      const bool set = message.GetReflection()->HasField(message, &field);
      if (is_message(field)) {
        if (!set && !acts_by_default(field)) continue;
        out += fmt::format("{}{}:\n", indent(depth), field.name());
        print(message.GetReflection()->GetMessage(message, &field), depth + 1, inherited || !set);
      } else {
        print_value(message, field, depth, set);
      }
    }
  }

  std::string out;

 private:
  void print_value(const pb::Message& message, const pb::FieldDescriptor& field, int depth,
                   bool set) {
    if (set || field.has_default_value()) {
      out += fmt::format("{}{}: {}", indent(depth), field.name(), value_text(message, field));
      if (comments_ && !set) {
        out += rules_of(field).assumed() ? "  # default, assumed" : "  # default";
      }
      out += '\n';
    } else if (comments_ && rules_of(field).has_default_text()) {
      out +=
          fmt::format("{}# {}: {}\n", indent(depth), field.name(), rules_of(field).default_text());
    }
  }

  bool comments_;
};

const pb::FieldDescriptor* find_path(std::string_view path, std::string& walked,
                                     Diagnostic& fault) {
  const pb::Descriptor* message = config::Scenario::descriptor();
  const pb::FieldDescriptor* field = nullptr;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string name(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    field = message == nullptr ? nullptr : message->FindFieldByName(name);
    if (field == nullptr) {
      std::vector<std::string> names;
      for (int i = 0; message != nullptr && i < message->field_count(); ++i) {
        names.push_back(message->field(i)->name());
      }
      fault.field = walked.empty() ? name : walked + "." + name;
      fault.message = "no such field";
      fault.nearest = nearest_name(name, names);
      fault.allowed = fmt::format("{}", fmt::join(names, ", "));
      return nullptr;
    }
    walked = walked.empty() ? name : walked + "." + name;
    message = is_message(*field) ? field->message_type() : nullptr;
  }
  return field;
}

void markdown_rows(const pb::Descriptor& message, const std::string& path, std::string& out) {
  for (int i = 0; i < message.field_count(); ++i) {
    const pb::FieldDescriptor& field = *message.field(i);
    const std::string name = path.empty() ? field.name() : path + "." + field.name();
    if (!is_message(field)) {
      out +=
          fmt::format("| `{}` | {} | {} |\n", name, field_summary(field), rules_of(field).help());
    }
  }
  for (int i = 0; i < message.field_count(); ++i) {
    const pb::FieldDescriptor& field = *message.field(i);
    if (!is_message(field)) continue;
    const std::string name = path.empty() ? field.name() : path + "." + field.name();
    const pb::Descriptor& type = *field.message_type();
    out += fmt::format("\n## `{}`\n\n{} {}", name, rules_of(field).help(), message_help(type));
    if (const pb::FieldDescriptor* shorthand = shorthand_of(type)) {
      out += fmt::format(" A single value in place of the mapping sets `{}`.", shorthand->name());
    }
    out += "\n\n| field | value | meaning |\n|---|---|---|\n";
    markdown_rows(type, name, out);
  }
}

}  // namespace

Result<std::string> describe_schema(std::string_view path) {
  std::string out;
  if (path.empty()) {
    describe_message(*config::Scenario::descriptor(), 0, out);
    return out;
  }
  std::string walked;
  Diagnostic fault;
  const pb::FieldDescriptor* field = find_path(path, walked, fault);
  if (field == nullptr) return fault;
  describe_field(*field, 0, out);
  return out;
}

std::string resolved_yaml(const config::Scenario& scenario) {
  Printer printer(true);
  printer.print(scenario, 0, false);
  return printer.out;
}

std::string canonical_text(const config::Scenario& scenario) {
  config::Scenario meaning = scenario;
  meaning.clear_name();
  meaning.clear_description();
  Printer printer(false);
  printer.print(meaning, 0, false);
  return printer.out;
}

std::string schema_markdown() {
  std::string out =
      "# Scenario fields\n\n"
      "Every field of a scenario, as `orrery describe scenario` prints it. Numbers carry a unit "
      "(`10ms`, "
      "`80GiB`, `90%`); a bare\nnumber is in the base unit (seconds, bytes, bytes per second). "
      "Whole "
      "numbers may be written as `8_192` or `8k` (8000).\nThis page is made from the schema: "
      "`ORRERY_RENEW=1 ctest -R ScenarioSchema` writes it again.\n\n"
      "| field | value | meaning |\n|---|---|---|\n";
  markdown_rows(*config::Scenario::descriptor(), "", out);
  return out;
}

}  // namespace orrery::scenarios
