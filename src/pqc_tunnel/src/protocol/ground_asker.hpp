// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND_ASKER_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND_ASKER_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "request_notices.hpp"

namespace pqc_tunnel
{

// How a request has ended.
struct AskOutcome
{
  std::uint32_t id = 0;
  bool answered = false;
  GroundAnswer answer;  // of an answered one
};

// The ground station's requests to one drone: repeated until they are answered, or until the drone has said nothing for
// too long. A drone that has begun is asked now and then. Sans-I/O.
class GroundAsker
{
public:
  static constexpr Duration patience = std::chrono::seconds(10);
  static constexpr Duration patience_under_way = std::chrono::seconds(60);
  static constexpr Duration first_pause = std::chrono::milliseconds(500);
  static constexpr Duration longest_pause = std::chrono::seconds(1);
  static constexpr Duration pause_under_way = std::chrono::seconds(10);
  static constexpr std::size_t most = 8;  // at a time

  // `first_id`: a random number, so that a drone does not take a request for one of before a restart of this end.
  explicit GroundAsker(std::uint32_t first_id) : next_id_(first_id) {}

  // The id of the request; none if too many wait already.
  std::optional<std::uint32_t> ask(RequestContent content, Instant now);
  // Pieces of requests that nobody waits for are ignored.
  void handle_piece(const AnswerPiece & piece, Instant now);

  // The next notice to send. To be asked until there is none, after each call above and at next_timeout().
  std::optional<Notice> take_notice(Instant now);
  // Requests that have ended.
  std::optional<AskOutcome> take_outcome(Instant now);
  Instant next_timeout() const;

private:
  struct Asked
  {
    GroundRequest request;
    GroundAnswer answer;
    std::size_t text_size = 0;
    bool heard = false;
    bool complete = false;
    Instant last_word;  // of the drone, or when it was asked first
    Instant next;       // when it is asked again
    Duration pause{};
  };
  static Instant ends(const Asked & one);

  std::vector<Asked> asked_;
  std::uint32_t next_id_;
  Instant next_notice_;  // one in notice_interval: the pacer would replace the one that waits
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND_ASKER_HPP_
