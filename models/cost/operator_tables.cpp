#include "models/cost/operator_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace orrery::models {
namespace {

constexpr double kMicrosecond = 1e-6;

using Shape = std::pair<std::int64_t, std::int64_t>;   // n, k
using Curve = std::vector<std::pair<double, double>>;  // m, seconds

std::map<Shape, Curve> curves_by_shape(const ProfileTable& table) {
  const auto& m = table.column("m");
  const auto& n = table.column("n");
  const auto& k = table.column("k");
  std::map<Shape, Curve> curves;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    curves[{n[i], k[i]}].emplace_back(static_cast<double>(m[i]), table.values[i] * kMicrosecond);
  }
  return curves;
}

/// A measured shape near a wanted one; distances in octaves.
struct Neighbour {
  Shape shape;
  double dx = 0.0;
  double dy = 0.0;
  const Curve* points = nullptr;
  LogCurve curve;
};

std::vector<Neighbour> nearest_shapes(const std::map<Shape, Curve>& curves, std::int64_t n,
                                      std::int64_t k) {
  constexpr std::size_t kNeighbours = 8;
  std::vector<Neighbour> all;
  for (const auto& [shape, points] : curves) {
    const double dx = std::log2(static_cast<double>(shape.first) / static_cast<double>(n));
    const double dy = std::log2(static_cast<double>(shape.second) / static_cast<double>(k));
    all.push_back({shape, dx, dy, &points, {}});
  }
  const auto nearer = [](const Neighbour& a, const Neighbour& b) {
    return std::hypot(a.dx, a.dy) < std::hypot(b.dx, b.dy);
  };
  const std::size_t count = std::min(kNeighbours, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                    nearer);
  all.resize(count);
  for (Neighbour& neighbour : all) neighbour.curve = LogCurve(*neighbour.points);
  return all;
}

/// A plane through weighted points around the origin by least squares; near points count most, and
/// the slopes are held back a little so that few points cannot tilt it.
class LocalPlane {
 public:
  void add(double dx, double dy, double value) {
    const double weight = 1.0 / (dx * dx + dy * dy + 0.05);
    sum_ += weight;
    x_ += weight * dx;
    y_ += weight * dy;
    xx_ += weight * dx * dx;
    xy_ += weight * dx * dy;
    yy_ += weight * dy * dy;
    z_ += weight * value;
    xz_ += weight * dx * value;
    yz_ += weight * dy * value;
  }

  double at_origin() const {
    if (sum_ <= 0.0) return 0.0;
    const double mx = x_ / sum_;
    const double my = y_ / sum_;
    const double mz = z_ / sum_;
    constexpr double kHold = 0.02;
    const double a = xx_ / sum_ - mx * mx + kHold;
    const double b = xy_ / sum_ - mx * my;
    const double d = yy_ / sum_ - my * my + kHold;
    const double p = xz_ / sum_ - mx * mz;
    const double q = yz_ / sum_ - my * mz;
    const double determinant = a * d - b * b;
    return mz - mx * (p * d - q * b) / determinant - my * (q * a - p * b) / determinant;
  }

 private:
  double sum_ = 0.0, x_ = 0.0, y_ = 0.0, xx_ = 0.0, xy_ = 0.0, yy_ = 0.0;
  double z_ = 0.0, xz_ = 0.0, yz_ = 0.0;
};

double octaves(std::int64_t a, std::int64_t b) {
  return std::abs(std::log2(static_cast<double>(std::max<std::int64_t>(a, 1)) /
                            static_cast<double>(std::max<std::int64_t>(b, 1))));
}

MeasuredShape nearest_shape(const ProfileTable& table, const AttentionShape& wanted,
                            double (*work)(const AttentionShape&), double heads_weight,
                            double kv_weight) {
  MeasuredShape best;
  double best_distance = -1.0;
  AttentionShape previous;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const AttentionShape shape{table.column("heads")[i], table.column("kv_heads")[i],
                               table.column("head_dim")[i], table.column("window")[i]};
    if (i > 0 && shape == previous) continue;
    previous = shape;
    if (shape.window != 0 && shape.window != wanted.window) continue;
    const double distance = 4.0 * octaves(shape.head_dim, wanted.head_dim) +
                            heads_weight * octaves(shape.heads, wanted.heads) +
                            kv_weight * octaves(shape.kv_heads, wanted.kv_heads) +
                            (shape.window == wanted.window ? 0.0 : 0.01);
    if (best_distance < 0.0 || distance < best_distance) {
      best_distance = distance;
      best.shape = shape;
      best.exact = distance == 0.0;
    }
  }
  best.scale = work(wanted) / work(best.shape);
  return best;
}

