// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "protocol/peer/event_budget.hpp"
#include "support/pair/traffic.hpp"

// Rekeys that nothing disturbs: who may ask for one, what they change, when the drone starts one by itself.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Suite & chacha() { return suite("cs-mlkem768-chacha20poly1305-mldsa65"); }

class Rekeying : public testing::Test
{
protected:
  explicit Rekeying(WiredPair::Options options = {}) : pair_(std::move(options))
  {
    EXPECT_TRUE(pair_.establish());
  }

  void request(Side side, const Suite * to = nullptr)
  {
    pair_.end(side).request_rekey(rekey_to(to), pair_.now());
  }
  bool run_until_answered(Side side, std::size_t answers = 1, Duration limit = 200s)
  {
    return pair_.run_until([&] { return pair_.outcomes(side).size() >= answers; }, limit);
  }
  const RekeyReply & answer(Side side) { return pair_.outcomes(side).back(); }

  WiredPair pair_;
};

TEST_F(Rekeying, keeps_the_session_and_takes_the_next_epoch_at_both_ends)
{
  const SessionId session = pair_.snapshot(Side::drone).session;
  for (std::uint8_t epoch = 1; epoch <= 5; ++epoch) {
    request(Side::drone);
    ASSERT_TRUE(run_until_answered(Side::drone, epoch));
    pair_.run_for(20ms);
    for (const Side side : both_sides) {
      EXPECT_EQ(pair_.snapshot(side).session, session);
      EXPECT_EQ(pair_.snapshot(side).epoch, Epoch{epoch});
      EXPECT_EQ(pair_.snapshot(side).rekeys, epoch);
    }
    EXPECT_EQ(answer(Side::drone).epoch, Epoch{epoch});
  }
}

// Nothing is fetched ahead beside it.
class RekeyingAlone : public Rekeying
{
protected:
  RekeyingAlone()
  : Rekeying([] {
      WiredPair::Options options;
      options.settings.prefetch_max_bytes = 0;
      return options;
    }())
  {
  }
};

TEST_F(RekeyingAlone, counts_what_its_streams_send_apart_from_the_data)
{
  pair_.run_for(5s);
  std::array<TrafficCounters, 2> before;
  for (const Side side : both_sides) {
    before.at(side == Side::gcs) = pair_.snapshot(side).traffic;
  }
  request(Side::drone, &suite("cs-classicmceliece460896-aesgcm-mldsa65"));
  ASSERT_TRUE(run_until_answered(Side::drone));
  pair_.run_for(2s);
  for (const Side side : both_sides) {
    const TrafficCounters & was = before.at(side == Side::gcs);
    const TrafficCounters out = pair_.snapshot(side).traffic;
    const std::uint64_t streams = out.stream_out_packets - was.stream_out_packets;
    // A key of 524,160 bytes, and the acknowledgements of its parts.
    EXPECT_GE(streams, side == Side::gcs ? 200u : 10u);
    EXPECT_LT(out.cipher_out_packets - was.cipher_out_packets - streams, 60u);
    const Side far = other(side);
    const TrafficCounters in = pair_.snapshot(far).traffic;
    EXPECT_EQ(in.stream_in_packets - before.at(far == Side::gcs).stream_in_packets, streams);
  }
}

TEST_F(Rekeying, reports_each_step_as_an_event)
{
  request(Side::drone, &chacha());
  ASSERT_TRUE(run_until_answered(Side::drone));
  for (const EventKind kind :
       {EventKind::rekey_started, EventKind::rekey_prepared, EventKind::rekey_committed,
        EventKind::rekey_confirmed})
  {
    EXPECT_EQ(pair_.count(Side::drone, kind), 1u);
  }
  pair_.run_for(20ms);
  EXPECT_EQ(pair_.count(Side::gcs, EventKind::rekey_started), 1u);
  EXPECT_EQ(pair_.count(Side::gcs, EventKind::rekey_confirmed), 1u);
  EXPECT_EQ(answer(Side::drone).suite, &chacha());
  EXPECT_GT(answer(Side::drone).timing.total, Duration{});
  EXPECT_GT(answer(Side::drone).timing.fetch, Duration{});  // nothing has been prefetched yet
}

