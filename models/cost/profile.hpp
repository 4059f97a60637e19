#pragma once
// Measured profiles in memory and on disk (models/profile.proto).

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/result.hpp"

namespace orrery::profile {
class File;
}

namespace orrery::models {

/// Rows of measurements: whole-numbered keys, one positive value each.
struct ProfileTable {
  std::string operation;
  std::string variant;
  std::string unit = "us";
  std::vector<std::string> keys;
  std::vector<std::vector<std::int64_t>> columns;  ///< One a key.
  std::vector<double> values;
  double spread = 0.0;

  std::size_t rows() const { return values.size(); }
  /// The column called `key`; requires that there is one.
  const std::vector<std::int64_t>& column(std::string_view key) const;
};

/// Where a profile comes from.
struct ProfileHeader {
  std::string name;
  std::string device;
  std::string engine;
  std::string source;
  std::string date;
  std::string unknown;
  std::string model;
  int tensor = 0;
};

class Profile {
 public:
  Profile();
  explicit Profile(const ProfileHeader& header);
  ~Profile();
  Profile(Profile&&) noexcept;
  Profile& operator=(Profile&&) noexcept;

  /// Faults: cannot be read, not a profile, of a newer format, damaged.
  static Result<Profile> load(const std::filesystem::path& path);
  /// The same from bytes; `display_name` stands in messages.
  static Result<Profile> parse(std::string_view bytes, const std::string& display_name);
  /// Writes a temporary file beside `path` and renames it, so that no half profile is ever seen.
  Result<bool> save(const std::filesystem::path& path) const;

  ProfileHeader header() const;
  bool has(std::string_view operation, std::string_view variant) const;
  /// Variants measured of an operation.
  std::vector<std::string> variants(std::string_view operation) const;
  /// Decompresses a table; faults when it is absent, damaged, or holds values that are no positive
  /// numbers.
  Result<ProfileTable> table(std::string_view operation, std::string_view variant) const;
  void add(const ProfileTable& table);
  /// Measured points over all tables.
  std::size_t points() const;

 private:
  std::unique_ptr<profile::File> file_;
};

}  // namespace orrery::models
