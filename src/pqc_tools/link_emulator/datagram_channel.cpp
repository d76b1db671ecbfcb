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
  bit_(seed, 15),
  byte_error_(seed, 16),
  adversary_(seed, 17)
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
  std::optional<Duration> held;
  if (reorder_.happens(settings_.reorder)) {
    held = settings_.reorder_delay;
  }
  const bool twice = duplicate_.happens(settings_.duplicate);
  bool corrupted = corrupt_.happens(settings_.corrupt);
  bool taken = false;
  bool withheld = false;
  for (const Adversary & adversary : settings_.adversaries) {
    const double roll = adversary_.fraction();
    if (datagram.size() < adversary.min_bytes || datagram.size() > adversary.max_bytes) {
      continue;
    }
    taken |= roll < adversary.drop;
    if (roll >= adversary.drop && roll < adversary.drop + adversary.hold) {
      withheld = true;
      held = std::max(held.value_or(Duration::zero()), adversary.hold_time);
    }
  }

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
  // The datagram has used its share of the rate, because a sender does not know of the outage.
  if (cut_ || outages_.end(*sent)) {
    ++counters_.lost_in_outage;
    return;
  }
  if (lost) {
    ++counters_.lost;
    return;
  }
  if (taken) {
    ++counters_.taken;
    return;
  }
  counters_.withheld += withheld ? 1U : 0U;
  Bytes bytes(datagram.begin(), datagram.end());
  corrupted = corrupted && !bytes.empty();
  if (corrupted) {
    flip_a_bit(bytes);
  }
  counters_.corrupted += spoil_bytes(bytes) || corrupted ? 1U : 0U;
  const std::uint64_t number = ++last_number_;
  if (twice) {
    ++counters_.duplicated;
    deliver(number, bytes, *sent, jitter, held);
    deliver(number, std::move(bytes), *sent, copy_jitter, std::nullopt);
  } else {
    deliver(number, std::move(bytes), *sent, jitter, held);
  }
}

void DatagramChannel::deliver(
  std::uint64_t number, Bytes bytes, Instant sent, double jitter, std::optional<Duration> held)
{
  // Jitter alone does not reorder; a profile asks for reordering separately.
  Instant at = std::max(sent + settings_.delay + scaled(settings_.jitter, jitter), last_delivery_);
  if (held) {
    at += *held;
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

bool DatagramChannel::spoil_bytes(Bytes & bytes)
{
  if (settings_.byte_errors <= 0.0) {
    return false;
  }
  bool any = false;
  for (std::uint8_t & byte : bytes) {
    if (byte_error_.happens(settings_.byte_errors)) {
      byte ^= static_cast<std::uint8_t>(1 + bit_.next() % 255);
      any = true;
    }
  }
  return any;
}

}  // namespace pqc_tunnel::link_emulator
