#pragma once
// Binds YAML nodes to messages and gathers faults; used by the loader.

#include <google/protobuf/message.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/result.hpp"
#include "scenarios/loader.hpp"

namespace orrery::scenarios {

class Binder {
 public:
  Binder(std::string file, std::filesystem::path folder, const Vocabularies& vocabularies)
      : file_(std::move(file)), folder_(std::move(folder)), vocabularies_(vocabularies) {}

  /// Reads a mapping (or a scalar, for messages with a shorthand) into `message`.
  void bind_message(const YAML::Node& node, google::protobuf::Message& message,
                    const std::string& path);
  /// Sets the field at the dotted `path` below `message` from text; `argument` stands in messages.
  void bind_override(const std::string& argument, google::protobuf::Message& message);
  /// Faults for required fields and choices that are not there.
  void check_required(const google::protobuf::Message& message, const std::string& path);

  void fault(const YAML::Mark& mark, const std::string& path, std::string message,
             std::string allowed = {}, std::string nearest = {});
  Diagnostics& faults() { return faults_; }

 private:
  using Field = google::protobuf::FieldDescriptor;

  void bind_entry(const YAML::Node& key, const YAML::Node& value,
                  google::protobuf::Message& message, const std::string& path,
                  std::vector<std::string>& seen);
  void bind_field(const YAML::Node& node, google::protobuf::Message& message, const Field& field,
                  const std::string& path);
  void bind_scalar(const YAML::Node& node, google::protobuf::Message& message, const Field& field,
                   const std::string& path);
  void set_number(const YAML::Node& node, google::protobuf::Message& message, const Field& field,
                  const std::string& path);
  void set_text(const YAML::Node& node, google::protobuf::Message& message, const Field& field,
                const std::string& path);
  void set_enum(const YAML::Node& node, google::protobuf::Message& message, const Field& field,
                const std::string& path);
  bool in_range(double value, const Field& field) const;
  bool too_much(const YAML::Node& node);

  std::string file_;
  std::filesystem::path folder_;
  const Vocabularies& vocabularies_;
  std::map<std::string, YAML::Mark> places_;  // of mappings, by path
  std::set<std::string> refused_;             // fields that were given, but wrongly
  std::string override_;                      // the argument being applied
  std::size_t visited_ = 0;
  std::size_t depth_ = 0;
  bool gave_up_ = false;
  Diagnostics faults_;
};

}  // namespace orrery::scenarios
