#include "models/cost/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>

#include "models/compression.hpp"
#include "models/profile.pb.h"

namespace orrery::models {
namespace {

constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kLargestFile = std::size_t{512} << 20U;
constexpr double kLastCode = 65535.0;

Diagnostic fault(std::string message) {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  return diagnostic;
}

const profile::Table* find(const profile::File& file, std::string_view operation,
                           std::string_view variant) {
  for (const profile::Table& table : file.table()) {
    if (table.operation() == operation && table.variant() == variant) return &table;
  }
  return nullptr;
}

// Two bytes a value, on a logarithmic scale from the least to the greatest.
void encode(const std::vector<double>& values, profile::Columns& columns) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  columns.set_least(*least);
  columns.set_greatest(*greatest);
  const double range = std::log(*greatest / *least);
  std::string code;
  code.reserve(values.size() * 2);
  for (const double value : values) {
    const double step = range > 0.0 ? std::log(value / *least) / range * kLastCode : 0.0;
    const auto rounded = static_cast<std::uint16_t>(std::lround(std::clamp(step, 0.0, kLastCode)));
    code.push_back(static_cast<char>(rounded & 0xffU));
    code.push_back(static_cast<char>(rounded >> 8U));
  }
  columns.set_code(std::move(code));
}

std::vector<double> decode(const profile::Columns& columns) {
  const std::string& code = columns.code();
  const double range = std::log(columns.greatest() / columns.least());
  std::vector<double> values(code.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto low = static_cast<unsigned char>(code[2 * i]);
    const auto high = static_cast<unsigned char>(code[2 * i + 1]);
    values[i] = columns.least() * std::exp(range * (low + 256.0 * high) / kLastCode);
  }
  return values;
}

bool positive(double value) { return value > 0.0 && std::isfinite(value); }

}  // namespace

const std::vector<std::int64_t>& ProfileTable::column(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return columns.at(static_cast<std::size_t>(found - keys.begin()));
}

Profile::Profile() : file_(std::make_unique<profile::File>()) { file_->set_format(kFormat); }
Profile::Profile(const ProfileHeader& header) : Profile() {
  file_->set_name(header.name);
  file_->set_device(header.device);
  file_->set_engine(header.engine);
  file_->set_source(header.source);
  file_->set_date(header.date);
  file_->set_unknown(header.unknown);
  file_->set_model(header.model);
  file_->set_tensor(header.tensor);
}
Profile::~Profile() = default;
Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;

Result<Profile> Profile::load(const std::filesystem::path& path) {
  Result<std::string> data = read_whole_file(path, kLargestFile);
  if (!data) return std::move(data).faults();
  return parse(*data, path.string());
}

Result<Profile> Profile::parse(std::string_view bytes, const std::string& display_name) {
  Profile profile;
  const auto located = [&display_name](std::string message) {
    Diagnostic diagnostic = fault(std::move(message));
    diagnostic.where.file = display_name;
    return diagnostic;
  };
  if (!profile.file_->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return located("not a profile, or truncated");
  if (!profile.file_->has_format() || profile.file_->table_size() == 0) {
    return located("not a profile: it holds no tables");
  }
  if (profile.file_->format() > kFormat) {
    return located(fmt::format("a profile of format {}, this program reads up to {}",
                               profile.file_->format(), kFormat));
  }
  return profile;
}

Result<bool> Profile::save(const std::filesystem::path& path) const {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const std::filesystem::path temporary = path.string() + ".partial";
  {
    std::ofstream out(temporary, std::ios::binary);
    file_->SerializeToOstream(&out);
    out.flush();
    if (!out) {
      std::filesystem::remove(temporary, error);
      return fault(fmt::format("{} cannot be written", path.string()));
    }
  }
  std::filesystem::rename(temporary, path, error);
  if (error) return fault(fmt::format("{}: {}", path.string(), error.message()));
  return true;
}

ProfileHeader Profile::header() const {
  return {file_->name(), file_->device(),  file_->engine(), file_->source(),
          file_->date(), file_->unknown(), file_->model(),  file_->tensor()};
}

bool Profile::has(std::string_view operation, std::string_view variant) const {
  return find(*file_, operation, variant) != nullptr;
}

std::vector<std::string> Profile::variants(std::string_view operation) const {
  std::vector<std::string> found;
  for (const profile::Table& table : file_->table()) {
    if (table.operation() == operation) found.push_back(table.variant());
  }
  return found;
}

Result<ProfileTable> Profile::table(std::string_view operation, std::string_view variant) const {
  const profile::Table* stored = find(*file_, operation, variant);
  const auto named = [&](std::string_view message) {
    return fault(
        fmt::format("profile {}, table {} {}: {}", file_->name(), operation, variant, message));
  };
  if (stored == nullptr) return named("not in the profile");
  Result<std::string> data = zstd_decompress(stored->columns(), kLargestFile);
  if (!data) return named(data.faults().front().message);
  profile::Columns columns;
  const std::size_t rows = stored->rows();
  if (!columns.ParseFromString(*data) || columns.key_size() != stored->key_size() ||
      columns.code().size() != 2 * rows || rows == 0) {
    return named("damaged");
  }
  if (!positive(columns.least()) || !positive(columns.greatest()) ||
      columns.least() > columns.greatest() || !(stored->spread() >= 0.0)) {
    return named("holds values that are no positive numbers");
  }
  ProfileTable table;
  table.operation = stored->operation();
  table.variant = stored->variant();
  if (stored->has_unit()) table.unit = stored->unit();
  table.keys.assign(stored->key().begin(), stored->key().end());
  table.spread = stored->spread();
  table.values = decode(columns);
  for (const profile::Column& column : columns.key()) {
    if (static_cast<std::size_t>(column.delta_size()) != rows) return named("damaged");
    std::vector<std::int64_t>& values = table.columns.emplace_back();
    values.reserve(rows);
    std::uint64_t value = 0;  // Wraps instead of overflowing on hostile files.
    for (const std::int64_t delta : column.delta()) {
      value += static_cast<std::uint64_t>(delta);
      values.push_back(static_cast<std::int64_t>(value));
    }
  }
  return table;
}

void Profile::add(const ProfileTable& table) {
  profile::Table& stored = *file_->add_table();
  stored.set_operation(table.operation);
  stored.set_variant(table.variant);
  if (table.unit != "us") stored.set_unit(table.unit);
  for (const std::string& key : table.keys) stored.add_key(key);
  stored.set_rows(static_cast<std::uint32_t>(table.rows()));
  stored.set_spread(table.spread);
  profile::Columns columns;
  for (const std::vector<std::int64_t>& values : table.columns) {
    profile::Column& column = *columns.add_key();
    std::int64_t previous = 0;
    for (const std::int64_t value : values) {
      column.add_delta(value - previous);
      previous = value;
    }
  }
  encode(table.values, columns);
  stored.set_columns(zstd_compress(columns.SerializeAsString()));
}

std::size_t Profile::points() const {
  std::size_t sum = 0;
  for (const profile::Table& table : file_->table()) sum += table.rows();
  return sum;
}

}  // namespace orrery::models
