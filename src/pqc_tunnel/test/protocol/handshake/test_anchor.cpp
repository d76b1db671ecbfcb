// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "link/shaping/shaped_line.hpp"
#include "protocol/wire/wire.hpp"
#include "support/memory_anchor.hpp"
#include "support/pair/radio_pair.hpp"
#include "support/pair/traffic.hpp"

// New sessions with the ground station's anchor, and the secret that one session hands to the next.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class Anchor : public testing::Test
{
protected:
  WiredPair::Options options(AnchorUse drone = AnchorUse::automatic)
  {
    WiredPair::Options made;
    made.settings.anchor = drone;
    made.alter_drone = [this](DroneIdentity & identity) { identity.anchor = anchor_.at_drone(); };
    made.alter_gcs = [this](GcsIdentity &, DroneRecord & record) {
      record.anchor = anchor_.at_ground();
    };
    return made;
  }
  WiredPair::Options options(AnchorUse drone, AnchorUse ground)
  {
    WiredPair::Options made = options(drone);
    made.gcs_settings = made.settings;
    made.gcs_settings->anchor = ground;
    return made;
  }
  static std::optional<AnchorKind> at(WiredPair & pair, Side side)
  {
    return pair.snapshot(side).anchor;
  }
  // The drone starts again, and has a session.
  static bool begin_again(WiredPair & pair)
  {
    pair.restart(Side::drone);
    return pair.run_until([&] { return pair.agreed(); });
  }

  MemoryAnchor anchor_{2};
};

TEST_F(Anchor, is_used_once_per_one_time_key_and_then_the_last_resort_key)
{
  WiredPair pair(options());
  ASSERT_TRUE(pair.establish());
  const AnchorKind one_time{MemoryAnchor::kem, true};
  const AnchorKind last_resort{MemoryAnchor::kem, false};
  EXPECT_EQ(to_text(one_time), "a one-time key of Classic McEliece 348864");
  EXPECT_EQ(to_text(last_resort), "the last-resort key of Classic McEliece 348864");
  for (const AnchorKind & expected : {one_time, one_time, last_resort, last_resort}) {
    for (const Side side : both_sides) {
      EXPECT_EQ(at(pair, side), expected);
      EXPECT_TRUE(
        pair.reported(side, EventKind::handshake_completed, "anchored by " + to_text(expected)));
    }
    EXPECT_TRUE(pair.send(Side::drone, numbered(1)));
    ASSERT_TRUE(begin_again(pair));
  }
  EXPECT_EQ(anchor_.left_at_ground(), 0u);
}

// Somebody drops CONFIRM, again and again.
TEST_F(Anchor, keeps_most_one_time_keys_from_somebody_who_breaks_sessions_off)
{
  anchor_ = MemoryAnchor(7);
  WiredPair pair(options());
  pair.set_job_filter([&](Side side, Job & job) -> std::optional<JobResult> {
    JobResult result = run_job(std::move(job), pair.random());
    if (auto * made = std::get_if<FinishMade>(&result); made && side == Side::drone) {
      made->confirmation.fill(0);
    }
    return result;
  });
  pair.run_for(2min);
  EXPECT_GT(pair.snapshot(Side::gcs).handshakes, 5u);
  EXPECT_EQ(anchor_.left_at_ground(), 3u);
  pair.run_for(31min);
  EXPECT_EQ(anchor_.left_at_ground(), 2u);
  pair.set_job_filter(nullptr);
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }));
  EXPECT_EQ(at(pair, Side::drone), (AnchorKind{MemoryAnchor::kem, false}));
}

TEST_F(Anchor, is_left_out_where_the_drone_has_no_key_or_is_told_so)
{
  WiredPair::Options without = options();
  without.alter_drone = nullptr;
  for (auto & made :
       {without, options(AnchorUse::off, AnchorUse::automatic),
        options(AnchorUse::off, AnchorUse::off)})
  {
    WiredPair pair(made);
    ASSERT_TRUE(pair.establish());
    EXPECT_FALSE(at(pair, Side::drone));
    EXPECT_FALSE(at(pair, Side::gcs));
  }
  EXPECT_EQ(anchor_.looked_up(), 0u);
}

void expect_refusal(
  const WiredPair::Options & options, const std::string & at_drone, const std::string & at_ground)
{
  WiredPair pair(options);
  EXPECT_FALSE(pair.run_until([&] { return pair.agreed(); }, 20s));
  EXPECT_TRUE(pair.reported(Side::drone, EventKind::handshake_failed, at_drone));
  EXPECT_TRUE(
    pair.reported(Side::gcs, EventKind::refused, at_ground) ||
    pair.reported(Side::gcs, EventKind::handshake_failed, at_ground));
}

TEST_F(Anchor, that_one_end_requires_and_the_other_leaves_out_is_a_sentence_at_both)
{
  expect_refusal(
    options(AnchorUse::off, AnchorUse::required), "must be configured alike",
    "anchor is required here, and the drone does not use it");
  expect_refusal(
    options(AnchorUse::required, AnchorUse::off), "must be configured alike",
    "the drone uses the anchor, and anchor is off here");
  EXPECT_EQ(anchor_.looked_up(), 0u);
}

