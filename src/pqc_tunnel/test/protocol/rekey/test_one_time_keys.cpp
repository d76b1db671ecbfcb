// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "link/shaping/shaped_line.hpp"
#include "support/hostile/insiders_rekey.hpp"
#include "support/memory_anchor.hpp"
#include "support/pair/traffic.hpp"

// Ratchets with a one-time key of the anchor.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class OneTimeKeys : public InsidersRatchet
{
protected:
  // The session takes the last-resort key, so that all one-time keys are left.
  void establish(std::size_t keys = 2, AnchorUse drone = AnchorUse::automatic)
  {
    anchor_.emplace(keys, kem_);
    for (MemoryAnchor::Key & key : anchor_->keys()) {
      key.at_drone = false;
    }
    WiredPair::Options options;
    options.suite = in_use().id;
    options.settings.anchor = drone;
    if (!links_.empty()) {
      options.settings.paths.links = links_;
    }
    options.alter_drone = [this](DroneIdentity & identity) {
      identity.anchor = anchor_->at_drone();
    };
    options.alter_gcs = [this](GcsIdentity &, DroneRecord & record) {
      record.anchor = anchor_->at_ground();
    };
    pair_ = std::make_unique<WiredPair>(std::move(options));
    insider_ = std::make_unique<Insider>(*pair_);
    ASSERT_TRUE(pair_->establish());
    pair_->run_for(3s);
    for (MemoryAnchor::Key & key : anchor_->keys()) {
      key.at_drone = true;
    }
  }
  // Returns the reply to the command at that end.
  RekeyReply ratchet_at(Side side = Side::drone)
  {
    RekeyCommand command = rekey_to(nullptr);
    command.one_time_key = true;
    const std::size_t before = pair_->outcomes(side).size();
    pair_->end(side).request_rekey(command, pair_->now(side));
    pair_->pump();
    EXPECT_TRUE(pair_->run_until([&] { return pair_->outcomes(side).size() > before; }));
    return pair_->outcomes(side).back();
  }
  void expect_refusal(const std::string & words, Side side = Side::drone)
  {
    const RekeyReply reply = ratchet_at(side);
    EXPECT_FALSE(reply.success);
    EXPECT_NE(reply.message.find(words), std::string::npos) << reply.message;
    EXPECT_TRUE(pair_->agreed());
    EXPECT_EQ(pair_->snapshot(Side::drone).epoch, Epoch{0});
    EXPECT_TRUE(pair_->send(Side::drone, numbered(1)));
  }
  static AnchorKind one_time() { return {MemoryAnchor::kem, true}; }
  // What a drone that has the PSK and the live keys sends.
  Ratchet with_key(const MemoryAnchor::Key & key)
  {
    Ratchet made = ratchet();
    auto kem = Kem::open(key.kind.kem).value();
    const auto encapsulated = kem.encapsulate(key.pair.public_key, pair_->random()).value();
    ByteWriter(made.anchor).id(key.id()).bytes(encapsulated.ciphertext);
    made.mac = ratchet_mac(psk(), insider_->keys(Side::drone), made);
    return made;
  }

  std::optional<MemoryAnchor> anchor_;
  std::vector<LinkSettings> links_;  // none: the usual one
  KemAlgorithm kem_ = MemoryAnchor::kem;
};

TEST_F(OneTimeKeys, make_the_next_epochs_and_their_secrets_are_erased)
{
  establish();
  for (const Side side : both_sides) {
    EXPECT_EQ(pair_->snapshot(side).anchor, (AnchorKind{MemoryAnchor::kem, false}));
  }
  std::uint8_t epoch = 0;
  for (const Side by : both_sides) {
    ++epoch;
    EXPECT_TRUE(ratchet_at(by).success);
    ASSERT_TRUE(pair_->run_until([&] { return pair_->agreed(); }));
    for (const Side side : both_sides) {
      EXPECT_EQ(pair_->snapshot(side).epoch, Epoch{epoch});
      EXPECT_EQ(pair_->snapshot(side).anchor, one_time());
      EXPECT_EQ(pair_->snapshot(side).ratchets, epoch);
    }
    EXPECT_EQ(anchor_->left_at_ground(), 2u - epoch);
    EXPECT_TRUE(pair_->send(Side::drone, numbered(epoch)));
    EXPECT_TRUE(pair_->send(Side::gcs, numbered(epoch)));
  }
  EXPECT_TRUE(pair_->reported(Side::drone, EventKind::rekey_started, "with a one-time key"));
}

