// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/wire/wire.hpp"
#include "support/memory_anchor.hpp"
#include "support/pair/traffic.hpp"

// The chain of keys, and what the ends show of it: each exchange adds a layer, and only a restart or a wipe takes one away.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr const char * light = "cs-mlkem512-aesgcm-mldsa44";
constexpr const char * plain = "cs-frodokem640aes-aesgcm-mldsa44";
constexpr const char * anchored = "ML-KEM-512 and Classic McEliece 348864 (one-time)";

class Chain : public testing::Test
{
protected:
  Chain() : Chain([](WiredPair::Options &) {}) {}
  explicit Chain(const std::function<void(WiredPair::Options &)> & change)
  {
    WiredPair::Options options;
    options.suite = light;
    options.alter_drone = [this](DroneIdentity & identity) {
      identity.anchor = anchor_.at_drone();
    };
    options.alter_gcs = [this](GcsIdentity &, DroneRecord & record) {
      record.anchor = anchor_.at_ground();
    };
    change(options);
    pair_.emplace(options);
    EXPECT_TRUE(pair_->establish());
  }

  // Returns what both ends show, without families; "differs" if they show different lists.
  std::string shown()
  {
    std::array<std::string, 2> texts;
    for (const Side side : both_sides) {
      const Layers layers = pair_->snapshot(side).layers;
      std::string & text = texts.at(static_cast<std::size_t>(side));
      text = protection_text(layers);
      text = text.substr(0, text.find(':'));
    }
    return texts[0] == texts[1] ? texts[0] : "differs: " + texts[0] + " / " + texts[1];
  }
  bool rekey(const char * id, bool ratchet = false)
  {
    RekeyCommand command = rekey_to(&suite(id));
    command.ratchet = ratchet;
    const std::size_t answers = pair_->outcomes(Side::drone).size();
    pair_->drone().request_rekey(command, pair_->now(Side::drone));
    pair_->pump();
    return pair_->run_until([&] { return pair_->outcomes(Side::drone).size() > answers; }) &&
           pair_->outcomes(Side::drone).back().success && settle();
  }
  bool settle()
  {
    return pair_->run_until([&] { return pair_->agreed(); });
  }
  // Drops what is sealed under session keys that an end holds now.
  void cut_live_keys()
  {
    std::vector<FrameKeyId> live;
    for (const Side side : both_sides) {
      for (const InstalledKeys & keys : pair_->snapshot(side).keys) {
        live.push_back(keys.receive_id);
      }
    }
    pair_->set_datagram_filter([live](Side, Bytes & bytes) {
      const auto header = decode_frame_header(bytes);
      return !header || std::ranges::find(live, header->key_id) == live.end();
    });
  }
  bool begin_new_session()
  {
    const SessionId before = pair_->snapshot(Side::drone).session;
    cut_live_keys();
    const bool begun = pair_->run_until(
      [&] { return pair_->agreed() && pair_->snapshot(Side::drone).session != before; });
    pair_->set_datagram_filter(nullptr);
    return begun;
  }

  MemoryAnchor anchor_{8};
  std::optional<WiredPair> pair_;
};

TEST_F(Chain, begins_with_the_anchor_and_the_kem_of_the_session) { EXPECT_EQ(shown(), anchored); }

TEST_F(Chain, gets_a_layer_by_a_rekey_and_keeps_it_through_others)
{
  ASSERT_TRUE(rekey(plain));
  const std::string all = "ML-KEM-512, FrodoKEM-640-AES and Classic McEliece 348864 (one-time)";
  EXPECT_EQ(shown(), all);
  const Instant added = pair_->snapshot(Side::drone).layers.at(1).since;
  ASSERT_TRUE(rekey(light));
  EXPECT_EQ(shown(), all);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(rekey(light, true));
    EXPECT_EQ(shown(), all);
  }
  const Layers layers = pair_->snapshot(Side::drone).layers;
  EXPECT_EQ(layers.at(1).since, added);
  EXPECT_GT(layers.at(0).since, added) << "ML-KEM was exchanged anew";
}

// Not in use, and therefore not shown: neither what fails, nor what is under way.
TEST_F(Chain, gets_nothing_by_a_rekey_that_fails)
{
  for (const Side at : both_sides) {
    pair_->set_job_filter([at](Side side, Job & job) -> std::optional<JobResult> {
      const bool fails = side == Side::drone ? std::holds_alternative<MakeFinish>(job)
                                             : std::holds_alternative<CompleteFinish>(job);
      return side == at && fails
               ? std::optional<JobResult>(JobFailed{JobError::unauthenticated, "by the test"})
               : std::nullopt;
    });
    EXPECT_FALSE(rekey(plain));
    pair_->set_job_filter(nullptr);
    EXPECT_EQ(shown(), anchored);
  }
  ASSERT_TRUE(rekey(light));
  EXPECT_EQ(shown(), anchored);
}

TEST_F(Chain, gets_nothing_by_keys_that_the_drone_never_used)
{
  pair_->run_for(3s);
  // The ground station installs the keys; its CONFIRM gets lost, and the drone gives up.
  pair_->set_datagram_filter([this](Side from, Bytes & bytes) {
    return from == Side::drone || bytes.size() != frame_overhead + 5 + mac_size ||
           pair_->snapshot(Side::gcs).keys.front().use != KeyUse::pending;
  });
  EXPECT_FALSE(rekey(plain));
  pair_->set_datagram_filter(nullptr);
  EXPECT_EQ(shown(), anchored);
  ASSERT_TRUE(rekey(light));
  EXPECT_EQ(shown(), anchored);
}

