// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "link/shaping/shaped_line.hpp"
#include "protocol/drone/fetch_costs.hpp"
#include "protocol/drone/fetch_debt.hpp"
#include "protocol/handshake/prekey_fetch.hpp"
#include "support/pair/traffic.hpp"

// Keys that the drone fetches in the background: several at a time, at a pace, below all data.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr double radio_bytes_per_s = 5760;
const Suite & in_use() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & light() { return suite("cs-mlkem512-aesgcm-mldsa44"); }
const Suite & heavy() { return suite("cs-classicmceliece348864-aesgcm-mldsa44"); }
const Suite & frodo() { return suite("cs-frodokem640aes-aesgcm-mldsa44"); }

// Nothing is fetched but what is asked for.
WiredPair::Options options_of(std::vector<LinkSettings> links)
{
  WiredPair::Options options;
  options.suite = in_use().id;
  options.identities = {SignatureAlgorithm::ml_dsa_44};
  options.settings.suites = SuitePolicy({&in_use(), &light(), &heavy(), &frodo()});
  options.settings.prefetch_max_bytes = 0;
  options.settings.paths.links = std::move(links);
  return options;
}
LinkSettings sik() { return radio(57.6, 320); }

class Fetching
{
public:
  explicit Fetching(WiredPair::Options options) : pair_(std::move(options))
  {
    EXPECT_TRUE(pair_.establish());
    pair_.run_for(2s);
  }

  WiredPair & pair() { return pair_; }
  // The answer to a request for the key of a suite.
  RekeyReply fetch(const Suite & of)
  {
    RekeyCommand command = rekey_to(&of);
    command.fetch_only = true;
    return ask(command);
  }
  // Returns whether its key is being fetched.
  bool fetches(const Suite & of) { return state(of).progress.has_value(); }
  RekeyReply ask(const RekeyCommand & command)
  {
    pair_.drone().request_rekey(command, pair_.now());
    EXPECT_TRUE(pair_.run_until(
      [&] {
        return !pair_.outcomes(Side::drone).empty() &&
               pair_.outcomes(Side::drone).back().id == command.id;
      },
      60s));
    return pair_.outcomes(Side::drone).back();
  }
  RekeyReply ratchet()
  {
    RekeyCommand command = rekey_to(nullptr);
    command.ratchet = true;
    return ask(command);
  }
  // Fetches a key for a minute, and returns how much of it is here.
  double fetch_for_a_minute(const Suite & of)
  {
    fetch(of);
    pair_.run_for(60s);
    return state(of).progress.value();
  }
  KemFetch state(const Suite & of)
  {
    const auto fetches = pair_.snapshot(Side::drone).fetches;
    const auto found = std::ranges::find_if(
      fetches, [&](const KemFetch & fetch) { return fetch.suite->kem == of.kem; });
    EXPECT_NE(found, fetches.end());
    return *found;
  }
  bool run_until_ready(const Suite & of, Duration limit)
  {
    return pair_.run_until([&] { return state(of).ready; }, limit);
  }
  double share_of(Duration time, std::uint64_t bytes) const
  {
    return static_cast<double>(bytes) /
           (radio_bytes_per_s * std::chrono::duration<double>(time).count());
  }

private:
  WiredPair pair_;
};

// --- Requests ---

TEST(KeysAskedFor, are_answered_at_once_and_come_and_wait_for_their_rekey)
{
  Fetching drone(options_of({{.name = "lte"}}));
  WiredPair & pair = drone.pair();
  const RekeyReply reply = drone.fetch(heavy());
  EXPECT_TRUE(reply.success);
  EXPECT_EQ(reply.message, "the key for cs-classicmceliece348864-aesgcm-mldsa44 is being fetched");
  EXPECT_EQ(pair.snapshot(Side::drone).state, PeerState::established);
  ASSERT_TRUE(drone.run_until_ready(heavy(), 60s));
  EXPECT_EQ(
    drone.fetch(heavy()).message, "the key for cs-classicmceliece348864-aesgcm-mldsa44 is here");
  EXPECT_EQ(pair.count(Side::drone, EventKind::rekey_started), 0u);
  const RekeyReply rekey = drone.ask(rekey_to(&heavy()));
  EXPECT_TRUE(rekey.success);
  EXPECT_EQ(rekey.timing.fetch, Duration{});
  pair.run_for(30s);
  EXPECT_FALSE(drone.state(heavy()).ready) << "it was asked for once";
}

TEST(KeysAskedFor, are_refused_with_a_sentence_and_without_an_event)
{
  Fetching drone(options_of({{.name = "lte"}}));
  WiredPair & pair = drone.pair();
  RekeyCommand command = rekey_to(nullptr);
  command.suite_id = "cs-mlkem768-aesgcm-mldsa66";
  command.fetch_only = true;
  EXPECT_FALSE(drone.ask(command).success);
  command = rekey_to(nullptr);
  command.fetch_only = true;
  pair.outcomes(Side::gcs).clear();
  pair.gcs().request_rekey(command, pair.now());
  pair.pump();
  ASSERT_EQ(pair.outcomes(Side::gcs).size(), 1u);
  EXPECT_EQ(pair.outcomes(Side::gcs)[0].message, "only a drone fetches keys");
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(10s);
  EXPECT_EQ(drone.fetch(heavy()).message, "there is no session to fetch a key in");
  EXPECT_EQ(pair.count(Side::drone, EventKind::refused), 0u);
  EXPECT_EQ(pair.count(Side::gcs, EventKind::refused), 0u);
}

