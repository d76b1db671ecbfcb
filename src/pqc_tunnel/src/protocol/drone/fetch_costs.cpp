// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "fetch_costs.hpp"

#include <algorithm>
#include <tuple>

#include "protocol/handshake/key_messages.hpp"
#include "protocol/streams/part_sizes.hpp"
#include "protocol/wire/control_frame.hpp"

namespace pqc_tunnel
{
namespace
{

std::size_t size_of(const ControlBody & body) { return frame_overhead + encode({0, body}).size(); }

// Returns the bytes of a message in parts of `payload` bytes, with an acknowledgement of every `parts_per_ack` parts.
std::size_t message_cost(
  std::size_t message, std::size_t payload, std::size_t parts_per_ack, const LinkSettings & link)
{
  const std::size_t bytes = payload - StreamPart::header_size;
  const std::size_t parts = (message + bytes - 1) / bytes;
  const std::size_t last = message - (parts - 1) * bytes;
  static const std::size_t ack = size_of(StreamAck{});
  return (parts - 1) * link.line_bytes(frame_overhead + payload) +
         link.line_bytes(frame_overhead + StreamPart::header_size + last) +
         (parts + parts_per_ack - 1) / parts_per_ack * link.line_bytes(ack);
}

std::optional<Duration> time_of(std::size_t bytes, std::optional<double> rate)
{
  if (!rate || *rate <= 0) {
    return std::nullopt;
  }
  return from_seconds(static_cast<double>(bytes) / *rate);
}

}  // namespace

std::vector<const Suite *> suites_by_kem(
  const Suite & active, const std::vector<const Suite *> & usable)
{
  std::vector<const Suite *> suites;
  const auto unlike = [&](const Suite & one) {
    return std::tuple(one.signature != active.signature, one.aead != active.aead);
  };
  for (const Suite * suite : usable) {
    const auto known =
      std::ranges::find(suites, suite->kem, [](const Suite * other) { return other->kem; });
    if (known == suites.end()) {
      suites.push_back(suite);
    } else if (unlike(*suite) < unlike(**known)) {
      *known = suite;
    }
  }
  return suites;
}

std::vector<KemFetch> fetch_costs(
  const std::vector<const Suite *> & suites, HandshakeMode mode, const LinkSettings & link,
  std::optional<double> rate, double airtime)
{
  const std::size_t longest = std::min(link.mtu, universal_payload) - frame_overhead;
  const auto pace = rate ? std::optional(*rate * airtime) : std::nullopt;
  const std::size_t payload = pace ? std::min(longest, paced_payload(link, *pace, rate)) : longest;
  static const std::size_t confirm = size_of(Confirm{});
  static const std::size_t keepalive = size_of(Keepalive{});
  static const std::size_t want = size_of(Want{});
  const std::size_t answers = link.line_bytes(confirm) + 2 * link.line_bytes(keepalive);
  std::vector<KemFetch> costs(suites.size());
  for (std::size_t i = 0; i < suites.size(); ++i) {
    KemFetch & cost = costs[i];
    cost.suite = suites[i];
    cost.fetch_bytes =
      link.line_bytes(want) + message_cost(
                                prekey_size(*cost.suite, mode).max, payload,
                                parts_per_acknowledgement(payload, pace.has_value()), link);
    cost.rekey_bytes = answers + message_cost(
                                   rekey_opening_size + finish_size(*cost.suite, mode).max, longest,
                                   parts_per_acknowledgement(longest, false), link);
    cost.fetch = time_of(cost.fetch_bytes, pace);
    cost.rekey = time_of(cost.rekey_bytes, rate);
  }
  return costs;
}

}  // namespace pqc_tunnel
