#pragma once
// Statistics of what a run produces. Quantiles are exact up to millions of samples; beyond, they
// come from a sketch of bounded memory whose relative error is stated.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::sim {

/// Sum with the rounding error carried along (Neumaier 1974), so that millions of terms add up.
class CompensatedSum {
 public:
  void add(double value);
  double value() const { return sum_ + compensation_; }

 private:
  double sum_ = 0.0;
  double compensation_ = 0.0;
};

/// A distribution of values with whole weights. NaN is counted apart and otherwise ignored.
class Distribution {
 public:
  static constexpr std::size_t kExactSamples = std::size_t{1} << 21;
  /// Relative error of quantiles taken from the sketch.
  static constexpr double kSketchError = 0.001;

  explicit Distribution(std::size_t exact_samples = kExactSamples)
      : exact_samples_(exact_samples) {}

  /// `weight` equal values at once.
  void add(double value, std::uint64_t weight = 1);
  void merge(const Distribution& other);

  std::uint64_t count() const { return count_; }
  std::uint64_t not_a_number() const { return nan_count_; }
  /// Of nothing, 0.
  double mean() const;
  double variance() const;  ///< Population variance.
  double min() const { return min_; }
  double max() const { return max_; }
  /// Linear interpolation between the closest ranks, position q (count - 1), as NumPy's default
  /// does. q is clamped to 0..1; of nothing, 0. Sorts on first use after adding.
  double quantile(double q) const;
  /// 0 while quantiles are exact, else kSketchError.
  double quantile_error() const { return exact_ ? 0.0 : kSketchError; }

 private:
  struct Sample {
    double value = 0.0;
    std::uint64_t weight = 0;
  };
  /// Counts of one sign by powers of a base slightly above one.
  struct LogBuckets {
    std::int64_t first = 0;  // exponent of counts[0]
    std::vector<std::uint64_t> counts;
    void add(double magnitude, std::uint64_t weight);
  };

  void collapse();
  void sketch(double value, std::uint64_t weight);
  double value_at_rank(std::uint64_t rank) const;
  double sketched_rank(std::uint64_t rank) const;
  void sort() const;

  std::size_t exact_samples_;
  mutable std::vector<Sample> samples_;
  mutable bool sorted_ = true;
  bool exact_ = true;
  LogBuckets positive_;
  LogBuckets negative_;
  std::uint64_t zeros_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t nan_count_ = 0;
  CompensatedSum sum_;
  CompensatedSum squares_;
  double min_ = 0.0;
  double max_ = 0.0;
};

}  // namespace orrery::sim