TEST(KeysAskedFor, take_the_room_of_those_that_nobody_has_asked_for)
{
  WiredPair::Options options = options_of({{.name = "lte"}});
  options.settings.prefetch_max_bytes = kem_sizes(in_use().kem).public_key;
  Fetching drone(std::move(options));
  ASSERT_TRUE(drone.run_until_ready(in_use(), 10s));
  drone.fetch(heavy());
  ASSERT_TRUE(drone.run_until_ready(heavy(), 60s));
  EXPECT_FALSE(drone.state(in_use()).ready);
  drone.pair().run_for(60s);
  EXPECT_TRUE(drone.state(heavy()).ready);
}

TEST(KeysAskedFor, need_a_session_whose_keys_are_not_used_up)
{
  WiredPair::Options options = options_of({{.name = "lte"}});
  options.settings.packet_limits = {1000, 1000};
  WiredPair pair(options);
  RekeyCommand command = rekey_to(&heavy());
  command.fetch_only = true;
  for (const bool used_up : {false, true}) {
    pair.drone().request_rekey(command, pair.now());
    pair.pump();
    EXPECT_EQ(pair.outcomes(Side::drone).back().message, "there is no session to fetch a key in");
    EXPECT_EQ(pair.outcomes(Side::drone).size(), used_up ? 2u : 1u);
    ASSERT_TRUE(pair.establish());
    for (std::uint32_t n = 0; pair.send(Side::drone, numbered(n)); ++n) {
      ASSERT_LT(n, 1000u);
    }
  }
}

TEST(KeysAskedFor, wait_while_a_rekey_waits_or_is_under_way)
{
  Fetching drone(options_of({{.name = "lte"}}));
  WiredPair & pair = drone.pair();
  drone.fetch(light());
  ASSERT_TRUE(drone.run_until_ready(light(), 10s));
  for (const Suite * rekey : {&frodo(), &light()}) {
    pair.hold_jobs(Side::gcs, true);
    pair.drone().request_rekey(rekey_to(rekey), pair.now());
    EXPECT_TRUE(drone.fetch(in_use()).success);
    EXPECT_FALSE(drone.fetches(in_use()));
    pair.hold_jobs(Side::gcs, false);
    ASSERT_TRUE(drone.run_until_ready(in_use(), 60s));
    EXPECT_EQ(pair.snapshot(Side::drone).suite, rekey);
    EXPECT_TRUE(drone.ask(rekey_to(&in_use())).success);
  }
}

TEST(KeysAskedFor, wait_for_a_lane_however_often_others_are_asked_for)
{
  Fetching drone(options_of({{.name = "lte"}}));
  drone.pair().hold_jobs(Side::gcs, true);
  for (const Suite * suite : {&light(), &heavy(), &frodo(), &in_use()}) {
    EXPECT_TRUE(drone.fetch(*suite).success);
  }
  for (std::size_t n = 0; n < max_prekeys; ++n) {
    drone.fetch(light());
  }
  EXPECT_TRUE(drone.fetches(light()) && drone.fetches(heavy()) && drone.fetches(frodo()));
  EXPECT_FALSE(drone.fetches(in_use()));
  drone.pair().hold_jobs(Side::gcs, false);
  EXPECT_TRUE(drone.run_until_ready(in_use(), 60s));
}

TEST(KeysAskedFor, are_eight_and_the_oldest_gives_way_to_a_ninth)
{
  std::vector<const Suite *> asked{&light(), &heavy(), &frodo(), &in_use()};
  for (const char * const id :
       {"cs-mlkem1024-aesgcm-mldsa87", "cs-hqc128-aesgcm-mldsa44", "cs-hqc192-aesgcm-mldsa65",
        "cs-hqc256-aesgcm-mldsa87", "cs-classicmceliece460896-aesgcm-mldsa65"})
  {
    asked.push_back(&suite(id));
  }
  WiredPair::Options options = options_of({{.name = "lte"}});
  options.settings.suites = SuitePolicy(asked);
  options.identities.push_back(SignatureAlgorithm::ml_dsa_87);
  Fetching drone(std::move(options));
  drone.pair().hold_jobs(Side::gcs, true);
  for (const Suite * suite : asked) {
    EXPECT_TRUE(drone.fetches(*asked.front()) || suite == asked.front());
    EXPECT_TRUE(drone.fetch(*suite).success);
  }
  EXPECT_FALSE(drone.fetches(*asked.front()));
  EXPECT_TRUE(drone.fetches(*asked.at(1)));
  EXPECT_TRUE(drone.fetches(*asked.back()));
}

TEST(KeysAskedFor, stay_when_another_serves_its_rekey)
{
  Fetching drone(options_of({{.name = "lte"}}));
  for (const Suite * suite : {&frodo(), &light()}) {
    drone.fetch(*suite);
    ASSERT_TRUE(drone.run_until_ready(*suite, 10s));
  }
  EXPECT_TRUE(drone.ask(rekey_to(&light())).success);
  drone.fetch(in_use());
  ASSERT_TRUE(drone.run_until_ready(in_use(), 10s));
  EXPECT_TRUE(drone.state(frodo()).ready);
}

