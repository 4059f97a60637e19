#include "sim/core/stats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::sim {
namespace {

// Buckets are [base^i, base^(i+1)); their middle is within kSketchError of everything inside.
const double kLogBase =
    std::log((1.0 + Distribution::kSketchError) / (1.0 - Distribution::kSketchError));

std::int64_t bucket_of(double magnitude) {
  return static_cast<std::int64_t>(std::floor(std::log(magnitude) / kLogBase));
}

double middle_of(std::int64_t bucket) {
  const double low = std::exp(static_cast<double>(bucket) * kLogBase);
  return low * (1.0 + Distribution::kSketchError);
}

}  // namespace

void CompensatedSum::add(double value) {
  const double sum = sum_ + value;
  compensation_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
  sum_ = sum;
}

void Distribution::LogBuckets::add(double magnitude, std::uint64_t weight) {
  // Infinity counts as the largest number; the range of doubles is 710,000 buckets at most.
  const double finite = std::min(magnitude, std::numeric_limits<double>::max());
  const std::int64_t bucket = bucket_of(finite);
  if (counts.empty()) first = bucket;
  if (bucket < first) {
    counts.insert(counts.begin(), static_cast<std::size_t>(first - bucket), 0);
    first = bucket;
  }
  const auto index = static_cast<std::size_t>(bucket - first);
  if (index >= counts.size()) counts.resize(index + 1, 0);
  counts[index] += weight;
}

void Distribution::add(double value, std::uint64_t weight) {
  if (weight == 0) return;
  if (std::isnan(value)) {
    nan_count_ += weight;
    return;
  }
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = count_ == 0 ? value : std::max(max_, value);
  count_ += weight;
  const auto times = static_cast<double>(weight);
  sum_.add(value * times);
  squares_.add(value * value * times);
  if (!exact_) {
    sketch(value, weight);
    return;
  }
  if (!samples_.empty() && samples_.back().value == value && !std::signbit(value)) {
    samples_.back().weight += weight;
    return;
  }
  sorted_ = sorted_ && (samples_.empty() || samples_.back().value <= value);
  samples_.push_back({value, weight});
  if (samples_.size() > exact_samples_) collapse();
}

void Distribution::merge(const Distribution& other) {
  nan_count_ += other.nan_count_;
  if (other.exact_) {
    for (const Sample& sample : other.samples_) add(sample.value, sample.weight);
    return;
  }
  if (exact_) collapse();
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = count_ == 0 ? other.max_ : std::max(max_, other.max_);
  count_ += other.count_;
  zeros_ += other.zeros_;
  sum_.add(other.sum_.value());
  squares_.add(other.squares_.value());
  for (const auto& [from, into] :
       {std::pair(&other.positive_, &positive_), std::pair(&other.negative_, &negative_)}) {
    for (std::size_t i = 0; i < from->counts.size(); ++i) {
      if (from->counts[i] == 0) continue;
      into->add(middle_of(from->first + static_cast<std::int64_t>(i)), from->counts[i]);
    }
  }
}

double Distribution::mean() const {
  return count_ == 0 ? 0.0 : sum_.value() / static_cast<double>(count_);
}

double Distribution::variance() const {
  if (count_ == 0) return 0.0;
  const double average = mean();
  return std::max(0.0, squares_.value() / static_cast<double>(count_) - average * average);
}

void Distribution::collapse() {
  exact_ = false;
  for (const Sample& sample : samples_) sketch(sample.value, sample.weight);
  samples_.clear();
  samples_.shrink_to_fit();
}

void Distribution::sketch(double value, std::uint64_t weight) {
  if (value == 0.0) {
    zeros_ += weight;
  } else if (value > 0.0) {
    positive_.add(value, weight);
  } else {
    negative_.add(-value, weight);
  }
}

void Distribution::sort() const {
  if (sorted_) return;
  std::sort(samples_.begin(), samples_.end(),
            [](const Sample& a, const Sample& b) { return a.value < b.value; });
  sorted_ = true;
}

double Distribution::quantile(double q) const {
  if (count_ == 0) return 0.0;
  const double clamped = q >= 0.0 ? std::min(q, 1.0) : 0.0;  // NaN becomes 0 as well.
  const double position = clamped * static_cast<double>(count_ - 1);
  const auto rank = static_cast<std::uint64_t>(position);
  const double low = value_at_rank(rank);
  const double rest = position - static_cast<double>(rank);
  if (rest == 0.0 || rank + 1 >= count_) return low;
  return low + rest * (value_at_rank(rank + 1) - low);
}

double Distribution::value_at_rank(std::uint64_t rank) const {
  if (!exact_) return sketched_rank(rank);
  sort();
  for (const Sample& sample : samples_) {
    if (rank < sample.weight) return sample.value;
    rank -= sample.weight;
  }
  return max_;
}

double Distribution::sketched_rank(std::uint64_t rank) const {
  // The ends are known exactly.
  if (rank == 0) return min_;
  if (rank + 1 >= count_) return max_;
  for (std::size_t i = negative_.counts.size(); i-- > 0;) {
    if (rank < negative_.counts[i]) {
      return std::clamp(-middle_of(negative_.first + static_cast<std::int64_t>(i)), min_, max_);
    }
    rank -= negative_.counts[i];
  }
  if (rank < zeros_) return 0.0;
  rank -= zeros_;
  for (std::size_t i = 0; i < positive_.counts.size(); ++i) {
    if (rank < positive_.counts[i]) {
      return std::clamp(middle_of(positive_.first + static_cast<std::int64_t>(i)), min_, max_);
    }
    rank -= positive_.counts[i];
  }
  return max_;
}

}  // namespace orrery::sim
