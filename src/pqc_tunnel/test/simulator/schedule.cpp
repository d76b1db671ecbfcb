// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/schedule.hpp"

#include <algorithm>

#include "simulator/thin_link_check.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration step_time = 100ms;
constexpr Duration calm_interval = 50ms;
constexpr Duration theft_interval = 500ms;
constexpr Duration oldest_keys = 25s;  // of schedules that expect a renewal by age
constexpr Duration failover_interval = 3ms;
constexpr std::uint64_t most_limited_packets = 2000;  // under one key, where they are limited
constexpr Duration longest_hold = 8s;
constexpr Duration longest_stretch = 4s;
constexpr double least_cuts = 0.03;  // in a step, where cuts are what is asked for
constexpr std::size_t large = 600;   // bytes
constexpr std::size_t longest_recording = 200;
constexpr std::uint64_t old_sessions = 32;  // one schedule in so many begins with one
constexpr std::uint64_t seed_spread = 0x9e3779b97f4a7c15u;

}  // namespace

void Account::add(const Account & other)
{
  schedules += other.schedules;
  steps += other.steps;
  simulated += other.simulated;
  datagrams += other.datagrams;
  handshakes += other.handshakes;
  rekeys += other.rekeys;
  failed_rekeys += other.failed_rekeys;
  crashes += other.crashes;
  silences += other.silences;
  cuts += other.cuts;
  taken += other.taken;
  fingerprint ^= other.fingerprint;
}

Schedule::Schedule(
  std::uint64_t seed, std::uint64_t steps, std::vector<const Suite *> suites,
  const Circumstances & given)
: seed_(seed),
  steps_(steps),
  suites_(std::move(suites)),
  given_(given),
  dice_((seed + 1) * seed_spread),
  second_dice_(seed + seed_spread),
  weather_(Weather::draw(dice_, second_dice_)),
  latency_(1ms + up_to(chance(0.3) ? 200ms : 20ms)),
  interval_(10ms + up_to(40ms)),
  silent_until_{{Side::drone, {}}, {Side::gcs, {}}},
  down_until_{{Side::drone, {}}, {Side::gcs, {}}}
{
  if (given_.adversary) {
    weather_ = weather_.without_network();
  }
  pair_ = std::make_unique<WiredPair>(circumstances());
  keys_.emplace(*pair_, longest_round_trip());
  life_.emplace(*pair_, settings_.wipe_after);
  datagrams_.emplace(*pair_, *keys_, *life_, suites_, settings_, holds_back());
  handshakes_.emplace(*pair_, *keys_, journal_, suites_, settings_.initial_suite);
  blame_.emplace(*pair_);
  addresses_.emplace(*pair_, Adversary::addresses());
  pair_->watch([this] { look(); });
  pair_->watch_arrivals(
    [this](Side to, const Endpoint & from, ByteView datagram, const Opened & opened) {
      datagrams_->arrived(to, datagram, opened);
      addresses_->arrived(to, from, datagram.size());
    });
  pair_->set_channel([this](Side from, Bytes & bytes) { return travel(from, bytes); });
  pair_->set_link_weather([this](Side, std::uint8_t link) -> std::optional<Duration> {
    if (pair_->now() < cut_until_.at(link)) {
      return std::nullopt;
    }
    link_ = link;
    return link == 0 ? Duration{} : weather_.second_is_slower;
  });
  pair_->set_job_filter([this](Side, Job & job) -> std::optional<JobResult> {
    handshakes_->look_at_job(job);
    return std::nullopt;
  });
}

WiredPair::Options Schedule::circumstances()
{
  settings_.suites = SuitePolicy(suites_);
  settings_.initial_suite = suites_[below(suites_.size())];
  settings_.mode.hybrid_x25519 = chance(0.2);
  settings_.mode.drone_signature = chance(0.2);
  settings_.replay_window = chance(0.2) ? 64 : 1024;
  settings_.wipe_after = chance(0.3) ? 4s + up_to(10s) : 600s;
  settings_.max_key_age = chance(0.1) ? 5s + up_to(20s) : 1h;
  if (chance(0.1)) {
    settings_.packet_limits.ask_rekey = 50 + below(500);
    settings_.packet_limits.refuse = settings_.packet_limits.ask_rekey + 50 + below(500);
  }
  if (chance(0.4) || given_.two_links) {
    settings_.paths.links = {{.name = "lte", .mtu = 9216}, {.name = "radio", .mtu = 9216}};
    settings_.paths.schedule =
      chance(0.5) ? pqc_tunnel::Schedule::failover : pqc_tunnel::Schedule::redundant;
  }
  WiredPair::Options options;
  options.settings = settings_;
  options.seed = seed_;
  options.latency = latency_;
  options.drone_ahead = std::chrono::seconds(seed_ % 4096);
  options.time_of_job = [this](const Job &) { return time_of_job(); };
  for (const Suite * suite : suites_) {
    options.identities.push_back(suite->signature);
  }
  return options;
}