TEST_F(OneTimeKeys, cost_about_390_bytes_on_the_link)
{
  establish();
  EXPECT_TRUE(ratchet_at().success);
  EXPECT_LT(pair_->snapshot(Side::drone).timing.bytes, 500u);
}

// Its control frame leaves in fragments, and again when one is lost.
TEST_F(OneTimeKeys, serve_on_a_radio_whose_frames_hold_no_such_ratchet)
{
  constexpr std::size_t longest = 240;
  links_ = {radio(57.6, longest)};
  kem_ = KemAlgorithm::classic_mceliece_460896;
  establish();
  std::size_t sent = 0;
  pair_->set_datagram_filter([&](Side from, const Bytes & frame) {
    EXPECT_LE(frame.size(), longest);
    sent += from == Side::drone && frame.size() == longest ? 1 : 0;
    return from != Side::drone || frame.size() < longest || sent > 1;
  });
  EXPECT_TRUE(ratchet_at().success);
  EXPECT_GT(sent, 1u);
  ASSERT_TRUE(pair_->run_until([&] { return pair_->agreed(); }));
  for (const Side side : both_sides) {
    EXPECT_EQ(pair_->snapshot(side).anchor, (AnchorKind{kem_, true}));
  }
}

TEST_F(OneTimeKeys, are_read_by_jobs_alone)
{
  establish();
  for (const Side side : both_sides) {
    pair_->hold_jobs(side, true);
    RekeyCommand command = rekey_to(nullptr);
    command.one_time_key = true;
    pair_->drone().request_rekey(command, pair_->now(Side::drone));
    pair_->run_for(2s);
    EXPECT_FALSE(pair_->saw(Side::drone, EventKind::rekey_committed));
    pair_->hold_jobs(side, false);
    ASSERT_TRUE(pair_->run_until([&] { return !pair_->outcomes(Side::drone).empty(); }));
    EXPECT_TRUE(pair_->outcomes(Side::drone).back().success);
    pair_->outcomes(Side::drone).clear();
    pair_->events(Side::drone).clear();
  }
}

TEST_F(OneTimeKeys, that_are_used_up_or_that_an_end_has_not_are_a_sentence)
{
  establish(0);
  expect_refusal("no one-time key of the anchor of the suite's level is left");
  expect_refusal("the drone has no one-time key left", Side::gcs);
  EXPECT_FALSE(pair_->saw(Side::drone, EventKind::rekey_started));
  EXPECT_TRUE(pair_->reported(Side::drone, EventKind::refused, "no one-time key of the anchor"));
  establish(1, AnchorUse::off);
  expect_refusal("this drone has no anchor");
}

TEST_F(OneTimeKeys, that_the_ground_station_has_not_are_a_sentence)
{
  establish();
  anchor_->keys()[1].at_ground = false;
  expect_refusal("does not know this one-time key");
  EXPECT_TRUE(pair_->reported(Side::gcs, EventKind::rekey_failed, "update the drone's identity"));
}

TEST(OneTimeKeysOfNobody, are_refused_by_a_ground_station_without_an_anchor)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  RekeyCommand command = rekey_to(nullptr);
  command.one_time_key = true;
  pair.gcs().request_rekey(command, pair.now());
  pair.pump();
  ASSERT_EQ(pair.outcomes(Side::gcs).size(), 1u);
  EXPECT_NE(pair.outcomes(Side::gcs)[0].message.find("has no anchor for"), std::string::npos);
}

TEST_F(OneTimeKeys, that_come_back_at_the_drone_are_refused_and_the_next_one_serves)
{
  establish(3);
  EXPECT_TRUE(ratchet_at().success);
  ASSERT_TRUE(pair_->run_until([&] { return pair_->agreed(); }));
  anchor_->keys()[1].at_drone = true;
  const RekeyReply again = ratchet_at();
  EXPECT_FALSE(again.success);
  EXPECT_NE(again.message.find("or it was used before"), std::string::npos) << again.message;
  EXPECT_EQ(pair_->snapshot(Side::gcs).epoch, Epoch{1});
  EXPECT_TRUE(ratchet_at().success);
  EXPECT_EQ(anchor_->left_at_ground(), 1u);
}

