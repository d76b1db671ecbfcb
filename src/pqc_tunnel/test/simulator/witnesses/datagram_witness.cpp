// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/witnesses/datagram_witness.hpp"

#include <algorithm>
#include <utility>

#include "support/pair/traffic.hpp"

namespace pqc_tunnel::test
{
namespace
{

constexpr const char * once = "plaintext is delivered unaltered and never twice";

constexpr std::size_t most_fragments = 2;

Side sender_to(Side to) { return other(to); }

}  // namespace

DatagramWitness::DatagramWitness(
  WiredPair & pair, KeyWitness & keys, LifeWitness & life, std::vector<const Suite *> allowed,
  const TunnelSettings & settings, bool holds_back, bool passes_long_ones)
: pair_(pair),
  keys_(keys),
  life_(life),
  allowed_(std::move(allowed)),
  replay_window_(settings.replay_window),
  max_age_(settings.max_age),
  holds_back_(holds_back),
  packet_limit_(settings.packet_limits.refuse),
  copies_(settings.paths.links.size() > 1),
  passes_long_ones_(passes_long_ones)
{
}

// Some datagrams are too long for one frame.
bool DatagramWitness::leaves_in_fragments(std::uint32_t number) const
{
  return passes_long_ones_ && number % 4 == 3;
}

Bytes DatagramWitness::plaintext(std::uint32_t number) const
{
  return numbered(number, (leaves_in_fragments(number) ? universal_payload : 4) + number % 97);
}

bool DatagramWitness::send(Side from)
{
  auto & wire = pair_.datagrams_sent(from);
  const std::uint32_t number = next_++;
  const InstalledKeys * keys = keys_.sending(from);
  wire.clear();  // seen already
  if (!pair_.send(from, plaintext(number))) {
    require(
      keys == nullptr || keys->sent + most_fragments > packet_limit_,
      "no datagram is lost because of a rekey", "an end with keys does not take a datagram");
    return false;
  }
  ++taken_[from];
  // No datagram is sent to an address that the peer has left.
  if (!wire.empty()) {
    ++accepted_[from];
    const bool in_fragments = leaves_in_fragments(number);
    wire.resize(in_fragments ? wire.size() : 1);
    for (Bytes & frame : wire) {
      if (!sent_[from].contains(frame)) {  // otherwise it is a copy
        look_at(from, std::move(frame), number, in_fragments);
      }
    }
    wire.clear();
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
      if (!is_hello(bytes)) {
        look_at(from, std::move(bytes), std::nullopt);
      }
    }
    pair_.datagrams_sent(from).clear();
    pair_.received(from).clear();
  }
}

void DatagramWitness::look_at(
  Side from, Bytes bytes, std::optional<std::uint32_t> number, bool is_fragment)
{
  if (copies_ && sent_[from].contains(bytes)) {
    return;  // the same over another link
  }
  ++sealed_;
  for (const std::uint8_t byte : bytes) {
    fingerprint_ = (fingerprint_ ^ byte) * 1099511628211u;
  }
  const auto header = decode_frame_header(bytes);
  require(header.has_value(), once, "an end sends a datagram without a header");
  const auto keys = keys_.sealed_under(from, *header);
  require(
    keys.has_value(), "the key one side sends under is installed at the other",
    "a datagram is sealed under keys that its sender does not hold");
  const bool boot = keys->suite == nullptr;
  require(
    boot || std::ranges::count(allowed_, keys->suite) == 1, "the suite never falls below the floor",
    "a datagram is sealed with a suite that is not allowed");
  require(!boot || !number, "boot keys carry no data", "a datagram is sealed under boot keys");
  require(
    nonces_[from].emplace(keys->tag, header->sequence).second, "no (key, nonce) repeats",
    "two datagrams are sealed under one key and sequence number");
  require(
    header->sequence < packet_limit_, "keys are used no longer than they may",
    "a datagram is sealed beyond the packet limit");
  if (!boot && !number) {
    life_.sealed(from, bytes);
  }
  Sealed sent{bytes, keys->tag,  header->sequence, boot, number, is_fragment, keys_.process(from),
              0,     pair_.now()};
  sent_[from].emplace(std::move(bytes), std::move(sent));
}