// --- Progress ---

// A radio with so much airtime for fetches that a large key makes progress in a minute.
WiredPair::Options with_much_airtime()
{
  WiredPair::Options options = options_of({sik()});
  options.settings.prefetch_airtime = 0.2;
  return options;
}

TEST(SeveralFetches, keep_what_has_come_while_a_smaller_key_overtakes_and_other_rekeys_go_on)
{
  Fetching drone(with_much_airtime());
  WiredPair & pair = drone.pair();
  const double before = drone.fetch_for_a_minute(heavy());
  EXPECT_GT(before, 0.1);
  drone.fetch(light());
  ASSERT_TRUE(drone.run_until_ready(light(), 20s));
  double progress = drone.state(heavy()).progress.value();
  EXPECT_GE(progress, before);
  EXPECT_LT(progress, before + 0.02);
  EXPECT_TRUE(drone.ratchet().success);
  EXPECT_TRUE(drone.ask(rekey_to(&light())).success);
  EXPECT_GE(drone.state(heavy()).progress.value(), progress);
  progress = drone.state(heavy()).progress.value();
  pair.move_to(Side::drone, WiredPair::stranger());
  pair.run_for(10s);
  EXPECT_GT(drone.state(heavy()).progress.value(), progress);
}

TEST(SeveralFetches, go_on_after_a_blackout_that_the_session_survives)
{
  Fetching drone(with_much_airtime());
  WiredPair & pair = drone.pair();
  const double before = drone.fetch_for_a_minute(heavy());
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.run_for(40s);
  pair.set_datagram_filter(nullptr);
  pair.run_for(20s);
  EXPECT_TRUE(pair.saw(Side::drone, EventKind::peer_back));
  EXPECT_GT(drone.state(heavy()).progress.value(), before);
}

TEST(SeveralFetches, end_with_the_session)
{
  WiredPair::Options options = options_of({sik()});
  Fetching drone(std::move(options));
  WiredPair & pair = drone.pair();
  drone.fetch(heavy());
  pair.run_for(20s);
  EXPECT_TRUE(drone.state(heavy()).progress);
  pair.gcs().wipe(PeerIndex{0}, "test", pair.now());
  ASSERT_TRUE(
    pair.run_until([&] { return pair.count(Side::drone, EventKind::handshake_completed) == 2; }));
  EXPECT_FALSE(drone.state(heavy()).progress);
  pair.run_for(20s);
  EXPECT_EQ(pair.snapshot(Side::drone).pool.bytes_under_way, 0u);
}

TEST(SeveralFetches, give_way_to_an_urgent_one_unasked_before_asked_and_the_longest_first)
{
  for (const bool unasked : {true, false}) {
    WiredPair::Options options = options_of({sik()});
    options.settings.prefetch_max_bytes = unasked ? kem_sizes(in_use().kem).public_key : 0;
    Fetching drone(std::move(options));
    const Suite & third = unasked ? in_use() : light();
    if (!unasked) {
      drone.fetch(third);
    }
    ASSERT_TRUE(drone.pair().run_until([&] { return drone.fetches(third); }, 10s));
    drone.pair().hold_jobs(Side::gcs, true);
    drone.fetch(heavy());
    drone.fetch(frodo());
    drone.pair().drone().request_rekey(
      rekey_to(unasked ? &light() : &in_use()), drone.pair().now());
    EXPECT_TRUE(drone.fetches(light()) && drone.fetches(frodo()));
    EXPECT_EQ(drone.fetches(heavy()), unasked);
    EXPECT_EQ(drone.fetches(in_use()), !unasked);
  }
}

TEST(SeveralFetches, that_are_verified_keep_their_lane)
{
  Fetching drone(options_of({{.name = "lte"}}));
  WiredPair & pair = drone.pair();
  pair.hold_jobs(Side::drone, true);
  drone.fetch(heavy());
  ASSERT_TRUE(pair.run_until([&] { return drone.state(heavy()).progress == 1; }, 60s));
  pair.hold_jobs(Side::gcs, true);
  drone.fetch(frodo());
  drone.fetch(light());
  pair.drone().request_rekey(rekey_to(&in_use()), pair.now());
  EXPECT_EQ(drone.state(heavy()).progress, 1);
  EXPECT_FALSE(drone.fetches(frodo()));
  pair.hold_jobs(Side::drone, false);
  EXPECT_TRUE(drone.run_until_ready(heavy(), 10s));
}

TEST(SeveralFetches, keep_no_key_that_has_come_before)
{
  Fetching drone(options_of({{.name = "lte"}}));
  WiredPair & pair = drone.pair();
  std::optional<KeyId> first;
  pair.set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
    if (!std::holds_alternative<VerifyPrekey>(job)) {
      return std::nullopt;
    }
    JobResult result = run_job(std::move(job), pair.random());
    auto & prekey = std::get<VerifiedPrekey>(result);
    first = prekey.key_id = first.value_or(prekey.key_id);
    return result;
  });
  drone.fetch(light());
  ASSERT_TRUE(drone.run_until_ready(light(), 10s));
  EXPECT_TRUE(drone.ask(rekey_to(&light())).success);
  drone.fetch(light());
  pair.run_for(10s);
  EXPECT_FALSE(drone.state(light()).ready);
}

