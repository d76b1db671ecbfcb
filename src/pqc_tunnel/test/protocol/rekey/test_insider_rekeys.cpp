// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/hostile/insiders_rekey.hpp"

// Rekeys and ratchets of an end that has the session's keys, some with the PSK too, and breaks one rule.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

TEST_F(InsidersRekey, that_breaks_no_rule_is_accepted)
{
  establish();
  EXPECT_TRUE(is_accepted(rekey(opening(in_use()))));
}

TEST_F(InsidersRekey, for_another_mode_is_refused)
{
  establish();
  RekeyOpening altered = opening(in_use());
  altered.mode = HandshakeMode{true, true}.to_wire();
  EXPECT_FALSE(costs_a_job(rekey(altered)));
}

TEST_F(InsidersRekey, of_another_session_is_refused)
{
  establish();
  RekeyOpening altered = opening(in_use());
  altered.session.bytes[0] ^= 1;
  EXPECT_FALSE(costs_a_job(rekey(altered)));
}

TEST_F(InsidersRekey, to_any_epoch_but_the_next_is_refused)
{
  establish();
  for (const Epoch epoch : {Epoch{0}, Epoch{2}, last_epoch}) {
    RekeyOpening altered = opening(in_use());
    altered.next_epoch = epoch;
    EXPECT_FALSE(costs_a_job(rekey(altered)));
  }
}

TEST_F(InsidersRekey, with_a_prekey_of_another_kind_is_refused)
{
  establish();
  RekeyOpening altered = opening(in_use());
  altered.suite = of_another_signature().wire_id;
  EXPECT_FALSE(costs_a_job(rekey(altered, of_another_signature(), in_use())));
}

TEST_F(InsidersRekey, with_a_prekey_that_was_used_is_refused)
{
  establish();
  const Bytes first = rekey(opening(in_use()));
  const Bytes second = rekey(opening(in_use()));
  EXPECT_TRUE(is_accepted(first));
  EXPECT_FALSE(costs_a_job(second));
}

TEST_F(InsidersRekey, to_a_suite_that_is_not_allowed_is_refused_and_gets_no_prekey)
{
  establish(SuitePolicy({&in_use()}));
  RekeyOpening altered = opening(in_use());
  altered.suite = of_the_same_kind().wire_id;
  const auto jobs = pair_->jobs_run(Side::gcs);
  insider_->say(Side::drone, {77, Want{of_the_same_kind().wire_id}});
  pair_->run_for(100ms);
  EXPECT_EQ(pair_->jobs_run(Side::gcs), jobs);
  EXPECT_FALSE(costs_a_job(rekey(altered, of_the_same_kind(), in_use())));
  EXPECT_TRUE(pair_->reported(Side::gcs, EventKind::refused, "allowed_suites does not name it"));
}

TEST(InsidersWant, for_a_suite_below_the_least_level_gets_no_prekey)
{
  WiredPair::Options options;
  options.settings.suites = SuitePolicy(SecurityLevel::l3, false);
  options.identities = {SignatureAlgorithm::ml_dsa_44};
  WiredPair pair(options);
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);
  const auto jobs = pair.jobs_run(Side::gcs);
  insider.say(Side::drone, {77, Want{in_use().wire_id}});
  pair.run_for(100ms);
  EXPECT_EQ(pair.jobs_run(Side::gcs), jobs);
  EXPECT_TRUE(pair.reported(Side::gcs, EventKind::refused, "is below min_level 3"));
}

TEST_F(InsidersRekey, requested_by_the_ground_station_keeps_to_what_the_drone_allows)
{
  establish(SuitePolicy({&in_use()}));
  insider_->say(Side::gcs, {77, RekeyRequest{of_the_same_kind().wire_id}});
  pair_->run_for(5s);
  EXPECT_EQ(pair_->snapshot(Side::drone).suite, &in_use());
  EXPECT_FALSE(pair_->saw(Side::drone, EventKind::rekey_started));
  EXPECT_TRUE(pair_->reported(Side::drone, EventKind::refused, "allowed_suites does not name it"));
}

