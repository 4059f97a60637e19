#include "models/cost/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::models {
namespace {

const double kGap = std::numeric_limits<double>::quiet_NaN();

// The interval [i, i + 1] of `axis` that holds `value`, and the position inside; clamped to the
// axis.
std::pair<std::size_t, double> locate(const std::vector<double>& axis, double value) {
  if (axis.size() < 2 || value <= axis.front()) return {0, 0.0};
  if (value >= axis.back()) return {axis.size() - 2, 1.0};
  const auto upper = std::upper_bound(axis.begin(), axis.end(), value);
  const auto i = static_cast<std::size_t>(upper - axis.begin()) - 1;
  return {i, (value - axis[i]) / (axis[i + 1] - axis[i])};
}

std::vector<double> sorted_unique(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

LogCurve::LogCurve(std::vector<std::pair<double, double>> points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [size, value] : points) {
    const double log_size = std::log(size);
    if (!log_size_.empty() && log_size_.back() == log_size) {
      log_value_.back() = std::log(value);
      continue;
    }
    log_size_.push_back(log_size);
    log_value_.push_back(std::log(value));
  }
}

double LogCurve::at(double size, double steepest) const {
  if (empty()) return 0.0;
  if (!(size > 0.0)) return std::exp(log_value_.front());
  const double x = std::log(size);
  const std::size_t last = log_size_.size() - 1;
  if (x > log_size_[last]) {
    double slope = steepest;
    if (last > 0) {
      slope = (log_value_[last] - log_value_[last - 1]) / (log_size_[last] - log_size_[last - 1]);
    }
    return std::exp(log_value_[last] + std::clamp(slope, 0.0, steepest) * (x - log_size_[last]));
  }
  const auto [i, part] = locate(log_size_, x);
  if (part == 0.0) return std::exp(log_value_[i]);
  return std::exp(log_value_[i] + part * (log_value_[i + 1] - log_value_[i]));
}

LogGrid::LogGrid(const std::vector<Point>& points) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Point& point : points) {
    xs.push_back(std::log(point.x));
    ys.push_back(std::log(point.y));
  }
  x_ = sorted_unique(xs);
  y_ = sorted_unique(ys);
  value_.assign(x_.size() * y_.size(), kGap);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto i =
        static_cast<std::size_t>(std::lower_bound(x_.begin(), x_.end(), xs[p]) - x_.begin());
    const auto j =
        static_cast<std::size_t>(std::lower_bound(y_.begin(), y_.end(), ys[p]) - y_.begin());
    value_[i * y_.size() + j] = std::log(points[p].value);
  }
  fill_gaps();
}

void LogGrid::fill_gaps() {
  // Large sizes are missing where memory did not suffice: grow from the neighbour with less.
  for (std::size_t i = 0; i < x_.size(); ++i) {
    for (std::size_t j = 0; j < y_.size(); ++j) {
      double& value = value_[i * y_.size() + j];
      if (!std::isnan(value)) continue;
      if (i > 0 && !std::isnan(cell(i - 1, j))) {
        value = cell(i - 1, j) + (x_[i] - x_[i - 1]);
      } else if (j > 0 && !std::isnan(cell(i, j - 1))) {
        value = cell(i, j - 1) + (y_[j] - y_[j - 1]);
      }
    }
  }
  // What is still missing has no smaller neighbour: take the next larger one as it is.
  for (std::size_t i = x_.size(); i-- > 0;) {
    for (std::size_t j = y_.size(); j-- > 0;) {
      double& value = value_[i * y_.size() + j];
      if (!std::isnan(value)) continue;
      if (j + 1 < y_.size() && !std::isnan(cell(i, j + 1)))
        value = cell(i, j + 1);
      else if (i + 1 < x_.size())
        value = cell(i + 1, j);
    }
  }
}

double LogGrid::at(double x, double y) const {
  if (empty()) return 0.0;
  const double log_x = std::log(std::max(x, 1e-300));
  const double log_y = std::log(std::max(y, 1e-300));
  const double beyond = std::max(0.0, log_x - x_.back()) + std::max(0.0, log_y - y_.back());
  const auto [i, u] = locate(x_, log_x);
  const auto [j, v] = locate(y_, log_y);
  const std::size_t i2 = std::min(i + 1, x_.size() - 1);
  const std::size_t j2 = std::min(j + 1, y_.size() - 1);
  const double low = cell(i, j) + v * (cell(i, j2) - cell(i, j));
  const double high = cell(i2, j) + v * (cell(i2, j2) - cell(i2, j));
  return std::exp(low + u * (high - low) + beyond);
}

void LogGrid::scale(double factor) {
  for (double& value : value_) value += std::log(factor);
}

}  // namespace orrery::models
