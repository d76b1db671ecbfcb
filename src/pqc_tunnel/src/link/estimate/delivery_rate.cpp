// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "delivery_rate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t least_parts = 2;  // the window holds as many parts
constexpr double brief = 0.03;          // s
constexpr std::size_t least_brief_part = 256;
constexpr std::size_t most_window = std::size_t{1} << 20;
constexpr Duration least_allowed_queue = std::chrono::milliseconds(4);
constexpr Duration most_allowed_queue = std::chrono::milliseconds(250);
constexpr std::size_t usual_part = 1000;  // bytes
constexpr Duration patience_margin = std::chrono::milliseconds(20);
constexpr Duration first_patience = std::chrono::milliseconds(500);
constexpr Duration least_patience = std::chrono::milliseconds(100);
constexpr Duration longest_pause = std::chrono::seconds(1);
constexpr Duration min_rtt_lifetime = std::chrono::seconds(10);
constexpr double growth = 1.1;       // of the rate in a round trip while starting
constexpr int plateau = 3;           // after so many rounds without growth the start ends
constexpr int yielding_plateau = 8;  // the same for a yielding start, whose rounds grow less
constexpr int yielding_start = 4;    // its window grows by a quarter in a round trip; others double
// A start takes a share of the round trip for jitter, a yielding one up to a time.
constexpr int start_jitter = 4;
constexpr int yielding_jitter = 5;
constexpr Duration most_yielding_jitter = std::chrono::milliseconds(16);
constexpr int doubtful_rounds = 3;
constexpr double most_resumed_loss = 0.05;  // beyond it the rate varies too much to tell
constexpr double probing_gain = 0.25;
constexpr double least_gain = 0.5;
constexpr double most_gain = 1.35;
constexpr double most_loss = 0.4;
constexpr double made_up_for = 0.8;  // share of the loss that is sent in addition
constexpr double loss_memory = 1.0 / 64;
constexpr int growing_share = 8;  // the window may exceed what fits by 1/8 of a round trip
constexpr int newest_samples = 2;

}  // namespace

DeliveryRate::Mark DeliveryRate::mark(bool idle, bool is_last, bool yields, Instant now) const
{
  return {now, delivered_, idle || delivered_ == 0 ? now : delivered_at_, is_last, yields};
}

void DeliveryRate::handle_delivered(std::size_t bytes, Instant now)
{
  delivered_ += bytes;
  delivered_at_ = now;
}

void DeliveryRate::handle_answer(const Mark & mark, Duration waited, Instant now)
{
  const Duration whole = std::max<Duration>(now - mark.sent, std::chrono::microseconds(1));
  const Duration rtt = waited < whole ? whole - waited : whole;
  if (!known_) {
    known_ = true;
    smoothed_rtt_ = min_rtt_ = newest_rtt_ = recent_rtt_ = rtt;
    variation_ = rtt / 2;
    min_rtt_at_ = now;
    round_ends_ = now + rtt;
  }
  variation_ += (Duration(std::abs((rtt - smoothed_rtt_).count())) - variation_) / 4;
  smoothed_rtt_ += (rtt - smoothed_rtt_) / 8;
  note_queue(rtt, now);

  const auto added = static_cast<std::size_t>(delivered_ - std::exchange(grown_at_, delivered_));
  const Duration interval = std::max({now - mark.delivered_at, min_rtt_, Duration(1)});
  const double sample = static_cast<double>(delivered_ - mark.delivered) / in_seconds(interval);
  if (mark.is_last && sample <= bytes_per_s()) {
    return;
  }
  rates_[round_] = std::max(rates_[round_], sample);
  if (starting_) {
    start_window_ =
      std::min(start_window_ + added / (mark.yields ? yielding_start : 1), most_window);
    start_yields_ = mark.yields;
    const Duration jitter = mark.yields
                              ? std::min<Duration>(min_rtt_ / yielding_jitter, most_yielding_jitter)
                              : min_rtt_ / start_jitter;
    if (queue() > allowed_queue() + jitter && resumed_ == 0) {
      starting_ = false;
      doubtful_ = mark.yields ? doubtful_rounds : 0;
      rate_before_ = bytes_per_s();
    }
  }
  if (now < round_ends_) {
    return;
  }
  round_ends_ = now + smoothed_rtt_;
  resumed_ = std::max(resumed_ - 1, 0);
  if (starting_) {
    const bool grows = bytes_per_s() > rate_before_ * growth;
    rounds_without_growth_ = grows ? 0 : rounds_without_growth_ + 1;
    rate_before_ = grows ? bytes_per_s() : rate_before_;
    starting_ = rounds_without_growth_ < (mark.yields ? yielding_plateau : plateau);
  } else if (doubtful_ > 0) {
    // Behind a queue the link delivers no faster, however much is on the way.
    --doubtful_;
    if (bytes_per_s() > rate_before_ * growth && loss_ < most_resumed_loss) {
      starting_ = true;
      doubtful_ = 0;
      resumed_ = doubtful_rounds;
    }
  }
  round_ = (round_ + 1) % rounds;
  rates_[round_] = 0;
}

