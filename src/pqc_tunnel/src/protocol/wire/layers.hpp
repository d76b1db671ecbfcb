// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__LAYERS_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__LAYERS_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "anchor.hpp"
#include "base/time.hpp"
#include "crypto/secret.hpp"
#include "crypto/suites/algorithms.hpp"

namespace pqc_tunnel
{

/// How long the secret key lives that a layer rests on.
enum class LayerKey : std::uint8_t
{
  ephemeral,
  one_time,
  last_resort,
};

/// A secret in the chain of keys: whoever has the PSK and a recording must break this KEM, too.
struct Layer
{
  Problem problem{};
  LayerKey key{};
  std::string_view kem;  ///< display name
  Instant since;         ///< when the exchange with it began
};

/// The newest layer of each problem and kind of key that an epoch's keys depend on, in the order of both.
using Layers = std::vector<Layer>;

/// The rms of an epoch, and what it depends on. They travel together, so that no key shows what is not mixed in.
struct Resumption
{
  SecretBytes secret;  ///< empty: none
  Layers layers;

  /// A secret is copied only where that is asked for.
  Resumption copy() const { return {SecretBytes::copy_of(secret.view()), layers}; }
};

/// Adds a layer, in place of an older one of its problem and kind of key.
void add_layer(Layers & layers, const Layer & layer);
void add_ephemeral(Layers & layers, KemAlgorithm kem, Instant since);
void add_x25519(Layers & layers, Instant since);
void add_anchor(Layers & layers, const AnchorKind & anchor, Instant since);

LayerKey key_of(const AnchorKind & anchor);
/// Returns the name of the enumerator.
const char * to_string(LayerKey key);
/// Returns the problems, each once.
std::vector<Problem> problems_of(const Layers & layers);
/// Returns how many families of hard problems the keys rest on, without those that a quantum computer solves.
std::size_t quantum_safe_families(const Layers & layers);
/// Returns "lattices + codes"; empty without layers.
std::string families_text(const Layers & layers);
/// Returns "ML-KEM-768 and Classic McEliece 460896 (one-time): lattices and codes"; empty without layers.
std::string protection_text(const Layers & layers);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__LAYERS_HPP_
