// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers.hpp"

#include <algorithm>
#include <tuple>

namespace pqc_tunnel
{
namespace
{

std::vector<std::string> families_of(const Layers & layers)
{
  std::vector<std::string> families;
  for (const Layer & layer : layers) {
    families.emplace_back(names(layer.problem).family);
  }
  families.erase(std::unique(families.begin(), families.end()), families.end());
  return families;
}

std::string joined(
  const std::vector<std::string> & words, std::string_view between, std::string_view last)
{
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? last : between;
    text += words[i];
  }
  return text;
}

}  // namespace

void add_layer(Layers & layers, const Layer & layer)
{
  const auto place = [](const Layer & one) { return std::tie(one.problem, one.key); };
  const auto at = std::ranges::lower_bound(layers, place(layer), {}, place);
  if (at != layers.end() && place(*at) == place(layer)) {
    *at = layer;
  } else {
    layers.insert(at, layer);
  }
}

void add_ephemeral(Layers & layers, KemAlgorithm kem, Instant since)
{
  add_layer(layers, {problem(kem), LayerKey::ephemeral, display_name(kem), since});
}

void add_x25519(Layers & layers, Instant since)
{
  add_layer(layers, {Problem::curves, LayerKey::ephemeral, "X25519", since});
}

void add_anchor(Layers & layers, const AnchorKind & anchor, Instant since)
{
  add_layer(layers, {problem(anchor.kem), key_of(anchor), display_name(anchor.kem), since});
}

LayerKey key_of(const AnchorKind & anchor)
{
  return anchor.one_time ? LayerKey::one_time : LayerKey::last_resort;
}

const char * to_string(LayerKey key)
{
  switch (key) {
    case LayerKey::ephemeral:
      return "ephemeral";
    case LayerKey::one_time:
      return "one_time";
    case LayerKey::last_resort:
      return "last_resort";
  }
  return "";
}

std::vector<Problem> problems_of(const Layers & layers)
{
  std::vector<Problem> problems;
  for (const Layer & layer : layers) {
    if (problems.empty() || problems.back() != layer.problem) {
      problems.push_back(layer.problem);
    }
  }
  return problems;
}

std::size_t quantum_safe_families(const Layers & layers)
{
  const auto families = families_of(layers);
  return families.size() - static_cast<std::size_t>(std::ranges::count(
                             families, std::string(names(Problem::curves).family)));
}

std::string families_text(const Layers & layers)
{
  return joined(families_of(layers), " + ", " + ");
}

std::string protection_text(const Layers & layers)
{
  if (layers.empty()) {
    return "";
  }
  std::vector<std::string> keys;
  for (const Layer & layer : layers) {
    keys.emplace_back(layer.kem);
    keys.back() += layer.key == LayerKey::one_time      ? " (one-time)"
                   : layer.key == LayerKey::last_resort ? " (last-resort)"
                                                        : "";
  }
  return joined(keys, ", ", " and ") + ": " + joined(families_of(layers), ", ", " and ");
}

}  // namespace pqc_tunnel
