#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/describe.hpp"
#include "cli/numbers.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "models/devices/device.hpp"
#include "models/quantity.hpp"

namespace orrery::cli {
namespace {

using models::Device;

std::string figure(double value, Dimension dimension) {
  return value > 0.0 ? humanize(value, dimension) : std::string("-");
}

int list_devices() {
  TextTable table(
      {"device", "generation", "memory", "bandwidth", "bf16", "fp8", "scale-up", "power", "$/h"});
  for (std::size_t i = 2; i < 9; ++i) table.align(i, Align::kRight);
  for (const Device& d : models::devices()) {
    table.add({d.name, d.architecture, figure(d.memory_bytes, Dimension::kBytes),
               figure(d.memory_bandwidth_bytes_per_s, Dimension::kBandwidth),
               figure(d.bf16_flops, Dimension::kFlops), figure(d.fp8_flops, Dimension::kFlops),
               figure(d.scale_up_bandwidth_bytes_per_s, Dimension::kBandwidth),
               figure(d.power_watts, Dimension::kPower),
               d.usd_per_hour > 0.0 ? rounded(d.usd_per_hour) : "-"});
  }
  print(table.text(terminal_width(stdout), true, use_colour(stdout)));
  print(
      "\nRates are dense; scale-up (NVLink, xGMI) is one direction a GPU. "
      "orrery describe device NAME shows sources.\n");
  return finish_output(kSuccess);
}

}  // namespace

int describe_device(const std::string& name) {
  if (name.empty()) return list_devices();
  const Device* device = models::find_device(name);
  if (device == nullptr) return unknown_name("device", name, models::device_names());
  std::string out = fmt::format("{}\n\n", bold(device->name, use_colour(stdout)));
  const auto assumed = [&](std::string_view field) {
    return std::find(device->assumed.begin(), device->assumed.end(), field) !=
           device->assumed.end();
  };
  const auto add = [&](std::string_view label, std::string_view field, double value, Dimension d) {
    out += description_line(label,
                            figure(value, d) + std::string(assumed(field) ? "  (assumed)" : ""));
  };
  out += description_line("vendor", device->vendor);
  out += description_line("generation", device->architecture);
  add("memory", "memory_bytes", device->memory_bytes, Dimension::kBytes);
  add("memory bandwidth", "memory_bandwidth_bytes_per_s", device->memory_bandwidth_bytes_per_s,
      Dimension::kBandwidth);
  add("L2 cache", "l2_bytes", device->l2_bytes, Dimension::kBytes);
  add("fp32", "fp32_flops", device->fp32_flops, Dimension::kFlops);
  add("bf16", "bf16_flops", device->bf16_flops, Dimension::kFlops);
  add("fp16", "fp16_flops", device->fp16_flops, Dimension::kFlops);
  add("fp8", "fp8_flops", device->fp8_flops, Dimension::kFlops);
  add("fp4", "fp4_flops", device->fp4_flops, Dimension::kFlops);
  add("int8", "int8_ops", device->int8_ops, Dimension::kFlops);
  add("best measured bf16", "max_measured_bf16_flops", device->max_measured_bf16_flops,
      Dimension::kFlops);
  add("scale-up bandwidth", "scale_up_bandwidth_bytes_per_s",
      device->scale_up_bandwidth_bytes_per_s, Dimension::kBandwidth);
  out += description_line("scale-up domain", fmt::format("{} GPUs", device->scale_up_domain));
  add("PCIe bandwidth", "pcie_bandwidth_bytes_per_s", device->pcie_bandwidth_bytes_per_s,
      Dimension::kBandwidth);
  add("design power", "power_watts", device->power_watts, Dimension::kPower);
  add("idle power", "idle_watts", device->idle_watts, Dimension::kPower);
  out +=
      description_line("price an hour", fmt::format("${}{}", rounded(device->usd_per_hour),
                                                    assumed("usd_per_hour") ? "  (assumed)" : ""));
  out += description_line("source", device->source);
  print(out);
  return finish_output(kSuccess);
}

}  // namespace orrery::cli