TEST_F(Rekeying, with_a_prekey_in_stock_takes_one_round_trip_and_the_primitives)
{
  pair_.run_for(5s);
  EXPECT_GE(pair_.snapshot(Side::drone).prekeys, 1u);
  const Instant before = pair_.now();
  request(Side::drone);
  ASSERT_TRUE(run_until_answered(Side::drone));
  EXPECT_EQ(answer(Side::drone).timing.fetch, Duration{});
  EXPECT_FALSE(pair_.saw(Side::drone, EventKind::rekey_prepared));
  EXPECT_LE(answer(Side::drone).timing.total, 20ms + 2ms);  // two jobs of 1 ms
  EXPECT_LE(pair_.now() - before, 40ms + 2ms);              // and one round trip to be confirmed
}

TEST_F(Rekeying, times_its_phases_and_they_add_up)
{
  const HandshakeTiming session = pair_.snapshot(Side::drone).timing;
  EXPECT_GE(session.connect, 20ms);  // a round trip each
  EXPECT_GE(session.hello, 20ms);
  EXPECT_GE(session.derive, 2ms);  // two jobs of 1 ms
  EXPECT_GE(session.answer, 20ms);
  EXPECT_EQ(session.connect + session.hello + session.derive + session.answer, session.total);

  request(Side::drone);
  ASSERT_TRUE(run_until_answered(Side::drone));
  const HandshakeTiming rekey = answer(Side::drone).timing;
  EXPECT_EQ(rekey.connect + rekey.hello, Duration{});
  EXPECT_GE(rekey.derive, 1ms);
  EXPECT_EQ(rekey.derive + rekey.answer, rekey.total);
}

TEST_F(Rekeying, by_a_ratchet_needs_no_job_and_no_prekey)
{
  const std::size_t jobs = pair_.jobs_run(Side::drone) + pair_.jobs_run(Side::gcs);
  RekeyCommand command = rekey_to(nullptr);
  command.ratchet = true;
  Traffic traffic(pair_);
  pair_.drone().request_rekey(command, pair_.now());
  ASSERT_TRUE(traffic.run_until([&] { return !pair_.outcomes(Side::drone).empty(); }, 1s));
  EXPECT_TRUE(answer(Side::drone).success);
  EXPECT_EQ(pair_.jobs_run(Side::drone) + pair_.jobs_run(Side::gcs), jobs);
  pair_.run_for(50ms);
  for (const Side side : both_sides) {
    EXPECT_EQ(pair_.snapshot(side).epoch, Epoch{1});
    EXPECT_EQ(pair_.snapshot(side).ratchets, 1u);
    EXPECT_TRUE(traffic.arrived_exactly(side));
  }
}

// Neither reports nor keep-alives are due meanwhile, and no prekeys are fetched ahead.
class QuietRekeying : public Rekeying
{
protected:
  QuietRekeying() : Rekeying(quiet()) { pair_.run_for(10s); }

  static WiredPair::Options quiet()
  {
    WiredPair::Options options;
    options.settings.report_interval = options.settings.keepalive_interval = 1h;
    options.settings.peer_timeout = 10h;
    options.settings.prefetch_max_bytes = 0;
    options.job_time = 500ms;
    return options;
  }
  std::size_t sent()
  {
    std::size_t bytes = 0;
    for (const Side side : both_sides) {
      for (const Bytes & datagram : pair_.datagrams_sent(side)) {
        bytes += datagram.size();
      }
    }
    return bytes;
  }
};

TEST_F(QuietRekeying, counts_every_byte_of_its_exchange_and_of_its_fetch)
{
  for (const bool ratchet : {true, false}) {
    RekeyCommand command = rekey_to(nullptr);
    command.ratchet = ratchet;
    pair_.outcomes(Side::drone).clear();
    const std::size_t before = sent();
    const PeerSnapshot was = pair_.snapshot(Side::drone);
    pair_.drone().request_rekey(command, pair_.now());
    ASSERT_TRUE(run_until_answered(Side::drone));
    const HandshakeTiming & timing = answer(Side::drone).timing;
    EXPECT_EQ(timing.bytes + timing.fetch_bytes, sent() - before);
    EXPECT_EQ(pair_.snapshot(Side::drone).exchange_bytes - was.exchange_bytes, timing.bytes);
    EXPECT_EQ(pair_.snapshot(Side::drone).fetch_bytes - was.fetch_bytes, timing.fetch_bytes);
    EXPECT_GT(timing.bytes, ratchet ? 100u : 1000u) << "an encapsulation";
    EXPECT_EQ(timing.fetch_bytes > 4000, !ratchet) << "a key and its signature";
    pair_.run_for(1s);
  }
}

