// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "ground_answerer.hpp"

#include <algorithm>

namespace pqc_tunnel
{

GroundAnswerer::Known * GroundAnswerer::find(std::uint32_t id)
{
  const auto found = std::ranges::find(known_, id, &Known::id);
  return found != known_.end() ? &*found : nullptr;
}

GroundAnswerer::Taken GroundAnswerer::handle_request(const GroundRequest & request, Instant now)
{
  if (const Known * known = find(request.id)) {
    return {false, to_notice(piece_of(request.id, known->answer, request.text_from))};
  }
  if (!carried_out_.take(now)) {
    const GroundAnswer refusal{AnswerState::refused, {}, "Too many requests: ask again later."};
    return {false, to_notice(piece_of(request.id, refusal, request.text_from))};
  }
  if (known_.size() == most) {
    const auto ended = std::ranges::find_if(
      known_, [](const Known & one) { return one.answer.state != AnswerState::under_way; });
    known_.erase(ended != known_.end() ? ended : known_.begin());
  }
  known_.push_back({request.id, {}});
  return {true, std::nullopt};
}

std::optional<Notice> GroundAnswerer::finish(std::uint32_t id, const GroundAnswer & answer)
{
  Known * known = find(id);
  if (known == nullptr) {
    return std::nullopt;
  }
  known->answer = answer;
  return to_notice(piece_of(id, answer, 0));
}

}  // namespace pqc_tunnel
