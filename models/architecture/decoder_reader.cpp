#include "models/architecture/decoder_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace orrery::models::detail {
namespace {

std::int64_t size_of(ConfigReader& c, const char* key, std::int64_t otherwise) {
  return otherwise > 0 && !c.has(key) ? otherwise : c.required(key);
}

// Null says as many KV heads as heads, an absent key the family's default.
std::int64_t kv_heads_of(ConfigReader& c, const char* key, std::int64_t heads,
                         std::int64_t otherwise) {
  if (c.has(key)) return c.required(key);
  return otherwise == 0 || c.mentions(key) ? heads : otherwise;
}

}  // namespace

std::int64_t divided_head_dim(ConfigReader& c, const Architecture& a, const char* key) {
  if (a.heads > 0 && a.hidden % a.heads == 0) return a.hidden / a.heads;
  c.fault(key, fmt::format("{} does not divide the hidden size {}", a.heads, a.hidden));
  return 1;
}

void read_decoder(ConfigReader& c, Architecture& a, const DecoderDefaults& defaults) {
  a.layers = c.required("num_hidden_layers");
  a.hidden = c.required("hidden_size");
  a.heads = size_of(c, "num_attention_heads", defaults.heads);
  a.kv_heads = kv_heads_of(c, "num_key_value_heads", a.heads, defaults.kv_heads);
  if (c.has("head_dim")) {
    a.head_dim = c.required("head_dim");
  } else {
    a.head_dim =
        defaults.head_dim > 0 ? defaults.head_dim : divided_head_dim(c, a, "num_attention_heads");
  }
  a.ffn = size_of(c, defaults.ffn_key, defaults.ffn);
  a.vocabulary = size_of(c, "vocab_size", defaults.vocabulary);
  a.head_rows = a.vocabulary;
  a.max_positions = size_of(c, "max_position_embeddings", defaults.max_positions);
  a.tied_embeddings = c.flag("tie_word_embeddings", defaults.tied);
}

void read_layer_types(ConfigReader& c, Architecture& a) {
  constexpr const char* kKey = "layer_types";
  if (!c.has(kKey)) return;
  const nlohmann::json& list = c.object()[kKey];
  if (!list.is_array() || static_cast<std::int64_t>(list.size()) != a.layers) {
    c.fault(kKey, "not a list with one entry a layer");
    return;
  }
  std::vector<bool> full;
  for (const nlohmann::json& kind : list) {
    if (kind != "full_attention" && kind != "sliding_attention") {
      c.fault(kKey, "an entry of another kind", "full_attention, sliding_attention");
      return;
    }
    full.push_back(kind == "full_attention");
  }
  const auto first = std::find(full.begin(), full.end(), false);
  const auto next = std::find(first, full.end(), true);
  if (first == full.end()) {
    a.sliding_window = 0;
    return;
  }
  if (a.sliding_window == 0) {
    c.fault(kKey, "names sliding layers, but there is no sliding_window");
    return;
  }
  a.first_windowed_layer = first - full.begin();
  a.full_attention_every = next == full.end() ? 0 : next - full.begin() + 1;
  for (std::int64_t layer = 0; layer < a.layers; ++layer) {
    if ((attention_window(a, layer) == 0) != full[static_cast<std::size_t>(layer)]) {
      c.fault(kKey, "a pattern that cannot be expressed",
              "full layers first, then windows with every n-th layer full");
      return;
    }
  }
}

}  // namespace orrery::models::detail
