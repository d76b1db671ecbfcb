// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__BACKOFF_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__BACKOFF_HPP_

#include <algorithm>
#include <array>

#include "base/time.hpp"
#include "crypto/random.hpp"

namespace pqc_tunnel
{

// Waiting times that stay the same for `steady` tries and then double up to a limit. Each varies by up to a fifth, so
// that many drones do not retry at the same moment.
class Backoff
{
public:
  Backoff(Duration first, Duration limit, int steady = 1)
  : first_(first), limit_(limit), current_(first), steady_(steady)
  {
  }

  Duration next(RandomSource & random)
  {
    std::array<std::uint8_t, 1> byte = {};
    random.fill(byte);
    const Duration spread = current_ / 5;
    const Duration wait = current_ - spread + spread * 2 * byte[0] / 255;
    if (++tries_ >= steady_) {
      current_ = std::min(current_ * 2, limit_);
    }
    return wait;
  }
  int tries() const { return tries_; }
  void reset()
  {
    current_ = first_;
    tries_ = 0;
  }

private:
  Duration first_;
  Duration limit_;
  Duration current_;
  int steady_;
  int tries_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__BACKOFF_HPP_
