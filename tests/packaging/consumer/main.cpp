// What another project does with the installed package: an event, an architecture, a list of
// policies.

#include <cstdio>

#include "models/architecture/config_json.hpp"
#include "sim/catalogue.hpp"
#include "sim/core/engine.hpp"

int main() {
  orrery::sim::Engine engine;
  int events = 0;
  engine.schedule_after(orrery::sim::Duration{5}, [&events] { ++events; });
  engine.run();
  const auto model = orrery::models::load_architecture("llama-3.1-8b");
  if (events != 1 || !model || orrery::sim::policies().empty()) return 1;
  std::printf("%lld\n", static_cast<long long>(orrery::models::count_parameters(*model).total));
  return 0;
}