TEST_F(Rekeying, uses_keys_made_ahead_of_its_handshake)
{
  ASSERT_TRUE(pair_.run_until([&] { return pair_.snapshot(Side::drone).prekeys > 0; }));
  request(Side::drone);
  ASSERT_TRUE(run_until_answered(Side::drone));
  EXPECT_TRUE(pair_.snapshot(Side::drone).timing.prepared_ahead);
}

TEST_F(Rekeying, under_heavy_traffic_loses_reorders_and_drops_nothing)
{
  Traffic traffic(pair_);
  for (std::size_t n = 1; n <= 20; ++n) {
    request(Side::drone, n % 2 == 0 ? nullptr : &chacha());
    ASSERT_TRUE(
      traffic.run_until([&] { return pair_.outcomes(Side::drone).size() == n; }, 5s, 100us));
    EXPECT_TRUE(answer(Side::drone).success);
  }
  pair_.run_for(50ms);
  for (const Side side : both_sides) {
    EXPECT_TRUE(traffic.arrived_exactly(side));
    EXPECT_EQ(pair_.drops(side), 0u);
    EXPECT_EQ(pair_.snapshot(side).epoch, Epoch{20});
  }
}

TEST_F(Rekeying, while_one_is_under_way_or_waits_for_its_key_is_refused_with_a_sentence)
{
  for (const bool waits : {true, false}) {
    pair_.outcomes(Side::drone).clear();
    request(Side::drone, &chacha());
    request(Side::drone);
    ASSERT_EQ(pair_.outcomes(Side::drone).size(), 0u);
    pair_.pump();
    ASSERT_EQ(pair_.outcomes(Side::drone).size(), 1u);
    EXPECT_FALSE(answer(Side::drone).success);
    EXPECT_EQ(
      answer(Side::drone).message, std::string("a rekey to cs-mlkem768-chacha20poly1305-mldsa65 ") +
                                     (waits ? "waits for its key" : "is under way"));
    ASSERT_TRUE(run_until_answered(Side::drone, 2));
    EXPECT_TRUE(answer(Side::drone).success);
    EXPECT_NE(pair_.outcomes(Side::drone)[0].id, pair_.outcomes(Side::drone)[1].id);
    pair_.run_for(3s);  // the next key is fetched ahead
  }
}

TEST_F(Rekeying, without_a_session_is_refused_with_a_sentence)
{
  WiredPair pair;
  for (const Side side : both_sides) {
    pair.end(side).request_rekey(rekey_to(nullptr), pair.now());
    pair.pump();
    ASSERT_EQ(pair.outcomes(side).size(), 1u);
    EXPECT_FALSE(pair.outcomes(side).front().success);
    EXPECT_NE(pair.outcomes(side).front().message.find("to rekey yet"), std::string::npos);
    EXPECT_EQ(pair.outcomes(side).front().suite, nullptr);
  }
}

TEST_F(Rekeying, to_a_suite_without_keys_is_refused_with_a_sentence)
{
  for (const Side side : both_sides) {
    request(side, &suite("cs-mlkem768-aesgcm-sphincs192f"));
    pair_.pump();
    ASSERT_EQ(pair_.outcomes(side).size(), 1u);
    EXPECT_FALSE(answer(side).success);
    EXPECT_NE(answer(side).message.find("the identity holds no"), std::string::npos);
  }
}

TEST_F(Rekeying, refused_is_an_event_too_that_names_the_suite)
{
  const Suite & keyless = suite("cs-mlkem768-aesgcm-sphincs192f");
  for (const Side side : both_sides) {
    pair_.events(side).clear();
    request(side, &keyless);
    pair_.pump();
    ASSERT_EQ(pair_.count(side, EventKind::refused), 1u);
    EXPECT_EQ(pair_.events(side).back().suite, &keyless);
    EXPECT_TRUE(pair_.reported(side, EventKind::refused, "rekey refused: "));
  }
}