// --- Rekeys that wait ---

TEST(WaitingRekey, hurries_its_fetch_and_lets_ratchets_and_other_rekeys_go_on)
{
  Fetching drone(options_of({sik()}));
  WiredPair & pair = drone.pair();
  drone.fetch(light());
  ASSERT_TRUE(drone.run_until_ready(light(), 120s));
  const RekeyCommand command = rekey_to(&frodo());
  const Instant begun = pair.now();
  pair.drone().request_rekey(command, begun);
  pair.run_for(1s);
  EXPECT_EQ(pair.snapshot(Side::drone).state, PeerState::established);
  EXPECT_TRUE(drone.ratchet().success);
  EXPECT_TRUE(drone.ask(rekey_to(&light())).success);
  const RekeyReply refused = drone.ask(rekey_to(&heavy()));
  EXPECT_FALSE(refused.success);
  EXPECT_EQ(refused.message, "a rekey to cs-frodokem640aes-aesgcm-mldsa44 waits for its key");
  EXPECT_TRUE(drone.ratchet().success);
  ASSERT_TRUE(
    pair.run_until([&] { return pair.outcomes(Side::drone).back().id == command.id; }, 60s));
  EXPECT_TRUE(pair.outcomes(Side::drone).back().success);
  EXPECT_EQ(pair.snapshot(Side::drone).suite, &frodo());
  EXPECT_EQ(pair.count(Side::drone, EventKind::rekey_prepared), 1u);
  // The key alone takes 2.5 s of the radio.
  EXPECT_LT(pair.now() - begun, 20s);
}

TEST(WaitingRekey, fails_with_the_session_and_with_a_ground_station_that_sends_nothing)
{
  for (const bool lost : {false, true}) {
    Fetching drone(options_of({{.name = "lte"}}));
    WiredPair & pair = drone.pair();
    pair.hold_jobs(Side::gcs, true);
    pair.drone().request_rekey(rekey_to(&frodo()), pair.now());
    if (lost) {
      pair.set_datagram_filter([](Side, Bytes &) { return false; });
    }
    ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }, 5min));
    EXPECT_FALSE(pair.outcomes(Side::drone)[0].success);
    EXPECT_EQ(
      pair.outcomes(Side::drone)[0].message,
      lost ? "the session was lost during the rekey"
           : "the ground station sends no prekey; the old keys stay");
    EXPECT_EQ(pair.count(Side::drone, EventKind::rekey_failed), 1u);
  }
}

TEST(WaitingRekey, that_the_ground_station_has_asked_for_answers_it)
{
  Fetching drone(options_of({sik()}));
  WiredPair & pair = drone.pair();
  pair.gcs().request_rekey(rekey_to(&frodo()), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::gcs).empty(); }, 60s));
  EXPECT_TRUE(pair.outcomes(Side::gcs)[0].success) << pair.outcomes(Side::gcs)[0].message;
}

TEST(WaitingRekey, of_the_drone_answers_no_former_request_of_the_ground_station)
{
  Fetching drone(options_of({{.name = "lte"}}));
  WiredPair & pair = drone.pair();
  RekeyCommand ratchet = rekey_to(nullptr);
  ratchet.ratchet = true;
  pair.gcs().request_rekey(ratchet, pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::gcs).empty(); }, 10s));
  const auto ignored = [&] { return pair.snapshot(Side::gcs).traffic.control_ignored; };
  const std::uint64_t before = ignored();
  pair.set_job_filter([](Side, Job & job) {
    return std::holds_alternative<MakeFinish>(job)
             ? std::optional<JobResult>(JobFailed{JobError::unavailable, "no memory"})
             : std::nullopt;
  });
  EXPECT_FALSE(drone.ask(rekey_to(&frodo())).success);
  pair.run_for(1s);
  EXPECT_EQ(ignored(), before);
}

TEST(WaitingRekey, that_gets_its_key_while_another_is_under_way_begins_after_it)
{
  Fetching drone(options_of({sik()}));
  WiredPair & pair = drone.pair();
  drone.fetch(light());
  ASSERT_TRUE(drone.run_until_ready(light(), 120s));
  pair.drone().request_rekey(rekey_to(&frodo()), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return drone.state(frodo()).progress > 0; }, 10s));
  pair.hold_jobs(Side::gcs, true);
  pair.drone().request_rekey(rekey_to(&light()), pair.now());
  ASSERT_TRUE(drone.run_until_ready(frodo(), 20s));
  pair.outcomes(Side::drone).clear();
  pair.hold_jobs(Side::gcs, false);
  for (const std::size_t n : {1u, 2u}) {
    ASSERT_TRUE(pair.run_until([&] { return pair.outcomes(Side::drone).size() == n; }, 60s));
    EXPECT_TRUE(pair.outcomes(Side::drone).back().success);
    EXPECT_EQ(pair.outcomes(Side::drone).back().suite, n == 1 ? &light() : &frodo());
  }
}

