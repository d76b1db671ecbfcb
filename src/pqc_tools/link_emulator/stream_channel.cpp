// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_channel.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel::link_emulator
{

namespace
{

constexpr std::size_t header_bytes = 40;  // IPv4 and TCP
constexpr std::size_t shortest_segment = 16;
// How many segments of a connection wait in front of the link, so that it doesn't crowd out others.
constexpr std::size_t most_unsent = 2;
constexpr std::size_t max_in_flight_bytes = std::size_t{4} << 20;
constexpr int most_retransmissions = 8;

std::size_t segment_for(const ChannelSettings & settings)
{
  const std::size_t mtu = std::max(settings.mtu_bytes, header_bytes + shortest_segment);
  return std::min(mtu - header_bytes, StreamChannel::longest_segment);
}

}  // namespace

StreamChannel::StreamChannel(
  const ChannelSettings & settings, Bottleneck & bottleneck, StreamCounters & counters,
  Duration retransmission, std::uint64_t seed, Instant start)
: settings_(settings),
  bottleneck_(bottleneck),
  counters_(counters),
  retransmission_(retransmission),
  segment_bytes_(segment_for(settings)),
  outages_(settings.outages, start),
  loss_chance_(average_loss(settings)),
  loss_(seed, 1),
  jitter_(seed, 10),
  corrupt_(seed, 14)
{
}

Instant StreamChannel::room_at(Instant now) const
{
  if (bytes_in_flight_ + segment_bytes_ > max_in_flight_bytes) {
    return Instant::max();
  }
  return unsent_.size() < most_unsent ? now : unsent_[unsent_.size() - most_unsent];
}

void StreamChannel::handle_bytes(ByteView bytes, Instant now)
{
  ++counters_.segments;
  counters_.bytes_in += bytes.size();
  Instant sent = bottleneck_.send_always(bytes.size() + header_bytes, now);
  Duration wait = retransmission_;
  for (int i = 0; i < most_retransmissions; ++i) {
    if (const auto up_again = outages_.end(sent)) {
      ++counters_.stalled;
      sent = *up_again;
    }
    // A burst has ended before a segment is sent again, so only the average loss counts. The receiver's checksum
    // turns corruption into loss.
    const bool lost = loss_.happens(loss_chance_);
    if (const bool corrupted = corrupt_.happens(settings_.corrupt); !lost && !corrupted) {
      break;
    }
    ++counters_.retransmissions;
    sent += wait;
    wait *= 2;
  }
  while (!unsent_.empty() && unsent_.front() <= now) {
    unsent_.pop_front();
  }
  // Segments leave one after another, each once those before it have arrived.
  last_sent_ = std::max(last_sent_, sent);
  unsent_.push_back(last_sent_);
  deliver({bytes.begin(), bytes.end()}, StreamEnd::none, sent);
}

void StreamChannel::handle_end(StreamEnd end, Instant now)
{
  const Instant sent = bottleneck_.send_always(header_bytes, now);
  deliver({}, end, outages_.end(sent).value_or(sent));
}

void StreamChannel::deliver(Bytes bytes, StreamEnd end, Instant sent)
{
  const auto jitter = static_cast<double>(settings_.jitter.count()) * jitter_.fraction();
  last_delivery_ =
    std::max(sent + settings_.delay + Duration(static_cast<Duration::rep>(jitter)), last_delivery_);
  bytes_in_flight_ += bytes.size();
  in_flight_.push_back({last_delivery_, std::move(bytes), end});
}

std::optional<StreamDelivery> StreamChannel::poll_delivery(Instant now)
{
  if (in_flight_.empty() || in_flight_.front().at > now) {
    return std::nullopt;
  }
  StreamDelivery delivery = std::move(in_flight_.front());
  in_flight_.pop_front();
  bytes_in_flight_ -= delivery.bytes.size();
  counters_.bytes_out += delivery.bytes.size();
  return delivery;
}

Instant StreamChannel::next_timeout() const
{
  return in_flight_.empty() ? Instant::max() : in_flight_.front().at;
}

}  // namespace pqc_tunnel::link_emulator
