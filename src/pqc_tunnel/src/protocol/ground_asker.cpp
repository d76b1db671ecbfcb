// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "ground_asker.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{

std::optional<std::uint32_t> GroundAsker::ask(RequestContent content, Instant now)
{
  if (asked_.size() >= most) {
    return std::nullopt;
  }
  Asked one;
  one.request = {next_id_++, 0, std::move(content)};
  one.last_word = one.next = now;
  one.pause = first_pause;
  asked_.push_back(std::move(one));
  return asked_.back().request.id;
}

void GroundAsker::handle_piece(const AnswerPiece & piece, Instant now)
{
  const auto one = std::ranges::find_if(
    asked_, [&piece](const Asked & asked) { return asked.request.id == piece.id; });
  if (one == asked_.end() || one->complete) {
    return;
  }
  const bool ended = one->heard && one->answer.state != AnswerState::under_way;
  if (ended && piece.state == AnswerState::under_way) {
    return;  // it was late
  }
  if (!one->heard || one->answer.state != piece.state || one->text_size != piece.text_size) {
    one->answer = {piece.state, piece.capture, {}};
    one->text_size = piece.text_size;
  }
  one->heard = true;
  one->last_word = now;
  if (piece.text_from == one->answer.text.size()) {
    one->answer.text += piece.part;
  }
  one->request.text_from = static_cast<std::uint8_t>(one->answer.text.size());
  if (piece.state == AnswerState::under_way) {
    one->pause = pause_under_way;
    one->next = now + pause_under_way;
    one->request.text_from = 0;  // what comes is another text
    return;
  }
  one->complete = one->answer.text.size() >= one->text_size;
  one->pause = first_pause;
  one->next = now;
}

std::optional<Notice> GroundAsker::take_notice(Instant now)
{
  if (now < next_notice_ || asked_.empty()) {
    return std::nullopt;
  }
  const auto one = std::ranges::min_element(
    asked_, {}, [](const Asked & asked) { return asked.complete ? Instant::max() : asked.next; });
  if (one->complete || now < one->next || now >= ends(*one)) {
    return std::nullopt;
  }
  one->next = now + one->pause;
  one->pause = std::max(one->pause, std::min(2 * one->pause, longest_pause));
  next_notice_ = now + notice_interval;
  return to_notice(one->request);
}

Instant GroundAsker::ends(const Asked & one)
{
  const bool begun = one.heard && one.answer.state == AnswerState::under_way;
  return one.last_word + (begun ? patience_under_way : patience);
}

std::optional<AskOutcome> GroundAsker::take_outcome(Instant now)
{
  const auto one = std::ranges::find_if(
    asked_, [now](const Asked & asked) { return asked.complete || now >= ends(asked); });
  if (one == asked_.end()) {
    return std::nullopt;
  }
  AskOutcome outcome{one->request.id, one->complete, std::move(one->answer)};
  asked_.erase(one);
  return outcome;
}

Instant GroundAsker::next_timeout() const
{
  Instant next = Instant::max();
  for (const Asked & one : asked_) {
    if (one.complete) {
      return Instant{};
    }
    next = std::min({next, ends(one), std::max(one.next, next_notice_)});
  }
  return next;
}

}  // namespace pqc_tunnel
