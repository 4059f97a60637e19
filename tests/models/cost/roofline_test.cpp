#include "models/cost/roofline.hpp"

#include <gtest/gtest.h>

namespace orrery::models {
namespace {

Device device() {
  Device d;
  d.bf16_flops = 100e12;
  d.fp8_flops = 200e12;
  d.memory_bandwidth_bytes_per_s = 1e12;
  d.scale_up_bandwidth_bytes_per_s = 100e9;
  return d;
}

// Efficiencies as documented: products 0.75 of the peak, bandwidth 0.8, a launch 2 us.
TEST(Roofline, TakesTheLongerOfComputingAndMovingBytes) {
  const Roofline roofline(device());
  // 4096^3: 137.4 GFLOP at 75 TFLOP/s; bytes are far less.
  EXPECT_NEAR(roofline.gemm(4096, 4096, 4096, DataType::kBf16), 2e-6 + 137438953472.0 / 75e12,
              1e-9);
  // One row: 4096 x 4096 weights of 2 bytes and two vectors at 800 GB/s.
  EXPECT_NEAR(roofline.gemm(1, 4096, 4096, DataType::kBf16), 2e-6 + (33554432 + 16384) / 0.8e12,
              1e-9);
}

TEST(Roofline, NarrowFormatsMoveFewerBytesAndComputeFasterWhereTheDeviceCan) {
  const Roofline roofline(device());
  EXPECT_LT(roofline.gemm(1, 4096, 4096, DataType::kInt4),
            roofline.gemm(1, 4096, 4096, DataType::kFp8));
  EXPECT_LT(roofline.gemm(8192, 8192, 8192, DataType::kFp8),
            roofline.gemm(8192, 8192, 8192, DataType::kBf16));
  EXPECT_NEAR(roofline.gemm(8192, 8192, 8192, DataType::kFp4),
              roofline.gemm(8192, 8192, 8192, DataType::kBf16), 1e-9)
      << "a format that the device lacks is computed in 16 bits";
}

TEST(Roofline, AllReduceOfOneRankIsFreeAndGrowsWithBytes) {
  const Roofline roofline(device());
  EXPECT_EQ(roofline.all_reduce(1e6, 1), 0.0);
  // Ring over 4: 2 x 3 / 4 of the bytes at 75 GB/s, and 10 us.
  EXPECT_NEAR(roofline.all_reduce(1e9, 4), 10e-6 + 1.5 * 1e9 / 75e9, 1e-9);
}

TEST(Roofline, IsFiniteForADeviceWithoutFigures) {
  Device nothing;
  nothing.memory_bandwidth_bytes_per_s = 1e11;
  EXPECT_GT(Roofline(nothing).gemm(10, 10, 10, DataType::kFp8), 0.0);
  EXPECT_LT(Roofline(nothing).all_reduce(1e6, 2), 1.0);
}

}  // namespace
}  // namespace orrery::models