TEST_F(Anchor, that_is_required_needs_a_key_at_the_drone)
{
  WiredPair::Options made = options(AnchorUse::required);
  WiredPair pair(made);
  ASSERT_TRUE(pair.establish());
  SeededRandom random(1);
  const Identities identities = Identities::for_signatures({SignatureAlgorithm::ml_dsa_65});
  made.settings.initial_suite = &suite(made.suite);
  const auto tunnel = Tunnel::create(
    Tunnel::DroneConfig{made.settings, identities.drone_part(), {}}, random, pair.now());
  ASSERT_FALSE(tunnel);
  EXPECT_NE(
    tunnel.error().message.find("holds no key of the ground station's anchor"), std::string::npos);
}

TEST_F(Anchor, that_was_replaced_is_told_to_the_drone)
{
  for (const bool any : {true, false}) {
    WiredPair::Options made = options();
    made.alter_gcs = [any](GcsIdentity &, DroneRecord & record) {
      record.anchor = any ? MemoryAnchor(0).at_ground() : nullptr;
    };
    anchor_ = MemoryAnchor(2);
    anchor_.keys().erase(anchor_.keys().begin());  // now the first one-time key is the last resort
    anchor_.keys()[0].kind.one_time = false;
    expect_refusal(
      made, "the ground station's anchor was replaced, so update this drone's identity",
      "update the drone's identity");
  }
}

TEST_F(Anchor, key_that_was_used_before_is_refused_and_the_next_one_taken)
{
  WiredPair pair(options());
  ASSERT_TRUE(pair.establish());
  anchor_.keys()[1].at_drone = true;  // the drone's folder comes back from a copy
  ASSERT_TRUE(begin_again(pair));
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::handshake_failed, "was used before"));
  EXPECT_EQ(at(pair, Side::drone), (AnchorKind{MemoryAnchor::kem, true}));
  EXPECT_FALSE(anchor_.keys()[2].at_ground);
}

TEST_F(Anchor, key_of_a_handshake_that_did_not_end_is_skipped_and_its_secret_erased)
{
  WiredPair pair(options());
  bool lost = false;
  pair.set_job_filter([&](Side side, Job & job) -> std::optional<JobResult> {
    if (side == Side::drone && std::holds_alternative<MakeFinish>(job) && !lost) {
      lost = true;
      JobResult result = run_job(std::move(job), pair.random());
      return JobFailed{JobError::unknown_anchor, "the machine crashes"};
    }
    return std::nullopt;
  });
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(at(pair, Side::gcs), (AnchorKind{MemoryAnchor::kem, true}));
  EXPECT_EQ(anchor_.left_at_ground(), 0u);  // with the second one the first one went, too
}

TEST_F(Anchor, secret_is_erased_before_the_ground_station_confirms)
{
  WiredPair pair(options());
  pair.set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
    const bool completes = std::holds_alternative<CompleteFinish>(job);
    JobResult result = run_job(std::move(job), pair.random());
    if (completes) {
      EXPECT_TRUE(std::holds_alternative<FinishCompleted>(result));
      EXPECT_EQ(anchor_.left_at_ground(), 1u);
    }
    return result;
  });
  ASSERT_TRUE(pair.establish());
}

TEST_F(Anchor, secret_that_cannot_be_erased_protects_no_session)
{
  anchor_.refuse_to_erase(true);
  WiredPair pair(options());
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }));
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::handshake_failed, "the disk is full"));
  EXPECT_EQ(at(pair, Side::gcs), (AnchorKind{MemoryAnchor::kem, false}));
}

TEST_F(Anchor, is_not_looked_up_before_the_finish_proves_the_psk)
{
  WiredPair pair(options());
  pair.set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
    if (auto * complete = std::get_if<CompleteFinish>(&job)) {
      complete->finish.at(complete->finish.size() - 2 * mac_size) ^= 1U;
    }
    return std::nullopt;
  });
  EXPECT_FALSE(pair.run_until([&] { return pair.agreed(); }, 10s));
  EXPECT_GT(pair.jobs_run(Side::gcs), 0u);
  EXPECT_EQ(anchor_.looked_up(), 0u);
}

// What either end did not see the other one use is no secret of theirs.
TEST_F(Anchor, secret_is_in_the_keys_and_its_name_in_the_transcript)
{
  for (const std::size_t at : {std::size_t{0}, AnchorId::size + 7}) {
    anchor_ = MemoryAnchor(2);
    WiredPair pair(options());
    std::size_t proofs = 0;
    pair.set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
      if (auto * complete = std::get_if<CompleteFinish>(&job)) {
        complete->finish.at(at) ^= 1U;
        JobResult result = run_job(std::move(job), pair.random());
        const auto * failed = std::get_if<JobFailed>(&result);
        proofs += failed != nullptr && failed->error == JobError::unauthenticated ? 1 : 0;
        return result;
      }
      return std::nullopt;
    });
    EXPECT_FALSE(pair.run_until([&] { return pair.agreed(); }, 10s));
    EXPECT_GT(proofs, 0u);
  }
}

