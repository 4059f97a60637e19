// The generated files are up to date, and every field explains itself.

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "scenarios/describe.hpp"
#include "scenarios/options.pb.h"
#include "scenarios/scenario.pb.h"

namespace orrery::scenarios {
namespace {

namespace pb = google::protobuf;

void expect_current(const std::string& file, const std::string& content) {
  const std::string path = std::string(ORRERY_SOURCE_DIR) + "/" + file;
  if (std::getenv("ORRERY_RENEW") != nullptr) {
    std::ofstream(path) << content;
  }
  std::ostringstream stored;
  stored << std::ifstream(path).rdbuf();
  EXPECT_EQ(stored.str(), content) << "renew with ORRERY_RENEW=1 ctest -R ScenarioSchema";
}

TEST(ScenarioSchema, TheJsonSchemaInTheTreeIsCurrent) {
  expect_current("scenarios/scenario.schema.json", json_schema());
}

TEST(ScenarioSchema, TheReferencePageInTheTreeIsCurrent) {
  expect_current("docs/scenario.md", schema_markdown());
}

void visit(const pb::Descriptor& message, std::set<const pb::Descriptor*>& seen,
           void (*check)(const pb::FieldDescriptor&)) {
  if (!seen.insert(&message).second) return;
  for (int i = 0; i < message.field_count(); ++i) {
    check(*message.field(i));
    if (message.field(i)->message_type() != nullptr) {
      visit(*message.field(i)->message_type(), seen, check);
    }
  }
}

TEST(ScenarioSchema, EveryFieldHasHelpAndNumbersHaveARange) {
  std::set<const pb::Descriptor*> seen;
  visit(*config::Scenario::descriptor(), seen, [](const pb::FieldDescriptor& field) {
    const config::FieldRules& rules = field.options().GetExtension(config::rules);
    EXPECT_FALSE(rules.help().empty()) << field.full_name();
    const bool number = field.cpp_type() == pb::FieldDescriptor::CPPTYPE_DOUBLE ||
                        field.cpp_type() == pb::FieldDescriptor::CPPTYPE_INT32 ||
                        field.cpp_type() == pb::FieldDescriptor::CPPTYPE_INT64;
    if (number) {
      EXPECT_TRUE(rules.has_min()) << field.full_name();
    }
    // A field that is neither required nor a choice nor a mapping says what holds without it.
    const bool optional = !rules.required() && field.real_containing_oneof() == nullptr &&
                          field.message_type() == nullptr;
    if (optional && number) {
      EXPECT_TRUE(field.has_default_value() || rules.has_default_text() ||
                  field.containing_type()->name() == "Slo")
          << field.full_name();
    }
  });
}

TEST(ScenarioSchema, TheJsonSchemaKnowsEveryField) {
  const nlohmann::json schema = nlohmann::json::parse(json_schema());
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"], nlohmann::json({"kind", "cluster", "model"}));
  std::set<const pb::Descriptor*> seen;
  static std::string text;
  text = schema.dump();
  visit(*config::Scenario::descriptor(), seen, [](const pb::FieldDescriptor& field) {
    EXPECT_NE(text.find("\"" + field.name() + "\":{"), std::string::npos) << field.full_name();
  });
}

}  // namespace
}  // namespace orrery::scenarios
