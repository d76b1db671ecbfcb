// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "delivery_rate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t least_window = std::size_t{2} * 1232;
constexpr std::size_t most_window = std::size_t{1} << 20;
constexpr Duration tolerated_growth = std::chrono::milliseconds(20);  // of the round trip
constexpr Duration first_patience = std::chrono::milliseconds(500);
constexpr Duration least_patience = std::chrono::milliseconds(100);
constexpr Duration longest_pause = std::chrono::seconds(1);
constexpr Duration min_rtt_lifetime = std::chrono::seconds(10);
constexpr double growth = 1.25;  // of the rate in a round trip while starting
constexpr double probing_gain = 1.25;
constexpr double yielding_gain = 0.75;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

DeliveryRate::Mark DeliveryRate::mark(bool idle, bool is_last, Instant now) const
{
  return {delivered_, idle || delivered_ == 0 ? now : delivered_at_, is_last};
}

void DeliveryRate::handle_delivered(std::size_t bytes, const Mark & mark, Instant sent, Instant now)
{
  const Duration rtt = std::max<Duration>(now - sent, std::chrono::microseconds(1));
  if (!known_) {
    known_ = true;
    smoothed_rtt_ = min_rtt_ = rtt;
    variation_ = rtt / 2;
    min_rtt_at_ = now;
    round_ends_ = now + rtt;
  }
  variation_ += (Duration(std::abs((rtt - smoothed_rtt_).count())) - variation_) / 4;
  smoothed_rtt_ += (rtt - smoothed_rtt_) / 8;
  if (rtt <= min_rtt_ || now > min_rtt_at_ + min_rtt_lifetime) {
    min_rtt_ = rtt;
    min_rtt_at_ = now;
  }

  delivered_ += bytes;
  delivered_at_ = now;
  const Duration interval = std::max({now - mark.delivered_at, min_rtt_, Duration(1)});
  const double sample = static_cast<double>(delivered_ - mark.delivered) / seconds(interval);
  if (mark.is_last && sample <= bytes_per_s()) {
    return;
  }
  rates_[round_] = std::max(rates_[round_], sample);
  if (starting_) {
    start_window_ = std::min(start_window_ + bytes, most_window);
  }
  if (now < round_ends_) {
    return;
  }
  round_ends_ = now + smoothed_rtt_;
  if (starting_) {
    rounds_without_growth_ = bytes_per_s() > rate_before_ * growth ? 0 : rounds_without_growth_ + 1;
    rate_before_ = bytes_per_s();
    starting_ = rounds_without_growth_ < 3 && !is_stretched();
  }
  round_ = (round_ + 1) % rounds;
  rates_[round_] = 0;
}

void DeliveryRate::handle_silence()
{
  starting_ = true;
  start_window_ = least_window;
  rounds_without_growth_ = 0;
  rate_before_ = 0;
  rates_.fill(0);
}

double DeliveryRate::bytes_per_s() const { return *std::ranges::max_element(rates_); }

bool DeliveryRate::is_stretched() const
{
  return smoothed_rtt_ > min_rtt_ + min_rtt_ / 4 + tolerated_growth;
}

std::size_t DeliveryRate::window() const
{
  if (!known_ || starting_) {
    return start_window_;
  }
  const double on_the_way = bytes_per_s() * seconds(min_rtt_ + tolerated_growth);
  const double gain = is_stretched() ? yielding_gain : 1.5;
  return std::clamp(static_cast<std::size_t>(on_the_way * gain), least_window, most_window);
}

Duration DeliveryRate::pause(std::size_t bytes) const
{
  if (!known_ || starting_) {
    return {};
  }
  const double rate = bytes_per_s() * (is_stretched() ? yielding_gain : probing_gain);
  if (rate < 1) {
    return {};
  }
  // Even a link that delivered next to nothing is tried again.
  return std::min(Duration(std::llround(static_cast<double>(bytes) / rate * 1e9)), longest_pause);
}

Duration DeliveryRate::patience() const
{
  return known_ ? std::max(smoothed_rtt_ + 4 * variation_ + tolerated_growth, least_patience)
                : first_patience;
}

}  // namespace pqc_tunnel
