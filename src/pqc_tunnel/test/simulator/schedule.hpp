// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__SCHEDULE_HPP_
#define SIMULATOR__SCHEDULE_HPP_

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/adversary.hpp"
#include "simulator/weather.hpp"
#include "simulator/witnesses/address_witness.hpp"
#include "simulator/witnesses/anchor_witness.hpp"
#include "simulator/witnesses/blame_witness.hpp"
#include "simulator/witnesses/chain_witness.hpp"
#include "simulator/witnesses/datagram_witness.hpp"
#include "simulator/witnesses/handshake_witness.hpp"
#include "simulator/witnesses/journal.hpp"
#include "simulator/witnesses/key_witness.hpp"
#include "simulator/witnesses/life_witness.hpp"
#include "support/hostile/psk_thief.hpp"

namespace pqc_tunnel::test
{

inline constexpr Duration step_time = std::chrono::milliseconds(100);

// What happened in a schedule, or in several.
struct Account
{
  std::uint64_t schedules = 0;
  std::uint64_t steps = 0;
  Duration simulated{};
  std::uint64_t datagrams = 0;  // sealed
  std::uint64_t handshakes = 0;
  std::uint64_t rekeys = 0;
  std::uint64_t failed_rekeys = 0;
  std::uint64_t crashes = 0;
  std::uint64_t silences = 0;
  std::uint64_t cuts = 0;     // of one of two links
  std::uint64_t taken = 0;    // datagrams by an adversary
  std::uint64_t hostile = 0;  // frames of a hostile drone that were opened
  std::uint64_t fingerprint = 0;

  void add(const Account & other);
};

// What a schedule has that others have by chance, or not at all.
struct Circumstances
{
  bool two_links = false;  // and cuts of one or the other
  bool adversary = false;  // in place of bad weather
  bool fleet = false;      // several drones, one of them hostile; a FleetSchedule
};

struct Failure
{
  std::uint64_t seed;
  std::string invariant;
  std::string text;
  std::vector<std::string> events;  // the last ones before it
};

// A drone and a GCS through a time of mishaps drawn from a seed, then through calm, in which they must recover. The same
// seed, number of steps and suites always give the same run.
class Schedule
{
public:
  Schedule(
    std::uint64_t seed, std::uint64_t steps, std::vector<const Suite *> suites,
    const Circumstances & given = {});

  // Nothing if every invariant held all along.
  std::optional<Failure> run();
  const Account & account() const { return account_; }

private:
  WiredPair::Options circumstances();
  bool holds_back() const;
  Duration longest_round_trip() const;
  void grow_old();
  void step();
  void mishap();
  void start_again();
  void restart(Side side);
  void crash(Side side);
  void fall_silent();
  void stretch();
  void cut_a_link();
  void attack();
  void recover();
  void expect_rekey();
  void expect_clean_traffic();
  void expect_failover();
  void expect_relay_in_vain();
  void expect_no_reflection();
  void expect_renewal_beside_ratchets();
  void expect_rekeys_beside_a_thief();

  void change_anchor();
  void ask_for_key();
  void ask_for_rekey(
    Side side, const Suite * suite, bool ratchet = false, bool one_time_key = false);
  void look();
  // Traffic both ways until the condition holds; false if it doesn't in time.
  bool run_until(
    const std::function<bool()> & condition, Duration limit, std::optional<Duration> interval);
  void run_for(Duration duration)
  {
    run_until([] { return false; }, duration, interval_);
  }

  std::vector<Duration> travel(Side from, Bytes & datagram);
  Duration time_of_job();
  bool anchored() const { return seed_ % 4 == 1; }
  bool has_two_links() const { return settings_.paths.links.size() > 1; }
  bool is_down(Side side) const { return pair_->now() < down_until_.at(side); }
  bool chance(double probability) { return dice_.uniform() < probability; }
  Duration up_to(Duration most);
  std::size_t below(std::size_t bound);
  Side either() { return chance(0.5) ? Side::drone : Side::gcs; }
  void corrupt(Bytes & bytes);

  std::uint64_t seed_;
  std::uint64_t steps_;
  std::vector<const Suite *> suites_;
  Circumstances given_;
  SeededRandom dice_;
  SeededRandom second_dice_;  // of the second link's weather
  SeededRandom fetch_dice_;   // of requests for keys
  Weather weather_;
  Duration latency_;
  Duration interval_;
  TunnelSettings settings_;
  MemoryAnchor anchor_{3};
  AnchorWitness anchors_;
  std::unique_ptr<WiredPair> pair_;
  Journal journal_;
  std::optional<KeyWitness> keys_;
  std::optional<ChainWitness> chain_;
  std::optional<LifeWitness> life_;
  std::optional<AddressWitness> addresses_;
  std::optional<DatagramWitness> datagrams_;
  std::optional<HandshakeWitness> handshakes_;
  std::optional<PskThief> thief_;  // at work, in calm
  Instant next_theft_;
  std::optional<Adversary> adversary_;
  bool sends_data_ = false;
  bool storm_ = false;
  bool relaying_ =
    false;  // somebody repeats what the drone sends, from another address, and is faster
  std::optional<Side> readdress_;  // the next datagram of that end comes from another address first
  std::size_t readdressed_ = 0;    // its bytes
  std::uint8_t link_ = 0;          // by which the datagram goes that travel() sees
  std::map<Side, Instant> silent_until_;  // what leaves there
  std::map<Side, Instant> down_until_;
  std::array<Instant, 2> cut_until_ = {};  // of each link
  Duration stretched_by_{};
  Instant stretched_until_;
  std::deque<Bytes> recorded_;
  std::uint8_t drone_address_ = 1;
  Account account_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__SCHEDULE_HPP_
