#include "models/devices/device.hpp"

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>

#include "models/devices/catalogue.pb.h"
#include "models/shipped_data.hpp"

namespace orrery::models {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
constexpr double kMebi = 1024.0 * 1024.0;

// assumed where the catalogue has no figure: the driver keeps 1.2 % of the memory for itself, the
// middle of what the devices with a figure lose (0.0 % to 2.0 %; 7 % where ECC lies in GDDR).
constexpr double kReservedShare = 0.012;

struct Catalogue {
  std::vector<Device> devices;
  std::vector<std::vector<std::string>> aliases;
};

Device device_from(const devices::Row& row) {
  Device device;
  device.name = row.name();
  device.vendor = row.vendor();
  device.architecture = row.architecture();
  device.fp32_flops = row.fp32_tflops() * kTera;
  device.fp16_flops = row.fp16_tflops() * kTera;
  device.bf16_flops = row.bf16_tflops() * kTera;
  device.fp8_flops = row.fp8_tflops() * kTera;
  device.fp4_flops = row.fp4_tflops() * kTera;
  device.int8_ops = row.int8_tops() * kTera;
  device.memory_bytes = row.memory_gb() * kGibi;
  device.reported_memory_bytes = row.has_reported_memory_gib()
                                     ? row.reported_memory_gib() * kGibi
                                     : device.memory_bytes * (1.0 - kReservedShare);
  device.memory_bandwidth_bytes_per_s = row.memory_gb_per_s() * kGiga;
  device.l2_bytes = row.l2_mb() * kMebi;
  device.scale_up_bandwidth_bytes_per_s = row.scale_up_gb_per_s() * kGiga;
  device.scale_up_domain = std::max(1, row.scale_up_domain());
  device.pcie_bandwidth_bytes_per_s = row.pcie_gb_per_s() * kGiga;
  device.power_watts = row.tdp_watts();
  device.idle_watts = row.idle_watts();
  device.usd_per_hour = row.usd_per_hour();
  device.max_measured_bf16_flops = row.measured_bf16_tflops() * kTera;
  device.source = row.source();
  device.assumed.assign(row.assumed().begin(), row.assumed().end());
  return device;
}

Catalogue load() {
  const std::string path = shipped_data("models/devices/catalogue.textproto").string();
  std::ifstream file(path);
  google::protobuf::io::IstreamInputStream stream(&file);
  devices::Catalogue rows;
  if (!file || !google::protobuf::TextFormat::Parse(&stream, &rows)) {
    std::fprintf(stderr, "orrery: the device catalogue %s is missing or broken\n", path.c_str());
  }
  Catalogue catalogue;
  for (const devices::Row& row : rows.device()) {
    catalogue.devices.push_back(device_from(row));
    catalogue.aliases.emplace_back(row.alias().begin(), row.alias().end());
  }
  return catalogue;
}

const Catalogue& catalogue() {
  static const Catalogue loaded = load();
  return loaded;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto fold = [](char c) {
    return c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&fold](char x, char y) { return fold(x) == fold(y); });
}

}  // namespace

double Device::matrix_flops(DataType type) const {
  switch (type) {
    case DataType::kFp32:
      return fp32_flops;
    case DataType::kBf16:
      return bf16_flops;
    case DataType::kFp16:
      return fp16_flops;
    case DataType::kFp8:
      return fp8_flops;
    case DataType::kInt8:
      return int8_ops;
    case DataType::kFp4:
      return fp4_flops;
    case DataType::kInt4:
      return fp16_flops;  // Weights only: they are unpacked before the product.
  }
  return 0.0;
}

std::span<const Device> devices() { return catalogue().devices; }

const Device* find_device(std::string_view name) {
  const Catalogue& all = catalogue();
  for (std::size_t i = 0; i < all.devices.size(); ++i) {
    const auto& aliases = all.aliases[i];
    if (same_name(all.devices[i].name, name) ||
        std::any_of(aliases.begin(), aliases.end(),
                    [name](const std::string& alias) { return same_name(alias, name); })) {
      return &all.devices[i];
    }
  }
  return nullptr;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const Device& device : devices()) names.push_back(device.name);
  return names;
}

std::vector<std::string> device_aliases() {
  std::vector<std::string> all;
  for (const auto& aliases : catalogue().aliases) {
    all.insert(all.end(), aliases.begin(), aliases.end());
  }
  return all;
}

}  // namespace orrery::models