TEST(WaitingRekey, fetches_its_key_again_in_a_session_that_another_rekey_has_begun)
{
  Fetching drone(options_of({sik()}));
  WiredPair & pair = drone.pair();
  drone.fetch(light());
  ASSERT_TRUE(drone.run_until_ready(light(), 120s));
  const RekeyCommand command = rekey_to(&frodo());
  pair.drone().request_rekey(command, pair.now());
  pair.run_for(500ms);
  pair.set_job_filter([failed = false](Side, Job & job) mutable -> std::optional<JobResult> {
    const bool fails = std::holds_alternative<CompleteFinish>(job) && !std::exchange(failed, true);
    return fails ? std::optional<JobResult>(JobFailed{JobError::unavailable, "no memory"})
                 : std::nullopt;
  });
  EXPECT_TRUE(drone.ask(rekey_to(&light())).success);
  EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_completed), 2u);
  ASSERT_TRUE(
    pair.run_until([&] { return pair.outcomes(Side::drone).back().id == command.id; }, 60s));
  EXPECT_TRUE(pair.outcomes(Side::drone).back().success);
}

TEST(WaitingRekey, becomes_a_new_session_after_the_last_epoch)
{
  WiredPair::Options options = options_of({{.name = "lte"}});
  options.settings.max_ratchets = 0;
  Fetching drone(std::move(options));
  WiredPair & pair = drone.pair();
  while (pair.snapshot(Side::drone).epoch < Epoch{254}) {
    ASSERT_TRUE(drone.ratchet().success);
  }
  pair.hold_jobs(Side::gcs, true);
  pair.drone().request_rekey(rekey_to(&frodo()), pair.now());
  EXPECT_TRUE(drone.ratchet().success);
  pair.run_for(1s);
  EXPECT_EQ(pair.snapshot(Side::drone).state, PeerState::rekeying);
  pair.hold_jobs(Side::gcs, false);
  ASSERT_TRUE(pair.run_until([&] { return pair.snapshot(Side::drone).suite == &frodo(); }, 60s));
}

// --- Pace ---

TEST(PacedFetches, take_no_more_of_the_radio_than_their_share_and_say_how_long_that_takes)
{
  Fetching drone(options_of({sik()}));
  WiredPair & pair = drone.pair();
  const KemFetch cost = drone.state(frodo());
  ASSERT_TRUE(cost.fetch);
  const std::uint64_t before = pair.snapshot(Side::drone).fetch_bytes;
  const Instant begun = pair.now();
  drone.fetch(frodo());
  drone.fetch(light());
  ASSERT_TRUE(drone.run_until_ready(light(), 120s));
  ASSERT_TRUE(drone.run_until_ready(frodo(), 8min));
  const Duration time = pair.now() - begun;
  const auto bytes = pair.snapshot(Side::drone).fetch_bytes - before;
  EXPECT_LE(drone.share_of(time, bytes), 0.02);
  EXPECT_GE(drone.share_of(time, bytes), 0.015);
  const double expected =
    std::chrono::duration<double>(*cost.fetch + *drone.state(light()).fetch).count();
  const double actual = std::chrono::duration<double>(time).count();
  std::cout << "both keys: " << expected << " s expected, " << actual << " s\n";
  EXPECT_NEAR(actual / expected, 1.1, 0.15);
}

TEST(UnaskedFetches, are_of_keys_that_come_within_a_minute)
{
  WiredPair::Options options = options_of({sik()});
  options.settings.prefetch_max_bytes = 4 << 20;
  Fetching drone(options);
  ASSERT_TRUE(drone.run_until_ready(in_use(), 300s));
  ASSERT_TRUE(drone.run_until_ready(light(), 300s));
  drone.pair().run_for(30s);
  EXPECT_FALSE(drone.state(heavy()).progress) << "a step lighter than the suite in use";
}

TEST(UnaskedFetches, that_take_long_wait_for_the_rekey_of_a_key_that_was_asked_for)
{
  WiredPair::Options options = options_of({sik()});
  options.settings.prefetch_max_bytes = 4 << 20;
  options.settings.prefetch_airtime = 0.02;
  Fetching drone(options);
  ASSERT_TRUE(drone.fetches(in_use()));
  const Instant begun = drone.pair().now();
  drone.fetch(frodo());
  const Duration whole = *drone.state(frodo()).fetch;
  ASSERT_TRUE(drone.run_until_ready(frodo(), 8min));
  EXPECT_LE(drone.pair().now() - begun, whole + whole / 6);
  drone.pair().run_for(20s);
  EXPECT_FALSE(drone.fetches(in_use()) || drone.state(in_use()).ready);
  EXPECT_TRUE(drone.ask(rekey_to(&frodo())).success);
  drone.pair().run_for(5s);
  EXPECT_TRUE(drone.ask(rekey_to(&in_use())).success) << "its key comes at once";
  EXPECT_FALSE(drone.fetches(frodo())) << "the suite of a former rekey";
  EXPECT_TRUE(drone.run_until_ready(in_use(), 2min));
}

TEST(PrekeyFetch, that_is_renewed_while_it_is_due_is_asked_for_once)
{
  SeededRandom random(1);
  const Instant now{Duration(1h)};
  PrekeyFetch fetch(heavy(), 1, false, 10s, now);
  fetch.renew(now);
  EXPECT_TRUE(fetch.take_try(now, random));
  EXPECT_GT(fetch.next_timeout(), now);
}

