#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/describe.hpp"
#include "cli/numbers.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "models/architecture/config_json.hpp"
#include "models/data_type.hpp"
#include "models/quantity.hpp"

namespace orrery::cli {
namespace {

using models::Architecture;
using models::DataType;

// 8030261248 -> "8.03 B", as models are usually named.
std::string parameters_text(std::int64_t count) {
  const auto value = static_cast<double>(count);
  if (value >= 1e9) return fmt::format("{:.2f} B", value * 1e-9);
  return fmt::format("{:.1f} M", value * 1e-6);
}

std::string attention_text(const Architecture& a) {
  if (a.latent) {
    return fmt::format("latent, {} heads, latent of {} + rotary key of {}", a.heads,
                       a.latent->kv_lora_rank, a.latent->qk_rope_head_dim);
  }
  std::string text = fmt::format("{} heads of {}, {} KV heads", a.heads, a.head_dim, a.kv_heads);
  if (a.sliding_window > 0) {
    text += fmt::format(", window of {} tokens", grouped(a.sliding_window));
    if (a.full_attention_every > 0) {
      text += fmt::format(" (every {}th layer attends to all)", a.full_attention_every);
    }
  }
  if (a.bidirectional) text += ", no causal mask";
  return text;
}

std::string feed_forward_text(const Architecture& a) {
  if (!a.moe) return fmt::format("{}{}", grouped(a.ffn), a.gated_ffn ? ", gated" : "");
  std::string text = fmt::format("mixture of {} experts of {}, {} a token", a.moe->experts,
                                 grouped(a.moe->expert_ffn), a.moe->experts_per_token);
  if (a.moe->shared_experts > 0) text += fmt::format(", {} shared", a.moe->shared_experts);
  return text + fmt::format("; in {} of {} layers", models::moe_layers(a), a.layers);
}

int list_models() {
  TextTable table({"model", "family", "parameters", "active", "layers", "KV/token", "context"});
  for (std::size_t i = 2; i < 7; ++i) table.align(i, Align::kRight);
  for (const std::string& name : models::builtin_models()) {
    const auto loaded = models::load_architecture(name);
    if (!loaded) return report_faults(loaded.faults());
    const Architecture& a = *loaded;
    const auto count = models::count_parameters(a);
    table.add({name, a.family, parameters_text(count.total), parameters_text(count.active),
               fmt::format("{}", a.layers),
               humanize(models::kv_bytes_per_token(a, DataType::kBf16), Dimension::kBytes),
               grouped(a.max_positions)});
  }
  print(table.text(terminal_width(stdout), true, use_colour(stdout)));
  print(
      "\nKV/token: key-value cache of one token at 2 bytes a number, all devices together. "
      "A scenario's\nmodel may also be the path of a Hugging Face config.json.\n");
  return finish_output(kSuccess);
}

}  // namespace

int describe_model(const std::string& name) {
  if (name.empty()) return list_models();
  const auto loaded = models::load_architecture(name);
  if (!loaded) return report_faults(loaded.faults());
  const Architecture& a = *loaded;
  const auto count = models::count_parameters(a);
  const auto bytes = [](double value) { return humanize(value, Dimension::kBytes); };
  const auto total = static_cast<double>(count.total);
  std::string out = fmt::format("{}\n\n", bold(printable(a.name), use_colour(stdout)));
  out += description_line("family", a.family);
  out += description_line(
      "parameters", fmt::format("{} ({})", parameters_text(count.total), grouped(count.total)));
  if (count.active != count.total) {
    out += description_line(
        "active for a token",
        fmt::format("{} ({})", parameters_text(count.active), grouped(count.active)));
  }
  out += description_line("layers", fmt::format("{}", a.layers));
  out += description_line("hidden size", grouped(a.hidden));
  out += description_line("attention", attention_text(a));
  out += description_line("feed-forward", feed_forward_text(a));
  out += description_line("vocabulary", grouped(a.vocabulary));
  out += description_line("longest context", fmt::format("{} tokens", grouped(a.max_positions)));
  out += description_line("number format", std::string(models::data_type_name(a.native_dtype)));
  out += description_line("weights", fmt::format("{} in bf16, {} in fp8",
                                                 bytes(total * bytes_per_element(DataType::kBf16)),
                                                 bytes(total * bytes_per_element(DataType::kFp8))));
  out += description_line(
      "KV cache of a token",
      fmt::format("{} in bf16, {} in fp8", bytes(models::kv_bytes_per_token(a, DataType::kBf16)),
                  bytes(models::kv_bytes_per_token(a, DataType::kFp8))));
  constexpr std::int64_t kContext = 1024;
  out += description_line(
      "compute of a token",
      fmt::format("{:.4g} GFLOP after a context of {}",
                  1e-9 * models::forward_flops(a, 1, kContext, 1), grouped(kContext)));
  print(out);
  return finish_output(kSuccess);
}

}  // namespace orrery::cli