void DatagramWitness::arrived(Side to, ByteView datagram, const Opened & opened)
{
  if (is_hello(datagram)) {
    life_.touched(to);
    return;
  }
  try {
    auto & all = sent_[sender_to(to)];
    const auto found = all.find(Bytes(datagram.begin(), datagram.end()));
    const bool authenticated = opened.peer.has_value();
    if (found == all.end()) {
      require(!authenticated, once, "an end accepts a datagram that the other did not send");
    } else if (authenticated) {
      check_opened(to, found->second, opened);
    } else if (found->second.opened_by != keys_.process(to)) {
      check_lost(to, found->second);
    }
  } catch (const Violation & violation) {
    seen_ = violation;
  }
}

void DatagramWitness::check_opened(Side to, Sealed & sent, const Opened & opened)
{
  require(sent.opened_by != keys_.process(to), once, "an end accepts a datagram twice");
  sent.opened_by = keys_.process(to);
  if (sent.boot) {
    require(!opened.forward, "boot keys carry no data", "an end forwards what boot keys carry");
    return;
  }
  // Ends need not remember exactly when each datagram came.
  require(
    !is_late(to, sent, max_age_ * 9 / 8), "a datagram that was held back is refused",
    "an end accepts a datagram that later ones have overtaken long ago");
  keys_.opened(to, sent.keys);
  life_.opened(to, sent.keys);
  if (!sent.number) {
    life_.opened_control(to, sent.bytes, sent.sealed_at);
  }
  auto & highest = highest_[to][sent.keys];
  if (highest.empty() || highest.back().second < sent.sequence) {
    highest.emplace_back(pair_.now(), sent.sequence);
  }
  if (sent.number && opened.stale) {
    require(
      holds_back_, "no datagram is lost because of a rekey",
      "an end refuses a datagram as too old");
    return;
  }
  if (sent.is_fragment && !opened.forward) {
    return;  // others are missing
  }
  require(
    opened.forward == sent.number.has_value(), once,
    "a control frame is taken for data or the other way round");
  if (sent.number) {
    check_delivered(to, sent, opened);
  }
}

void DatagramWitness::check_delivered(Side to, const Sealed & sent, const Opened & opened)
{
  require(
    std::ranges::equal(opened.plaintext, plaintext(*sent.number)), once,
    "a datagram comes out altered");
  require(
    !sent.is_fragment || assembled_[to].insert(*sent.number).second, once,
    "a datagram is put together twice");
  require(
    pair_.now() <= sent.sealed_at + 2 * max_age_, "a datagram that was held back is refused",
    "an end delivers a datagram that is older than it may be");
  ++delivered_[to];
}

bool DatagramWitness::is_late(Side to, const Sealed & sent, Duration lateness) const
{
  const Instant limit = pair_.now() - lateness;
  const auto superseded = keys_.superseded(to, sent.keys);
  if (superseded && *superseded <= limit) {
    return true;
  }
  const auto end = highest_.find(to);
  if (end == highest_.end()) {
    return false;
  }
  const auto opened = end->second.find(sent.keys);
  if (opened == end->second.end()) {
    return false;
  }
  // Times and sequence numbers both ascend.
  const auto & all = opened->second;
  const auto recent = std::ranges::lower_bound(all, limit, {}, [](auto & it) { return it.first; });
  return recent != all.begin() && std::prev(recent)->second > sent.sequence;
}

// It came unaltered and was not opened: there must be a reason other than a rekey.
void DatagramWitness::check_lost(Side to, const Sealed & sent) const
{
  const auto standing = keys_.standing(to, sent.keys);
  if (
    sent.boot || standing == KeyWitness::Standing::former ||
    standing == KeyWitness::Standing::given_up || standing == KeyWitness::Standing::displaced)
  {
    return;  // meant for a process that has crashed, or a session lost for want of datagrams
  }
  if (standing == KeyWitness::Standing::gone && sent.sealed_by != keys_.process(sender_to(to))) {
    return;  // its sender has crashed, and the new one's session has taken its place
  }
  if (is_late(to, sent, max_age_)) {
    return;
  }
  const auto end = highest_.find(to);
  if (end != highest_.end()) {
    const auto found = end->second.find(sent.keys);
    if (found != end->second.end() && sent.sequence + replay_window_ <= found->second.back().second)
    {
      return;  // below the replay window
    }
  }
  throw Violation(
    "no datagram is lost because of a rekey",
    standing == KeyWitness::Standing::held ? "an end holds the keys of a datagram and drops it"
    : to == Side::drone ? "the drone does not have the keys of a datagram on its way"
                        : "the GCS does not have the keys of a datagram on its way");
}

}  // namespace pqc_tunnel::test
