// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "pqc_tunnel/protocol/handshake_messages.hpp"
#include "support/traffic.hpp"

// Strangers at the handshake port of the ground station: they cost no public-key operation, get no answer, are
// disconnected after a second, and do not disturb the drones.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

Bytes text_bytes(std::string_view text) { return Bytes(text.begin(), text.end()); }

WiredPair::Options one_way_delay(Duration latency)
{
  WiredPair::Options options;
  options.latency = latency;
  return options;
}

class Stranger : public testing::Test
{
protected:
  Stranger()
  {
    EXPECT_TRUE(pair_.establish());
    hello_ = pair_.streamed().front().second;
    jobs_ = pair_.jobs_run(Side::gcs);
  }

  Bytes hello_body() const { return Bytes(hello_.begin() + 4, hello_.end()); }

  // Sends that and expects nothing in return but the end of the connection, at once or after a second.
  void expect_closed(const Bytes & sent, bool at_once)
  {
    const auto connection = pair_.connect_stranger();
    ASSERT_TRUE(connection);
    pair_.stranger_sends(*connection, sent);
    EXPECT_EQ(pair_.stranger_is_connected(*connection), !at_once);
    if (!at_once) {
      pair_.run_for(999ms);
      EXPECT_TRUE(pair_.stranger_is_connected(*connection));
      pair_.run_for(1ms);
      EXPECT_FALSE(pair_.stranger_is_connected(*connection));
    }
    EXPECT_TRUE(pair_.stranger_heard(*connection).empty());
    EXPECT_EQ(pair_.jobs_run(Side::gcs), jobs_);
    pair_.run_for(1s);
  }

  WiredPair pair_;
  Bytes hello_;  // of the drone's first handshake
  std::size_t jobs_ = 0;
};

TEST_F(Stranger, who_sends_nothing_is_disconnected_after_a_second) { expect_closed({}, false); }

TEST_F(Stranger, who_sends_half_a_hello_is_disconnected_after_a_second)
{
  for (const std::size_t size : {1u, 3u, 4u, 5u, 100u, 164u}) {
    const auto half = std::span(hello_).first(size);
    expect_closed(Bytes(half.begin(), half.end()), false);
  }
}

TEST_F(Stranger, who_sends_junk_is_disconnected_at_once)
{
  expect_closed(Bytes(165, 0x5a), true);
  expect_closed(text_bytes("GET / HTTP/1.1\r\n\r\n"), true);
  expect_closed({0, 0, 0, 0}, true);
  expect_closed({0, 0, 0, 160}, true);
  expect_closed({0, 0, 0, 162}, true);
  expect_closed({0xff, 0xff, 0xff, 0xff}, true);
  expect_closed(with_length(Bytes(161, 0x5a)), true);
}

TEST_F(Stranger, who_sends_more_than_a_hello_is_disconnected_at_once)
{
  Bytes longer = hello_;
  longer.push_back(0);
  expect_closed(longer, true);
}

TEST_F(Stranger, who_forges_a_hello_is_disconnected_at_once_whether_the_drone_is_known_or_not)
{
  Bytes forged = hello_body();
  forged.back() ^= 1;
  expect_closed(with_length(forged), true);
  forged = hello_body();
  forged[8] ^= 1;  // drone id
  expect_closed(with_length(forged), true);
}

TEST_F(Stranger, who_begins_with_another_message_is_disconnected_at_once)
{
  Bytes finish = encode_server_finish();
  finish.resize(161);
  expect_closed(with_length(finish), true);
}

TEST_F(Stranger, who_replays_a_hello_is_challenged_and_disconnected_without_any_job)
{
  const auto connection = pair_.connect_stranger();
  pair_.stranger_sends(*connection, hello_);
  EXPECT_EQ(pair_.stranger_heard(*connection).size(), 4 + hello_retry_size);
  // Neither the same hello nor the drone's answer to an older challenge will do.
  pair_.stranger_sends(*connection, hello_);
  EXPECT_FALSE(pair_.stranger_is_connected(*connection));

  const auto again = pair_.connect_stranger();
  pair_.stranger_sends(*again, hello_);
  Bytes answer_of_old;
  for (const auto & [from, bytes] : pair_.streamed()) {
    if (from == Side::drone && bytes.size() == hello_.size()) {
      answer_of_old = bytes;
    }
  }
  ASSERT_NE(answer_of_old, hello_);
  pair_.stranger_sends(*again, answer_of_old);
  EXPECT_FALSE(pair_.stranger_is_connected(*again));
  EXPECT_EQ(pair_.jobs_run(Side::gcs), jobs_);
}

TEST_F(Stranger, who_replays_the_hello_of_a_rekey_is_challenged_too)
{
  // The handshake of this rekey ends after the hello, so that the named session is still live.
  Bytes rekey_hello;
  pair_.set_stream_filter([&](Side from, Bytes & bytes) {
    if (from == Side::drone) {
      rekey_hello = bytes;
    }
    return from == Side::drone;
  });
  pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
  ASSERT_TRUE(pair_.run_until([&] { return !rekey_hello.empty(); }));
  pair_.run_for(2s);  // by then the pool is full again
  jobs_ = pair_.jobs_run(Side::gcs);
  for (int i = 0; i < 3; ++i) {
    const auto connection = pair_.connect_stranger();
    ASSERT_TRUE(connection);
    pair_.stranger_sends(*connection, rekey_hello);
    EXPECT_EQ(pair_.stranger_heard(*connection).size(), 4 + hello_retry_size);
    EXPECT_EQ(pair_.jobs_run(Side::gcs), jobs_);
    pair_.run_for(1s);
    EXPECT_FALSE(pair_.stranger_is_connected(*connection));
  }
}

