// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "rate_search.hpp"

#include <utility>

namespace pqc_tunnel
{
namespace
{

// Limits of the time that a peer's report covers. This end remembers what it sent in that time, so that longer or more
// frequent reports would let the peer take any amount of memory.
constexpr Duration least_view = std::chrono::seconds(4);
constexpr Duration longest_view = std::chrono::minutes(1);
constexpr Duration least_spacing = std::chrono::milliseconds(50);
constexpr Duration exchange_memory = std::chrono::seconds(3);  // after its newest frame

}  // namespace

bool RateSearch::seeks() const
{
  const auto & links = settings_.paths.links;
  return settings_.find_rate && links.size() == 1 && !links[0].is_thin() &&
         links[0].type == LinkType::udp;
}

bool RateSearch::note_exchange(Instant now)
{
  return !std::exchange(exchange_sent_, now) && seeks();
}

void RateSearch::end_exchange(Instant now)
{
  exchange_sent_.reset();
  saturation_.set_exchanging(false, now);
}

void RateSearch::watch_exchange(Instant now)
{
  if (exchange_sent_ && now >= *exchange_sent_ + exchange_memory) {
    exchange_sent_.reset();
  }
  saturation_.set_exchanging(exchange_sent_.has_value(), now);
}

void RateSearch::handle_delay(Duration delay, Instant now)
{
  if (seeks()) {
    saturation_.handle_delay(delay, now);
    watch_exchange(now);
  }
}

// Compares what this end has sent in the time that the report covers with what of it has arrived.
void RateSearch::handle_report(
  const LinkView & received, const TrafficCounters & sent, std::optional<double> streamed,
  Instant now)
{
  const bool too_soon = !offered_.empty() && now < offered_.back().at + least_spacing;
  if (!seeks() || too_soon || received.window > longest_view) {
    return;
  }
  const std::size_t header = settings_.paths.links[0].line_bytes(0);
  offered_.push_back({now, sent.cipher_out_bytes + header * sent.cipher_out_packets});
  while (offered_.size() > 2 && offered_[1].at <= now - received.window) {
    offered_.pop_front();
  }
  const Duration time = now - offered_.front().at;
  if (received.window < least_view || time < least_view) {
    return;
  }
  const auto bytes = static_cast<double>(offered_.back().line_bytes - offered_.front().line_bytes);
  saturation_.handle_delivery(
    {bytes / in_seconds(time),
     received.bytes_per_s + static_cast<double>(header) * received.packets_per_s, streamed},
    now);
  watch_exchange(now);
}

}  // namespace pqc_tunnel
