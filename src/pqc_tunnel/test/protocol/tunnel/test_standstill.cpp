// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/pair/traffic.hpp"

// The process of one end is stopped, or gets no processor. What came meanwhile is too old to be believed, but its peer was not
// silent.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class Standstill : public testing::TestWithParam<Side>
{
protected:
  Standstill() : pair_(options())
  {
    EXPECT_TRUE(pair_.establish());
    pair_.run_for(2s);
  }

  static WiredPair::Options options()
  {
    WiredPair::Options options;
    options.settings.paths.links = {
      {.name = "radio", .type = LinkType::serial, .mtu = 240, .rate_kbit = 57.6}};
    options.settings.wipe_after = 60s;
    return options;
  }
  bool lost(Side side) const { return pair_.saw(side, EventKind::peer_lost); }

  WiredPair pair_;
};

TEST_P(Standstill, of_an_end_is_no_silence_of_its_peer)
{
  pair_.stand_still(GetParam(), 4730ms);
  pair_.run_for(10s);
  EXPECT_FALSE(lost(GetParam()));
  EXPECT_EQ(pair_.snapshot(GetParam()).state, PeerState::established);
  EXPECT_TRUE(lost(other(GetParam())));  // which heard nothing
}

TEST_P(Standstill, does_not_hide_for_long_that_the_peer_has_ended)
{
  bool hears = false;
  pair_.set_datagram_filter([&](Side from, Bytes &) {
    hears = hears || from == other(GetParam());
    return true;
  });
  ASSERT_TRUE(pair_.run_until([&] { return hears; }));
  pair_.run_for(50ms);
  pair_.set_datagram_filter([](Side, Bytes &) { return false; });
  pair_.stand_still(GetParam(), 5s);
  pair_.run_for(7900ms);
  EXPECT_FALSE(lost(GetParam()));
  pair_.run_for(1s);
  EXPECT_TRUE(lost(GetParam()));
}

TEST_P(Standstill, that_leaves_what_came_fresh_enough_is_no_excuse_for_silence)
{
  pair_.set_datagram_filter([](Side, Bytes &) { return false; });
  for (int i = 0; i < 4; ++i) {
    pair_.stand_still(GetParam(), 900ms);
    pair_.run_for(1s);
  }
  EXPECT_TRUE(lost(GetParam()));
}

TEST_P(Standstill, does_not_make_this_end_forget_since_when_the_peer_receives_nothing)
{
  const auto deaf = [this] {
    return pair_.snapshot(GetParam()).likely_cause.find("receives nothing") != std::string::npos;
  };
  pair_.set_datagram_filter([](Side from, Bytes &) { return from != GetParam(); });
  Duration time{};
  for (; !deaf() && time < 30s; time += 100ms) {
    pair_.run_for(100ms);
  }
  ASSERT_TRUE(deaf());
  pair_.set_datagram_filter({});
  ASSERT_TRUE(pair_.run_until([&] { return !deaf(); }, 30s));
  pair_.run_for(2s);
  pair_.set_datagram_filter([](Side from, Bytes &) { return from != GetParam(); });
  pair_.run_for(time - 1500ms);
  ASSERT_FALSE(deaf());
  pair_.stand_still(GetParam(), 1200ms);
  pair_.run_for(1200ms + 1500ms);
  EXPECT_TRUE(deaf());
}

TEST_P(Standstill, keeps_no_keys_beyond_their_time)
{
  pair_.set_datagram_filter([](Side, Bytes &) { return false; });
  pair_.stand_still(GetParam(), 70s);
  pair_.run_for(71s);
  EXPECT_TRUE(pair_.saw(GetParam(), EventKind::keys_wiped));
}

TEST_P(Standstill, again_and_again_on_a_busy_machine_loses_nobody)
{
  for (int i = 0; i < 60; ++i) {
    pair_.stand_still(GetParam(), 1200ms);
    pair_.run_for(2s);
  }
  for (const Side side : both_sides) {
    EXPECT_FALSE(lost(side));
    EXPECT_GT(pair_.snapshot(side).traffic.cipher_in_packets, 100u);
  }
  EXPECT_EQ(pair_.count(Side::drone, EventKind::handshake_completed), 1u);
}

INSTANTIATE_TEST_SUITE_P(Of, Standstill, testing::ValuesIn(both_sides), [](const auto & side) {
  return side.param == Side::drone ? "drone" : "gcs";
});

}  // namespace
}  // namespace pqc_tunnel::test
