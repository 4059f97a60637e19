#pragma once
// The GPU catalogue: datasheet and measured figures of each device, with their source. Data live in
// catalogue.textproto (one row a GPU); this header is how code reads it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/architecture/architecture.hpp"
#include "models/result.hpp"

namespace orrery::models {

/// One device. Rates are dense (no sparsity) and per GPU; 0 means the device lacks it.
struct Device {
  std::string name;  ///< As written in scenarios: "h100-sxm-80gb".
  std::string vendor;
  std::string architecture;  ///< Generation: Ampere, Hopper, Ada, Blackwell, CDNA3, ...
  double fp32_flops = 0.0;
  double bf16_flops = 0.0;
  double fp16_flops = 0.0;
  double fp8_flops = 0.0;
  double fp4_flops = 0.0;
  double int8_ops = 0.0;
  double memory_bytes = 0.0;           ///< As sold.
  double reported_memory_bytes = 0.0;  ///< What the driver gives programs as total; less.
  double memory_bandwidth_bytes_per_s = 0.0;
  double l2_bytes = 0.0;
  double scale_up_bandwidth_bytes_per_s = 0.0;  ///< One direction, per GPU (NVLink, xGMI); 0: none.
  int scale_up_domain = 1;                      ///< GPUs that reach each other over it.
  double pcie_bandwidth_bytes_per_s = 0.0;      ///< One direction.
  double power_watts = 0.0;                     ///< Thermal design power.
  double idle_watts = 0.0;                      ///< Assumed where no figure is published.
  double usd_per_hour = 0.0;                    ///< List price of one GPU on demand; assumed.
  double max_measured_bf16_flops = 0.0;         ///< Best GEMM measured by anyone; 0: not known.
  std::string source;                           ///< Where the figures come from.
  std::vector<std::string> assumed;             ///< Names of the fields above that nobody measured.

  /// Matrix rate for a type, FLOP/s; 0 when the device has none.
  double matrix_flops(DataType type) const;
};

/// All devices, in catalogue order.
std::span<const Device> devices();
/// The device called `name`, or nullptr; names compare without
/// case and with '_' as '-'. Short names of the catalogue ("h100") are found as well.
const Device* find_device(std::string_view name);
/// Names for messages, documentation and the nearest-name rule.
std::vector<std::string> device_names();
/// Short names that find_device() takes as well ("h100").
std::vector<std::string> device_aliases();

}  // namespace orrery::models
