// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/hostile/false_ground.hpp"
#include "support/hostile/insider.hpp"
#include "support/hostile/psk_thief.hpp"
#include "support/pair/fleet.hpp"
#include "support/pair/session_secrets.hpp"
#include "support/pair/traffic.hpp"

// Frames under other keys than the live ones: those of the session before, and boot keys. Whoever knows these has no say
// in the live session.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// An end that still opens frames of its former session, whose keys an insider knows.
class FormerSession : public testing::TestWithParam<Side>
{
protected:
  void SetUp() override
  {
    ASSERT_TRUE(pair_.establish());
    pair_.run_for(2s);
    held_ = insider_.seal(from_, FrameKind::data, numbered(1));
    const std::int64_t asked = pair_.now().time_since_epoch().count();
    pair_.run_for(1100ms);
    const ControlFrame answer{0, TimeResponse{asked, asked, asked}};
    late_answer_ = insider_.seal(from_, FrameKind::control, encode(answer));
    const SessionId former = pair_.snapshot(to_).session;
    pair_.end(from_).wipe(PeerIndex{0}, "test", pair_.now());
    ASSERT_TRUE(
      pair_.run_until([&] { return pair_.agreed() && pair_.snapshot(to_).session != former; }));
    pair_.run_for(300ms);
    before_ = pair_.snapshot(to_);
    events_ = pair_.events(to_).size();
  }
  std::uint64_t ignored() { return pair_.snapshot(to_).traffic.control_ignored; }
  // Of what this end has sent since, SUPERSEDED under the former keys.
  std::ptrdiff_t told_superseded(std::size_t since)
  {
    const auto & sent = pair_.datagrams_sent(to_);
    return std::count_if(
      sent.begin() + static_cast<std::ptrdiff_t>(since), sent.end(), [&](const Bytes & bytes) {
        const auto frame = insider_.read_control(from_, bytes);
        return frame && std::holds_alternative<Superseded>(frame->body);
      });
  }
  void expect_nothing_has_changed()
  {
    EXPECT_EQ(pair_.events(to_).size(), events_);
    EXPECT_EQ(pair_.snapshot(to_).session, before_.session);
    EXPECT_TRUE(pair_.agreed());
  }

  const Side to_ = GetParam();
  const Side from_ = other(to_);
  WiredPair pair_;
  Insider insider_{pair_};
  Bytes held_;  // for longer than a datagram may take
  Bytes late_answer_;
  PeerSnapshot before_;
  std::size_t events_ = 0;
};

TEST_P(FormerSession, has_no_say_in_streams_and_the_end_of_the_live_one)
{
  std::vector<ControlBody> bodies = {StreamAck{}, Wiped{}};
  if (to_ == Side::drone) {
    bodies.push_back(Superseded{});
  }
  for (const ControlBody & body : bodies) {
    EXPECT_TRUE(insider_.say(from_, {0, body}).peer);
  }
  EXPECT_EQ(ignored(), before_.traffic.control_ignored + bodies.size());
  pair_.run_for(100ms);
  expect_nothing_has_changed();
}

TEST_P(FormerSession, is_answered_when_it_asks_for_the_time)
{
  EXPECT_TRUE(insider_.say(from_, {0, Keepalive{}}).peer);
  EXPECT_EQ(ignored(), before_.traffic.control_ignored);
  const std::size_t sent = pair_.datagrams_sent(to_).size();
  EXPECT_TRUE(insider_.say(from_, {0, TimeRequest{1}}).peer);
  EXPECT_GT(pair_.datagrams_sent(to_).size(), sent);
}

TEST_P(FormerSession, begins_no_message)
{
  const Bytes bytes(10, 1);
  for (const std::uint8_t id : {std::uint8_t{1}, std::uint8_t{0x41}}) {
    const std::size_t sent = pair_.datagrams_sent(to_).size();
    pair_.set_datagram_filter([](Side, Bytes &) { return false; });
    for (std::uint16_t number = 0; number < 2; ++number)
    {  // the second one would be acknowledged at once
      const StreamPart part{id, number, 0, 20, bytes};
      EXPECT_TRUE(pair_.inject(to_, insider_.seal(from_, FrameKind::stream, encode(part))).peer);
    }
    for (std::size_t i = sent; i < pair_.datagrams_sent(to_).size(); ++i) {
      EXPECT_TRUE(insider_.read_control(from_, pair_.datagrams_sent(to_)[i]));  // SUPERSEDED
    }
  }
  expect_nothing_has_changed();
}

