// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TOOLS__LINK_EMULATOR__LOSS_HPP_
#define PQC_TOOLS__LINK_EMULATOR__LOSS_HPP_

#include "common/dice.hpp"
#include "settings.hpp"

namespace pqc_tunnel::link_emulator
{

// Random loss and bursts of loss (Gilbert-Elliott), decided packet by packet.
class Loss
{
public:
  Loss(const ChannelSettings & settings, std::uint64_t seed)
  : chance_(settings.loss), burst_(settings.burst), lone_(seed, 1), state_(seed, 2), bad_(seed, 3)
  {
  }

  bool takes_next()
  {
    in_burst_ = in_burst_ ? !state_.happens(burst_.leave) : state_.happens(burst_.enter);
    const bool alone = lone_.happens(chance_);
    const bool in_burst = bad_.happens(burst_.loss) && in_burst_;
    return alone || in_burst;
  }

private:
  double chance_;
  BurstLoss burst_;
  Dice lone_;
  Dice state_;
  Dice bad_;
  bool in_burst_ = false;
};

// The share of packets that is lost in the long run.
inline double average_loss(const ChannelSettings & settings)
{
  const BurstLoss & burst = settings.burst;
  const double in_burst =
    burst.enter > 0.0 ? burst.loss * burst.enter / (burst.enter + burst.leave) : 0.0;
  return 1.0 - (1.0 - settings.loss) * (1.0 - in_burst);
}

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__LOSS_HPP_
