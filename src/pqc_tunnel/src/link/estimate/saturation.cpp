// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "saturation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace pqc_tunnel
{
namespace
{

using std::chrono::milliseconds;
using std::chrono::seconds;

// Bytes per second. A link that delivers more is no radio: a computer is overloaded, and a queue would load it further.
constexpr double most_limited = 2e6;
constexpr Duration least_long_queue = milliseconds(100);
// One or two frames: a frame waits behind so many bytes even on an empty link.
constexpr double long_queue_bytes = 600;
constexpr double delivered_at_most = 0.97;  // share of what was offered if the link is full
constexpr double most_is_lost = 0.6;
constexpr double overflowing = 0.8;     // of what was offered, or less
constexpr double least_streamed = 0.7;  // of the pace of streams, which the other end has sent
constexpr double most_streamed = 1.4;
constexpr Duration view_time = seconds(6);  // a little longer than what a report covers
constexpr double most_chance_loss = 0.5;
constexpr double chance_loss_gain = 0.1;
constexpr Duration full_time = seconds(4);
constexpr Duration full_time_limited = milliseconds(1500);

// A test sends one of these shares of what the link delivers, by the depth of the queue.
constexpr Duration deep_queue = milliseconds(500);
constexpr double share_of_deep = 0.5;
constexpr double share_of_shallow = 0.7;
constexpr Duration test_margin = seconds(1);
constexpr std::size_t samples_to_fail = 8;
constexpr Duration longest_drain = seconds(30);
constexpr Duration longest_wait = seconds(20);  // for samples after the drain
constexpr double most_overrated = 8;  // a report covers a time before the link became slower
constexpr Duration first_pause = seconds(60);
constexpr Duration longest_pause = std::chrono::minutes(4);

constexpr Duration longest_way = seconds(3);
constexpr Duration crowded_time = seconds(30);  // in less the queue would return with small frames
constexpr double share_at_first = 0.9;
constexpr Duration between_raises = seconds(4);
constexpr double wanted = 0.8;  // share of the rate that must be offered before it is raised
// Growing factors find the rate of a link that has become faster. The first are so small that a queue is seen before it
// is full.
constexpr std::array raises = {1.05, 1.05, 1.05, 1.05, 1.1, 1.2, 1.4, 1.5};
constexpr double idle_below = 0.5;  // share of the rate; low, since bundles save bytes
constexpr Duration idle_time = seconds(30);
constexpr double faster = 1.1;                            // factor over the capacity that was found
constexpr Duration calm_time = std::chrono::minutes(10);  // without a queue

}  // namespace

Duration Saturation::long_queue(double rate) const
{
  return std::max(least_long_queue, from_seconds(long_queue_bytes / std::max(rate, floor_)));
}

void Saturation::handle_delay(Duration delay, Instant now)
{
  queue_.handle_delay(delay, state_ == State::testing || is_long(), now);
  if (queue_.newest() >= long_queue(reference())) {
    crowded_until_ = now + crowded_time;
  }
  note_chance_loss(now);
  if (state_ == State::testing) {
    test(now);
  }
  make_way(now);
}

void Saturation::set_exchanging(bool exchanging, Instant now)
{
  exchanging_ = exchanging;
  make_way(now);
}

// One delay is enough: a mistake costs little, because this ends with the exchange, and soon.
void Saturation::make_way(Instant now)
{
  if (!exchanging_ || rate_) {
    way_since_.reset();
  } else if (
    !way_since_ && queue_.known() && queue_.newest() >= long_queue(reference()) && loses_by_queue())
  {
    way_since_ = now;
  }
  makes_way_ = way_since_ && now < *way_since_ + longest_way;
}

void Saturation::handle_delivery(const Delivery & delivery, Instant now)
{
  newest_ = delivery;
  switch (state_) {
    case State::watching:
      watch(now);
      break;
    case State::testing:
      test(now);
      break;
    case State::limiting:
      limit(now);
      break;
  }
}

// Called with each delay: a report may show the losses of a queue before delays show the queue.
void Saturation::note_chance_loss(Instant now)
{
  if (!queue_.known() || queue_.most() >= long_queue(reference())) {
    short_since_.reset();
  } else if (!short_since_) {
    short_since_ = now;
  } else if (now >= *short_since_ + view_time && newest_.offered >= floor_) {
    const double lost = 1 - newest_.delivered / newest_.offered;
    chance_loss_ += (std::clamp(lost, 0.0, most_chance_loss) - chance_loss_) * chance_loss_gain;
  }
}

bool Saturation::loses_by_queue() const
{
  return newest_.delivered <= delivered_at_most * (1 - chance_loss_) * newest_.offered;
}

bool Saturation::wants_delays() const
{
  return state_ != State::testing && queue_.known() && queue_.most() >= long_queue(reference()) &&
         newest_.delivered <= most_is_lost * newest_.offered;
}

bool Saturation::overflows(Instant now) const
{
  const double taken = newest_.delivered / newest_.streamed.value_or(INFINITY);
  return is_crowded(now) &&
         newest_.delivered <= overflowing * (1 - chance_loss_) * newest_.offered &&
         taken >= least_streamed && taken <= most_streamed;
}

void Saturation::watch(Instant now)
{
  if (!is_long() || !loses_by_queue() || newest_.delivered < floor_) {
    full_since_.reset();
  } else {
    full_since_ = full_since_.value_or(now);
  }
  const bool lasts = full_since_ && now >= *full_since_ + full_time;
  if ((lasts || overflows(now)) && now >= not_before_ && newest_.delivered <= most_limited) {
    capacity_ = capacity();
    begin_test(now);
  }
}

void Saturation::begin_test(Instant now)
{
  state_ = State::testing;
  least_capacity_ = capacity_ / most_overrated;
  share_ = queue_.most() > deep_queue ? share_of_deep : share_of_shallow;
  rate_ = std::max(floor_, share_ * capacity_);
  begun_ = draining_since_ = now;
  deepest_ = Duration{};
  samples_until_drained_.reset();
}

// Returns when the queue must be empty: the link delivers more than it gets.
Instant Saturation::drained() const
{
  const Duration time = test_margin + from_seconds(in_seconds(deepest_) / (1 - share_));
  return std::min(draining_since_ + time, begun_ + longest_drain);
}

void Saturation::test(Instant now)
{
  // All of the newest delays must be short: on a link with much jitter some always are.
  if (is_short() && queue_.most() < long_queue(reference())) {
    pass(now);
    return;
  }
  if (is_long() && loses_by_queue()) {
    const double before =
      std::exchange(capacity_, std::clamp(capacity(), least_capacity_, capacity_));
    const bool lower = capacity_ < delivered_at_most * before && now < begun_ + view_time;
    draining_since_ = lower ? now : draining_since_;
    rate_ = std::max(floor_, share_ * capacity_);
  }
  deepest_ = std::max(deepest_, queue_.most());
  if (now < drained()) {
    return;
  }
  if (!samples_until_drained_) {
    samples_until_drained_ = queue_.taken();
  }
  const bool seen = queue_.taken() >= *samples_until_drained_ + samples_to_fail;
  if (!seen && now < drained() + longest_wait) {
    return;
  }
  fail(now);
}

void Saturation::pass(Instant now)
{
  state_ = State::limiting;
  rate_before_.reset();
  rate_ = std::max(floor_, share_at_first * capacity_);
  changed_ = calm_since_ = now;
  raises_ = 0;
  pause_ = {};
  full_since_.reset();
  idle_since_.reset();
}

// Reached if the queue is not this end's: the path has become longer, or others fill it.
void Saturation::fail(Instant now)
{
  pause_ = std::clamp<Duration>(2 * pause_, first_pause, longest_pause);
  not_before_ = now + pause_;
  queue_.take_as_base(now);
  full_since_.reset();
  if (!rate_before_) {
    stop_limiting();
    return;
  }
  state_ = State::limiting;
  rate_ = std::exchange(rate_before_, std::nullopt);
  changed_ = calm_since_ = now;
  raises_ = 0;
  idle_since_.reset();
}

void Saturation::limit(Instant now)
{
  if (!is_short() || !leaves_room()) {
    idle_since_.reset();
  } else if (!idle_since_) {
    idle_since_ = now;
  }
  if ((idle_since_ && now >= *idle_since_ + idle_time) || now >= calm_since_ + calm_time) {
    stop_limiting();
    return;
  }
  if (!is_long()) {
    full_since_.reset();
  } else if (!full_since_) {
    full_since_ = calm_since_ = now;
  } else if (now >= *full_since_ + full_time_limited && now >= not_before_) {
    rate_before_ = rate_;
    capacity_ = std::min(capacity(), *rate_);
    begin_test(now);
    return;
  }
  // A raise waits for the next allowed test, without which its queue could not be removed.
  const bool may_raise = now >= std::max(changed_ + between_raises, not_before_);
  if (may_raise && is_short() && newest_.offered >= wanted * *rate_) {
    const auto step = std::min<std::size_t>(static_cast<std::size_t>(raises_++), raises.size() - 1);
    rate_ = *rate_ * raises[step];
    changed_ = now;
  }
}

// True if this end offers so little that the limit is useless: below half the rate, or 80 % on a link that became
// faster.
bool Saturation::leaves_room() const
{
  const bool outgrown = newest_.delivered >= faster * capacity_;
  return newest_.offered < (outgrown ? wanted : idle_below) * *rate_;
}

void Saturation::stop_limiting()
{
  state_ = State::watching;
  rate_.reset();
  rate_before_.reset();
  full_since_.reset();
}

}  // namespace pqc_tunnel
