// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/session/key_slots.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/identities.hpp"
#include "support/pair/session_secrets.hpp"

namespace pqc_tunnel::test
{
namespace
{

const Suite & any_suite() { return suite("cs-mlkem768-aesgcm-mldsa65"); }

std::unique_ptr<EpochKeys> epoch_keys(std::uint8_t epoch, Role role)
{
  return std::make_unique<EpochKeys>(
    EpochName{&any_suite(), SessionId{{1}}, Epoch{epoch}}, role, filled_secrets(epoch),
    TunnelSettings{}, Instant{}, std::make_shared<PeerClock>());
}

FrameKeyId key_id(std::uint8_t epoch) { return FrameKeyId{epoch}; }

struct WithIndex
{
  KeyIndex index;
};

// Slots that enter their keys in an index, which says what they hold.
class Slots : WithIndex, public KeySlots
{
public:
  Slots() : KeySlots({&index, PeerIndex{0}}) {}
  bool holds(FrameKeyId id) const { return !index.find(id).empty(); }
  std::vector<EpochKeys *> candidates(FrameKeyId id)
  {
    std::vector<EpochKeys *> found;
    KeySlots::candidates(id, [&found](EpochKeys & keys) { found.push_back(&keys); });
    return found;
  }
};

std::size_t held(Slots & slots, std::uint8_t epoch)
{
  const auto count = slots.candidates(key_id(epoch)).size();
  EXPECT_EQ(slots.holds(key_id(epoch)), count > 0);
  return count;
}

Epoch sending(const Slots & slots) { return slots.sending()->epoch(); }

void receive(Slots & slots, std::uint8_t epoch, bool news)
{
  EXPECT_EQ(slots.note_received(*slots.candidates(key_id(epoch)).at(0)), news);
}

void retire(Slots & slots)
{
  slots.retire_older_at(Instant{}, Instant{});
  slots.handle_timeout(Instant{});
}

TEST(KeySlots, are_empty_to_begin_with)
{
  Slots slots;
  EXPECT_EQ(slots.sending(), nullptr);
  EXPECT_FALSE(slots.confirmed());
  EXPECT_TRUE(slots.installed().empty());
  EXPECT_EQ(held(slots, 0), 0u);
  EXPECT_FALSE(slots.holds(key_id(0)));
}

TEST(KeySlots, of_the_drone_send_under_the_newest_and_still_receive_under_the_former)
{
  Slots slots;
  slots.install_for_sending(epoch_keys(0, Role::drone));
  receive(slots, 0, true);
  receive(slots, 0, false);
  slots.install_for_sending(epoch_keys(1, Role::drone));
  EXPECT_EQ(sending(slots), Epoch{1});
  EXPECT_FALSE(slots.confirmed());
  receive(slots, 0, false);
  EXPECT_FALSE(slots.confirmed());
  receive(slots, 1, true);
  EXPECT_TRUE(slots.confirmed());
  EXPECT_EQ(held(slots, 0), 1u);
  retire(slots);
  EXPECT_EQ(held(slots, 0), 0u);
  EXPECT_EQ(held(slots, 1), 1u);
}

TEST(KeySlots, of_the_drone_never_lose_the_last_confirmed_keys_to_unconfirmed_ones)
{
  Slots slots;
  slots.install_for_sending(epoch_keys(0, Role::drone));
  receive(slots, 0, true);
  for (std::uint8_t epoch = 1; epoch < 50; ++epoch) {
    slots.install_for_sending(epoch_keys(epoch, Role::drone));
    EXPECT_EQ(held(slots, 0), 1u);
    EXPECT_EQ(held(slots, epoch), 1u);
    if (epoch >= 3) {
      EXPECT_EQ(held(slots, static_cast<std::uint8_t>(epoch - 1)), 1u);
      EXPECT_EQ(held(slots, static_cast<std::uint8_t>(epoch - 2)), 0u);
    }
  }
}

TEST(KeySlots, of_the_gcs_send_under_new_keys_only_once_a_packet_came_under_them)
{
  Slots slots;
  slots.install_pending(epoch_keys(0, Role::gcs));
  EXPECT_EQ(slots.sending(), nullptr);
  EXPECT_TRUE(slots.holds(key_id(0)));
  receive(slots, 0, true);
  EXPECT_EQ(sending(slots), Epoch{0});
  slots.install_pending(epoch_keys(1, Role::gcs));
  receive(slots, 0, false);
  EXPECT_EQ(sending(slots), Epoch{0});
  receive(slots, 1, true);
  EXPECT_EQ(sending(slots), Epoch{1});
  EXPECT_EQ(held(slots, 0), 1u);
  retire(slots);
  EXPECT_EQ(held(slots, 0), 0u);
}

TEST(KeySlots, of_the_gcs_hold_two_pending_keys_and_replace_the_older)
{
  Slots slots;
  for (std::uint8_t epoch = 0; epoch < 5; ++epoch) {
    slots.install_pending(epoch_keys(epoch, Role::gcs));
  }
  for (std::uint8_t epoch = 0; epoch < 5; ++epoch) {
    EXPECT_EQ(held(slots, epoch), epoch >= 3 ? 1u : 0u);
  }
  receive(slots, 3, true);  // the older may still be the one that the drone has
  EXPECT_EQ(held(slots, 4), 1u);
  receive(slots, 4, true);
  EXPECT_EQ(sending(slots), Epoch{4});
  EXPECT_EQ(held(slots, 3), 1u);
}

TEST(KeySlots, of_the_gcs_forget_a_pending_key_that_a_newer_one_has_overtaken)
{
  Slots slots;
  slots.install_pending(epoch_keys(1, Role::gcs));
  slots.install_pending(epoch_keys(2, Role::gcs));
  receive(slots, 2, true);
  EXPECT_EQ(held(slots, 1), 0u);
}

TEST(KeySlots, find_every_key_of_one_epoch_the_newest_first)
{
  Slots slots;
  slots.install_pending(epoch_keys(7, Role::gcs));
  slots.install_pending(epoch_keys(7, Role::gcs));
  EpochKeys * const newest = slots.candidates(key_id(7)).at(0);
  EXPECT_EQ(held(slots, 7), 2u);
  EXPECT_TRUE(slots.note_received(*newest) && slots.sending() == newest);
  EXPECT_EQ(held(slots, 7), 1u);
}

TEST(KeySlots, find_no_more_than_four_keys_of_one_id)
{
  Slots slots;
  for (int exchange = 0; exchange < 6; ++exchange) {
    slots.install_for_sending(epoch_keys(7, Role::drone));
    slots.note_received(*slots.sending());
  }
  EXPECT_EQ(slots.installed().size(), 5u);
  EXPECT_EQ(held(slots, 7), 4u);
  EXPECT_EQ(slots.candidates(key_id(7))[0], slots.sending());
}

TEST(KeySlots, tell_of_the_sending_keys_alone_whether_they_are_confirmed)
{
  Slots slots;
  slots.install_for_sending(epoch_keys(0, Role::drone));
  receive(slots, 0, true);
  slots.install_for_sending(epoch_keys(1, Role::drone));
  const auto confirmed = [&](KeyUse use) {
    const auto keys = slots.installed();
    return std::ranges::find(keys, use, &InstalledKeys::use)->confirmed;
  };
  EXPECT_FALSE(confirmed(KeyUse::sending));
  EXPECT_FALSE(confirmed(KeyUse::older));
  receive(slots, 1, true);
  EXPECT_TRUE(confirmed(KeyUse::sending));
  EXPECT_FALSE(confirmed(KeyUse::older));
}

TEST(KeySlots, keep_each_key_for_its_own_overlap_when_rekeys_follow_one_another)
{
  Slots drone;
  Slots gcs;
  const auto second = [](int n) { return Instant(std::chrono::seconds(n)); };
  for (std::uint8_t epoch = 0; epoch <= 3; ++epoch) {
    gcs.install_pending(epoch_keys(epoch, Role::gcs));
    drone.install_for_sending(epoch_keys(epoch, Role::drone));
    for (Slots * slots : {&gcs, &drone}) {
      receive(*slots, epoch, true);
      slots->retire_older_at(second(10 + epoch), second(10 + epoch));
    }
  }
  for (Slots * slots : {&gcs, &drone}) {
    for (std::uint8_t gone = 0; gone < 3; ++gone) {
      EXPECT_EQ(held(*slots, gone), 1u);
      EXPECT_EQ(slots->next_timeout(), second(11 + gone));
      slots->handle_timeout(second(11 + gone));
      EXPECT_EQ(held(*slots, gone), 0u);
    }
    EXPECT_EQ(slots->installed().size(), 1u);
    EXPECT_EQ(slots->next_timeout(), Instant::max());
    EXPECT_EQ(held(*slots, 3), 1u);
  }
}

TEST(KeySlots, hold_a_few_keys_however_fast_rekeys_follow_one_another)
{
  Slots slots;
  for (std::uint8_t epoch = 0; epoch < 50; ++epoch) {
    slots.install_for_sending(epoch_keys(epoch, Role::drone));
    receive(slots, epoch, true);
    slots.retire_older_at(Instant(std::chrono::seconds(1)), Instant(std::chrono::seconds(1)));
    EXPECT_LE(slots.installed().size(), 6u);
  }
}

TEST(KeySlots, forget_everything_when_cleared)
{
  Slots slots;
  slots.install_for_sending(epoch_keys(0, Role::drone));
  slots.install_for_sending(epoch_keys(1, Role::drone));
  slots.install_pending(epoch_keys(2, Role::drone));
  slots.clear();
  EXPECT_EQ(slots.sending(), nullptr);
  EXPECT_FALSE(slots.holds(key_id(0)));
}

}  // namespace
}  // namespace pqc_tunnel::test
