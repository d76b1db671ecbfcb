// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "protocol/wire/control_frame.hpp"
#include "support/pair/fleet.hpp"

// A ground station that has a drone erase all its keys.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class ErasureTest : public testing::Test
{
protected:
  struct Store final : KeyStore
  {
    Result<void> erase() override
    {
      ++erased;
      return fails ? fail(ErrorCode::permission, "the disk is full.") : Result<void>();
    }
    int erased = 0;
    bool fails = false;
  };

  // The first drone obeys if it is allowed to.
  void connect(bool allowed)
  {
    fleet_.settings().erase_on_request = allowed;
    fleet_.restart(0, identity());
    ASSERT_TRUE(fleet_.run_until([&] { return fleet_.agreed(0) && fleet_.agreed(1); }, 20s));
    fleet_.watch_replies([this](const RekeyReply & reply) { replies_.push_back(reply); });
    fleet_.run_for(100ms);
  }
  DroneIdentity identity()
  {
    DroneIdentity identity = fleet_.identity(0);
    identity.all = store_;
    return identity;
  }
  void ask(std::size_t drone = 0)
  {
    RekeyCommand command{RekeyId{7}, Fleet::index(drone), "", ""};
    command.erase_drone = true;
    fleet_.gcs().request_rekey(command, fleet_.now());
    fleet_.run_for(1ms);
  }
  // What somebody says to the drone with the live keys of the ground station.
  void say(const ControlFrame & frame)
  {
    const Bytes control = encode(frame);
    auto keys = fleet_.keys_of(fleet_.at_gcs(0).session, Role::gcs);
    Bytes sealed(control.size() + frame_overhead);
    for (int n = 0; n < 1000 * (said_ + 1); ++n) {
      keys->seal(FrameKind::data, sealed, fleet_.now());  // beyond the ground station's own frames
    }
    std::ranges::copy(control, sealed.begin() + frame_header_size);
    keys->seal(FrameKind::control, sealed, fleet_.now());
    ++said_;
    fleet_.send_raw(0, Side::gcs, std::move(sealed));
    fleet_.run_for(1ms);
  }
  bool is_through(std::size_t drone)
  {
    const auto before = fleet_.received_from(drone).size();
    fleet_.send_up(drone, Bytes{1, 2, 3, 4});
    fleet_.run_for(1ms);
    return fleet_.received_from(drone).size() > before;
  }

  Fleet fleet_{2};
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
  std::vector<RekeyReply> replies_;
  int said_ = 0;
};

TEST_F(ErasureTest, erases_all_keys_of_a_drone_that_allows_it_and_of_no_other)
{
  connect(true);
  ask();
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_TRUE(replies_[0].success);
  EXPECT_EQ(replies_[0].message, "the drone has erased all its keys");
  EXPECT_EQ(store_->erased, 1);
  fleet_.run_for(120s);
  EXPECT_FALSE(is_encrypted(fleet_.at_drone(0)));
  EXPECT_FALSE(is_encrypted(fleet_.at_gcs(0)));
  EXPECT_EQ(
    fleet_.at_drone(0).likely_cause,
    "the ground station has had this drone's keys erased: give it new ones");
  EXPECT_TRUE(fleet_.agreed(1));
  EXPECT_TRUE(is_through(1));
  EXPECT_EQ(replies_.size(), 1u);
}

TEST_F(ErasureTest, is_refused_by_a_drone_that_does_not_allow_it)
{
  connect(false);
  ask();
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_FALSE(replies_[0].success);
  EXPECT_EQ(replies_[0].message, "the drone does not allow it: erase_on_request is false there");
  fleet_.run_for(10s);
  EXPECT_EQ(store_->erased, 0);
  EXPECT_TRUE(is_through(0));
}

TEST_F(ErasureTest, is_asked_for_again_until_an_answer_comes)
{
  connect(true);
  int lost = 0;
  fleet_.set_channel(0, [&](Side from, Bytes &) {
    const bool drops = from == Side::drone && ++lost < 15;
    return drops ? std::vector<Duration>() : std::vector<Duration>{{}};
  });
  ask();
  EXPECT_TRUE(replies_.empty());
  fleet_.run_for(3s);
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_TRUE(replies_[0].success);
  EXPECT_EQ(store_->erased, 1);
}

TEST_F(ErasureTest, without_an_answer_is_not_taken_for_done)
{
  connect(true);
  fleet_.silence(0);
  ask();
  fleet_.run_for(20s);
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_FALSE(replies_[0].success);
  EXPECT_EQ(store_->erased, 0);
  ask();
  ASSERT_EQ(replies_.size(), 2u);
  EXPECT_NE(replies_[1].message.find("there is no session"), std::string::npos);
}

TEST_F(ErasureTest, that_leaves_something_on_the_disk_is_told_and_uses_it_no_longer)
{
  connect(true);
  store_->fails = true;
  ask();
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_FALSE(replies_[0].success);
  EXPECT_EQ(
    replies_[0].message,
    "the drone uses its keys no longer, but could not erase all of them from its disk");
  fleet_.run_for(60s);
  EXPECT_FALSE(is_encrypted(fleet_.at_drone(0)));
}

// Live keys may be stolen; the PSK says who asks.
TEST_F(ErasureTest, is_not_done_for_whoever_has_the_live_keys_without_the_psk)
{
  connect(true);
  const auto ignored = fleet_.at_drone(0).traffic.control_ignored;
  say({77, Erase{Mac{1, 2, 3}}});
  EXPECT_EQ(fleet_.at_drone(0).traffic.control_ignored, ignored + 1);
  EXPECT_EQ(store_->erased, 0);
  EXPECT_TRUE(is_through(0));
}

TEST_F(ErasureTest, is_not_done_by_what_was_said_in_another_session_or_transaction)
{
  connect(true);
  const PskKeySet psk = PskKeySet::derive(fleet_.identity(0).psk);
  const SessionId session = fleet_.at_gcs(0).session;
  say({78, Erase{erase_mac(psk.sha256, session, 77)}});
  SessionId other = session;
  other.bytes[0] ^= 1;
  say({77, Erase{erase_mac(psk.sha256, other, 77)}});
  EXPECT_EQ(store_->erased, 0);
  EXPECT_TRUE(is_through(0));
  say({77, Erase{erase_mac(psk.sha256, session, 77)}});
  EXPECT_EQ(store_->erased, 1);
}

TEST_F(ErasureTest, is_over_when_the_drone_reads_new_keys)
{
  connect(true);
  ask();
  fleet_.run_for(10s);
  fleet_.change(fleet_.drone(0), identity());
  EXPECT_TRUE(fleet_.run_until([&] { return fleet_.agreed(0); }, 20s));
}

TEST_F(ErasureTest, is_nothing_that_a_drone_asks_for)
{
  connect(true);
  RekeyCommand command{RekeyId{9}, PeerIndex{0}, "", ""};
  command.erase_drone = true;
  fleet_.drone(0).request_rekey(command, fleet_.now());
  fleet_.run_for(1s);
  ASSERT_EQ(replies_.size(), 1u);
  EXPECT_FALSE(replies_[0].success);
  EXPECT_EQ(store_->erased, 0);
}

}  // namespace
}  // namespace pqc_tunnel::test