TEST_F(Stranger, may_hold_two_connections_of_an_address)
{
  EXPECT_TRUE(pair_.connect_stranger());
  EXPECT_TRUE(pair_.connect_stranger());
  EXPECT_FALSE(pair_.connect_stranger());
  EXPECT_TRUE(pair_.connect_stranger(WiredPair::stranger(67)));
  pair_.run_for(1s);
  EXPECT_TRUE(pair_.connect_stranger());
}

TEST_F(Stranger, finds_at_most_sixteen_connections_in_all)
{
  int let_in = 0;
  for (std::uint8_t address = 70; address < 100; ++address) {
    let_in += pair_.connect_stranger(WiredPair::stranger(address)) ? 1 : 0;
  }
  EXPECT_EQ(let_in, 16);
}

TEST_F(Stranger, may_come_twenty_times_a_second_after_a_burst_of_five)
{
  int let_in = 0;
  for (int i = 0; i < 1000; ++i) {
    if (const auto connection = pair_.connect_stranger()) {
      ++let_in;
      pair_.stranger_sends(*connection, Bytes(4, 0xff));
    }
    pair_.run_for(10ms);
  }
  EXPECT_GE(let_in, 200);
  EXPECT_LE(let_in, 205);
  EXPECT_EQ(pair_.jobs_run(Side::gcs), jobs_);
}

TEST_F(Stranger, is_spoken_of_once_a_second_at_most)
{
  const auto before = pair_.count(Side::gcs, EventKind::refused);
  for (int i = 0; i < 1000; ++i) {
    pair_.connect_stranger();
    pair_.run_for(10ms);
  }
  EXPECT_LE(pair_.count(Side::gcs, EventKind::refused) - before, 11u);
}

// Strangers from many addresses keep the port busy for as long as `act` takes.
template <class Action>
void under_siege(WiredPair & pair, Action && act)
{
  for (std::uint8_t address = 70; address < 76; ++address) {
    pair.connect_stranger(WiredPair::stranger(address));
    pair.connect_stranger(WiredPair::stranger(address));
  }
  act();
}

TEST_F(Stranger, under_load_makes_even_a_rekey_prove_its_freshness_and_it_succeeds)
{
  Traffic traffic(pair_);
  const auto retries_in = [&](auto && act) {
    const std::size_t before = pair_.streamed().size();
    act();
    return std::ranges::count_if(
      pair_.streamed().begin() + static_cast<std::ptrdiff_t>(before), pair_.streamed().end(),
      [](const auto & piece) { return piece.second.size() == 4 + hello_retry_size; });
  };
  const auto rekey = [&] {
    pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
    const std::size_t outcomes = pair_.outcomes(Side::drone).size();
    EXPECT_TRUE(
      traffic.run_until([&] { return pair_.outcomes(Side::drone).size() > outcomes; }, 900ms));
    EXPECT_TRUE(pair_.outcomes(Side::drone).back().success);
  };
  EXPECT_EQ(retries_in(rekey), 0);
  EXPECT_EQ(retries_in([&] { under_siege(pair_, rekey); }), 1);
  pair_.run_for(100ms);
  EXPECT_TRUE(traffic.arrived_exactly(Side::drone));
  EXPECT_TRUE(traffic.arrived_exactly(Side::gcs));
}

TEST_F(Stranger, who_floods_with_datagrams_changes_nothing_and_gets_no_answer)
{
  Traffic traffic(pair_);
  const auto sent_before = pair_.snapshot(Side::gcs).traffic.control_out;
  SeededRandom random(5);
  for (int i = 0; i < 2000; ++i) {
    Bytes junk(static_cast<std::size_t>(random.uniform() * 1500));
    random.fill(junk);
    if (i % 2 == 0 && !junk.empty()) {
      junk[0] = 0x20;
    }
    for (const Side side : both_sides) {
      EXPECT_FALSE(pair_.inject(side, junk, WiredPair::stranger()).peer);
    }
  }
  EXPECT_EQ(pair_.snapshot(Side::gcs).traffic.control_out, sent_before);
  for (const Side side : both_sides) {
    EXPECT_EQ(pair_.drops(side, Drop::malformed) + pair_.drops(side, Drop::unknown), 2000u);
    EXPECT_EQ(pair_.end(side).destination(PeerIndex{0}), WiredPair::address_of(other(side)));
  }
  traffic.run_for(100ms);
  pair_.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_exactly(Side::drone));
  EXPECT_TRUE(traffic.arrived_exactly(Side::gcs));
}

TEST(SlowLink, with_a_round_trip_of_a_second_still_connects)
{
  WiredPair pair(one_way_delay(490ms));
  EXPECT_TRUE(pair.establish());
  EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_failed), 0u);
}

}  // namespace
}  // namespace pqc_tunnel::test
