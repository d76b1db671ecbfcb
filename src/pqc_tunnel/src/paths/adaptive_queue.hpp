// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PATHS__ADAPTIVE_QUEUE_HPP_
#define PATHS__ADAPTIVE_QUEUE_HPP_

#include <cstddef>
#include <optional>

#include "link_settings.hpp"
#include "shared_shaper.hpp"

namespace pqc_tunnel
{

// The queue before a link whose rate is not configured: in use while its rate is found to be the bottleneck.
class AdaptiveQueue
{
public:
  AdaptiveQueue(const LinkSettings & link, std::size_t peers);
  AdaptiveQueue(const AdaptiveQueue &) = delete;
  AdaptiveQueue & operator=(const AdaptiveQueue &) = delete;

  // Bytes per second on the line; none: the queue is used until what waits has left. `urgent_only`: the rest waits.
  // `bundles`: the queue is used without a rate as well, so that small datagrams share frames.
  void use(std::optional<double> bytes_per_s, bool urgent_only, bool bundles);
  bool is_active() const { return active_; }
  SharedShaper & shaper() { return shaper_; }
  const SharedShaper & shaper() const { return shaper_; }

private:
  LinkSettings settings_;
  SharedShaper shaper_;  // refers to the settings
  bool active_ = false;
};

}  // namespace pqc_tunnel

#endif  // PATHS__ADAPTIVE_QUEUE_HPP_
