// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/schedule.hpp"

#include <algorithm>

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration theft_interval = 500ms;
constexpr Duration longest_hold = 8s;
constexpr Duration longest_stretch = 4s;
constexpr double least_cuts = 0.03;     // in a step, where cuts are what is asked for
constexpr double anchor_change = 0.02;  // in a step
constexpr std::size_t most_anchor_keys = 8;
constexpr std::size_t large = 600;  // bytes
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
  hostile += other.hostile;
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
  fetch_dice_(seed + 2 * seed_spread),
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
  chain_.emplace(*keys_);
  life_.emplace(*pair_, settings_.wipe_after);
  datagrams_.emplace(
    *pair_, *keys_, *life_, suites_, settings_, holds_back(),
    weather_.largest >= universal_payload);
  handshakes_.emplace(*pair_, *keys_, journal_, suites_, settings_.initial_suite);
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
    const auto exchange = ChainWitness::exchange_of(job);
    auto result = anchored() ? anchors_.run(job, anchor_, pair_->random()) : std::nullopt;
    if (exchange) {
      result = result ? std::move(result) : run_job(std::move(job), pair_->random());
      chain_->made(*exchange, *result);
    } else if (const auto * opened = result ? std::get_if<AnchorSecret>(&*result) : nullptr) {
      chain_->opened(opened->kind);
    }
    return result;
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
  settings_.paths.links.front().mtu = universal_payload;  // some datagrams leave in fragments
  settings_.find_rate = false;  // the witnesses expect that each datagram leaves at once
  if (chance(0.4) || given_.two_links) {
    settings_.paths.links = {{.name = "lte"}, {.name = "radio"}};
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
  if (anchored()) {
    options.alter_drone = [this](DroneIdentity & identity) {
      identity.anchor = anchor_.at_drone();
    };
    options.alter_gcs = [this](GcsIdentity &, DroneRecord & record) {
      record.anchor = anchor_.at_ground();
    };
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
      adversary_.emplace(wire_of(*pair_), dice_, latency_, steps_ * step_time);
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
  if (anchored() && side == Side::gcs) {
    anchor_.restore_ground();
  }
  pair_->restart(side);
  keys_->restarted(side);
  chain_->restarted(side);
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
    const Suite * suite = pick < suites_.size() ? suites_[pick] : nullptr;
    const bool ratchet = chance(0.3);
    ask_for_rekey(asked, suite, ratchet, anchored() && ratchet && chance(0.5));
  }
  if (anchored() && chance(anchor_change)) {
    change_anchor();
  }
  if (fetch_dice_.uniform() < weather_.rekey && !is_down(Side::drone)) {
    ask_for_key();
  }
}

void Schedule::ask_for_key()
{
  const auto pick =
    static_cast<std::size_t>(fetch_dice_.uniform() * static_cast<double>(suites_.size()));
  handshakes_->request_fetch(*suites_[std::min(pick, suites_.size() - 1)]);
  look();
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

// After two rotations the ground station no longer knows the last-resort key of the drone.
void Schedule::change_anchor()
{
  if (chance(0.5)) {
    anchor_.update_drone();
  } else if (anchor_.keys().size() < most_anchor_keys) {
    journal_.note(pair_->now(), "the ground station's anchor is rotated");
    anchor_.rotate();
  }
}

void Schedule::ask_for_rekey(Side side, const Suite * suite, bool ratchet, bool one_time_key)
{
  handshakes_->request_rekey(side, suite, ratchet, one_time_key);
  look();
}

void Schedule::look()
{
  const Standings ends = pair_->standings();
  keys_->look(ends);
  chain_->look();
  BlameWitness::look(ends);
  life_->look_at_events();
  handshakes_->look(ends);  // forgets the events
  datagrams_->look();
  life_->look(ends);
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
