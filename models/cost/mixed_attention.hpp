#pragma once
// Attention of a whole mixed batch, as measured inside an engine: one prefill chunk after a cached
// context together with a number of decoding sequences of equal length.

#include <array>
#include <cstdint>
#include <vector>

#include "models/cost/profile.hpp"

namespace orrery::models {

/// Four sizes, each zero or positive, on a grid; linear between zero and the first positive grid
/// line, logarithmic beyond, times in logarithms.
class MixedAttention {
 public:
  MixedAttention() = default;
  /// A table with keys chunk, chunk_context, sequences, context; values in microseconds.
  explicit MixedAttention(const ProfileTable& table);

  bool empty() const { return value_.empty(); }
  /// Seconds. `chunk` 0: no prefill; `sequences` 0: no decode.
  double at(double chunk, double chunk_context, double sequences, double context) const;

 private:
  using Index = std::array<std::size_t, 4>;
  struct Position {
    std::size_t low = 0;
    double part = 0.0;
  };
  Position locate(std::size_t axis, double size, double least) const;
  std::size_t offset(const Index& index) const;
  double interpolate(const std::array<Position, 4>& position) const;
  void fill_gaps();

  std::array<std::vector<double>, 4> axis_;  // sizes, the first may be 0
  std::vector<double> value_;                // log seconds
};

}  // namespace orrery::models
