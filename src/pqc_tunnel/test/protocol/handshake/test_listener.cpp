// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <set>

#include "protocol/handshake/hello_messages.hpp"
#include "support/pair/wired_pair.hpp"

// A listener beside the link drops nothing, but is faster than it: has the ground station answer the drone's hellos at other
// addresses, and passes on what it likes.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::uint8_t first_address = 66;

class Listener
{
public:
  struct Habits
  {
    bool second_hellos = false;  // are passed on, too
    bool sealed = false;         // the same of frames under keys
    bool from_itself = false;    // what it passes on to the drone comes from its own address
    std::uint8_t addresses = 1;
  };

  Listener(WiredPair & pair, Habits habits) : pair_(pair), habits_(habits)
  {
    pair_.set_datagram_filter([this](Side from, Bytes & bytes) {
      if (from == Side::drone) {
        overheard_.push_back(bytes);
      }
      return true;
    });
  }

  void set_habits(Habits habits) { habits_ = habits; }

  // True once both ends agree.
  bool run(Duration limit)
  {
    for (const Instant end = pair_.now() + limit; pair_.now() < end && !pair_.agreed();) {
      relay();
      pair_.run_for(500us);
    }
    return pair_.agreed();
  }

private:
  static Endpoint address(std::uint8_t number)
  {
    return WiredPair::stranger(static_cast<std::uint8_t>(first_address + number));
  }

  void relay()
  {
    for (const auto & [to, bytes] : std::exchange(pair_.sent_elsewhere(Side::drone), {})) {
      overheard_.push_back(bytes);
    }
    for (const Bytes & bytes : std::exchange(overheard_, {})) {
      for (std::uint8_t i = 0; i < habits_.addresses && passes_on(bytes); ++i) {
        pair_.inject(Side::gcs, bytes, address(i));
      }
    }
    pair_.pump();
    for (const auto & [to, bytes] : std::exchange(pair_.sent_elsewhere(Side::gcs), {})) {
      if (is_hello(bytes) || habits_.sealed) {
        pair_.inject(
          Side::drone, bytes, habits_.from_itself ? to : WiredPair::address_of(Side::gcs));
      }
    }
    pair_.pump();
  }

  bool passes_on(const Bytes & bytes) const
  {
    if (!is_hello(bytes)) {
      return habits_.sealed;
    }
    return habits_.second_hellos || parse_client_hello(bytes).challenge == Random32{};
  }

  WiredPair & pair_;
  Habits habits_;
  std::vector<Bytes> overheard_;
};

using Habits = Listener::Habits;

class Listeners : public testing::TestWithParam<Habits>
{
};

TEST_P(Listeners, prevent_no_session)
{
  WiredPair pair;
  Listener listener(pair, GetParam());
  EXPECT_TRUE(listener.run(10s));
}

TEST_P(Listeners, prevent_no_session_on_a_link_that_loses_a_third)
{
  WiredPair pair;
  Listener listener(pair, GetParam());
  pair.set_channel([&pair](Side, Bytes &) {
    return draw<std::uint8_t>(pair.random()) % 3 == 0 ? std::vector<Duration>{}
                                                      : std::vector<Duration>{10ms};
  });
  EXPECT_TRUE(listener.run(60s));
}

INSTANTIATE_TEST_SUITE_P(
  Of, Listeners,
  testing::Values(
    Habits{}, Habits{.from_itself = true}, Habits{.second_hellos = true},
    Habits{.second_hellos = true, .from_itself = true},
    Habits{.second_hellos = true, .addresses = 5},
    Habits{.second_hellos = true, .from_itself = true, .addresses = 5}));

// The drone's answers to one challenge and then to another, from one random value.
TEST(Listener, has_boot_keys_made_once_for_a_random_value)
{
  WiredPair pair;
  std::set<Bytes> hellos;
  pair.watch([&] {
    for (const Bytes & bytes : pair.datagrams_sent(Side::drone)) {
      if (is_hello(bytes)) {
        hellos.insert(bytes);
      }
    }
  });
  Listener listener(pair, {.second_hellos = true, .addresses = 3});
  ASSERT_TRUE(listener.run(10s));
  EXPECT_GE(hellos.size(), 3u);
  EXPECT_EQ(pair.count(Side::gcs, EventKind::handshake_started), 1u);
}

TEST(Listener, who_passes_everything_on_for_a_while_and_then_stops_prevents_no_session)
{
  for (const bool from_itself : {false, true}) {
    for (Duration length = 500us; length < 12ms; length += 500us) {
      WiredPair pair;
      Listener listener(pair, {.second_hellos = true, .sealed = true, .from_itself = from_itself});
      listener.run(length);
      listener.set_habits({});
      EXPECT_TRUE(listener.run(20s)) << length.count() << ' ' << from_itself;
      pair.run_for(5s);
      EXPECT_TRUE(pair.agreed());
    }
  }
}

TEST(
  Listener,
  who_had_more_challenges_made_than_a_drone_answers_delays_it_for_no_longer_than_an_attempt)
{
  WiredPair pair;
  Listener listener(pair, {.second_hellos = true, .from_itself = true, .addresses = 40});
  listener.run(5s);
  listener.set_habits({});
  EXPECT_TRUE(listener.run(10s));
}

}  // namespace
}  // namespace pqc_tunnel::test