bool Schedule::holds_back() const
{
  const auto & [first, second] = weather_.links;
  const bool held = first.hold > 0 || (has_two_links() && second.hold > 0);
  return held || weather_.stretch > 0 || weather_.attack > 0 || given_.adversary;
}

Duration Schedule::longest_round_trip() const
{
  const auto & [first, second] = weather_.links;
  const Duration jitter = has_two_links() ? std::max(first.jitter, second.jitter) : first.jitter;
  const Duration extra = holds_back() ? Duration(max_overlap) : jitter;
  return 2 * (latency_ + extra);
}

// --- The run ---

std::optional<Failure> Schedule::run()
{
  account_ = {.schedules = 1};
  const Instant start = pair_->now();
  std::optional<Failure> failure;
  try {
    if (seed_ % old_sessions == 0) {
      grow_old();
    }
    storm_ = true;
    if (given_.adversary) {
      adversary_.emplace(*pair_, dice_, latency_, steps_ * step_time);
    }
    for (std::uint64_t i = 0; i < steps_; ++i) {
      step();
    }
    storm_ = false;
    recover();
  } catch (const Violation & violation) {
    failure = Failure{seed_, violation.invariant(), violation.what(), journal_.lines()};
  } catch (const std::exception & fault) {
    failure = Failure{
      seed_, "no (key, nonce) repeats, and no end spins or fails", fault.what(), journal_.lines()};
  }
  if (failure && adversary_) {
    const auto rules = adversary_->describe();
    failure->events.insert(failure->events.begin(), rules.begin(), rules.end());
  }
  account_.simulated = pair_->now() - start;
  account_.datagrams = datagrams_->sealed();
  account_.handshakes = handshakes_->handshakes();
  account_.rekeys = handshakes_->rekeys();
  account_.failed_rekeys = handshakes_->failures();
  account_.fingerprint = datagrams_->fingerprint();
  return failure;
}

// Until the last epochs of the session, or over its end.
void Schedule::grow_old()
{
  run_until([this] { return pair_->agreed(); }, 10s, std::nullopt);
  for (std::size_t left = 253 + below(6); left > 0; --left) {
    ask_for_rekey(Side::drone, nullptr);
    run_until([this] { return handshakes_->unanswered(Side::drone) == 0; }, 125s, std::nullopt);
  }
}

void Schedule::step()
{
  ++account_.steps;
  mishap();
  run_for(step_time);
}

// What ran while the process was down was cut off from everything, and is forgotten.
void Schedule::start_again()
{
  for (const Side side : both_sides) {
    Instant & until = down_until_.at(side);
    if (until != Instant{} && pair_->now() >= until) {
      until = {};
      journal_.note(pair_->now(), std::string(name_of(side)) + " starts again");
      restart(side);
    }
  }
}

void Schedule::restart(Side side)
{
  pair_->restart(side);
  keys_->restarted(side);
  life_->restarted(side);
  handshakes_->restarted(side);
}

void Schedule::mishap()
{
  start_again();
  if (chance(weather_.crash)) {
    crash(either());
  }
  if (chance(weather_.stretch)) {
    stretch();
  }
  if (chance(weather_.attack) && !recorded_.empty()) {
    attack();
  }
  if (chance(weather_.silence)) {
    fall_silent();
  }
  const double cut = given_.two_links ? std::max(weather_.cut, least_cuts) : weather_.cut;
  if (has_two_links() && chance(cut)) {
    cut_a_link();
  }
  if (chance(weather_.roam)) {
    drone_address_ = drone_address_ == 1 ? 101 : 1;
    journal_.note(pair_->now(), "the drone has another address");
    pair_->move_to(Side::drone, WiredPair::stranger(drone_address_));
  }
  const Side asked = either();
  if (chance(weather_.rekey) && !is_down(asked)) {
    const std::size_t pick = below(suites_.size() + 1);
    ask_for_rekey(asked, pick < suites_.size() ? suites_[pick] : nullptr, chance(0.3));
  }
}

void Schedule::crash(Side side)
{
  ++account_.crashes;
  const Duration downtime = chance(0.5) ? Duration{} : up_to(weather_.longest_downtime);
  journal_.note(pair_->now(), std::string(name_of(side)) + " crashes");
  restart(side);
  down_until_.at(side) = downtime > Duration{} ? pair_->now() + downtime : Instant{};
}

void Schedule::fall_silent()
{
  ++account_.silences;
  const Instant until = pair_->now() + up_to(weather_.longest_silence);
  const std::size_t which = below(3);
  for (const Side side : both_sides) {
    if (which == 2 || which == static_cast<std::size_t>(side)) {
      silent_until_.at(side) = until;
      journal_.note(pair_->now(), std::string("no datagram passes from ") + name_of(side));
    }
  }
}

