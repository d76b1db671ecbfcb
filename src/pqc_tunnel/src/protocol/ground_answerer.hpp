// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__GROUND_ANSWERER_HPP_
#define PQC_TUNNEL__PROTOCOL__GROUND_ANSWERER_HPP_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "request_notices.hpp"
#include "token_bucket.hpp"

namespace pqc_tunnel
{

// The drone's answers to its ground station. Each request is carried out once, however often it comes, and of many new
// ones a second only some. Sans-I/O.
class GroundAnswerer
{
public:
  // Requests remembered; the oldest one that has ended is forgotten first.
  static constexpr std::size_t most = 16;

  struct Taken
  {
    bool is_new = false;           // the owner carries it out now, and calls finish()
    std::optional<Notice> answer;  // to send now, to one that is known already or one too many
  };
  Taken handle_request(const GroundRequest & request, Instant now);
  // The notice to send; none for a request that is forgotten.
  std::optional<Notice> finish(std::uint32_t id, const GroundAnswer & answer);

private:
  struct Known
  {
    std::uint32_t id = 0;
    GroundAnswer answer;
  };
  Known * find(std::uint32_t id);

  std::deque<Known> known_;  // oldest first
  TokenBucket carried_out_{most, 1};
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__GROUND_ANSWERER_HPP_