void DeliveryRate::note_queue(Duration rtt, Instant now)
{
  newest_rtt_ = newest_count_ == 0 ? rtt : std::min(newest_rtt_, rtt);
  if (++newest_count_ >= newest_samples && now >= newest_until_) {
    recent_rtt_ = newest_rtt_;
    newest_count_ = 0;
    newest_until_ = now + smoothed_rtt_ / 4;
  }
  if (rtt <= min_rtt_) {
    min_rtt_ = rtt;
    min_rtt_at_ = now;
    draining_until_.reset();
  } else if (draining_until_ && now >= *draining_until_) {
    min_rtt_ = std::min(newest_rtt_, recent_rtt_);
    min_rtt_at_ = now;
    draining_until_.reset();
  } else if (!draining_until_ && now > min_rtt_at_ + min_rtt_lifetime) {
    draining_until_ = now + 2 * smoothed_rtt_;
  }
}

Duration DeliveryRate::queue() const
{
  return std::max<Duration>(
    (newest_count_ > 0 ? std::min(newest_rtt_, recent_rtt_) : recent_rtt_) - min_rtt_, Duration{});
}

void DeliveryRate::handle_arrived() { loss_ -= loss_ * loss_memory; }

void DeliveryRate::handle_lost() { loss_ += (1 - loss_) * loss_memory; }

void DeliveryRate::handle_silence()
{
  starting_ = true;
  doubtful_ = resumed_ = 0;
  start_window_ = least_parts * universal_payload;
  rounds_without_growth_ = 0;
  rate_before_ = 0;
  rates_.fill(0);
}

double DeliveryRate::bytes_per_s() const { return *std::ranges::max_element(rates_); }

// A queue of one part must be allowed: data behind a part waits until that has been sent.
Duration DeliveryRate::allowed_queue() const
{
  const auto part = static_cast<double>(std::min(usual_part, brief_part()));
  const Duration airtime(std::llround(part / std::max(bytes_per_s(), 1.0) * 1e9));
  return std::clamp(airtime, least_allowed_queue, most_allowed_queue);
}

// Returns the share of sent bytes that arrives, counting only the loss that is made up for.
double DeliveryRate::arriving() const { return 1 - made_up_for * std::min(loss_, most_loss); }

// Returns a factor above 1 while nothing queues, and below 1 while more queues than may.
double DeliveryRate::gain() const
{
  const double waiting = in_seconds(queue()) / in_seconds(allowed_queue());
  const double gain = (1 + probing_gain * (1 - waiting)) / arriving();
  return std::clamp(gain, least_gain, most_gain);
}

std::size_t DeliveryRate::window() const
{
  if (!known_ || starting_) {
    return start_window_;
  }
  if (draining_until_) {
    return least_window();
  }
  // The window exceeds the allowed queue only if that is short and nothing queues. Otherwise the pace, which follows
  // the queue late, would oscillate.
  const Duration growing = queue() < allowed_queue() / 2 ? min_rtt_ / growing_share : Duration{};
  const Duration room = std::max(2 * allowed_queue(), growing);
  const double on_the_way = bytes_per_s() * in_seconds(min_rtt_ + room) / arriving();
  return std::clamp(static_cast<std::size_t>(on_the_way), least_window(), most_window);
}

// While starting, the rate may be much higher than the estimate.
std::size_t DeliveryRate::brief_part() const
{
  return starting_ ? most_window
                   : std::max(static_cast<std::size_t>(bytes_per_s() * brief), least_brief_part);
}

std::size_t DeliveryRate::least_window() const
{
  return least_parts * std::min(universal_payload, brief_part());
}

Duration DeliveryRate::pause(std::size_t bytes) const
{
  if (!known_ || (starting_ && !start_yields_)) {
    return {};
  }
  const double rate = starting_
                        ? most_gain * static_cast<double>(start_window_) / in_seconds(min_rtt_)
                        : bytes_per_s() * gain();
  if (rate < 1) {
    return {};
  }
  // Even a link that delivered next to nothing is tried again.
  return std::min(Duration(std::llround(static_cast<double>(bytes) / rate * 1e9)), longest_pause);
}

Duration DeliveryRate::patience(int silences) const
{
  Duration patience = first_patience;
  if (known_) {
    patience = smoothed_rtt_ + 4 * variation_ + patience_margin;
    // A first timeout that comes too early costs little: few bytes are sent again.
    patience = silences == 0 ? patience : std::max(patience, least_patience);
  }
  return patience * (1 << std::min(silences, 2));
}

}  // namespace pqc_tunnel
