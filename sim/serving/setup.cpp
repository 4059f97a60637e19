#include "sim/serving/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/architecture/config_json.hpp"
#include "models/cost/cost_sources.hpp"
#include "models/data_type.hpp"
#include "models/quantity.hpp"
#include "models/registry.hpp"
#include "scenarios/scenario.pb.h"
#include "sim/serving/unused_options.hpp"

namespace orrery::sim {
namespace {

constexpr std::int64_t kMostBlocks = 1'000'000'000;  // Block ids are 32 bits wide.

Diagnostic fault(std::string field, std::string message) {
  Diagnostic diagnostic;
  diagnostic.field = std::move(field);
  diagnostic.message = std::move(message);
  return diagnostic;
}

Diagnostic unknown_name(std::string field, std::string_view kind, const std::string& name,
                        const std::vector<std::string>& names) {
  Diagnostic diagnostic = fault(std::move(field), fmt::format("unknown {} \"{}\"", kind, name));
  diagnostic.nearest = nearest_name(name, names);
  diagnostic.allowed = fmt::format("{}", fmt::join(names, ", "));
  return diagnostic;
}

/// Builds a ServingSetup step by step and gathers faults on the way.
class Preparation {
 public:
  explicit Preparation(const config::Scenario& scenario)
      : scenario_(scenario), serving_(scenario.serving()) {}

  Result<ServingSetup> run() {
    find_policies();
    find_device();
    find_model();
    if (!faults_.empty()) return std::move(faults_);
    count_devices();
    find_cost();
    size_cache();
    if (!faults_.empty()) return std::move(faults_);
    limit_requests();
    fill_replica();
    fill_fleet();
    if (!faults_.empty()) return std::move(faults_);
    return std::move(setup_);
  }

 private:
  void find_policies() {
    const std::string& policy = serving_.scheduler().policy();
    setup_.scheduler = find_entry(schedulers(), policy);
    if (setup_.scheduler == nullptr) {
      faults_.push_back(
          unknown_name("serving.scheduler.policy", "scheduler", policy, entry_names(schedulers())));
    } else {
      for (Diagnostic& diagnostic : unused_options(serving_, *setup_.scheduler, schedulers())) {
        faults_.push_back(std::move(diagnostic));
      }
      setup_.watermark = serving_.kv_cache().has_watermark() ? serving_.kv_cache().watermark()
                                                             : setup_.scheduler->default_watermark;
    }
    const std::string& router = serving_.router().policy();
    setup_.router = find_entry(routers(), router);
    if (setup_.router == nullptr) {
      faults_.push_back(
          unknown_name("serving.router.policy", "router", router, entry_names(routers())));
    }
  }

  void find_device() {
    const config::Cluster& cluster = scenario_.cluster();
    const models::Device* device = models::find_device(cluster.device());
    if (device == nullptr) {
      faults_.push_back(
          unknown_name("cluster.device", "device", cluster.device(), models::device_names()));
      return;
    }
    setup_.device = *device;
    if (cluster.has_memory()) setup_.device.memory_bytes = cluster.memory();
    if (cluster.has_price_per_hour()) {
      setup_.device.usd_per_hour = cluster.price_per_hour();
    } else {
      setup_.notes.push_back(fmt::format("Price of {} per hour is assumed: {:.2f} USD.",
                                         device->name, device->usd_per_hour));
    }
    if (device->memory_bandwidth_bytes_per_s <= 0.0 || setup_.device.memory_bytes <= 0.0) {
      faults_.push_back(fault("cluster.device", fmt::format("{} has no memory figures in the "
                                                            "catalogue",
                                                            device->name)));
    }
  }

  models::DataType data_type(const char* field, bool given, const std::string& name,
                             models::DataType otherwise) {
    if (!given) return otherwise;
    const std::optional<models::DataType> type = models::data_type_named(name);
    if (type) return *type;
    faults_.push_back(unknown_name(field, "number format", name, models::data_type_names()));
    return otherwise;
  }

  void find_model() {
    const config::Model& model = scenario_.model();
    Result<models::Architecture> architecture = models::load_architecture(model.name());
    if (!architecture) {
      for (Diagnostic diagnostic : architecture.faults()) {
        if (diagnostic.field.empty()) diagnostic.field = "model.name";
        faults_.push_back(std::move(diagnostic));
      }
      return;
    }
    setup_.architecture = *std::move(architecture);
    if (setup_.architecture.bidirectional) {
      faults_.push_back(
          fault("model.name", fmt::format("{} attends in both directions and cannot be decoded "
                                          "token by token",
                                          setup_.architecture.name)));
    }
    weights_ = data_type("model.weights", model.has_weights(), model.weights(),
                         setup_.architecture.native_dtype);
    const models::DataType half =
        weights_ == models::DataType::kFp16 ? models::DataType::kFp16 : models::DataType::kBf16;
    kv_ = data_type("model.kv_cache", model.has_kv_cache(), model.kv_cache(), half);
  }

