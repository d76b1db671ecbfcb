// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__NOTICE_PACER_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__NOTICE_PACER_HPP_

#include <array>
#include <cstddef>
#include <optional>

#include "base/time.hpp"
#include "protocol/wire/notice.hpp"

namespace pqc_tunnel
{

// Decides when notices may leave: one of each kind per notice_interval and, on a link of known rate, all together no
// more than a share of it. Only the newest of each kind waits. Urgent kinds do not wait for the share, but use it up.
// Sans-I/O.
class NoticePacer
{
public:
  // Number of kinds that are sent; others are refused.
  static constexpr std::size_t kinds = 8;
  // A notice that has waited longer is outdated, and is dropped unless it is urgent.
  static constexpr Duration longest_wait = std::chrono::seconds(3);

  // Returns false if notices of this kind are never sent.
  bool offer(const Notice & notice, Instant now);
  // Returns the next notice to send. Call it until there is none.
  std::optional<Notice> take(Instant now);
  // A notice has left in so many bytes on the line. `bytes_per_s`: the share of the link for notices; none: unlimited.
  void handle_sent(std::size_t bytes, std::optional<double> bytes_per_s, Instant now);
  Instant next_timeout() const;
  void clear();

private:
  struct Slot
  {
    std::optional<Notice> waiting;
    Instant offered;
    Instant next;  // earliest next sending
  };
  bool is_urgent(std::size_t kind) const;
  Instant due(std::size_t kind) const;

  std::array<Slot, kinds> slots_;
  Instant open_;  // when the share allows the next one
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__NOTICE_PACER_HPP_