void Schedule::cut_a_link()
{
  ++account_.cuts;
  const std::size_t link = below(cut_until_.size());
  cut_until_.at(link) = pair_->now() + up_to(weather_.longest_cut);
  journal_.note(pair_->now(), "link " + std::to_string(link) + " is cut");
}

void Schedule::stretch()
{
  stretched_by_ = up_to(longest_stretch);
  stretched_until_ = pair_->now() + up_to(longest_hold);
  journal_.note(pair_->now(), "datagrams take longer");
}

// From another address, to either end: as it was, or altered.
void Schedule::attack()
{
  Bytes datagram = recorded_[below(recorded_.size())];
  if (chance(0.3)) {
    corrupt(datagram);
  }
  if (chance(0.1)) {
    datagram.resize(1 + below(datagram.size()));
  }
  const Side to = either();
  if (!is_down(to)) {
    pair_->inject(to, datagram, WiredPair::stranger());
    look();
  }
}

// --- Calm ---

void Schedule::recover()
{
  for (auto & [side, until] : down_until_) {
    until = std::min(until, pair_->now());
  }
  start_again();
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

void Schedule::ask_for_rekey(Side side, const Suite * suite, bool ratchet)
{
  handshakes_->request_rekey(side, suite, ratchet);
  look();
}

void Schedule::look()
{
  keys_->look();
  blame_->look();
  life_->look_at_events();
  handshakes_->look();  // forgets the events
  datagrams_->look();
  life_->look();
  addresses_->look();
}

bool Schedule::run_until(
  const std::function<bool()> & condition, Duration limit, std::optional<Duration> interval)
{
  const Instant end = pair_->now() + limit;
  if (!interval) {
    return pair_->run_until(condition, limit);
  }
  while (!condition() && pair_->now() < end) {
    if (thief_ && pair_->now() >= next_theft_) {
      next_theft_ = pair_->now() + theft_interval;
      thief_->begin_session(WiredPair::stranger(99));  // an address of its own, where it answers
    }
    for (const Side from : both_sides) {
      if (!is_down(from)) {
        sends_data_ = true;
        datagrams_->send(from);
        sends_data_ = false;
        look();
      }
    }
    pair_->run_for(std::min<Duration>(*interval, end - pair_->now()));
  }
  return condition();
}

// --- The network ---

Duration Schedule::up_to(Duration most)
{
  return std::chrono::duration_cast<Duration>(most * dice_.uniform());
}

std::size_t Schedule::below(std::size_t bound)
{
  return std::min(
    static_cast<std::size_t>(dice_.uniform() * static_cast<double>(bound)), bound - 1);
}

void Schedule::corrupt(Bytes & bytes)
{
  bytes[below(bytes.size())] ^= static_cast<std::uint8_t>(1 + below(255));
}

std::vector<Duration> Schedule::travel(Side from, Bytes & datagram)
{
  if (is_down(Side::drone) || is_down(Side::gcs)) {
    return {};
  }
  if (datagram.size() > weather_.largest) {
    return {};
  }
  if (relaying_ && from == Side::drone) {
    pair_->deliver_later(Side::gcs, datagram, WiredPair::stranger(), latency_ / 2);
  }
  if (readdress_ == from) {
    readdress_.reset();
    readdressed_ = datagram.size();
    pair_->deliver_later(other(from), datagram, WiredPair::stranger(), latency_ / 2);
  }
  if (!storm_) {
    return {Duration{}};
  }
  const LinkWeather & weather = weather_.links.at(link_);
  recorded_.push_back(datagram);
  if (recorded_.size() > longest_recording) {
    recorded_.pop_front();
  }
  if (pair_->now() < silent_until_.at(from)) {
    return {};
  }
  if (adversary_) {
    if (auto delays = adversary_->handle(from, datagram, sends_data_)) {
      ++account_.taken;
      return *delays;
    }
  }
  if (chance(weather.corruption)) {
    corrupt(datagram);
  }
  std::vector<Duration> copies;
  const Duration stretched = pair_->now() < stretched_until_ ? stretched_by_ : Duration{};
  const bool too_large = datagram.size() > large && chance(weather.large_loss);
  if (!chance(weather.loss) && !too_large) {
    copies.push_back(stretched + up_to(chance(weather.hold) ? longest_hold : weather.jitter));
  }
  if (chance(weather.duplication)) {
    copies.push_back(up_to(weather.jitter));
  }
  if (!copies.empty() && chance(weather.replay)) {
    copies.push_back(up_to(20s));
  }
  return copies;
}

Duration Schedule::time_of_job()
{
  return 1ms + (chance(weather_.slow_job) ? up_to(weather_.longest_job) : Duration{});
}

}  // namespace pqc_tunnel::test
