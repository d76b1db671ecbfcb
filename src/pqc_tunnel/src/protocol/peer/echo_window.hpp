// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__ECHO_WINDOW_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__ECHO_WINDOW_HPP_

#include <cstdint>

namespace pqc_tunnel
{

// Which of the peer's newest ECHO_REQs have arrived, so that an answer tells which way a lost one was lost.
class EchoWindow
{
public:
  // Notes the arrival of a number. Returns which of the 32 before it have arrived: bit 0 is that of the one before.
  std::uint32_t take(std::uint32_t number)
  {
    const std::uint32_t ahead = number - newest_;
    const std::uint32_t behind = newest_ - number;
    if (!any_ || (ahead > width && behind >= width)) {
      arrived_ = 0;  // a program that has begun anew
    } else if (behind < width) {
      if (behind > 0) {
        arrived_ |= std::uint64_t{1} << (behind - 1);
      }
      return static_cast<std::uint32_t>(arrived_ >> behind);
    } else {
      arrived_ = ahead == width ? std::uint64_t{1} << (width - 1)
                                : (arrived_ << ahead) | (std::uint64_t{1} << (ahead - 1));
    }
    any_ = true;
    newest_ = number;
    return static_cast<std::uint32_t>(arrived_);
  }

private:
  static constexpr std::uint32_t width = 64;

  bool any_ = false;
  std::uint32_t newest_ = 0;
  std::uint64_t arrived_ = 0;  // of those before the newest one
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__ECHO_WINDOW_HPP_