TEST_F(Rekeying, refused_at_any_rate_is_answered_each_time_and_reported_now_and_then_with_a_count)
{
  constexpr unsigned calls = 11'786;  // in 12 s
  const Suite & keyless = suite("cs-mlkem768-aesgcm-sphincs192f");
  for (const Side side : both_sides) {
    pair_.events(side).clear();
    const std::size_t answered = pair_.outcomes(side).size();
    for (unsigned i = 0; i < calls; ++i) {
      request(side, &keyless);
      if (i % 1000 == 0) {
        pair_.run_for(std::chrono::seconds(1));
      }
    }
    pair_.pump();
    EXPECT_EQ(pair_.outcomes(side).size(), answered + calls);
    EXPECT_LE(pair_.count(side, EventKind::refused), EventBudget::burst + 2);
    EXPECT_TRUE(pair_.reported(side, EventKind::refused, " before it)"));
  }
}

TEST(Rekey, below_the_floor_is_refused_whoever_asks)
{
  WiredPair::Options options;
  options.settings.suites = SuitePolicy(SecurityLevel::l3, false);
  options.identities = {SignatureAlgorithm::ml_dsa_44, SignatureAlgorithm::ml_dsa_65};
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  for (const Side side : both_sides) {
    for (const auto & [id, reason] : std::map<std::string, std::string>{
           {"cs-mlkem512-aesgcm-mldsa44", "its level 1 is below min_level 3"},
           {"cs-hqc192-aesgcm-mldsa65", "it is experimental, and allow_experimental is false"}})
    {
      pair.end(side).request_rekey(rekey_to(&suite(id)), pair.now());
      pair.pump();
      ASSERT_FALSE(pair.outcomes(side).empty());
      EXPECT_FALSE(pair.outcomes(side).back().success);
      EXPECT_EQ(
        pair.outcomes(side).back().message, id + " is not allowed by the configuration: " + reason);
    }
  }
}

TEST_F(Rekeying, asked_for_by_the_ground_station_is_done_by_the_drone_and_answered_at_both)
{
  Traffic traffic(pair_);
  request(Side::gcs, &chacha());
  ASSERT_TRUE(traffic.run_until([&] { return !pair_.outcomes(Side::gcs).empty(); }));
  EXPECT_TRUE(answer(Side::gcs).success);
  EXPECT_EQ(answer(Side::gcs).suite, &chacha());
  pair_.run_for(50ms);
  EXPECT_TRUE(pair_.outcomes(Side::drone).empty());  // nobody asked there
  EXPECT_EQ(pair_.snapshot(Side::drone).suite, &chacha());
  EXPECT_TRUE(traffic.arrived_exactly(Side::drone));
  EXPECT_TRUE(traffic.arrived_exactly(Side::gcs));
}

TEST_F(Rekeying, asked_for_by_the_ground_station_survives_the_loss_of_its_request)
{
  int lost = 0;
  pair_.set_datagram_filter([&](Side from, Bytes & bytes) {
    return from != Side::gcs || bytes.size() != frame_overhead + 5 + 6 || ++lost > 3;
  });
  request(Side::gcs, &chacha());
  ASSERT_TRUE(run_until_answered(Side::gcs, 1, 10s));
  EXPECT_TRUE(answer(Side::gcs).success);
  EXPECT_GE(lost, 3);
}

TEST_F(
  Rekeying, requested_at_the_ground_station_logs_its_reason_there_when_it_starts_and_when_it_fails)
{
  const auto logs = [&](EventKind kind, const std::string & text) {
    return std::ranges::any_of(pair_.events(Side::gcs), [&](const Event & event) {
      return event.kind == kind && event.text.find(text) != std::string::npos;
    });
  };
  pair_.gcs().request_rekey(rekey_to(&chacha(), "shift change"), pair_.now());
  ASSERT_TRUE(run_until_answered(Side::gcs));
  EXPECT_TRUE(logs(EventKind::rekey_started, "the requested rekey (reason: shift change)"));

  pair_.set_job_filter([](Side at, Job &) -> std::optional<JobResult> {
    return at == Side::drone ? std::optional(JobFailed{JobError::unavailable, "no memory"})
                             : std::nullopt;
  });
  pair_.gcs().request_rekey(rekey_to(nullptr, "a leaked key"), pair_.now());
  ASSERT_TRUE(run_until_answered(Side::gcs, 2));
  EXPECT_TRUE(logs(EventKind::rekey_failed, "(reason: a leaked key)"));
}

