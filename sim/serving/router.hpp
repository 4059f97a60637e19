#pragma once
// Which replica gets a request. A policy is one file in routers/; the registry lists the entries.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace orrery::config {
class Router;
}
namespace orrery::traces {
struct Request;
}

namespace orrery::sim {

class Router {
 public:
  virtual ~Router() = default;
  /// The replica for `request`; `outstanding[i]` counts the requests that replica i has accepted
  /// and not finished. Requires at least one replica.
  virtual std::size_t pick(const traces::Request& request,
                           std::span<const std::int64_t> outstanding) = 0;
};

struct RouterEntry {
  std::string_view name;
  std::string_view help;
  std::string_view source;
  std::vector<std::string_view> options;  ///< Fields of config::Serving that it uses.
  std::unique_ptr<Router> (*make)(const config::Router& options, std::uint64_t seed) = nullptr;
};

/// All routers, in a fixed order.
std::span<const RouterEntry> routers();

}  // namespace orrery::sim
