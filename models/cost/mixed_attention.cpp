#include "models/cost/mixed_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::models {
namespace {

constexpr std::array<const char*, 4> kKeys{"chunk", "chunk_context", "sequences", "context"};
constexpr double kMicrosecond = 1e-6;

}  // namespace

MixedAttention::MixedAttention(const ProfileTable& table) {
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<double>& axis = axis_[k];
    for (const std::int64_t size : table.column(kKeys[k]))
      axis.push_back(static_cast<double>(size));
    std::sort(axis.begin(), axis.end());
    axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
  }
  value_.assign(axis_[0].size() * axis_[1].size() * axis_[2].size() * axis_[3].size(),
                std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Index index{};
    for (std::size_t k = 0; k < 4; ++k) {
      const auto size = static_cast<double>(table.column(kKeys[k])[row]);
      index[k] = static_cast<std::size_t>(std::lower_bound(axis_[k].begin(), axis_[k].end(), size) -
                                          axis_[k].begin());
    }
    value_[offset(index)] = std::log(table.values[row] * kMicrosecond);
  }
  fill_gaps();
}

std::size_t MixedAttention::offset(const Index& i) const {
  return ((i[0] * axis_[1].size() + i[1]) * axis_[2].size() + i[2]) * axis_[3].size() + i[3];
}

void MixedAttention::fill_gaps() {
  // Gaps come in two kinds: combinations that cannot be (a context without a chunk), which are
  // never asked for, and batches too large to measure with a chunk, which grow as they do without
  // one.
  Index i{};
  for (i[0] = 0; i[0] < axis_[0].size(); ++i[0]) {
    for (i[1] = 0; i[1] < axis_[1].size(); ++i[1]) {
      for (i[2] = 0; i[2] < axis_[2].size(); ++i[2]) {
        for (i[3] = 0; i[3] < axis_[3].size(); ++i[3]) {
          double& value = value_[offset(i)];
          if (!std::isnan(value)) continue;
          const Index fewer{i[0], i[1], i[2] > 0 ? i[2] - 1 : 0, i[3]};
          const Index alone{0, 0, i[2], i[3]};
          const Index alone_fewer{0, 0, fewer[2], i[3]};
          const double grown = std::exp(value_[offset(fewer)]) + std::exp(value_[offset(alone)]) -
                               std::exp(value_[offset(alone_fewer)]);
          if (grown > 0.0) {
            value = std::log(grown);
          } else if (i[3] > 0) {
            const Index shorter{i[0], i[1], i[2], i[3] - 1};
            value = value_[offset(shorter)];
          }
        }
      }
    }
  }
}

MixedAttention::Position MixedAttention::locate(std::size_t axis, double size, double least) const {
  const std::vector<double>& sizes = axis_[axis];
  const double wanted = std::max(size, least);
  if (sizes.size() < 2 || wanted <= sizes.front()) return {0, 0.0};
  if (wanted >= sizes.back()) return {sizes.size() - 2, 1.0};
  const auto upper = std::upper_bound(sizes.begin(), sizes.end(), wanted);
  const auto i = static_cast<std::size_t>(upper - sizes.begin()) - 1;
  if (sizes[i] == 0.0) return {i, wanted / sizes[i + 1]};
  return {i, std::log(wanted / sizes[i]) / std::log(sizes[i + 1] / sizes[i])};
}

double MixedAttention::interpolate(const std::array<Position, 4>& position) const {
  double sum = 0.0;
  for (unsigned corner = 0; corner < 16; ++corner) {
    double weight = 1.0;
    Index index{};
    for (std::size_t k = 0; k < 4 && weight > 0.0; ++k) {
      const bool high = (corner >> k & 1U) != 0;
      weight *= high ? position[k].part : 1.0 - position[k].part;
      index[k] = position[k].low + (high ? 1 : 0);
    }
    if (weight > 0.0) sum += weight * value_[offset(index)];
  }
  return std::exp(sum);
}

double MixedAttention::at(double chunk, double chunk_context, double sequences,
                          double context) const {
  if (empty()) return 0.0;
  const auto first_positive = [this](std::size_t axis) {
    const std::vector<double>& sizes = axis_[axis];
    return sizes.size() > 1 && sizes[0] == 0.0 ? sizes[1] : sizes[0];
  };
  std::array<Position, 4> position{};
  // What is there at all costs at least the smallest that was measured.
  if (chunk > 0.0) {
    position[0] = locate(0, chunk, first_positive(0));
    position[1] = locate(1, chunk_context, 0.0);
  }
  if (sequences > 0.0) {
    position[2] = locate(2, sequences, first_positive(2));
    position[3] = locate(3, context, first_positive(3));
  }
  double beyond = 1.0;
  if (chunk > axis_[0].back()) beyond *= chunk / axis_[0].back();
  if (chunk > 0.0 && chunk_context > axis_[1].back()) beyond *= chunk_context / axis_[1].back();
  if (sequences > axis_[2].back()) beyond *= sequences / axis_[2].back();
  if (sequences > 0.0 && context > axis_[3].back()) beyond *= context / axis_[3].back();
  return interpolate(position) * beyond;
}

}  // namespace orrery::models