TEST_P(FormerSession, is_told_that_it_is_superseded_by_the_ground_station_five_times_a_second)
{
  const std::size_t sent = pair_.datagrams_sent(to_).size();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(insider_.say(from_, {0, Keepalive{}}).peer);
    pair_.run_for(10ms);
  }
  const std::ptrdiff_t told = told_superseded(sent);  // each can be read once
  EXPECT_GE(told, to_ == Side::gcs ? 2 : 0);
  EXPECT_LE(told, to_ == Side::gcs ? 3 : 0);
}

TEST_P(FormerSession, shows_no_stretched_link)
{
  const Opened opened = pair_.inject(to_, held_);
  EXPECT_TRUE(opened.stale);
  EXPECT_FALSE(opened.forward);
  EXPECT_TRUE(pair_.inject(to_, late_answer_).peer);
  EXPECT_FALSE(pair_.snapshot(to_).stretched);
  EXPECT_FALSE(pair_.saw(to_, EventKind::link_stretched));
}

INSTANTIATE_TEST_SUITE_P(
  At, FormerSession, testing::Values(Side::drone, Side::gcs),
  [](const auto & at) { return at.param == Side::drone ? "drone" : "ground"; });

// --- Boot keys beside the live session ---

TunnelSettings thiefs_settings()
{
  TunnelSettings settings;
  settings.initial_suite = &suite("cs-mlkem768-aesgcm-mldsa65");
  return settings;
}

TEST(BootKeysOfAThief, do_not_lead_the_live_session_to_his_address)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const SessionId former = pair.snapshot(Side::gcs).session;
  pair.drone().wipe(PeerIndex{0}, "test", pair.now());
  ASSERT_TRUE(
    pair.run_until([&] { return pair.agreed() && pair.snapshot(Side::gcs).session != former; }));
  PskThief thief(pair, thiefs_settings());
  const std::size_t begun = pair.count(Side::gcs, EventKind::handshake_started);
  thief.begin_session(WiredPair::stranger());
  EXPECT_GT(pair.count(Side::gcs, EventKind::handshake_started), begun);
  EXPECT_TRUE(insider.say(Side::drone, {0, Keepalive{}}).peer);
  EXPECT_EQ(pair.snapshot(Side::gcs).address, WiredPair::address_of(Side::drone));
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::gcs, EventKind::rekey_confirmed); }));
  EXPECT_EQ(pair.snapshot(Side::gcs).address, WiredPair::address_of(Side::drone));
}

TEST(LateBootFrame, is_ignored_once_its_session_is_made)
{
  WiredPair pair;
  std::map<Side, Bytes> held;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (!is_hello(bytes)) {
      held.try_emplace(from, bytes);
    }
    return is_hello(bytes) || held.at(from) != bytes;
  });
  ASSERT_TRUE(pair.establish());
  for (const Side to : both_sides) {
    const PeerSnapshot before = pair.snapshot(to);
    EXPECT_FALSE(pair.inject(to, held.at(other(to))).peer);
    EXPECT_EQ(pair.snapshot(to).traffic.cipher_in_packets, before.traffic.cipher_in_packets);
    EXPECT_EQ(pair.drops(to), 0u);
  }
  EXPECT_TRUE(pair.agreed());
}

// --- Keys with the same id ---

// The keys of the session have the id of the boot keys that come before them.
TEST(KeysWithOneId, are_all_tried_with_the_datagram_as_it_came)
{
  WiredPair pair;
  std::optional<FrameKeyId> id;
  Bytes held;  // a long boot frame
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    const auto header = decode_frame_header(bytes);
    if (header && from == Side::drone && !id) {
      id = header->key_id;
    }
    const bool hold = header && from == Side::drone && held.empty() && bytes.size() > 500;
    held = hold ? bytes : held;
    return !hold;
  });
  pair.set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
    JobResult result = run_job(std::move(job), pair.random());
    if (id) {
      set_key_id(result, *id);
    }
    return result;
  });
  ASSERT_TRUE(pair.establish());
  EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_started), 1u);
  EXPECT_FALSE(pair.inject(Side::gcs, held).peer);
  EXPECT_EQ(pair.drops(Side::gcs), 0u);
  Traffic traffic(pair);
  traffic.run_for(100ms);
  pair.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_exactly(Side::gcs));

  // A shorter one later is not written over with the longer one of before.
  pair.run_for(20s);
  Bytes room(2000, 0xaa);
  const Bytes & newest = pair.datagrams_sent(Side::drone).back();
  ASSERT_LT(newest.size(), held.size());
  std::ranges::copy(newest, room.begin());
  room[newest.size() - 1] ^= 1;
  room[4] = static_cast<std::uint8_t>(room[4] + 1);  // a later sequence number
  EXPECT_FALSE(
    pair.gcs().handle_datagram(MutableBytes(room).first(newest.size()), {}, pair.now()).peer);
  const auto rest = std::span(room).subspan(newest.size());
  EXPECT_TRUE(std::ranges::all_of(rest, [](std::uint8_t byte) { return byte == 0xaa; }));
}

