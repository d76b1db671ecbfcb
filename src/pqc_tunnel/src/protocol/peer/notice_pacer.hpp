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

// When notices may leave: of one kind one in notice_interval, and on a link of known rate all together no more than a
// share of it. Of each kind the newest waits. Urgent kinds don't wait for the share; the others then wait for what they
// took. Sans-I/O.
class NoticePacer
{
public:
  // Kinds that are sent; others are refused.
  static constexpr std::size_t kinds = 8;
  // A report that waits for longer, and that no newer one replaces, is of the past.
  static constexpr Duration longest_wait = std::chrono::seconds(3);

  // False if the kind is not one of those that are sent.
  bool offer(const Notice & notice, Instant now);
  // The next notice to send; to be asked until there is none.
  std::optional<Notice> take(Instant now);
  // What was taken is sent, in so many bytes of the link. `bytes_per_s`: what notices may take of it; none: unlimited.
  void handle_sent(std::size_t bytes, std::optional<double> bytes_per_s, Instant now);
  Instant next_timeout() const;
  void clear();

private:
  struct Slot
  {
    std::optional<Notice> waiting;
    Instant offered;
    Instant next;  // not before
  };
  bool is_urgent(std::size_t kind) const;
  Instant due(std::size_t kind) const;

  std::array<Slot, kinds> slots_;
  Instant open_;  // when the share has room again
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__NOTICE_PACER_HPP_
