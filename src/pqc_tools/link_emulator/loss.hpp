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

}  // namespace pqc_tunnel::link_emulator

#endif  // PQC_TOOLS__LINK_EMULATOR__LOSS_HPP_
