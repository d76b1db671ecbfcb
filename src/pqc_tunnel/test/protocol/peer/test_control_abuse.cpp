// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/handshake/key_messages.hpp"
#include "protocol/streams/stream.hpp"
#include "support/hostile/insider.hpp"
#include "support/pair/traffic.hpp"

// Control frames out of place, from an end that has the keys and misbehaves.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Suite & current_suite() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & another_suite() { return suite("cs-mlkem768-chacha20poly1305-mldsa65"); }

TEST(InsidersControl, of_an_unknown_type_is_ignored_and_counted)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  for (const Side as : both_sides) {
    for (unsigned type = 0; type < 256; ++type) {
      if ((type >= 1 && type <= 15) || type == 17 || type == 18) {
        continue;
      }
      const auto before = pair.snapshot(other(as)).traffic.control_ignored;
      EXPECT_TRUE(
        insider.say_control(as, Bytes({static_cast<std::uint8_t>(type), 0, 0, 0, 0})).peer);
      EXPECT_EQ(pair.snapshot(other(as)).traffic.control_ignored, before + 1) << type;
    }
    EXPECT_TRUE(insider.say_control(as, {}).peer);
  }
  pair.run_for(1s);
  EXPECT_TRUE(pair.agreed());
}

TEST(InsidersControl, of_an_unknown_type_that_comes_late_is_ignored_and_counted)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const Bytes frame = insider.seal(Side::gcs, FrameKind::control, Bytes({200, 0, 0, 0, 0}));
  pair.run_for(3s);
  const auto before = pair.snapshot(Side::drone).traffic.control_ignored;
  EXPECT_TRUE(pair.inject(Side::drone, frame).stale);
  EXPECT_EQ(pair.snapshot(Side::drone).traffic.control_ignored, before + 1);
}

TEST(InsidersControl, out_of_place_changes_nothing)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);  // prekeys have been fetched
  const auto jobs = pair.jobs_run(Side::gcs);
  const std::vector<ControlFrame> frames = {
    {7, Later{1}},
    {7, Later{0xffffffff}},
    {7, Confirm{}},
    {7, RatchetOk{}},
    {7, Ratchet{Epoch{1}, {}, {}}},
    {0, StreamAck{0, 0xffff, 0xffff, 0xffffff, {}, 0}},
    {0, StreamAck{0x80, 0, 0, 7, {{{0xffffff, 0xffffff}}}, 1}},
    {0, PathResponse{1}},
    {7, EchoRequest{1200}},
    {7, EchoResponse{0xffffffff, {9, 9, 9}, 0}},
    {7, Abort{AbortReason::unknown_prekey}},
    {7, Abort{AbortReason::failed}},
    {0, TimeResponse{}},
    {0, TimeResponse{INT64_MIN, INT64_MAX, INT64_MIN}},
    {0, TimeResponse{INT64_MAX, INT64_MIN, INT64_MAX}},
    {0, TimeRequest{INT64_MIN}},
    {0, Keepalive{}},
  };
  for (const Side as : both_sides) {
    for (const ControlFrame & frame : frames) {
      EXPECT_TRUE(insider.say(as, frame).peer);
    }
  }
  // A ground station does not ask for prekeys, nor a drone for a rekey.
  EXPECT_TRUE(insider.say(Side::gcs, {7, Want{current_suite().wire_id}}).peer);
  EXPECT_TRUE(insider.say(Side::drone, {7, RekeyRequest{current_suite().wire_id}}).peer);
  // Under the live keys a drone says of none that they are used beside them.
  EXPECT_TRUE(insider.say(Side::drone, {0, Superseded{}}).peer);
  for (const Side side : both_sides) {
    EXPECT_EQ(pair.count(side, EventKind::superseded), 0u);
  }
  pair.run_for(1s);  // not longer: to the replay windows, the true ends are far behind now
  EXPECT_TRUE(pair.agreed());
  EXPECT_EQ(pair.snapshot(Side::drone).epoch, Epoch{0});
  EXPECT_EQ(pair.jobs_run(Side::gcs), jobs);
  EXPECT_TRUE(pair.snapshot(Side::drone).blacklist.empty());
}

TEST(InsidersControl, with_an_abort_for_an_unknown_reason_blames_no_suite)
{
  WiredPair::Options options;
  options.identities = {SignatureAlgorithm::falcon_512};
  WiredPair pair(options);
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);  // prekeys have been fetched
  const Suite & wanted = suite("cs-mlkem512-aesgcm-falcon512");
  const std::uint32_t fetch = [&] {
    // The transaction of the WANT for a suite without a prekey, as it leaves.
    std::uint32_t transaction = 0;
    pair.set_datagram_filter([&](Side from, Bytes & bytes) {
      if (from == Side::drone && !is_hello(bytes)) {
        const auto frame = insider.read_control(Side::gcs, bytes);
        const auto * want = frame ? std::get_if<Want>(&frame->body) : nullptr;
        if (want != nullptr && want->suite == wanted.wire_id) {
          transaction = frame->transaction;
        }
      }
      return false;  // the ground station does not answer
    });
    pair.drone().request_rekey(rekey_to(&wanted), pair.now());
    pair.run_until([&] { return transaction != 0; }, 5s);
    return transaction;
  }();
  ASSERT_NE(fetch, 0u);
  for (unsigned reason = 0; reason < 256; ++reason) {
    if (reason == 0 || reason > 6) {
      insider.say(Side::gcs, {fetch, Abort{AbortReason{static_cast<std::uint8_t>(reason)}}});
    }
  }
  pair.pump();
  EXPECT_TRUE(pair.outcomes(Side::drone).empty()) << "the rekey still waits for its key";
  EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_started), 1u);
  EXPECT_EQ(pair.snapshot(Side::drone).rollbacks, 0u);
  EXPECT_TRUE(pair.snapshot(Side::drone).blacklist.empty());
}