TEST_F(OneTimeKeys, whose_secret_cannot_be_erased_make_no_keys)
{
  establish();
  anchor_->refuse_to_erase(true);
  expect_refusal("the ground station could not ratchet: it can't use its anchor");
  EXPECT_TRUE(pair_->reported(Side::gcs, EventKind::rekey_failed, "the disk is full"));
}

TEST_F(OneTimeKeys, are_opened_once_and_answered_alike_although_answers_are_lost)
{
  establish();
  int lost = 3;
  std::vector<Bytes> answers;
  pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
    const auto frame =
      from == Side::gcs ? insider_->read_control(Side::drone, bytes) : std::nullopt;
    if (!frame || !std::holds_alternative<RatchetOk>(frame->body)) {
      return true;
    }
    answers.push_back(encode(*frame));
    return --lost < 0;
  });
  const auto jobs = pair_->jobs_run(Side::gcs);
  EXPECT_TRUE(ratchet_at().success);
  ASSERT_GE(answers.size(), 4u);
  for (const Bytes & answer : answers) {
    EXPECT_EQ(answer, answers.front());
  }
  EXPECT_EQ(pair_->jobs_run(Side::gcs), jobs + 1);
  EXPECT_EQ(anchor_->left_at_ground(), 1u);
}

TEST_F(OneTimeKeys, are_covered_by_the_mac_and_not_looked_up_without_it)
{
  establish();
  const std::size_t before = keys(Side::gcs);
  const std::size_t looked_up = anchor_->looked_up();
  for (const std::size_t at : {std::size_t{0}, AnchorId::size, AnchorId::size + 95}) {
    Ratchet forged = with_key(anchor_->keys()[1]);
    forged.anchor.at(at) ^= 1U;
    insider_->say(Side::drone, {transaction_of(forged.random), forged});
  }
  Ratchet stripped = with_key(anchor_->keys()[1]);
  stripped.anchor.clear();
  insider_->say(Side::drone, {transaction_of(stripped.random), stripped});
  pair_->run_for(200ms);
  EXPECT_EQ(keys(Side::gcs), before);
  EXPECT_EQ(anchor_->looked_up(), looked_up);
  EXPECT_EQ(anchor_->left_at_ground(), 2u);
}

TEST_F(OneTimeKeys, alone_serve_and_never_the_last_resort_key)
{
  establish();
  const std::size_t before = keys(Side::gcs);
  const Ratchet last_resort = with_key(anchor_->keys()[0]);
  insider_->say(Side::drone, {transaction_of(last_resort.random), last_resort});
  pair_->run_for(200ms);
  EXPECT_EQ(keys(Side::gcs), before);
  const Ratchet one_time = with_key(anchor_->keys()[1]);
  insider_->say(Side::drone, {transaction_of(one_time.random), one_time});
  pair_->run_for(200ms);
  EXPECT_EQ(keys(Side::gcs), before + 1);
}

// The answer proves the secret, so the drone never sends under keys that the ground station has not.
TEST_F(OneTimeKeys, whose_secrets_differ_are_not_confirmed)
{
  establish();
  pair_->set_job_filter([&](Side side, Job & job) -> std::optional<JobResult> {
    JobResult result = run_job(std::move(job), pair_->random());
    if (auto * secret = std::get_if<AnchorSecret>(&result); secret && side == Side::gcs) {
      secret->secret.span()[0] ^= 1U;
    }
    return result;
  });
  const RekeyReply reply = ratchet_at();
  EXPECT_FALSE(reply.success);
  EXPECT_FALSE(pair_->saw(Side::drone, EventKind::rekey_committed));
}

TEST_F(OneTimeKeys, opened_too_late_displace_no_newer_keys)
{
  establish();
  pair_->hold_jobs(Side::gcs, true);
  EXPECT_FALSE(ratchet_at().success);  // the drone gives it up
  RekeyCommand command = rekey_to(nullptr);
  command.ratchet = true;
  pair_->drone().request_rekey(command, pair_->now(Side::drone));
  pair_->pump();
  ASSERT_TRUE(pair_->run_until([&] { return pair_->snapshot(Side::gcs).epoch == Epoch{1}; }));
  const auto before = pair_->snapshot(Side::gcs).keys.front().transcript_tag;
  pair_->hold_jobs(Side::gcs, false);
  pair_->run_for(200ms);
  EXPECT_EQ(pair_->snapshot(Side::gcs).keys.front().transcript_tag, before);
}

}  // namespace
}  // namespace pqc_tunnel::test