TEST_F(Rekeying, is_answered_with_the_id_of_its_request)
{
  for (const Side side : both_sides) {
    const RekeyCommand good = rekey_to(nullptr);
    RekeyCommand bad = rekey_to(nullptr);
    bad.suite_id = "cs-mlkem768-aesgcm-mldsa66";
    RekeyCommand stray = rekey_to(nullptr);
    stray.peer = PeerIndex{7};
    for (const RekeyCommand & command : {bad, stray, good}) {
      pair_.end(side).request_rekey(command, pair_.now());
    }
    ASSERT_TRUE(run_until_answered(side, 3));
    const auto & replies = pair_.outcomes(side);
    EXPECT_EQ(replies[0].id, bad.id);
    EXPECT_EQ(
      replies[0].message,
      "there is no suite \"cs-mlkem768-aesgcm-mldsa66\"; did you mean cs-mlkem768-aesgcm-mldsa65?");
    // A text of any length costs the packet thread nothing.
    bad.suite_id = std::string(10'000'000, 'c');
    pair_.end(side).request_rekey(bad, pair_.now());
    pair_.pump();
    EXPECT_EQ(replies.back().message, "there is no suite with an id of 10000000 characters");
    EXPECT_EQ(replies[1].id, stray.id);
    EXPECT_EQ(replies[1].message, "there is no such drone");
    EXPECT_EQ(replies[2].id, good.id);
    EXPECT_TRUE(replies[2].success);
  }
}

TEST_F(Rekeying, asked_for_by_the_ground_station_thrice_is_done_once)
{
  pair_.set_channel([](Side, Bytes &) { return std::vector<Duration>{0ms, 5ms, 100ms}; });
  request(Side::gcs);
  ASSERT_TRUE(run_until_answered(Side::gcs));
  pair_.run_for(10s);
  EXPECT_EQ(pair_.snapshot(Side::drone).rekeys, 1u);
}

TEST_F(Rekeying, asked_for_by_the_ground_station_while_the_drone_rekeys_is_declined)
{
  request(Side::drone);
  request(Side::gcs, &chacha());
  ASSERT_TRUE(run_until_answered(Side::gcs, 1, 5s));
  EXPECT_FALSE(answer(Side::gcs).success);
  EXPECT_EQ(answer(Side::gcs).message, "the drone is busy with another rekey");
  ASSERT_TRUE(run_until_answered(Side::drone, 1, 5s));
  EXPECT_TRUE(answer(Side::drone).success);
}

TEST_F(Rekeying, asked_for_by_the_ground_station_and_failed_at_the_drone_is_answered_soon)
{
  pair_.set_job_filter([](Side at, Job &) -> std::optional<JobResult> {
    return at == Side::drone ? std::optional(JobFailed{JobError::unavailable, "no memory"})
                             : std::nullopt;
  });
  request(Side::gcs, &chacha());
  ASSERT_TRUE(run_until_answered(Side::gcs, 1, 10s));
  EXPECT_FALSE(answer(Side::gcs).success);
  EXPECT_EQ(answer(Side::gcs).message, "the drone could not rekey; the old keys stay");
}

TEST_F(Rekeying, asked_for_by_the_ground_station_of_a_silent_drone_is_answered_in_the_end)
{
  pair_.set_datagram_filter([](Side, Bytes &) { return false; });
  request(Side::gcs, &chacha());
  request(Side::gcs);
  pair_.pump();
  EXPECT_EQ(answer(Side::gcs).message, "a rekey is under way");
  ASSERT_TRUE(run_until_answered(Side::gcs, 2, 121s));
  EXPECT_FALSE(answer(Side::gcs).success);
}

}  // namespace
}  // namespace pqc_tunnel::test
