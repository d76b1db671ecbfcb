// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crypto/signature.hpp"
#include "support/pair/fleet.hpp"
#include "support/pair/traffic.hpp"

// Keys of an end that are replaced while it flies.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class Rotation : public testing::Test
{
protected:
  // Counts how often former keys are erased.
  struct Store final : KeyStore
  {
    Result<void> erase() override
    {
      ++erased;
      return {};
    }
    int erased = 0;
  };

  Rotation()
  {
    random_.fill(psk_.span());
    for (const auto & [algorithm, key] : fleet_.gcs_identity().signing_keys) {
      auto pair = generate_signing_key(algorithm, random_);
      gcs_.signing_keys[algorithm] =
        std::make_shared<const SecretBytes>(std::move(pair->secret_key));
      gcs_keys_[algorithm] = std::make_shared<const Bytes>(std::move(pair->public_key));
    }
    gcs_.id = fleet_.gcs_identity().id;
    gcs_.former_signing_keys = fleet_.gcs_identity().signing_keys;
  }

  static Psk copy_of(const Psk & psk) { return Psk(psk.view()); }
  // The records and identities of the first drone after a rotation.
  DroneRecord new_record(bool signing = false)
  {
    DroneRecord record = fleet_.record(0);
    record.former = FormerKeys{std::move(record.psk), record.drone_keys, signing, 0};
    record.psk = copy_of(psk_);
    record.store = ground_store_;
    return record;
  }
  DroneIdentity new_identity(bool signing = false)
  {
    DroneIdentity identity = fleet_.identity(0);
    identity.former =
      FormerDroneKeys{std::move(identity.psk), identity.gcs_keys, identity.signing_keys};
    identity.psk = copy_of(psk_);
    identity.gcs_keys = signing ? gcs_keys_ : identity.gcs_keys;
    identity.store = drone_store_;
    return identity;
  }

  bool connects()
  {
    return fleet_.run_until([&] { return fleet_.agreed(0); }, 20s);
  }
  // A datagram each way every millisecond.
  void send_for(Duration duration)
  {
    for (const Instant end = fleet_.now() + duration; fleet_.now() < end;) {
      fleet_.send_up(0, numbered(sent_, 20));
      fleet_.send_down(0, numbered(sent_, 30));
      ++sent_;
      fleet_.run_for(1ms);
    }
  }
  void expect_nothing_lost()
  {
    EXPECT_EQ(fleet_.received_from(0).size(), sent_);
    EXPECT_EQ(fleet_.heard_by(0).size(), sent_);
  }
  bool rekeys()
  {
    std::optional<RekeyReply> reply;
    fleet_.watch_replies([&](const RekeyReply & answer) { reply = answer; });
    fleet_.drone(0).request_rekey(rekey_to(nullptr), fleet_.now());
    send_for(2s);
    const bool first = reply && reply->success;
    reply.reset();
    fleet_.drone(0).request_rekey(rekey_to(nullptr), fleet_.now());
    send_for(2s);
    return first && reply && reply->success;
  }
  SessionId session() { return fleet_.at_gcs(0).session; }

  Fleet fleet_{2};
  SeededRandom random_{7};
  Psk psk_;
  GcsIdentity gcs_;
  PublicKeys gcs_keys_;
  std::shared_ptr<Store> ground_store_ = std::make_shared<Store>();
  std::shared_ptr<Store> drone_store_ = std::make_shared<Store>();
  std::uint32_t sent_ = 0;
};

TEST_F(Rotation, that_begins_on_the_ground_loses_nothing)
{
  ASSERT_TRUE(connects());
  const SessionId before = session();
  send_for(50ms);
  fleet_.serve(0, new_record());
  send_for(5s);
  EXPECT_EQ(session(), before);
  EXPECT_TRUE(rekeys());  // under the PSK of its session
  EXPECT_EQ(ground_store_->erased, 0);

  fleet_.change(fleet_.drone(0), new_identity());
  send_for(2s);
  EXPECT_NE(session(), before);
  EXPECT_TRUE(rekeys());
  expect_nothing_lost();
  EXPECT_EQ(ground_store_->erased, 1);
  EXPECT_EQ(drone_store_->erased, 1);
}

