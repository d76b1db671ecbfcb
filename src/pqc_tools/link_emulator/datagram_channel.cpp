// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "datagram_channel.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel::link_emulator
{

namespace
{

// Limits the emulator's memory in a flood; datagrams beyond it count as queue drops.
constexpr std::size_t max_in_flight_bytes = std::size_t{64} << 20;

Duration scaled(Duration duration, double factor)
{
  return Duration(static_cast<Duration::rep>(static_cast<double>(duration.count()) * factor));
}

}  // namespace

DatagramChannel::DatagramChannel(
  const ChannelSettings & settings, Bottleneck & bottleneck, std::uint64_t seed, Instant start)
: settings_(settings),
  bottleneck_(bottleneck),
  outages_(settings.outages, start),
  loss_(settings, seed),
  jitter_(seed, 10),
  copy_jitter_(seed, 11),
  reorder_(seed, 12),
  duplicate_(seed, 13),
  corrupt_(seed, 14),
  bit_(seed, 15)
{
}

void DatagramChannel::handle_datagram(ByteView datagram, Instant now)
{
  ++counters_.in;
  counters_.bytes_in += datagram.size();
  // All draws come first, so that each stream of numbers advances once per datagram.
  const bool lost = loss_.takes_next();
  const double jitter = jitter_.fraction();
  const double copy_jitter = copy_jitter_.fraction();
  const bool held_back = reorder_.happens(settings_.reorder);
  const bool twice = duplicate_.happens(settings_.duplicate);
  const bool corrupted = corrupt_.happens(settings_.corrupt);

  const std::size_t size = datagram.size() + settings_.overhead_bytes;
  if (size > settings_.mtu_bytes) {
    ++counters_.oversize;
    return;
  }
  const auto sent = bytes_in_flight_ + datagram.size() > max_in_flight_bytes
                      ? std::nullopt
                      : bottleneck_.send(size, now);
  if (!sent) {
    ++counters_.queue_dropped;
    return;
  }
  // The datagram has used its share of the rate: a sender does not know of the outage.
  if (outages_.end(*sent)) {
    ++counters_.lost_in_outage;
    return;
  }
  if (lost) {
    ++counters_.lost;
    return;
  }
  Bytes bytes(datagram.begin(), datagram.end());
  if (corrupted && !bytes.empty()) {
    ++counters_.corrupted;
    flip_a_bit(bytes);
  }
  const std::uint64_t number = ++last_number_;
  if (twice) {
    ++counters_.duplicated;
    deliver(number, bytes, *sent, jitter, held_back);
    deliver(number, std::move(bytes), *sent, copy_jitter, false);
  } else {
    deliver(number, std::move(bytes), *sent, jitter, held_back);
  }
}

void DatagramChannel::deliver(
  std::uint64_t number, Bytes bytes, Instant sent, double jitter, bool held_back)
{
  // Jitter alone does not reorder; a profile asks for reordering separately.
  Instant at = std::max(sent + settings_.delay + scaled(settings_.jitter, jitter), last_delivery_);
  if (held_back) {
    at += settings_.reorder_delay;
  } else {
    last_delivery_ = at;
  }
  bytes_in_flight_ += bytes.size();
  in_flight_.emplace(at, Flying{number, std::move(bytes)});
}

std::optional<Delivery> DatagramChannel::poll_delivery(Instant now)
{
  const auto first = in_flight_.begin();
  if (first == in_flight_.end() || first->first > now) {
    return std::nullopt;
  }
  Delivery delivery{first->first, std::move(first->second.bytes)};
  const std::uint64_t number = first->second.number;
  in_flight_.erase(first);
  bytes_in_flight_ -= delivery.bytes.size();
  if (number < last_delivered_) {
    ++counters_.reordered;
  }
  last_delivered_ = std::max(last_delivered_, number);
  ++counters_.out;
  counters_.bytes_out += delivery.bytes.size();
  return delivery;
}

Instant DatagramChannel::next_timeout() const
{
  return in_flight_.empty() ? Instant::max() : in_flight_.begin()->first;
}

void DatagramChannel::flip_a_bit(Bytes & bytes)
{
  const std::uint64_t bit = bit_.next() % (bytes.size() * 8);
  bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
}

}  // namespace pqc_tunnel::link_emulator
