// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__LINK_DOUBT_HPP_
#define PQC_TUNNEL__PROTOCOL__LINK_DOUBT_HPP_

#include <optional>

#include "paths/path_set.hpp"
#include "pqc_tunnel/base/time.hpp"

namespace pqc_tunnel
{

// Whether what arrives now may have been held back. After a silence nothing newer has come that would show it, so only
// the answer to a question asked since then proves that the link is fresh, and only of what the peer sealed after it.
class LinkDoubt
{
public:
  // A silence ends: answers to what was asked in it may have been held back, too.
  void begin(Instant now) { since_ = now; }
  bool active() const { return since_.has_value(); }

  // An answer has arrived, `order` its frame.
  void handle_answer(Instant asked, const FrameOrder & order)
  {
    if (since_ && asked >= *since_) {
      settle(order);
    }
  }

  // What the peer sealed before is refused from now on, and what comes after is fresh.
  void settle(const FrameOrder & order)
  {
    since_.reset();
    fresh_from_ = fresh_from_ < order ? order : fresh_from_;
  }

  bool refuses(const FrameOrder & order) const { return since_ || order < fresh_from_; }

private:
  std::optional<Instant> since_;
  FrameOrder fresh_from_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__LINK_DOUBT_HPP_