  void count_devices() {
    setup_.layout.tensor = serving_.parallel().tensor();
    setup_.layout.pipeline = serving_.parallel().pipeline();
    const models::Architecture& architecture = setup_.architecture;
    if (architecture.heads % setup_.layout.tensor != 0) {
      faults_.push_back(
          fault("serving.parallel.tensor",
                fmt::format("{} does not divide the {} attention heads of {}", setup_.layout.tensor,
                            architecture.heads, architecture.name)));
    }
    if (setup_.layout.pipeline > architecture.layers) {
      faults_.push_back(
          fault("serving.parallel.pipeline",
                fmt::format("{} stages for the {} layers of {}", setup_.layout.pipeline,
                            architecture.layers, architecture.name)));
    }
    const std::int64_t per_replica =
        std::int64_t{setup_.layout.tensor} * std::int64_t{setup_.layout.pipeline};
    const std::int64_t needed = per_replica * serving_.replicas();
    setup_.fleet.devices_per_replica = per_replica;
    setup_.fleet.replicas = serving_.replicas();
    setup_.fleet.devices = scenario_.cluster().has_count() ? scenario_.cluster().count() : needed;
    if (setup_.fleet.devices < needed) {
      faults_.push_back(
          fault("cluster.count",
                fmt::format("{} replicas of {} devices need {}, the cluster has {}",
                            serving_.replicas(), per_replica, needed, setup_.fleet.devices)));
    } else if (setup_.fleet.devices > needed) {
      setup_.notes.push_back(
          fmt::format("{} of the {} devices are idle; cost and utilisation "
                      "count them.",
                      setup_.fleet.devices - needed, setup_.fleet.devices));
    }
  }

  void find_cost() {
    if (!faults_.empty()) return;
    models::CostRequest request;
    request.architecture = setup_.architecture;
    request.device = &setup_.device;
    request.layout = setup_.layout;
    request.weights_dtype = weights_;
    request.kv_dtype = kv_;
    request.profile = scenario_.profile();
    request.max_batched_tokens = serving_.scheduler().max_batched_tokens();
    request.max_sequences = serving_.scheduler().max_sequences();
    Result<std::unique_ptr<models::IterationCost>> cost = models::make_iteration_cost(request);
    if (!cost) {
      for (const Diagnostic& diagnostic : cost.faults()) faults_.push_back(diagnostic);
      return;
    }
    setup_.cost = *std::move(cost);
    for (const std::string& note : setup_.cost->notes()) setup_.notes.push_back(note);
  }

  void size_cache() {
    const config::KvCache& cache = serving_.kv_cache();
    models::ServingMemoryRequest request;
    request.architecture = &setup_.architecture;
    request.device = &setup_.device;
    request.layout = setup_.layout;
    request.weights_dtype = weights_;
    request.kv_dtype = kv_;
    request.max_batched_tokens = serving_.scheduler().max_batched_tokens();
    request.max_sequences = serving_.scheduler().max_sequences();
    request.utilization = cache.memory_utilization();
    request.block_tokens = cache.block_tokens();
    setup_.memory = models::serving_memory(request);
    setup_.replica.blocks = cache.has_blocks() ? cache.blocks() : setup_.memory.kv_blocks;
    if (setup_.memory.weight_bytes > setup_.device.memory_bytes) {
      report_too_large(request, setup_.memory.weight_bytes - setup_.device.memory_bytes);
    } else if (setup_.replica.blocks <= 0) {
      report_too_large(request, setup_.memory.kv_bytes_per_block - setup_.memory.kv_bytes);
    }
    if (setup_.replica.blocks > kMostBlocks) {
      faults_.push_back(
          fault("serving.kv_cache.blocks", fmt::format("{} blocks; at most {} can be told apart",
                                                       setup_.replica.blocks, kMostBlocks)));
    }
  }

  void report_too_large(const models::ServingMemoryRequest& request, double lacking_bytes) {
    const models::ServingMemory& memory = setup_.memory;
    const auto gib = [](double bytes) { return humanize(bytes, Dimension::kBytes); };
    std::string message = fmt::format(
        "{} does not fit: on one {} ({}, of which {} may be used) weights take {}, activations {}, "
        "the context {}; {} are lacking",
        setup_.architecture.name, setup_.device.name, gib(memory.device_bytes),
        gib(memory.budget_bytes), gib(memory.weight_bytes), gib(memory.activation_bytes),
        gib(memory.context_bytes), gib(std::max(lacking_bytes, 1.0)));
    constexpr int kLargestDegree = 64;
    const int degree = models::least_tensor_parallel(request, request.block_tokens, kLargestDegree);
    if (degree > 0) {
      message += fmt::format("; it fits with serving.parallel.tensor: {}", degree);
    }
    std::vector<std::string> larger;
    for (const models::Device& device : models::devices()) {
      models::ServingMemoryRequest other = request;
      other.device = &device;
      if (models::serving_memory(other).kv_blocks > 0 && larger.size() < 3) {
        larger.push_back(device.name);
      }
    }
    if (!larger.empty()) message += fmt::format("; or on {}", fmt::join(larger, ", "));
    faults_.push_back(fault("model", std::move(message)));
  }

