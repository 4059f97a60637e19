#include "models/cost/roofline.hpp"

#include <algorithm>

namespace orrery::models {
namespace {

// Large bf16 products measured in the shipped profiles reach 0.75 to 0.95 of the datasheet on A100,
// H100 and B200; attention kernels about 0.55 to 0.7 of it; decode attention and weights about
// 0.8 of the memory bandwidth. Rounded; see docs/cost-model.md.
constexpr double kGemmEfficiency = 0.75;
constexpr double kAttentionEfficiency = 0.55;
constexpr double kBandwidthEfficiency = 0.8;
constexpr double kLaunchSeconds = 2.0e-6;     // assumed: a kernel inside a CUDA graph
constexpr double kLinkEfficiency = 0.75;      // assumed
constexpr double kLinkLatency = 5.0e-6;       // assumed: one all-reduce step
constexpr double kHostLinkLatency = 15.0e-6;  // assumed: through host memory

}  // namespace

double Roofline::matrix_rate(DataType weights) const {
  double rate = device_.matrix_flops(weights);
  // A device without the format unpacks the weights and computes in 16 bits.
  if (rate <= 0.0) rate = std::max(device_.bf16_flops, device_.fp16_flops);
  if (rate <= 0.0) rate = device_.fp32_flops;
  return rate > 0.0 ? rate : 1e12;
}

double Roofline::gemm(std::int64_t m, std::int64_t n, std::int64_t k, DataType weights) const {
  const auto rows = static_cast<double>(m);
  const auto columns = static_cast<double>(n);
  const auto depth = static_cast<double>(k);
  const double flops = 2.0 * rows * columns * depth;
  const double bytes =
      bytes_per_element(weights) * columns * depth + 2.0 * rows * (columns + depth);
  return kLaunchSeconds +
         std::max(flops / (kGemmEfficiency * matrix_rate(weights)),
                  bytes / (kBandwidthEfficiency * device_.memory_bandwidth_bytes_per_s));
}

double Roofline::attention(double flops, double bytes) const {
  return kLaunchSeconds +
         std::max(flops / (kAttentionEfficiency * matrix_rate(DataType::kBf16)),
                  bytes / (kBandwidthEfficiency * device_.memory_bandwidth_bytes_per_s));
}

double Roofline::elementwise(double bytes) const {
  return kLaunchSeconds + bytes / (kBandwidthEfficiency * device_.memory_bandwidth_bytes_per_s);
}

double Roofline::all_reduce(double bytes, int ranks) const {
  if (ranks < 2) return 0.0;
  const bool scale_up = device_.scale_up_bandwidth_bytes_per_s > 0.0;
  const double rate = scale_up ? device_.scale_up_bandwidth_bytes_per_s
                               : std::max(device_.pcie_bandwidth_bytes_per_s, 1e9);
  const double steps = 2.0 * (ranks - 1);
  const double latency = scale_up ? kLinkLatency : kHostLinkLatency;
  return latency * (scale_up ? 2.0 : steps) + steps / ranks * bytes / (kLinkEfficiency * rate);
}

double Roofline::send(double bytes) const {
  const bool scale_up = device_.scale_up_bandwidth_bytes_per_s > 0.0;
  const double rate = scale_up ? device_.scale_up_bandwidth_bytes_per_s
                               : std::max(device_.pcie_bandwidth_bytes_per_s, 1e9);
  return (scale_up ? kLinkLatency : kHostLinkLatency) + bytes / (kLinkEfficiency * rate);
}

}  // namespace orrery::models