TEST(KeysWithOneId, of_two_drones_are_both_tried)
{
  Fleet fleet(2);
  fleet.use_key_id(FrameKeyId{0x123456});
  fleet.run_for(3s);
  for (std::uint32_t n = 0; n < 20; ++n) {
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(fleet.agreed(i));
      fleet.send_up(i, numbered(n));
      EXPECT_EQ(fleet.received_from(i).size(), n + 1);
    }
  }
}

// --- Frames under no keys ---

TEST(ForgedFrame, is_none_that_came_twice)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  const std::uint64_t before = pair.snapshot(Side::drone).link.duplicates;
  Bytes frame = pair.datagrams_sent(Side::gcs).back();
  EXPECT_FALSE(pair.inject(Side::drone, frame).peer);
  EXPECT_EQ(pair.snapshot(Side::drone).link.duplicates, before + 1);
  frame.back() ^= 1;
  frame[4] = static_cast<std::uint8_t>(frame[4] + 1);  // a later sequence number
  EXPECT_FALSE(pair.inject(Side::drone, frame).peer);
  EXPECT_EQ(pair.snapshot(Side::drone).link.duplicates, before + 1);
}

// One peer does not pay for frames that no peer has keys for, while a session with it begins.
TEST(UnknownFrame, is_counted_for_no_drone_while_one_has_boot_keys)
{
  Fleet fleet(2, 0, 100ms);
  ASSERT_TRUE(fleet.run_until([&] { return fleet.at_gcs(0).state == PeerState::handshaking; }, 5s));
  Bytes junk(100, 0x40);
  fleet.gcs().handle_datagram(junk, WiredPair::stranger(), fleet.now());
  EXPECT_EQ(fleet.gcs().strangers().unassigned.drops[static_cast<std::size_t>(Drop::unknown)], 1u);
}

// --- What the live keys alone may say ---

TEST(LinkReportOfThePeer, does_not_replace_a_newer_one)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const auto report = [&](std::uint32_t packets) {
    LinkView view;
    view.packets = packets;
    return insider.seal(Side::gcs, FrameKind::control, encode(ControlFrame{0, LinkReport{view}}));
  };
  const Bytes older = report(1);
  const Bytes newer = report(2);
  EXPECT_TRUE(pair.inject(Side::drone, newer).peer);
  EXPECT_TRUE(pair.inject(Side::drone, older).peer);
  EXPECT_EQ(pair.snapshot(Side::drone).remote->view.packets, 2u);
}

TEST(AnswerToNoQuestion, shows_no_stretched_link)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  EXPECT_TRUE(insider.say(Side::gcs, {0, TimeResponse{-1, -1, -1}}).peer);
  const std::int64_t later = (pair.now() + 1s).time_since_epoch().count();
  EXPECT_TRUE(insider.say(Side::gcs, {0, TimeResponse{later, later, later}}).peer);
  EXPECT_FALSE(pair.saw(Side::drone, EventKind::link_stretched));
}

TEST(Session, counts_no_streams_and_ignores_nothing_of_an_honest_end)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (const Side side : both_sides) {
    const TrafficCounters & traffic = pair.snapshot(side).traffic;
    EXPECT_EQ(traffic.stream_in_packets, 0u);
    EXPECT_EQ(traffic.control_ignored, 0u);
  }
  pair.run_for(10s);
  for (const Side side : both_sides) {
    EXPECT_EQ(pair.snapshot(side).traffic.control_ignored, 0u);
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