TEST(PrekeyFetch, that_nobody_waits_for_asks_again_late_behind_others)
{
  const Instant now{Duration(1h)};
  for (const bool urgent : {false, true}) {
    SeededRandom random(1);
    PrekeyFetch fetch(heavy(), 1, urgent, 30s, now);
    EXPECT_TRUE(fetch.take_try(now, random));
    EXPECT_FALSE(fetch.take_try(now, random));
    const Instant next = fetch.next_timeout();
    fetch.note_others(now);
    EXPECT_EQ(fetch.next_timeout(), next) << "nothing has come since";
    fetch.note_others(now + 2s);
    EXPECT_EQ(fetch.next_timeout(), urgent ? next : now + 8s);
    EXPECT_EQ(fetch.take_try(now + 7s, random), urgent);
  }
}

TEST(PacedFetches, say_nothing_of_the_rate_of_the_link)
{
  Fetching drone(options_of({{.name = "lte"}}));
  WiredPair & pair = drone.pair();
  drone.fetch(heavy());  // unknown rate: all that data leaves
  ASSERT_TRUE(drone.run_until_ready(heavy(), 10s));
  const double rate = pair.snapshot(Side::drone).paths.at(0).rate_bytes_s;
  ASSERT_GT(rate, 0);
  drone.fetch(frodo());
  pair.run_for(3s);
  EXPECT_EQ(pair.snapshot(Side::drone).paths.at(0).rate_bytes_s, rate);
}

// Frames of the ground station take their time on the link.
void limit(WiredPair & pair, double bytes_per_s)
{
  pair.set_channel([&pair, bytes_per_s, free = Instant()](Side from, Bytes & frame) mutable {
    const std::chrono::duration<double> airtime(static_cast<double>(frame.size()) / bytes_per_s);
    if (from == Side::drone) {
      return std::vector<Duration>{Duration{}};
    }
    free = std::max(free, pair.now()) + std::chrono::duration_cast<Duration>(airtime);
    return std::vector<Duration>{free - pair.now()};
  });
}

// A small key comes before its sender has found what the link takes.
TEST(PacedFetches, of_large_keys_measure_the_link_first)
{
  constexpr double bytes_per_s = 2.5e6;
  WiredPair::Options options = options_of({{.name = "wifi"}});
  options.latency = 5ms;
  Fetching drone(options);
  WiredPair & pair = drone.pair();
  limit(pair, bytes_per_s);
  const auto found = [&] { return pair.snapshot(Side::drone).paths.at(0).rate_bytes_s; };
  drone.fetch(frodo());
  ASSERT_TRUE(drone.run_until_ready(frodo(), 10s));
  ASSERT_LT(found(), 0.6 * bytes_per_s);
  drone.fetch(heavy());
  pair.run_for(200ms);
  EXPECT_NEAR(found(), bytes_per_s, 0.1 * bytes_per_s);
  const auto size = static_cast<double>(kem_sizes(heavy().kem).public_key);
  const double begun = drone.state(heavy()).progress.value();
  pair.run_for(1s);
  const double share = (drone.state(heavy()).progress.value() - begun) * size / bytes_per_s;
  EXPECT_GT(share, 0.014) << "frames and acknowledgements take the rest of 2 %";
  EXPECT_LT(share, 0.018);
}

// Behind a modem, a radio whose rate nobody has told: it queues half a second, drops what exceeds that, and its jitter and
// losses break the trains of parts. The vehicle fills most of the way up.
TEST(PacedFetches, find_the_rate_of_a_radio_before_a_key_has_come)
{
  constexpr double bytes_per_s = 7200;
  for (const std::uint64_t seed : {5u, 12u, 14u}) {
    WiredPair::Options options = options_of({{.name = "modem"}});
    options.settings.prefetch_max_bytes = 4 << 20;
    options.latency = 20ms;
    options.seed = seed;
    WiredPair pair(std::move(options));
    std::map<Side, Instant> free_at;
    pair.set_channel([&](Side from, Bytes & frame) {
      const auto size = static_cast<double>(frame.size() + 6);
      const auto airtime =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(size / bytes_per_s));
      Instant & free = free_at[from];
      free = std::max(free, pair.now());
      if (free - pair.now() + airtime > 500ms || pair.random().uniform() < 0.005) {
        return std::vector<Duration>{};
      }
      free += airtime;
      const std::chrono::duration<double> jitter(0.03 * pair.random().uniform());
      return std::vector<Duration>{
        free - pair.now() + std::chrono::duration_cast<Duration>(jitter)};
    });
    ASSERT_TRUE(pair.establish());
    RekeyCommand command = rekey_to(&frodo());
    command.fetch_only = true;
    for (std::uint32_t n = 0; n < 1000; ++n) {
      if (n == 100) {
        pair.drone().request_rekey(command, pair.now());
      }
      pair.offer(Side::drone, mavlink(attitude, n));
      if (n % 20 == 0) {
        pair.offer(Side::gcs, mavlink(heartbeat, n, 9, 255));
      }
      pair.run_for(10ms);
    }
    const auto drone = pair.snapshot(Side::drone);
    EXPECT_NEAR(drone.paths.at(0).rate_bytes_s, bytes_per_s, 0.1 * bytes_per_s) << seed;
    for (const KemFetch & fetch : drone.fetches) {
      EXPECT_FALSE(fetch.ready && fetch.suite->kem == frodo().kem) << seed;
    }
  }
}

