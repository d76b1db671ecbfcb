// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "link_queue.hpp"

#include <algorithm>

namespace pqc_tunnel
{
namespace
{

constexpr double unlimited_kbit = 1e6;
constexpr double bits = 8;
constexpr double longest_frame_s = 0.03;
constexpr std::size_t least_bundle = 256;

LinkSettings with_rate(const LinkSettings & link)
{
  LinkSettings settings = link;
  settings.rate_kbit = link.is_thin() ? link.rate_kbit : unlimited_kbit;
  return settings;
}

}  // namespace

LinkQueue::LinkQueue(const LinkSettings & link, std::size_t peers)
: settings_(with_rate(link)),
  is_configured_(link.is_thin()),
  shaper_(settings_, peers),
  active_(is_configured_)
{
}

[[gnu::hot]] Instant LinkQueue::due() const
{
  if (!due_) {
    due_ = shaper_.next_timeout();
  }
  return *due_;
}

void LinkQueue::use_found_rate(std::optional<double> bytes_per_s, bool urgent_only, bool bundles)
{
  if (is_configured_ || !(active_ || bytes_per_s || urgent_only || bundles)) {
    return;
  }
  settings_.urgent_only = urgent_only;
  settings_.rate_kbit = bytes_per_s ? *bytes_per_s * bits / 1000 : unlimited_kbit;
  // Bundles stay short, because an urgent frame waits until the one on the air has been sent.
  const double longest = longest_frame_s * bytes_per_s.value_or(0);
  settings_.longest_bundle =
    std::clamp(static_cast<std::size_t>(longest), least_bundle, universal_payload);
  due_.reset();
  active_ = bytes_per_s || urgent_only || bundles || due() != Instant::max();
}

}  // namespace pqc_tunnel
