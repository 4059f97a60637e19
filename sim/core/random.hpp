#pragma once
// Random numbers as named streams. A stream is a counter-based generator (Philox 4x64-10; Salmon et
// al. 2011, by way of Random123) keyed by the run's seed and the stream's name, so that two
// policies which are compared see the same arrivals and the same failures, in whatever order they
// ask. Transformations are our own: those of the standard library differ between implementations.

#include <array>
#include <cstdint>
#include <string_view>

namespace orrery::sim {

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  /// An independent stream for the `index`-th thing (request, node, ...) of this one; what it
  /// yields does not depend on what was drawn before.
  RandomStream split(std::uint64_t index) const;

  std::uint64_t bits();                  ///< 64 random bits.
  double uniform();                      ///< [0, 1), 53 bits.
  double uniform_open();                 ///< (0, 1).
  std::uint64_t below(std::uint64_t n);  ///< 0 .. n - 1, unbiased; requires n > 0.
  double exponential(double mean);
  double normal();  ///< Mean 0, variance 1 (Box and Muller 1958).
  /// Log-normal with this mean and coefficient of variation of the variable itself.
  double lognormal(double mean, double cv);
  double gamma(double shape, double scale);  ///< Marsaglia and Tsang 2000.
  double weibull(double shape, double scale);
  std::int64_t geometric(double mean);  ///< 1, 2, ...; requires mean >= 1.
  /// 0 .. n - 1 with probability in proportion to (k + 1)^-exponent; rejection-inversion (Hoermann
  /// and Derflinger 1996), constant memory. Requires n > 0 and exponent >= 0.
  std::uint64_t zipf(std::uint64_t n, double exponent);

 private:
  RandomStream(std::uint64_t key0, std::uint64_t key1, std::uint64_t stream)
      : key_{key0, key1}, stream_(stream) {}

  std::array<std::uint64_t, 2> key_;
  std::uint64_t stream_ = 0;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, 4> buffer_{};
  unsigned left_ = 0;
};

}  // namespace orrery::sim