TEST(FetchDebt, is_what_came_without_a_pace_less_what_the_budget_allows_since)
{
  FetchDebt debt;
  const Instant now{1h};
  debt.update(5000, false, 100, now);
  EXPECT_FALSE(debt.any()) << "at a pace";
  debt.update(6100, true, 100, now + 1s);
  EXPECT_TRUE(debt.any());
  EXPECT_EQ(debt.lasts(100), 10s);
  debt.update(6300, false, 100, now + 4s);
  EXPECT_EQ(debt.lasts(100), 9s) << "whatever else comes";
  debt.update(6300, false, 100, now + 13s);
  EXPECT_FALSE(debt.any());
  debt.update(6300, true, 100, now + 60s);
  EXPECT_EQ(debt.lasts(100), Duration{}) << "nothing is saved";
}

// Over a satellite no key of codes is as long as what the link takes until it is full.
TEST(LargeFetches, take_no_more_than_their_share_of_a_link_that_none_of_them_fills)
{
  constexpr double bytes_per_s = 5e5;
  WiredPair::Options options = options_of({{.name = "satellite"}});
  options.latency = 275ms;
  Fetching drone(options);
  WiredPair & pair = drone.pair();
  limit(pair, bytes_per_s);
  const auto bytes = [&] { return pair.snapshot(Side::drone).fetch_bytes; };
  const Instant begun = pair.now();
  const std::uint64_t before = bytes();
  int keys = 0;
  while (pair.now() < begun + 10min) {
    drone.fetch(heavy());
    if (!drone.run_until_ready(heavy(), begun + 10min - pair.now())) {
      break;
    }
    const std::chrono::duration<double> passed = pair.now() - begun;
    const auto taken = static_cast<double>(bytes() - before);
    const std::size_t key = drone.state(heavy()).fetch_bytes;
    EXPECT_LE(taken, 0.02 * bytes_per_s * passed.count() + 1.1 * static_cast<double>(key));
    ++keys;
    EXPECT_TRUE(drone.ask(rekey_to(&heavy())).success);
    EXPECT_TRUE(drone.ask(rekey_to(&light())).success);
  }
  EXPECT_GE(keys, 8);
}

// The simulations have a model of the tunnel, whose times test_tunnel_model of pqc_sim compares with the same table.
TEST(FetchTimes, are_those_that_simulations_reckon_with)
{
  std::ifstream table(std::string(PQC_TUNNEL_TEST_VECTORS) + "/fetch_seconds.tsv");
  std::optional<Fetching> drone;
  std::string of;
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) {
      continue;
    }
    std::istringstream fields(line);
    std::string link;
    std::string id;
    double delay_ms = 0;
    double bytes_per_s = 0;
    double expected = 0;
    ASSERT_TRUE(fields >> link >> delay_ms >> bytes_per_s >> id >> expected);
    if (link != std::exchange(of, link)) {
      const bool thin = link == "radio";
      WiredPair::Options options = options_of({thin ? sik() : LinkSettings{.name = link}});
      options.latency = std::chrono::milliseconds(std::lround(delay_ms));
      options.settings.suites = SuitePolicy(
        {&in_use(), &suite("cs-frodokem976aes-aesgcm-mldsa65"),
         &suite("cs-classicmceliece460896-aesgcm-mldsa65")});
      drone.emplace(std::move(options));
      limit(drone->pair(), bytes_per_s);
    }
    if (drone->state(suite(id)).ready) {
      EXPECT_TRUE(drone->ask(rekey_to(&suite(id))).success);
    }
    const Instant begun = drone->pair().now();
    drone->fetch(suite(id));
    ASSERT_TRUE(drone->run_until_ready(suite(id), 10min));
    const double actual = std::chrono::duration<double>(drone->pair().now() - begun).count();
    std::cout << link << ", " << id << ": " << actual << " s\n";
    EXPECT_NEAR(actual / expected, 1, 0.05) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 13);
}

TEST(FetchCosts, are_unknown_times_where_the_rate_is)
{
  Fetching drone(options_of({{.name = "lte"}}));
  const auto fetches = drone.pair().snapshot(Side::drone).fetches;
  EXPECT_EQ(fetches.size(), 4u);  // one for each KEM
  const KemFetch cost = drone.state(heavy());
  EXPECT_EQ(cost.suite, &heavy());
  EXPECT_GT(cost.fetch_bytes, kem_sizes(heavy().kem).public_key);
  EXPECT_LT(cost.fetch_bytes, kem_sizes(heavy().kem).public_key * 5 / 4);
  EXPECT_LT(cost.rekey_bytes, 1000u);
  EXPECT_FALSE(cost.fetch);
  EXPECT_FALSE(cost.rekey);
  EXPECT_FALSE(cost.ready);
  EXPECT_FALSE(cost.progress);
}

TEST(FetchCosts, are_of_the_suite_of_each_kem_that_is_most_like_the_one_in_use)
{
  const Suite & chacha = suite("cs-mlkem512-chacha20poly1305-mldsa44");
  WiredPair::Options options = options_of({{.name = "lte"}});
  options.settings.suites = SuitePolicy({&in_use(), &light(), &chacha, &frodo()});
  Fetching drone(std::move(options));
  EXPECT_EQ(drone.state(light()).suite, &light());
  EXPECT_TRUE(drone.ask(rekey_to(&chacha)).success);
  EXPECT_EQ(drone.state(light()).suite, &chacha);
  EXPECT_EQ(drone.pair().snapshot(Side::drone).fetches.size(), 3u);

  // The signature counts before the AEAD, and of the same likeness the first.
  const Suite & falcon = suite("cs-hqc128-chacha20poly1305-falcon512");
  const Suite & mldsa = suite("cs-hqc128-aesgcm-mldsa44");
  const Suite & ascon = suite("cs-mlkem768-ascon128a-mldsa65");
  EXPECT_EQ(
    suites_by_kem(chacha, {&in_use(), &ascon, &falcon, &mldsa}),
    (std::vector<const Suite *>{&in_use(), &mldsa}));
}

