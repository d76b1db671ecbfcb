// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// What must hold of a schedule once the mishaps are over.

#include <algorithm>

#include "simulator/schedule.hpp"
#include "simulator/thin_link_check.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration calm_interval = 50ms;
constexpr Duration oldest_keys = 25s;  // of schedules that expect a renewal by age
constexpr Duration failover_interval = 3ms;
constexpr std::uint64_t most_limited_packets = 2000;  // under one key, where they are limited

}  // namespace

void Schedule::recover()
{
  for (auto & [side, until] : down_until_) {
    until = std::min(until, pair_->now());
  }
  start_again();
  anchor_.update_drone();
  cut_until_ = {};
  journal_.note(pair_->now(), "calm");
  require(
    run_until([this] { return pair_->agreed(); }, 90s, calm_interval),
    "once losses stop both ends reach the same epoch",
    "the ends do not agree after a minute and a half of calm");
  require(
    run_until(
      [this] {
        return handshakes_->unanswered(Side::drone) + handshakes_->unanswered(Side::gcs) == 0;
      },
      125s, 500ms),
    "every request has one outcome", "a request for a rekey is never answered");
  expect_rekey();
  expect_renewal_beside_ratchets();
  expect_rekeys_beside_a_thief();
  expect_clean_traffic();
  if (has_two_links()) {
    expect_failover();
  } else {
    expect_relay_in_vain();
    expect_no_reflection();
  }
  expect_commands_kept(seed_);
  expect_strangers_last(seed_);
  expect_fetch_kept(seed_);
}

void Schedule::expect_rekey()
{
  for (int tries = 0; tries < 4; ++tries) {
    ask_for_rekey(Side::drone, suites_[below(suites_.size())]);
    run_until([this] { return handshakes_->unanswered(Side::drone) == 0; }, 125s, calm_interval);
    if (handshakes_->last_succeeded()) {
      return;
    }
    run_until([] { return false; }, 5s, 500ms);
  }
  throw Violation("once losses stop a rekey succeeds", "no rekey succeeds in calm");
}

// Ratchets make new keys from the old ones, and put off no key exchange. Where keys may be old, that takes too long here.
void Schedule::expect_renewal_beside_ratchets()
{
  if (settings_.max_key_age > oldest_keys) {
    return;
  }
  const std::uint32_t before = pair_->snapshot(Side::drone).handshakes;
  const Instant end = pair_->now() + settings_.max_key_age + 10s;
  while (pair_->now() < end) {
    ask_for_rekey(Side::drone, nullptr, true);
    run_until([] { return false; }, 2s, calm_interval);
  }
  require(
    pair_->snapshot(Side::drone).handshakes > before, "keys are exchanged by their age",
    "no keys are exchanged while ratchets run");
}

// Whoever has the PSK alone begins sessions, and finishes none where the drone signs.
void Schedule::expect_rekeys_beside_a_thief()
{
  if (!settings_.mode.drone_signature) {
    return;
  }
  journal_.note(pair_->now(), "somebody begins sessions with the drone's PSK");
  thief_.emplace(*pair_, settings_);
  expect_rekey();
  expect_rekey();
  thief_.reset();
}

void Schedule::expect_clean_traffic()
{
  require(
    run_until([this] { return pair_->agreed(); }, 10s, calm_interval),
    "once losses stop both ends reach the same epoch", "the ends do not agree after a rekey");
  run_until([] { return false; }, longest_round_trip() + 1s, std::nullopt);
  std::map<Side, std::uint64_t> before;
  std::map<Side, std::uint64_t> sent;
  for (const Side side : both_sides) {
    before[side] = datagrams_->delivered(side);
    sent[side] = datagrams_->accepted(side);
  }
  run_until([] { return false; }, 2s, calm_interval);
  run_until([] { return false; }, longest_round_trip() + 1s, std::nullopt);
  for (const Side side : both_sides) {
    require(
      datagrams_->delivered(side) - before[side] ==
        datagrams_->accepted(other(side)) - sent[other(side)],
      "no datagram is lost because of a rekey", "datagrams are lost on a link without loss");
  }
}

// Calm, but for one link that is cut: copies lose nothing, failover only what it sends until it knows. Keys that are used
// up after few packets are not renewed fast enough for that, and what is sent until the next session is lost.
void Schedule::expect_failover()
{
  if (settings_.packet_limits.refuse <= most_limited_packets) {
    return;
  }
  const std::size_t link = below(cut_until_.size());
  run_until([] { return false; }, 5s, calm_interval);  // both links are up again
  run_until([] { return false; }, longest_round_trip() + 1s, std::nullopt);
  run_until([] { return false; }, 2s, failover_interval);
  const auto missing = [this](Side side) {
    return datagrams_->accepted(other(side)) - datagrams_->delivered(side);
  };
  const Instant cut_at = pair_->now();
  std::map<Side, std::uint64_t> before;
  run_until([] { return false; }, longest_round_trip() + 1s, std::nullopt);
  for (const Side side : both_sides) {
    before[side] = missing(side);
  }
  run_until([] { return false; }, 1s, failover_interval);
  cut_until_.at(link) = cut_at + 1h;
  run_until([] { return false; }, 3s, failover_interval);
  run_until([] { return false; }, longest_round_trip() + 1s, std::nullopt);
  cut_until_ = {};
  const bool copies = settings_.paths.schedule == pqc_tunnel::Schedule::redundant;
  const Duration one_way = latency_ + weather_.second_is_slower;
  const auto most = copies ? 0
                           : static_cast<std::uint64_t>(
                               (settings_.paths.failover + 3 * one_way) / failover_interval + 1);
  for (const Side side : both_sides) {
    require(
      missing(side) - before[side] <= most, "a link that is cut costs what the schedule says",
      "more datagrams are lost than until the failure shows");
  }
}

// Somebody who repeats the drone's datagrams from an address of his own, before they arrive themselves, gets copies, and
// takes nothing away from the drone.
void Schedule::expect_relay_in_vain()
{
  const auto missing = [this] {
    return datagrams_->taken(Side::gcs) - datagrams_->delivered(Side::drone);
  };
  const std::uint64_t before = missing();
  relaying_ = true;
  run_until([] { return false; }, 2s, calm_interval);
  relaying_ = false;
  run_until([] { return false; }, longest_round_trip() + 1s, std::nullopt);
  require(
    missing() == before, "an address takes no traffic away before it has answered",
    "the drone loses datagrams to somebody who repeats its own from elsewhere");
}

// Somebody has one frame come from the address of a third party before it arrives itself.
void Schedule::expect_no_reflection()
{
  for (const Side from : both_sides) {
    pair_->sent_elsewhere(other(from)).clear();
    readdress_ = from;
    run_until([this] { return !readdress_; }, 2s, calm_interval);
    run_until([] { return false; }, 4s, calm_interval);
    std::size_t sent = 0;
    for (const auto & [to, bytes] : pair_->sent_elsewhere(other(from))) {
      sent += to == WiredPair::stranger() ? bytes.size() : 0;
    }
    require(
      sent <= 3 * readdressed_, "an address that has not answered gets three times what it sent",
      "somebody has an end flood a third party");
  }
}

}  // namespace pqc_tunnel::test