TEST_F(Chain, goes_on_in_a_new_session_that_the_former_one_is_mixed_into)
{
  ASSERT_TRUE(rekey(plain));
  const std::string before = shown();
  ASSERT_TRUE(begin_new_session());
  EXPECT_EQ(shown(), before);
}

TEST_F(Chain, begins_anew_after_a_restart_or_a_wipe)
{
  for (const Side side : both_sides) {
    for (const bool wiped : {false, true}) {
      ASSERT_TRUE(rekey(plain));
      pair_->events(Side::drone).clear();
      pair_->events(Side::gcs).clear();
      if (wiped) {
        pair_->end(side).wipe(PeerIndex{0}, "test", pair_->now(side));
        pair_->pump();
        EXPECT_TRUE(pair_->snapshot(side).layers.empty());
      } else {
        pair_->restart(side);
      }
      ASSERT_TRUE(settle());
      EXPECT_EQ(shown(), anchored);
      const Side stays = other(side);
      EXPECT_TRUE(pair_->reported(stays, EventKind::protection, "less protection than before"));
      EXPECT_FALSE(pair_->reported(side, EventKind::protection, "less"));
    }
  }
}

TEST_F(Chain, is_not_gone_on_with_if_the_ground_station_does_not_mix_it_in)
{
  ASSERT_TRUE(rekey(plain));
  // As a ground station that lost its keys would: no hello names keys that it knows.
  pair_->set_job_filter([](Side, Job & job) -> std::optional<JobResult> {
    if (auto * issue = std::get_if<IssuePrekey>(&job)) {
      issue->former = false;
    } else if (auto * complete = std::get_if<CompleteFinish>(&job)) {
      complete->former = {};
    }
    return std::nullopt;
  });
  ASSERT_TRUE(begin_new_session());
  EXPECT_EQ(shown(), anchored);
}

// Whoever drops all but handshakes, and of these some CONFIRMs, makes the ground station hold sessions that the drone does not
// know, one after another.
TEST_F(Chain, is_not_cut_by_somebody_who_lets_only_parts_of_handshakes_pass)
{
  ASSERT_TRUE(rekey(plain));
  const std::vector<Problem> before = problems_of(pair_->snapshot(Side::drone).layers);
  const auto handshakes = [this](Side side) { return pair_->snapshot(side).handshakes; };
  for (const std::uint32_t confirmed : {0U, 1U}) {
    SCOPED_TRACE(confirmed);
    const auto at_drone = handshakes(Side::drone) + confirmed;
    pair_->set_datagram_filter([this, at_drone, handshakes](Side from, Bytes & bytes) {
      const auto header = decode_frame_header(bytes);
      const bool confirms = from == Side::gcs && bytes.size() == frame_overhead + 5 + mac_size;
      if (!header || (confirms && handshakes(Side::drone) >= at_drone)) {
        return !header;
      }
      return std::ranges::none_of(pair_->snapshot(from).keys, [&](const InstalledKeys & keys) {
        return keys.send_id == header->key_id;
      });
    });
    const auto at_ground = handshakes(Side::gcs) + confirmed;
    ASSERT_TRUE(pair_->run_until([&] { return handshakes(Side::gcs) >= at_ground + 4; }, 300s));
    pair_->set_datagram_filter(nullptr);
    ASSERT_TRUE(settle());
    for (const Side side : both_sides) {
      EXPECT_EQ(problems_of(pair_->snapshot(side).layers), before);
    }
  }
}

TEST_F(Chain, is_told_when_it_grows)
{
  EXPECT_EQ(pair_->count(Side::drone, EventKind::protection), 1U);
  ASSERT_TRUE(rekey(plain));
  ASSERT_TRUE(rekey(light));
  for (const Side side : both_sides) {
    EXPECT_EQ(pair_->count(side, EventKind::protection), 2U);
    EXPECT_TRUE(pair_->reported(
      side, EventKind::protection,
      "protected by ML-KEM-512, FrodoKEM-640-AES and Classic McEliece 348864 (one-time): lattices "
      "and codes"));
  }
}

TEST_F(Chain, counts_datagrams_by_families)
{
  EXPECT_TRUE(pair_->send(Side::drone, numbered(1)));
  const TrafficCounters traffic = pair_->snapshot(Side::drone).traffic;
  EXPECT_EQ(traffic.two_families_packets, 1U);
  EXPECT_EQ(traffic.one_family_packets, 0U);
}

class ChainWithoutAnchor : public Chain
{
protected:
  ChainWithoutAnchor()
  : Chain([](WiredPair::Options & options) {
      options.settings.anchor = AnchorUse::off;
      options.settings.mode.hybrid_x25519 = true;
    })
  {
  }
};

TEST_F(ChainWithoutAnchor, shows_the_curve_of_the_hybrid_mode_and_counts_it_for_nothing)
{
  EXPECT_EQ(shown(), "ML-KEM-512 and X25519");
  EXPECT_TRUE(pair_->send(Side::gcs, numbered(1)));
  EXPECT_EQ(pair_->snapshot(Side::gcs).traffic.one_family_packets, 1U);
}

}  // namespace
}  // namespace pqc_tunnel::test