// --- Beside data ---

// A link of 64 kbit/s each way, with states, heartbeats and a command every 200 ms.
class ThinFlight
{
public:
  explicit ThinFlight(double share) : drone_(options(share))
  {
    drone_.pair().set_channel([this](Side from, Bytes & frame) {
      const std::chrono::duration<double> airtime(static_cast<double>(frame.size() + 48) / 8000);
      Instant & free = free_at_[from];
      free = std::max(free, drone_.pair().now()) + std::chrono::duration_cast<Duration>(airtime);
      return std::vector<Duration>{free - drone_.pair().now()};
    });
    drone_.pair().watch([this] { note_arrivals(); });
  }

  Fetching & drone() { return drone_; }
  // Returns the 99th percentile of the delay of commands in ms.
  double p99(Duration time)
  {
    delays_.clear();
    for (const Instant end = drone_.pair().now() + time; drone_.pair().now() < end; ++tick_) {
      if (tick_ % 10 == 0) {
        sent_[tick_] = drone_.pair().now();
        drone_.pair().offer(Side::gcs, mavlink(command_long, tick_, 33, 255));
      }
      if (tick_ % 4 == 1) {
        drone_.pair().offer(Side::drone, mavlink(attitude, tick_));
      }
      if (tick_ % 50 == 7) {
        drone_.pair().offer(Side::gcs, mavlink(heartbeat, tick_, 9, 255));
        drone_.pair().offer(Side::drone, mavlink(heartbeat, tick_, 9));
      }
      // Not in step with anything that the tunnel does.
      drone_.pair().run_for(
        19ms +
        std::chrono::microseconds(static_cast<int>(2000 * drone_.pair().random().uniform())));
    }
    std::ranges::sort(delays_);
    EXPECT_GT(delays_.size(), 0.99 * time / 200ms - 5);
    return delays_.at(delays_.size() * 99 / 100);
  }

private:
  static WiredPair::Options options(double share)
  {
    WiredPair::Options options = options_of({{.name = "modem", .mtu = 1232, .rate_kbit = 64}});
    options.settings.prefetch_airtime = share;
    return options;
  }
  void note_arrivals()
  {
    auto & received = drone_.pair().received(Side::drone);
    for (; !received.empty(); received.pop_front()) {
      const Bytes & one = received.front();
      std::uint32_t number = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        number |= std::uint32_t{one.at(10 + i)} << (8 * i);
      }
      if (one.at(7) == command_long) {
        delays_.push_back(
          1e3 * std::chrono::duration<double>(drone_.pair().now() - sent_.at(number)).count());
      }
    }
    drone_.pair().received(Side::gcs).clear();
    drone_.pair().datagrams_sent(Side::drone).clear();
    drone_.pair().datagrams_sent(Side::gcs).clear();
  }

  Fetching drone_;
  std::map<Side, Instant> free_at_;
  std::map<std::uint32_t, Instant> sent_;
  std::vector<double> delays_;
  std::uint32_t tick_ = 0;
};

TEST(FetchesBesideData, delay_commands_on_a_thin_link_by_less_than_20_ms_at_the_99th_percentile)
{
  for (const double airtime : {0.02, 0.1, 1.0}) {
    ThinFlight flight(airtime);
    const double quiet = flight.p99(3min);
    flight.drone().fetch(heavy());
    const double beside = flight.p99(3min);
    EXPECT_TRUE(flight.drone().state(heavy()).progress.value_or(1) > 0);
    std::cout << "share " << airtime << ": p99 of commands " << quiet << " ms, beside a fetch "
              << beside << " ms\n";
    EXPECT_LE(beside - quiet, airtime < 0.5 ? 20 : 25) << airtime;
  }
}

TEST(FetchesBesideData, take_no_more_of_a_full_link_than_their_share)
{
  Fetching drone(options_of({sik()}));
  WiredPair & pair = drone.pair();
  drone.fetch(heavy());
  const auto parts = [&] { return pair.queue_counts(Side::gcs, TrafficClass::background); };
  const std::uint64_t bytes = pair.snapshot(Side::drone).fetch_bytes;
  const Instant begun = pair.now();
  for (std::uint32_t n = 0; pair.now() < begun + 60s; ++n) {
    pair.offer(Side::gcs, mavlink(attitude, n));
    pair.offer(Side::drone, mavlink(attitude, n));
    pair.run_for(3ms);
  }
  EXPECT_GT(parts().sent, 20u) << "it does not starve";
  EXPECT_LE(parts().stale + parts().full, parts().offered / 10);
  EXPECT_LE(
    drone.share_of(pair.now() - begun, pair.snapshot(Side::drone).fetch_bytes - bytes), 0.02);
}

}  // namespace
}  // namespace pqc_tunnel::test
