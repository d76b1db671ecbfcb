// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PATHS__LINK_QUEUE_HPP_
#define PATHS__LINK_QUEUE_HPP_

#include <cstddef>
#include <memory>
#include <optional>

#include "adaptive_queue.hpp"
#include "link_settings.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "shared_shaper.hpp"

namespace pqc_tunnel
{

// The queue before a link, if it has one: a link of known rate always does, another one while it is saturated.
class LinkQueue
{
public:
  // The link must outlive the queue.
  LinkQueue(const LinkSettings & link, std::size_t peers) : link_(link), peers_(peers)
  {
    if (link.is_thin()) {
      shaper_ = std::make_unique<SharedShaper>(link, peers);
    }
  }

  bool is_thin() const { return shaper_ || (adaptive_ && adaptive_->is_active()); }
  // For whatever changes the queue; the link must have had one.
  SharedShaper & change()
  {
    due_.reset();
    return *find();
  }
  // Null if the link never had one.
  SharedShaper * find() const
  {
    return shaper_ ? shaper_.get() : adaptive_ ? &adaptive_->shaper() : nullptr;
  }

  // When a frame may leave; max if nothing waits. Looked up anew only after a change.
  Instant due() const
  {
    const SharedShaper * shaper = find();
    if (shaper != nullptr && !due_) {
      due_ = shaper->next_timeout();
    }
    return shaper != nullptr ? *due_ : Instant::max();
  }

  // Of a link without a configured rate: see AdaptiveQueue.
  void use_found_rate(std::optional<double> bytes_per_s, bool urgent_only, bool bundles)
  {
    if (!shaper_ && !adaptive_ && (bytes_per_s || urgent_only || bundles)) {
      adaptive_ = std::make_unique<AdaptiveQueue>(link_, peers_);
    }
    if (adaptive_) {
      adaptive_->use(bytes_per_s, urgent_only, bundles);
      due_.reset();
    }
  }

private:
  const LinkSettings & link_;
  std::size_t peers_;
  std::unique_ptr<SharedShaper> shaper_;     // of a thin link
  std::unique_ptr<AdaptiveQueue> adaptive_;  // of another one, as soon as it was saturated
  mutable std::optional<Instant> due_;       // none: to be looked up
};

}  // namespace pqc_tunnel

#endif  // PATHS__LINK_QUEUE_HPP_
