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

// The queue before a link: always in use if its rate is configured, else while its rate is found to be the bottleneck.
class LinkQueue
{
public:
  LinkQueue(const LinkSettings & link, std::size_t peers);
  LinkQueue(const LinkQueue &) = delete;
  LinkQueue & operator=(const LinkQueue &) = delete;

  // Of a link without a configured rate: bytes per second on the line; none: the queue is used until what waits has left.
  // `urgent_only`: the rest waits. `bundles`: the queue is used without a rate as well, so that small datagrams share frames.
  void use_found_rate(std::optional<double> bytes_per_s, bool urgent_only, bool bundles);
  bool is_active() const { return active_; }
  SharedShaper & change()
  {
    due_.reset();
    return shaper_;
  }
  const SharedShaper & shaper() const { return shaper_; }
  // When a frame may leave; max if nothing waits. Looked up anew only after a change.
  Instant due() const;

private:
  LinkSettings settings_;
  bool is_configured_;   // the rate
  SharedShaper shaper_;  // refers to the settings
  bool active_;
  mutable std::optional<Instant> due_;  // none: to be looked up
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__LINK__SHAPING__LINK_QUEUE_HPP_
