// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "adaptive_queue.hpp"

#include <algorithm>

namespace pqc_tunnel
{
namespace
{

constexpr double unlimited_kbit = 1e6;
constexpr double bits = 8;
constexpr double longest_frame_s = 0.03;
constexpr std::size_t least_bundle = 256;

LinkSettings with_rate(const LinkSettings & link, double kbit)
{
  LinkSettings settings = link;
  settings.rate_kbit = kbit;
  return settings;
}

}  // namespace

AdaptiveQueue::AdaptiveQueue(const LinkSettings & link, std::size_t peers)
: settings_(with_rate(link, unlimited_kbit)), shaper_(settings_, peers)
{
}

void AdaptiveQueue::use(std::optional<double> bytes_per_s, bool urgent_only, bool bundles)
{
  settings_.urgent_only = urgent_only;
  settings_.rate_kbit = bytes_per_s ? *bytes_per_s * bits / 1000 : unlimited_kbit;
  // An urgent frame waits until the one on the air is through: bundles stay short.
  const double longest = longest_frame_s * bytes_per_s.value_or(0);
  settings_.longest_bundle =
    std::clamp(static_cast<std::size_t>(longest), least_bundle, universal_payload);
  active_ = bytes_per_s || urgent_only || bundles ||
            (active_ && shaper_.next_timeout() != Instant::max());
}

}  // namespace pqc_tunnel