TEST_F(Rotation, that_begins_at_the_drone_loses_nothing)
{
  ASSERT_TRUE(connects());
  const SessionId before = session();
  send_for(50ms);
  fleet_.change(fleet_.drone(0), new_identity());
  send_for(30s);
  EXPECT_EQ(session(), before);
  EXPECT_EQ(drone_store_->erased, 0);

  fleet_.serve(0, new_record());
  send_for(150s);
  EXPECT_NE(session(), before);
  EXPECT_TRUE(rekeys());
  expect_nothing_lost();
  EXPECT_EQ(ground_store_->erased, 1);
  EXPECT_EQ(drone_store_->erased, 1);
}

TEST_F(Rotation, of_the_signing_keys_loses_nothing_whichever_end_is_first)
{
  for (const bool ground_first : {true, false}) {
    SCOPED_TRACE(ground_first);
    Fleet fleet(1);
    const auto update_ground = [&] {
      fleet.change(fleet.gcs(), gcs_);
      fleet.serve(0, new_record(true));
    };
    const auto update_drone = [&] { fleet.change(fleet.drone(0), new_identity(true)); };
    ASSERT_TRUE(fleet.run_until([&] { return fleet.agreed(0); }, 20s));
    const SessionId before = fleet.at_gcs(0).session;
    const auto rekeys = [&] {
      const auto count = fleet.at_drone(0).rekeys;
      fleet.drone(0).request_rekey(rekey_to(nullptr), fleet.now());
      return fleet.run_until([&] { return fleet.at_drone(0).rekeys > count; }, 5s);
    };
    ground_first ? update_ground() : update_drone();
    fleet.run_for(20s);
    EXPECT_TRUE(rekeys());
    EXPECT_EQ(fleet.at_gcs(0).session, before);
    ground_first ? update_drone() : update_ground();
    fleet.run_for(150s);
    EXPECT_NE(fleet.at_gcs(0).session, before);
    EXPECT_TRUE(rekeys());
    EXPECT_EQ(fleet.at_drone(0).rollbacks, 0u);
  }
}

TEST_F(Rotation, leaves_no_drone_out_that_restarts_in_between)
{
  ASSERT_TRUE(connects());
  fleet_.serve(0, new_record());
  fleet_.restart(0);  // with the keys before
  EXPECT_TRUE(connects());
  fleet_.restart(0, new_identity());
  EXPECT_TRUE(connects());
  EXPECT_EQ(ground_store_->erased, 1);
}

TEST_F(Rotation, leaves_no_drone_out_that_has_new_keys_before_the_ground_station)
{
  ASSERT_TRUE(connects());
  fleet_.restart(0, new_identity());
  EXPECT_TRUE(connects());
  fleet_.serve(0, new_record());
  EXPECT_TRUE(fleet_.run_until([&] { return drone_store_->erased == 1; }, 150s));
  EXPECT_EQ(ground_store_->erased, 1);
}

TEST_F(Rotation, is_over_once_the_drone_has_used_its_new_keys)
{
  ASSERT_TRUE(connects());
  fleet_.serve(0, new_record());
  fleet_.change(fleet_.drone(0), new_identity());
  fleet_.run_for(2s);
  ASSERT_EQ(ground_store_->erased, 1);
  fleet_.restart(0);  // whoever has the PSK before
  fleet_.run_for(20s);
  EXPECT_GT(fleet_.gcs().strangers().wrong_key, 0u);
  EXPECT_FALSE(is_encrypted(fleet_.at_drone(0)));
}

TEST_F(Rotation, that_comes_back_from_a_copy_is_over_at_once_while_the_new_keys_are_in_use)
{
  ASSERT_TRUE(connects());
  fleet_.serve(0, new_record());
  fleet_.change(fleet_.drone(0), new_identity());
  fleet_.run_for(2s);
  const SessionId before = session();
  fleet_.serve(0, new_record());
  fleet_.run_for(2s);
  EXPECT_EQ(ground_store_->erased, 2);
  EXPECT_EQ(session(), before);
}

TEST_F(Rotation, to_keys_without_those_before_ends_the_session)
{
  ASSERT_TRUE(connects());
  DroneIdentity identity = new_identity();
  identity.former.reset();
  fleet_.change(fleet_.drone(0), std::move(identity));
  EXPECT_FALSE(is_encrypted(fleet_.at_drone(0)));
  fleet_.serve(0, new_record());
  EXPECT_TRUE(connects());
}

TEST_F(Rotation, that_a_drone_reads_again_and_again_changes_nothing)
{
  ASSERT_TRUE(connects());
  const SessionId before = session();
  for (int i = 0; i < 3; ++i) {
    fleet_.change(fleet_.drone(0), fleet_.identity(0));
    send_for(500ms);
  }
  EXPECT_EQ(session(), before);
  expect_nothing_lost();
}