// The drone has given it up for another exchange: keys of it would displace those of the other.
TEST_F(InsidersRekey, that_a_later_one_has_overtaken_is_refused)
{
  establish();
  insider_->say(Side::drone, {77, Want{of_another_signature().wire_id}});
  pair_->run_for(500ms);
  const Bytes given_up = rekey(opening(in_use()));
  const auto held = insider_->seal_message(Side::drone, 20, given_up);
  const Suite & later = of_another_signature();
  ASSERT_TRUE(is_accepted(rekey(opening(later), later, later)));
  const auto handshakes = pair_->snapshot(Side::gcs).handshakes;
  const auto keys = pair_->snapshot(Side::gcs).keys.size();
  for (const Bytes & frame : held) {
    pair_->inject(Side::gcs, frame);
  }
  pair_->run_for(200ms);
  EXPECT_EQ(pair_->snapshot(Side::gcs).handshakes, handshakes);
  EXPECT_EQ(pair_->snapshot(Side::gcs).keys.size(), keys);
}

// --- Ratchets ---

TEST_F(InsidersRatchet, that_proves_the_psk_makes_keys)
{
  establish();
  const std::size_t before = keys(Side::gcs);
  insider_->say(Side::drone, {7, ratchet()});
  EXPECT_EQ(keys(Side::gcs), before + 1);
}

TEST_F(InsidersRatchet, without_the_psk_or_to_another_epoch_makes_no_keys)
{
  establish();
  const std::size_t before = keys(Side::gcs);
  for (const std::size_t byte : {0u, 15u, 31u}) {
    Ratchet forged = ratchet();
    forged.mac.at(byte) ^= 0x80;
    insider_->say(Side::drone, {7, forged});
  }
  Ratchet far = ratchet();
  far.next_epoch = Epoch{2};
  far.mac = ratchet_mac(psk(), insider_->keys(Side::drone), far);
  insider_->say(Side::drone, {7, far});
  EXPECT_EQ(keys(Side::gcs), before);
}

TEST_F(InsidersRatchet, that_a_later_one_has_overtaken_makes_no_keys)
{
  establish();
  const Bytes held =
    insider_->seal(Side::drone, FrameKind::control, encode(ControlFrame{7, ratchet()}));
  insider_->say(Side::drone, {8, ratchet()});
  const auto installed = pair_->snapshot(Side::gcs).keys;
  pair_->inject(Side::gcs, held);
  const auto after = pair_->snapshot(Side::gcs).keys;
  ASSERT_EQ(after.size(), installed.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].transcript_tag, installed[i].transcript_tag);
  }
}

TEST_F(InsidersRatchet, answered_without_the_psk_or_for_another_one_makes_no_keys)
{
  establish();
  std::optional<ControlFrame> asked;
  pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
    const auto frame =
      from == Side::drone ? insider_->read_control(Side::gcs, bytes) : std::nullopt;
    if (frame && std::holds_alternative<Ratchet>(frame->body)) {
      asked = frame;
      return false;
    }
    return true;
  });
  RekeyCommand command = rekey_to(nullptr);
  command.ratchet = true;
  pair_->drone().request_rekey(command, pair_->now());
  ASSERT_TRUE(pair_->run_until([&] { return asked.has_value(); }));
  const std::size_t before = keys(Side::drone);
  const auto & ratchet = std::get<Ratchet>(asked->body);
  RatchetOk ok;
  pair_->random().fill(ok.random);
  ok.mac = ratchet_ok_mac(psk(), insider_->keys(Side::gcs), ratchet, ok.random);
  RatchetOk forged = ok;
  forged.mac.back() ^= 1;
  insider_->say(Side::gcs, {asked->transaction, forged});
  insider_->say(Side::gcs, {asked->transaction + 1, ok});
  EXPECT_EQ(keys(Side::drone), before);
  EXPECT_FALSE(pair_->saw(Side::drone, EventKind::rekey_committed));
  insider_->say(Side::gcs, {asked->transaction, ok});
  EXPECT_EQ(keys(Side::drone), before + 1);
}

}  // namespace
}  // namespace pqc_tunnel::test
