#pragma once
// The price of last resort: the longer of computing and moving bytes, at assumed efficiencies, plus
// a launch. Also the yardstick by which measured points are carried to sizes that nobody measured.

#include <cstdint>

#include "models/architecture/architecture.hpp"
#include "models/devices/device.hpp"

namespace orrery::models {

class Roofline {
 public:
  explicit Roofline(const Device& device) : device_(device) {}

  /// y = x W^T with x m x k and W n x k. Seconds.
  double gemm(std::int64_t m, std::int64_t n, std::int64_t k, DataType weights) const;
  /// `flops` and `bytes` of an attention kernel. Seconds.
  double attention(double flops, double bytes) const;
  /// A kernel that only moves bytes. Seconds.
  double elementwise(double bytes) const;
  /// All-reduce of `bytes` over `ranks` devices of one scale-up domain (ring), or over PCIe where
  /// there is none. Seconds.
  double all_reduce(double bytes, int ranks) const;
  /// Activations handed to another device. Seconds.
  double send(double bytes) const;

  /// Relative standard deviation to be expected of these prices (assumed).
  static constexpr double kSpread = 0.25;

 private:
  double matrix_rate(DataType weights) const;

  Device device_;
};

}  // namespace orrery::models
