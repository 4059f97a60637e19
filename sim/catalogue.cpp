#include "sim/catalogue.hpp"

#include "sim/serving/router.hpp"
#include "sim/serving/scheduler.hpp"
#include "sim/serving/serving.hpp"

namespace orrery::sim {
namespace {

template <class Entry>
void append(std::vector<PolicyInfo>& out, std::string_view vocabulary,
            std::span<const Entry> entries) {
  for (const Entry& entry : entries) {
    out.push_back({vocabulary, entry.name, entry.help, entry.source, entry.options});
  }
}

std::vector<PolicyInfo> gather() {
  std::vector<PolicyInfo> out;
  append(out, "scheduler", schedulers());
  append(out, "router", routers());
  return out;
}

}  // namespace

std::span<const PolicyInfo> policies() {
  static const std::vector<PolicyInfo> all = gather();
  return all;
}

std::span<const MetricInfo> metrics() { return serving_metric_catalogue(); }

}  // namespace orrery::sim