double kv_bytes(const AttentionShape& shape) {
  return static_cast<double>(shape.kv_heads * shape.head_dim);
}
double pair_flops(const AttentionShape& shape) {
  return static_cast<double>(shape.heads * shape.head_dim);
}

bool row_has(const ProfileTable& table, std::size_t row, const AttentionShape& shape) {
  return table.column("heads")[row] == shape.heads &&
         table.column("kv_heads")[row] == shape.kv_heads &&
         table.column("head_dim")[row] == shape.head_dim &&
         table.column("window")[row] == shape.window;
}

}  // namespace

LogCurve gemm_curve(const ProfileTable& table, const Roofline& roofline, DataType weights,
                    std::int64_t n, std::int64_t k) {
  const std::map<Shape, Curve> curves = curves_by_shape(table);
  if (curves.empty()) return {};
  if (const auto exact = curves.find({n, k}); exact != curves.end()) return LogCurve(exact->second);
  const std::vector<Neighbour> neighbours = nearest_shapes(curves, n, k);
  std::set<double> sizes;
  for (const Neighbour& neighbour : neighbours) {
    for (const auto& point : *neighbour.points) sizes.insert(point.first);
  }
  Curve curve;
  for (const double m : sizes) {
    const auto rows = static_cast<std::int64_t>(m);
    LocalPlane plane;
    for (const Neighbour& neighbour : neighbours) {
      const double ideal =
          roofline.gemm(rows, neighbour.shape.first, neighbour.shape.second, weights);
      plane.add(neighbour.dx, neighbour.dy, std::log(neighbour.curve.at(m) / ideal));
    }
    curve.emplace_back(m, roofline.gemm(rows, n, k, weights) * std::exp(plane.at_origin()));
  }
  return LogCurve(std::move(curve));
}

MeasuredShape nearest_decode_shape(const ProfileTable& table, const AttentionShape& wanted) {
  return nearest_shape(table, wanted, kv_bytes, 0.3, 1.0);
}

MeasuredShape nearest_prefill_shape(const ProfileTable& table, const AttentionShape& wanted) {
  return nearest_shape(table, wanted, pair_flops, 1.0, 0.1);
}

LogGrid decode_grid(const ProfileTable& table, const MeasuredShape& shape) {
  std::vector<LogGrid::Point> points;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!row_has(table, i, shape.shape)) continue;
    points.push_back({static_cast<double>(table.column("batch")[i]),
                      static_cast<double>(table.column("context")[i]),
                      table.values[i] * kMicrosecond});
  }
  if (points.empty()) return {};
  LogGrid grid(points);
  grid.scale(shape.scale);
  return grid;
}

LogCurve prefill_curve(const ProfileTable& table, const MeasuredShape& shape) {
  Curve points;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!row_has(table, i, shape.shape) || table.column("batch")[i] != 1) continue;
    points.emplace_back(static_cast<double>(table.column("tokens")[i]),
                        table.values[i] * kMicrosecond * shape.scale);
  }
  return LogCurve(std::move(points));
}

LogCurve collective_curve(const ProfileTable& table, std::int64_t ranks) {
  Curve points;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.column("ranks")[i] != ranks) continue;
    points.emplace_back(static_cast<double>(table.column("bytes")[i]),
                        table.values[i] * kMicrosecond);
  }
  return LogCurve(std::move(points));
}

LogCurve expert_curve(const ProfileTable& table, const ExpertShape& shape) {
  Curve points;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.column("hidden")[i] != shape.hidden || table.column("ffn")[i] != shape.ffn ||
        table.column("experts")[i] != shape.experts ||
        table.column("per_token")[i] != shape.per_token ||
        table.column("tensor")[i] != shape.tensor || table.column("expert_parallel")[i] != 1) {
      continue;
    }
    points.emplace_back(static_cast<double>(table.column("tokens")[i]),
                        table.values[i] * kMicrosecond);
  }
  return LogCurve(std::move(points));
}

}  // namespace orrery::models
