#pragma once
// Measured operator tables of one device, made ready for the shapes of one model. Every function
// takes a table and a shape and returns a curve or grid in seconds; an empty one when the table
// cannot say.

#include <cstdint>

#include "models/cost/interpolation.hpp"
#include "models/cost/profile.hpp"
#include "models/cost/roofline.hpp"

namespace orrery::models {

/// A matrix product of fixed n and k as a function of m. A shape that was not measured takes the
/// ratio of measured to roofline time from the nearest ones, m by m: a plane in log n and log k.
LogCurve gemm_curve(const ProfileTable& table, const Roofline& roofline, DataType weights,
                    std::int64_t n, std::int64_t k);

/// Query heads, KV heads and head size of one rank; window 0 for full attention.
struct AttentionShape {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_dim = 128;
  std::int64_t window = 0;
  friend bool operator==(const AttentionShape&, const AttentionShape&) = default;
};

/// The measured shape to use for `wanted`: itself if measured, else the nearest in heads and KV
/// heads (in octaves) among those of the nearest head size. `scale` carries its times over by the
/// bytes (decode) or FLOPs (prefill) of both.
struct MeasuredShape {
  AttentionShape shape;
  double scale = 1.0;
  bool exact = false;
};
MeasuredShape nearest_decode_shape(const ProfileTable& table, const AttentionShape& wanted);
MeasuredShape nearest_prefill_shape(const ProfileTable& table, const AttentionShape& wanted);

/// One decode step of (sequences, context tokens each).
LogGrid decode_grid(const ProfileTable& table, const MeasuredShape& shape);
/// A whole causal prefill of one sequence by its length.
LogCurve prefill_curve(const ProfileTable& table, const MeasuredShape& shape);

/// Collective of `ranks` devices by bytes.
LogCurve collective_curve(const ProfileTable& table, std::int64_t ranks);

/// Experts of one layer on one rank.
struct ExpertShape {
  std::int64_t hidden = 0;
  std::int64_t ffn = 0;
  std::int64_t experts = 0;
  std::int64_t per_token = 0;
  std::int64_t tensor = 1;
};
/// By tokens; empty unless exactly this shape was measured.
LogCurve expert_curve(const ProfileTable& table, const ExpertShape& shape);

}  // namespace orrery::models
