#pragma once
// Interpolation between measured points, in logarithms of sizes and of times: exact at the points,
// never negative, extrapolated along the last slope within physical bounds.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace orrery::models {

/// A time as a function of one positive size.
class LogCurve {
 public:
  LogCurve() = default;
  /// Points (size, value), in any order; of equal sizes the last counts. Sizes and values > 0.
  explicit LogCurve(std::vector<std::pair<double, double>> points);

  bool empty() const { return log_size_.empty(); }
  /// Below the first point: its value. Beyond the last: the last slope, between 0 and
  /// `steepest` (1 for what grows in proportion, 2 for what grows with the square).
  double at(double size, double steepest = 1.0) const;

 private:
  std::vector<double> log_size_;
  std::vector<double> log_value_;
};

/// A time as a function of two positive sizes on a rectangular grid with gaps.
class LogGrid {
 public:
  struct Point {
    double x = 0.0;
    double y = 0.0;
    double value = 0.0;
  };
  LogGrid() = default;
  /// Gaps are filled from the nearest neighbour towards smaller x, then y, in proportion to the
  /// size.
  explicit LogGrid(const std::vector<Point>& points);

  bool empty() const { return value_.empty(); }
  /// Bilinear in logarithms; beyond the last grid line in proportion to the size, before the first
  /// its value.
  double at(double x, double y) const;
  /// The same grid with every value multiplied.
  void scale(double factor);

 private:
  void fill_gaps();
  double cell(std::size_t i, std::size_t j) const { return value_[i * y_.size() + j]; }

  std::vector<double> x_, y_;  // logarithms
  std::vector<double> value_;  // logarithms, row-major
};

}  // namespace orrery::models
