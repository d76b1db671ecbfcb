// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/datagram_witness.hpp"

#include <algorithm>

#include "support/traffic.hpp"

namespace pqc_tunnel::test
{
namespace
{

constexpr const char * once = "plaintext is delivered unaltered and never twice";

Side sender_to(Side to) { return other(to); }

}  // namespace

DatagramWitness::DatagramWitness(
  WiredPair & pair, KeyWitness & keys, std::vector<const Suite *> allowed,
  const TunnelSettings & settings)
: pair_(pair),
  keys_(keys),
  replay_window_(settings.replay_window),
  packet_limit_(settings.packet_limits.refuse)
{
  for (const Suite * suite : allowed) {
    allowed_.insert(header_suite(suite->wire_id));
  }
  pair_.watch_arrivals(
    [this](Side to, ByteView datagram, const Opened & opened) { arrived(to, datagram, opened); });
}

Bytes DatagramWitness::plaintext(std::uint32_t number) { return numbered(number, 4 + number % 97); }

bool DatagramWitness::send(Side from)
{
  const std::size_t before = pair_.datagrams_sent(from).size();
  const std::uint32_t number = next_++;
  const InstalledKeys * keys = keys_.sending(from);
  if (!pair_.send(from, plaintext(number))) {
    require(
      keys == nullptr || keys->sent >= packet_limit_, "no datagram is lost because of a rekey",
      "an end with keys does not take a datagram");
    return false;
  }
  // No datagram is sent to an address that the peer has left.
  if (pair_.datagrams_sent(from).size() > before) {
    numbers_[from].push_back(number);
    ++accepted_[from];
  }
  return true;
}

void DatagramWitness::look()
{
  if (seen_) {
    throw *seen_;
  }
  for (const Side from : both_sides) {
    for (Bytes & bytes : pair_.datagrams_sent(from)) {
      look_at(from, std::move(bytes));
    }
    pair_.datagrams_sent(from).clear();
    pair_.received(from).clear();
  }
}

void DatagramWitness::look_at(Side from, Bytes bytes)
{
  ++sealed_;
  for (const std::uint8_t byte : bytes) {
    fingerprint_ = (fingerprint_ ^ byte) * 1099511628211u;
  }
  const auto header = decode_frame_header(bytes);
  require(header.has_value(), once, "an end sends a datagram without a header");
  require(
    allowed_.contains(header->suite), "the suite never falls below the floor",
    "a datagram is sealed with a suite that is not allowed");
  const auto keys = keys_.sealed_under(from, *header);
  require(
    keys.has_value(), "the key one side sends under is installed at the other",
    "a datagram is sealed under keys that its sender does not hold");
  require(
    nonces_[from].emplace(*keys, header->sequence).second, "no (key, nonce) repeats",
    "two datagrams are sealed under one key and sequence number");
  require(
    header->sequence < packet_limit_, "keys are used no longer than they may",
    "a datagram is sealed beyond the packet limit");
  Sealed sent{std::move(bytes), *keys, pair_.now(), std::nullopt, 0};
  if (header->type == FrameType::data) {
    sent.number = numbers_[from].front();
    numbers_[from].pop_front();
  }
  sent_[from].emplace(Name{header->session, header->epoch, header->sequence}, std::move(sent));
}

void DatagramWitness::arrived(Side to, ByteView datagram, const Opened & opened)
{
  try {
    const auto header = decode_frame_header(datagram);
    Sealed * sent = nullptr;
    if (header) {
      auto & all = sent_[sender_to(to)];
      const auto found = all.find(Name{header->session, header->epoch, header->sequence});
      if (found != all.end() && std::ranges::equal(found->second.bytes, datagram)) {
        sent = &found->second;
      }
    }
    const bool authenticated = opened.peer.has_value();
    if (sent == nullptr) {
      require(!authenticated, once, "an end accepts a datagram that the other did not send");
    } else if (authenticated) {
      check_opened(to, *sent, opened);
      auto & highest = highest_[to][sent->keys];
      highest = std::max(highest, header->sequence);
    } else if (sent->opened_by != keys_.process(to)) {
      check_lost(to, *header, *sent);
    }
  } catch (const Violation & violation) {
    seen_ = violation;
  }
}

void DatagramWitness::check_opened(Side to, Sealed & sent, const Opened & opened)
{
  require(sent.opened_by != keys_.process(to), once, "an end accepts a datagram twice");
  sent.opened_by = keys_.process(to);
  keys_.opened(to, sent.keys);
  require(
    opened.forward == sent.number.has_value(), once,
    "a control frame is taken for data or the other way round");
  if (sent.number) {
    require(
      std::ranges::equal(opened.plaintext, plaintext(*sent.number)), once,
      "a datagram comes out altered");
    ++delivered_[to];
  }
}

// It came unaltered and was not opened: there must be a reason other than a rekey.
void DatagramWitness::check_lost(Side to, const FrameHeader & header, const Sealed & sent) const
{
  const auto standing = keys_.standing(to, sent.keys);
  if (standing == KeyWitness::Standing::former || standing == KeyWitness::Standing::given_up) {
    return;  // meant for a process that has crashed, or a session lost for want of datagrams
  }
  const auto highest = highest_.find(to);
  if (highest != highest_.end()) {
    const auto found = highest->second.find(sent.keys);
    if (found != highest->second.end() && header.sequence + replay_window_ <= found->second) {
      return;  // below the replay window
    }
  }
  if (standing == KeyWitness::Standing::gone && pair_.now() >= sent.when + min_overlap) {
    return;  // a late copy
  }
  throw Violation(
    "no datagram is lost because of a rekey",
    standing == KeyWitness::Standing::held ? "an end holds the keys of a datagram and drops it"
    : to == Side::drone ? "the drone does not have the keys of a datagram on its way"
                        : "the GCS does not have the keys of a datagram on its way");
}

}  // namespace pqc_tunnel::test
