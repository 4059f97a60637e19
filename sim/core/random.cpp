#include "sim/core/random.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/check.hpp"

namespace orrery::sim {
namespace {

// FNV-1a, 64 bits: only has to tell names apart.
std::uint64_t hash(std::string_view name) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : name) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return value;
}

// (1 - e^-x) / x and log1p(x) / x, continuous at zero; helpers of rejection-inversion.
double log_ratio(double x) { return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1.0 - x / 2.0; }
double exp_ratio(double x) { return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1.0 + x / 2.0; }

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : key_{seed, hash(name)} {}

RandomStream RandomStream::split(std::uint64_t index) const {
  // Counters of the children of different streams must not meet: the child's key is drawn from the
  // parent's block for this index, at a counter that bits() never reaches.
  const r123::Philox4x64::ctr_type counter{{index, stream_, 0, 1}};
  const r123::Philox4x64::key_type key{{key_[0], key_[1]}};
  const r123::Philox4x64::ctr_type drawn = r123::Philox4x64()(counter, key);
  return RandomStream(drawn[0], drawn[1], drawn[2]);
}

std::uint64_t RandomStream::bits() {
  if (left_ == 0) {
    const r123::Philox4x64::ctr_type counter{{block_++, stream_, 0, 0}};
    const r123::Philox4x64::key_type key{{key_[0], key_[1]}};
    const r123::Philox4x64::ctr_type drawn = r123::Philox4x64()(counter, key);
    for (std::size_t i = 0; i < 4; ++i) buffer_[i] = drawn[i];
    left_ = 4;
  }
  return buffer_[4 - left_--];
}

double RandomStream::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double RandomStream::uniform_open() {
  return (static_cast<double>(bits() >> 11) + 0.5) * 0x1.0p-53;
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  ORRERY_CHECK(n > 0);
  // Lemire 2019: multiply, reject the few low products that would favour some results.
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{bits()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t threshold = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < threshold) product = Wide{bits()} * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double RandomStream::exponential(double mean) { return -mean * std::log(uniform_open()); }

double RandomStream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(uniform_open()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double RandomStream::lognormal(double mean, double cv) {
  const double variance = std::log1p(cv * cv);
  return mean * std::exp(std::sqrt(variance) * normal() - variance / 2.0);
}

double RandomStream::gamma(double shape, double scale) {
  if (shape < 1.0) {
    // A shape below one is reached from shape + 1 (same paper, section 6). In logs, since the power
    // of a uniform underflows for tiny shapes.
    const double log_boost = std::log(uniform_open()) / shape;
    return std::exp(std::log(gamma(shape + 1.0, scale)) + log_boost);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(uniform_open()) < 0.5 * x * x + d - d * v + d * std::log(v)) return scale * d * v;
  }
}

double RandomStream::weibull(double shape, double scale) {
  return scale * std::pow(-std::log(uniform_open()), 1.0 / shape);
}

std::int64_t RandomStream::geometric(double mean) {
  if (!(mean > 1.0)) return 1;
  const double steps = std::ceil(std::log(uniform_open()) / std::log1p(-1.0 / mean));
  constexpr double kMost = 4e18;  // Within int64.
  return static_cast<std::int64_t>(std::clamp(steps, 1.0, kMost));
}

std::uint64_t RandomStream::zipf(std::uint64_t n, double exponent) {
  ORRERY_CHECK(n > 0);
  if (exponent <= 0.0) return below(n);
  // H is the integral of x^-exponent; ranks count from 1 here.
  const auto integral = [exponent](double x) {
    const double log_x = std::log(x);
    return exp_ratio((1.0 - exponent) * log_x) * log_x;
  };
  const auto inverse = [exponent](double x) {
    const double t = std::max(x * (1.0 - exponent), -1.0);
    return std::exp(log_ratio(t) * x);
  };
  const auto density = [exponent](double x) { return std::exp(-exponent * std::log(x)); };
  const double first = integral(1.5) - 1.0;
  const double last = integral(static_cast<double>(n) + 0.5);
  const double squeeze = 2.0 - inverse(integral(2.5) - density(2.0));
  for (;;) {
    const double u = last + uniform() * (first - last);
    const double x = inverse(u);
    const double k = std::clamp(std::floor(x + 0.5), 1.0, static_cast<double>(n));
    if (k - x <= squeeze || u >= integral(k + 0.5) - density(k)) {
      return std::min(static_cast<std::uint64_t>(k), n) - 1;
    }
  }
}

}  // namespace orrery::sim