TEST_F(Rotation, to_the_identity_of_another_drone_or_ground_station_ends_the_session)
{
  const auto other_drone = [&](DroneIdentity & identity) { identity.id = fleet_.identity(1).id; };
  const auto other_ground = [](DroneIdentity & identity) { identity.gcs_id.bytes[0] ^= 1; };
  for (const auto & change :
       {std::function<void(DroneIdentity &)>(other_drone),
        std::function<void(DroneIdentity &)>(other_ground)})
  {
    ASSERT_TRUE(connects());
    DroneIdentity identity = fleet_.identity(0);  // with the same PSK
    change(identity);
    fleet_.change(fleet_.drone(0), std::move(identity));
    EXPECT_FALSE(is_encrypted(fleet_.at_drone(0)));
    fleet_.change(fleet_.drone(0), fleet_.identity(0));
  }
}

TEST_F(Rotation, while_a_session_is_sought_in_vain_lets_the_new_keys_seek_it_at_once)
{
  ASSERT_TRUE(connects());
  DroneRecord record = new_record();
  record.former.reset();
  fleet_.serve(0, std::move(record));
  fleet_.run_for(100ms);
  ASSERT_FALSE(is_encrypted(fleet_.at_drone(0)));
  DroneIdentity identity = new_identity();
  identity.former.reset();
  fleet_.change(fleet_.drone(0), std::move(identity));
  EXPECT_TRUE(fleet_.run_until([&] { return fleet_.agreed(0); }, 200ms));
}

TEST_F(Rotation, that_is_followed_by_another_before_the_ground_station_knows_loses_nothing)
{
  ASSERT_TRUE(connects());
  const SessionId before = session();
  DroneIdentity first = new_identity();
  random_.fill(first.psk.span());
  fleet_.change(fleet_.drone(0), std::move(first));
  send_for(100ms);  // it seeks a session by these keys
  DroneIdentity second = new_identity();
  second.store = nullptr;  // its keys are in no file
  fleet_.change(fleet_.drone(0), std::move(second));
  send_for(5s);
  EXPECT_EQ(session(), before);
  fleet_.serve(0, new_record());
  send_for(150s);
  EXPECT_NE(session(), before);
  EXPECT_TRUE(rekeys());
  expect_nothing_lost();
}

TEST_F(Rotation, answers_the_erasing_of_former_keys_that_fails_with_an_event)
{
  struct Stuck final : KeyStore
  {
    Result<void> erase() override { return fail(ErrorCode::permission, "the disk is full."); }
  };
  std::vector<std::string> said;
  fleet_.watch_events([&](const Event & event) { said.push_back(event.text); });
  ASSERT_TRUE(connects());
  DroneRecord record = new_record();
  record.store = std::make_shared<Stuck>();
  fleet_.serve(0, std::move(record));
  fleet_.change(fleet_.drone(0), new_identity());
  fleet_.run_for(2s);
  EXPECT_NE(
    std::ranges::find(said, "the former keys can't be erased: the disk is full."), said.end());
}

TEST_F(Rotation, of_expired_keys_lets_the_session_go_on_and_no_other_begin)
{
  ASSERT_TRUE(connects());
  const SessionId before = session();
  fleet_.change(fleet_.gcs(), KeysExpired{PeerIndex{0}, KeyAge::present});
  send_for(5s);
  EXPECT_TRUE(rekeys());
  EXPECT_EQ(session(), before);
  expect_nothing_lost();
  fleet_.restart(0);
  fleet_.run_for(20s);
  EXPECT_FALSE(is_encrypted(fleet_.at_drone(0)));
  fleet_.serve(0, fleet_.record(0));  // read anew, with another date
  EXPECT_TRUE(connects());
}

TEST_F(Rotation, of_which_the_keys_before_have_expired_accepts_the_new_ones_only)
{
  fleet_.serve(0, new_record());
  fleet_.change(fleet_.gcs(), KeysExpired{PeerIndex{0}, KeyAge::former});
  fleet_.run_for(20s);
  EXPECT_FALSE(is_encrypted(fleet_.at_drone(0)));
  fleet_.restart(0, new_identity());
  EXPECT_TRUE(connects());
}

}  // namespace
}  // namespace pqc_tunnel::test