TEST_F(Anchor, secret_that_differs_makes_other_keys)
{
  WiredPair pair(options());
  pair.set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
    if (std::holds_alternative<CompleteFinish>(job)) {
      for (MemoryAnchor::Key & key : anchor_.keys()) {
        key.pair.secret_key.span()[100] = 1;  // of the Goppa polynomial
        key.pair.secret_key.span()[101] = 2;
      }
    }
    return std::nullopt;
  });
  EXPECT_FALSE(pair.run_until([&] { return pair.agreed(); }, 3s));
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::handshake_failed, "does not confirm the key"));
  EXPECT_EQ(anchor_.left_at_ground(), 2u);  // nothing was proved with it
}

// --- What it costs ---

// The anchor adds 100 bytes to the smallest Finish here, and 208 at level 5.
TEST_F(Anchor, makes_the_first_handshake_on_a_radio_of_57_6_kbit_at_most_a_tenth_longer)
{
  const auto time_to_session = [](const char * suite, WiredPair::Options with, std::uint64_t seed) {
    with.seed = seed;
    with.suite = suite;
    with.job_time = 5ms;
    with.settings.paths.links = {radio(57.6, 240)};
    WiredPair pair(with);
    RadioPair radios(pair, {}, seed);
    const Instant begun = pair.now();
    for (; !pair.agreed() && pair.now() < begun + 60s; radios.advance()) {
      pair.run_for(3ms);
    }
    EXPECT_TRUE(pair.agreed());
    return pair.now() - begun;
  };
  for (const char * suite : {"cs-mlkem512-aesgcm-falcon512", "cs-mlkem768-aesgcm-mldsa65"}) {
    Duration with{};
    Duration without{};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      anchor_ = MemoryAnchor(1);
      with += time_to_session(suite, options(), seed);
      without += time_to_session(suite, options(AnchorUse::off), seed);
    }
    RecordProperty(suite, std::to_string(1000 * (with - without) / without) + " per mille longer");
    EXPECT_LE(with, without * 11 / 10)
      << suite << ": " << (with - without) / 60us << " us longer, of " << without / 60us << " us";
  }
}

// --- From one session to the next ---

class FormerSession : public Anchor
{
protected:
  // Counts, of the Finishes that are checked, those with the secret of a former session.
  void watch(WiredPair & pair)
  {
    pair.set_job_filter([this](Side, Job & job) -> std::optional<JobResult> {
      if (const auto * complete = std::get_if<CompleteFinish>(&job)) {
        const bool is_session = complete->resumption.secret.size() == 0;
        chained_ += is_session && complete->former.secret.size() > 0 ? 1 : 0;
        fresh_ += is_session && complete->former.secret.size() == 0 ? 1 : 0;
      }
      return std::nullopt;
    });
  }
  // Somebody drops what is sealed under the live keys, until the drone begins anew.
  static bool lose_and_begin(WiredPair & pair)
  {
    const auto before = pair.snapshot(Side::drone).handshakes;
    const std::array live{
      pair.snapshot(Side::drone).receive_id, pair.snapshot(Side::gcs).receive_id};
    pair.set_datagram_filter([live](Side, Bytes & bytes) {
      const auto header = decode_frame_header(bytes);
      return !header || std::ranges::find(live, header->key_id) == live.end();
    });
    const bool begun = pair.run_until(
      [&] { return pair.agreed() && pair.snapshot(Side::drone).handshakes > before; });
    pair.set_datagram_filter(nullptr);
    return begun;
  }

  int chained_ = 0;
  int fresh_ = 0;
};

TEST_F(FormerSession, goes_into_the_next_one_that_both_ends_begin_with_its_keys)
{
  WiredPair::Options made;
  WiredPair pair(made);
  watch(pair);
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(fresh_, 1);
  ASSERT_TRUE(lose_and_begin(pair));
  EXPECT_EQ(chained_, 1);
  EXPECT_TRUE(pair.send(Side::drone, numbered(1)));
}

TEST_F(FormerSession, is_forgotten_by_an_end_that_starts_again_or_wipes_its_keys)
{
  for (const Side side : both_sides) {
    WiredPair pair(WiredPair::Options{});
    watch(pair);
    ASSERT_TRUE(pair.establish());
    chained_ = fresh_ = 0;
    pair.restart(side);
    ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }));
    EXPECT_EQ(chained_, 0);
    EXPECT_EQ(fresh_, 1);
    pair.end(side).wipe(PeerIndex{0}, "test", pair.now(side));
    pair.pump();
    ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }));
    EXPECT_EQ(chained_, 0);
    EXPECT_EQ(fresh_, 2);
  }
}

TEST_F(FormerSession, goes_into_the_next_one_together_with_the_anchor)
{
  WiredPair pair(options());
  watch(pair);
  ASSERT_TRUE(pair.establish());
  ASSERT_TRUE(lose_and_begin(pair));
  EXPECT_EQ(chained_, 1);
  EXPECT_EQ(anchor_.left_at_ground(), 0u);
}

}  // namespace
}  // namespace pqc_tunnel::test
