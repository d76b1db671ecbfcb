// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "protocol/peer/echo_window.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{
namespace
{

using std::chrono::milliseconds;

constexpr std::size_t shortest_request = 25 + 5;
constexpr std::size_t shortest_response = 25 + 5 + 7;

// --- Which have arrived ---

TEST(EchoWindow, tells_which_of_the_32_before_have_arrived)
{
  EchoWindow window;
  EXPECT_EQ(window.take(100), 0u) << "nothing is known of those before the first one";
  EXPECT_EQ(window.take(101), 0b1u);
  EXPECT_EQ(window.take(104), 0b1100u);
  EXPECT_EQ(window.take(104), 0b1100u) << "again";
  EXPECT_EQ(window.take(102), 0b11u) << "late";
  EXPECT_EQ(window.take(105), 0b11101u);
  EXPECT_EQ(window.take(137), 1u << 31) << "only 105 is among the 32 before";
  EXPECT_EQ(window.take(138), 1u);
}

TEST(EchoWindow, goes_on_past_the_greatest_number)
{
  EchoWindow window;
  window.take(0xffffffff);
  EXPECT_EQ(window.take(0), 1u);
  EXPECT_EQ(window.take(2), 0b110u);
}

TEST(EchoWindow, begins_anew_with_a_number_from_elsewhere)
{
  EchoWindow window;
  window.take(1000);
  window.take(1001);
  EXPECT_EQ(window.take(5), 0u);
  EXPECT_EQ(window.take(6), 1u);
  EXPECT_EQ(window.take(900'000'000), 0u);
  EXPECT_EQ(window.take(900'000'000 + 64), 0u);
  EXPECT_EQ(window.take(900'000'000 + 65), 1u);
}

// The same as a list of all numbers that have come.
TEST(EchoWindow, agrees_with_a_list_of_all_numbers)
{
  std::mt19937 random(1);
  EchoWindow window;
  std::set<std::uint32_t> come;
  std::uint32_t newest = 0xffffff00;
  for (int i = 0; i < 5000; ++i) {
    const std::uint32_t number = newest + static_cast<std::uint32_t>(random() % 12) - 6;
    newest = number - newest < 12 ? number : newest;
    std::uint32_t expected = 0;
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      expected |= std::uint32_t{come.contains(number - 1 - bit)} << bit;
    }
    ASSERT_EQ(window.take(number), expected) << i;
    come.insert(number);
  }
}

// --- Between both ends ---

TEST(Echoes, are_answered_at_once_with_the_version_of_the_other_end)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (const Side from : both_sides) {
    const Instant asked = pair.now(from);
    EXPECT_TRUE(pair.end(from).send_message(PeerIndex{0}, Echo{7, 0}, asked));
    pair.pump();
    ASSERT_TRUE(pair.run_until([&] { return !pair.echoes(from).empty(); }, milliseconds(100)));
    const EchoArrived & echo = pair.echoes(from).front();
    EXPECT_EQ(echo.number, 7u);
    EXPECT_EQ(echo.time - asked, milliseconds(20));
    EXPECT_EQ(to_string(echo.response.version), PQC_TUNNEL_VERSION);
    EXPECT_EQ(echo.response.arrived, 0u);
  }
}

// Lets frames of these lengths pass, and notes them.
std::vector<std::size_t> lengths(WiredPair & pair, Side from)
{
  std::vector<std::size_t> all;
  for (const Bytes & datagram : pair.datagrams_sent(from)) {
    all.push_back(datagram.size());
  }
  pair.datagrams_sent(from).clear();
  return all;
}

TEST(Echoes, and_their_answers_are_as_long_as_asked_for)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  for (const std::size_t bytes : {0UL, 29UL, 30UL, 31UL, 37UL, 38UL, 1472UL}) {
    lengths(pair, Side::drone);
    lengths(pair, Side::gcs);
    EXPECT_TRUE(pair.drone().send_message(PeerIndex{0}, Echo{1, bytes}, pair.now()));
    pair.pump();
    pair.run_for(milliseconds(30));
    const auto contains = [](const std::vector<std::size_t> & all, std::size_t one) {
      return std::ranges::count(all, one) > 0;
    };
    EXPECT_TRUE(contains(lengths(pair, Side::drone), std::max(bytes, shortest_request))) << bytes;
    EXPECT_TRUE(contains(lengths(pair, Side::gcs), std::max(bytes, shortest_response))) << bytes;
  }
}

TEST(Echoes, tell_which_way_a_lost_one_was_lost)
{
  WiredPair pair;
  ASSERT_TRUE(pair.establish());
  std::size_t lose = 0;
  Side of = Side::drone;
  pair.set_datagram_filter(
    [&](Side from, Bytes & bytes) { return from != of || bytes.size() != lose; });
  const auto ask = [&](std::uint32_t number, std::size_t bytes) {
    EXPECT_TRUE(pair.drone().send_message(PeerIndex{0}, Echo{number, bytes}, pair.now()));
    pair.pump();
    pair.run_for(milliseconds(30));
  };
  lose = 1001;
  ask(1, 1001);  // lost on the way there
  of = Side::gcs;
  lose = 1002;
  ask(2, 1002);  // lost on the way back
  EXPECT_TRUE(pair.echoes(Side::drone).empty());
  ask(3, 0);
  ASSERT_EQ(pair.echoes(Side::drone).size(), 1u);
  EXPECT_EQ(pair.echoes(Side::drone)[0].response.arrived, 0b01u);
}

TEST(Echoes, are_refused_without_a_session_and_where_no_link_carries_them)
{
  WiredPair pair;
  EXPECT_FALSE(pair.drone().send_message(PeerIndex{0}, Echo{1, 0}, pair.now()));
  WiredPair::Options options;
  options.settings.paths.links[0].mtu = 300;
  WiredPair narrow(options);
  ASSERT_TRUE(narrow.establish());
  EXPECT_TRUE(narrow.drone().send_message(PeerIndex{0}, Echo{1, 300}, narrow.now()));
  EXPECT_FALSE(narrow.drone().send_message(PeerIndex{0}, Echo{2, 301}, narrow.now()));
}

TEST(Echoes, that_no_frame_of_this_end_could_answer_get_a_short_answer)
{
  WiredPair::Options options;
  options.gcs_settings = options.settings;
  options.gcs_settings->paths.links[0].mtu = 300;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  EXPECT_TRUE(pair.drone().send_message(PeerIndex{0}, Echo{1, 300}, pair.now()));
  EXPECT_TRUE(pair.drone().send_message(PeerIndex{0}, Echo{2, 301}, pair.now()));
  pair.pump();
  pair.run_for(milliseconds(100));
  ASSERT_EQ(pair.echoes(Side::drone).size(), 2u);
  EXPECT_EQ(pair.echoes(Side::drone)[0].response.padding, 300 - shortest_response);
  EXPECT_EQ(pair.echoes(Side::drone)[1].response.padding, 0);
}

}  // namespace
}  // namespace pqc_tunnel::test
