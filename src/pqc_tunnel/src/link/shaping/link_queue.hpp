// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__LINK__SHAPING__LINK_QUEUE_HPP_
#define PQC_TUNNEL__LINK__SHAPING__LINK_QUEUE_HPP_

#include <cstddef>
#include <optional>

#include "base/time.hpp"
#include "link/paths/link_settings.hpp"
#include "shared_shaper.hpp"

namespace pqc_tunnel
{

// The queue before a link. It is always in use if the rate is configured, else only while the link is the bottleneck.
class LinkQueue
{
public:
  LinkQueue(const LinkSettings & link, std::size_t peers);
  LinkQueue(const LinkQueue &) = delete;
  LinkQueue & operator=(const LinkQueue &) = delete;

  // Sets bytes per second on the line for a link without a configured rate; none: the queue is used until it is empty.
  // `urgent_only`: other data waits. `bundles`: the queue is used even without a rate, so that small datagrams share
  // frames.
  void use_found_rate(std::optional<double> bytes_per_s, bool urgent_only, bool bundles);
  bool is_active() const { return active_; }
  SharedShaper & change()
  {
    due_.reset();
    return shaper_;
  }
  const SharedShaper & shaper() const { return shaper_; }
  bool has_changed() const { return shaper_.has_changed(); }
  std::optional<std::size_t> take_changed() { return shaper_.take_changed(); }
  // Returns when a frame may leave; max: nothing waits. Computed anew only after a change.
  Instant due() const;

private:
  LinkSettings settings_;
  bool is_configured_;   // the rate is configured
  SharedShaper shaper_;  // refers to settings_
  bool active_;
  mutable std::optional<Instant> due_;  // none: must be computed
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__LINK_QUEUE_HPP_