  void limit_requests() {
    const ReplicaState state(setup_.replica.blocks, serving_.kv_cache().block_tokens(), false);
    const std::int64_t by_policy =
        setup_.scheduler->make(serving_, setup_.watermark)->longest_request(state);
    std::int64_t limit = setup_.architecture.max_positions;
    if (serving_.has_max_context_tokens()) {
      limit = serving_.max_context_tokens();
      if (limit > by_policy) {
        faults_.push_back(fault(
            "serving.max_context_tokens",
            fmt::format("{} tokens, but {} with {} blocks of {} tokens can hold a request of at "
                        "most {}",
                        limit, setup_.scheduler->name, setup_.replica.blocks,
                        serving_.kv_cache().block_tokens(), by_policy)));
      }
      if (setup_.architecture.max_positions > 0 && limit > setup_.architecture.max_positions) {
        setup_.notes.push_back(
            fmt::format("max_context_tokens {} is beyond the {} positions of {}.", limit,
                        setup_.architecture.max_positions, setup_.architecture.name));
      }
    } else if (limit <= 0 || limit > by_policy) {
      limit = by_policy;
      setup_.notes.push_back(
          fmt::format("Requests of more than {} tokens are rejected: no more fit "
                      "into the KV cache and limits of one replica.",
                      by_policy));
    }
    setup_.replica.longest_request = limit;
  }

  void fill_replica() {
    const config::KvCache& cache = serving_.kv_cache();
    ReplicaOptions& replica = setup_.replica;
    replica.block_tokens = cache.block_tokens();
    replica.prefix_caching = setup_.scheduler->prefix_caching && cache.prefix_caching();
    const double block_bytes = setup_.memory.kv_bytes_per_block;
    if (block_bytes > 0.0) {
      replica.host_blocks = static_cast<std::int64_t>(
          std::min(cache.swap_space() / block_bytes, static_cast<double>(kMostBlocks)));
      const double link = setup_.device.pcie_bandwidth_bytes_per_s;
      replica.seconds_per_moved_block = link > 0.0 ? block_bytes / link : 0.0;
    }
    replica.max_queue = serving_.has_max_queue() ? serving_.max_queue() : 0;
    replica.host_fixed_s = serving_.host_overhead().fixed();
    replica.host_per_sequence_s = serving_.host_overhead().per_sequence();
    replica.pipeline_stages = setup_.layout.pipeline;
    replica.fast_forward = serving_.fast_forward();
    replica.replicas = serving_.replicas();
    const config::Slo& slo = serving_.slo();
    if (slo.has_ttft()) setup_.objectives.ttft = to_duration(slo.ttft());
    if (slo.has_tpot()) setup_.objectives.tpot = to_duration(slo.tpot());
    if (slo.has_e2e()) setup_.objectives.e2e = to_duration(slo.e2e());
  }

  void fill_fleet() {
    FleetFigures& fleet = setup_.fleet;
    fleet.total_blocks = setup_.replica.blocks;
    fleet.peak_flops = setup_.device.matrix_flops(weights_);
    if (fleet.peak_flops <= 0.0)
      fleet.peak_flops = setup_.device.matrix_flops(models::DataType::kBf16);
    fleet.memory_bandwidth = setup_.device.memory_bandwidth_bytes_per_s;
    fleet.usd_per_device_hour = setup_.device.usd_per_hour;
    fleet.idle_watts = setup_.device.idle_watts;
    fleet.busy_watts = setup_.device.power_watts;
    if (!serving_.host_overhead().has_fixed()) {
      setup_.notes.push_back(
          fmt::format("Host overhead of an iteration is assumed: {} and {} per sequence.",
                      humanize(setup_.replica.host_fixed_s, Dimension::kDuration),
                      humanize(setup_.replica.host_per_sequence_s, Dimension::kDuration)));
    }
    setup_.notes.push_back("Energy is assumed: idle power, rising to the design power while busy.");
  }

  const config::Scenario& scenario_;
  const config::Serving& serving_;
  models::DataType weights_ = models::DataType::kBf16;
  models::DataType kv_ = models::DataType::kBf16;
  ServingSetup setup_;
  Diagnostics faults_;
};

}  // namespace

Result<ServingSetup> prepare_serving(const config::Scenario& scenario) {
  return Preparation(scenario).run();
}

}  // namespace orrery::sim