TEST(InsidersControl, wants_without_end_cost_the_ground_station_one_key_a_second)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const auto jobs = pair.jobs_run(Side::gcs);
  for (std::uint32_t transaction = 0; transaction < 1000; ++transaction) {
    const Suite & wanted = transaction % 2 == 0 ? current_suite() : another_suite();
    insider.say(Side::drone, {transaction, Want{wanted.wire_id}});
    pair.run_for(10ms);
  }
  // A burst of 4, one a second, and what the stock makes good.
  EXPECT_LE(pair.jobs_run(Side::gcs) - jobs, 2u * (4 + 10) + 2);
}

TEST(InsidersControl, a_rekey_without_the_psk_gets_no_answer_and_costs_no_decapsulation)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  pair.run_for(3s);
  const auto handshakes = pair.snapshot(Side::gcs).handshakes;
  RekeyOpening opening;
  opening.suite = current_suite().wire_id;
  opening.session = pair.snapshot(Side::gcs).session;
  opening.next_epoch = Epoch{1};
  Bytes message = encode(opening);
  message.resize(message.size() + finish_size(current_suite(), {}).max);
  insider.say_message(Side::drone, 9, message);
  pair.run_for(500ms);
  EXPECT_EQ(pair.snapshot(Side::gcs).handshakes, handshakes);
  EXPECT_EQ(pair.snapshot(Side::gcs).epoch, Epoch{0});
}

TEST(InsidersFrame, of_an_unknown_kind_or_an_impossible_part_is_counted_as_malformed)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const auto expect_malformed = [&](FrameKind kind, ByteView payload) {
    const auto before = pair.drops(Side::gcs, Drop::malformed);
    const Opened opened = pair.inject(Side::gcs, insider.seal(Side::drone, kind, payload));
    EXPECT_FALSE(opened.forward);
    EXPECT_EQ(pair.drops(Side::gcs, Drop::malformed), before + 1);
  };
  for (unsigned kind = 6; kind < 256; ++kind) {
    expect_malformed(FrameKind{static_cast<std::uint8_t>(kind)}, Bytes(10, 1));
  }
  expect_malformed(FrameKind::control_fragment, Bytes(3));  // without bytes of a message
  for (const Bytes & part : {Bytes{}, Bytes(6), Bytes(7), Bytes{0, 0, 0, 9, 0, 0, 9, 1}}) {
    expect_malformed(FrameKind::stream, part);
  }
  // Nothing, a datagram by itself, and one that began before the first frame under these keys.
  for (const Bytes & fragment : {Bytes{}, Bytes{0, 0, 0}, Bytes{0x80, 0, 0, 1}}) {
    expect_malformed(FrameKind::fragment, fragment);
  }
}

TEST(InsidersControl, of_random_content_does_no_more_than_its_type_may)
{
  WiredPair pair;
  Insider insider(pair);
  ASSERT_TRUE(pair.establish());
  const SessionId session = pair.snapshot(Side::drone).session;
  constexpr std::size_t sizes[] = {5, 4, 32, 1, 8, 24, 64, 0, 6, 65, 64, 10, 8, 8, 0};
  for (int i = 0; i < 20'000; ++i) {
    const auto type = static_cast<std::size_t>(pair.random().uniform() * 15);
    Bytes frame(5 + sizes[type]);
    pair.random().fill(frame);
    frame[0] = static_cast<std::uint8_t>(type + 1);
    if (i % 4 < 2) {
      std::fill_n(frame.begin() + 1, 4, std::uint8_t{0});  // belongs to no transaction
    }
    const Side as = i % 2 == 0 ? Side::drone : Side::gcs;
    ASSERT_TRUE(insider.say_control(as, frame).peer);
  }
  pair.run_for(1s);
  for (const Side side : both_sides) {
    EXPECT_EQ(pair.snapshot(side).session, session);
    EXPECT_EQ(pair.snapshot(side).epoch, Epoch{0});
    EXPECT_EQ(pair.snapshot(side).state, PeerState::established);
  }
  EXPECT_TRUE(pair.snapshot(Side::drone).blacklist.empty());
}

}  // namespace
}  // namespace pqc_tunnel::test
