#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/registry.hpp"
#include "traces/readers/fields.hpp"

namespace orrery::traces {
namespace {

using nlohmann::json;

class JsonlParser final : public LineParser {
 public:
  explicit JsonlParser(CsvLayout layout) : layout_(std::move(layout)) {}

  Outcome parse(std::string_view line, Request& out, Diagnostic& fault) override {
    json object;
    try {
      object = json::parse(line);
    } catch (const json::exception&) {
      fault.message = "not valid JSON";
      fault.allowed = "one object a line";
      return Outcome::kFault;
    }
    if (!object.is_object()) {
      fault.message = "not a JSON object";
      return Outcome::kFault;
    }
    if (!whole(object, layout_.prompt, out.prompt_tokens, fault) ||
        !whole(object, layout_.output, out.output_tokens, fault) ||
        !read_arrival(object, out, fault) || !read_hashes(object, out, fault)) {
      return Outcome::kFault;
    }
    if (!layout_.session.empty()) {
      std::int64_t session = -1;
      if (!whole(object, layout_.session, session, fault)) return Outcome::kFault;
      out.session = session;
    }
    return Outcome::kRequest;
  }

 private:
  static const json* need(const json& object, const std::string& key, Diagnostic& fault) {
    const auto found = object.find(key);
    if (found != object.end()) return &*found;
    std::vector<std::string> keys;
    for (const auto& item : object.items()) keys.push_back(item.key());
    fault.message = fmt::format("no key \"{}\"", key);
    fault.nearest = nearest_name(key, keys);
    return nullptr;
  }

  static bool whole(const json& object, const std::string& key, std::int64_t& out,
                    Diagnostic& fault) {
    const json* value = need(object, key, fault);
    if (value == nullptr) return false;
    const double number = value->is_number() ? value->get<double>() : NAN;
    if (!(std::abs(number) < 9e15) || number != std::floor(number)) {
      fault.message = fmt::format("{} is no whole number", key);
      return false;
    }
    out = static_cast<std::int64_t>(number);
    return true;
  }

  bool read_arrival(const json& object, Request& out, Diagnostic& fault) const {
    const json* value = need(object, layout_.arrival, fault);
    if (value == nullptr) return false;
    if (value->is_string() && parse_timestamp(value->get_ref<const std::string&>(), out.arrival)) {
      return true;
    }
    constexpr double kLongestSeconds = 100.0 * 365.25 * 86400.0;
    const double seconds =
        (value->is_number() ? value->get<double>() : NAN) * layout_.arrival_unit_s;
    if (!(std::abs(seconds) <= kLongestSeconds)) {
      fault.message = fmt::format("{} is no time within 100 years", layout_.arrival);
      return false;
    }
    out.arrival = std::chrono::nanoseconds(std::llround(seconds * 1e9));
    return true;
  }

  bool read_hashes(const json& object, Request& out, Diagnostic& fault) const {
    if (layout_.block_hashes.empty()) return true;
    const json* value = need(object, layout_.block_hashes, fault);
    if (value == nullptr) return false;
    if (!value->is_array()) {
      fault.message = fmt::format("{} is no list", layout_.block_hashes);
      return false;
    }
    out.hash_block_tokens = layout_.hash_block_tokens;
    for (const json& id : *value) {
      if (!id.is_number_integer()) {
        fault.message =
            fmt::format("{} holds something that is no whole number", layout_.block_hashes);
        return false;
      }
      out.block_hashes.push_back(static_cast<std::uint64_t>(id.get<std::int64_t>()));
    }
    return true;
  }

  CsvLayout layout_;
};

}  // namespace

std::unique_ptr<LineParser> make_jsonl_parser(CsvLayout layout) {
  return std::make_unique<JsonlParser>(std::move(layout));
}

}  // namespace orrery::traces
