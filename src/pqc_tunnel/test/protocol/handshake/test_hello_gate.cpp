// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/handshake/hello_gate.hpp"

#include <gtest/gtest.h>

#include "support/pair/wired_pair.hpp"

// The ground station's door, alone: what each hello costs and gets.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class Gate : public testing::Test
{
protected:
  Gate() { gate_.set(PeerIndex{0}, {DroneId{{1}}, {psk_}}); }

  Bytes hello(const Random32 & challenge = {}, std::uint8_t random = 7, DroneId id = {{1}})
  {
    ClientHello made;
    made.drone_id = id;
    made.client_random.fill(random);
    made.suite = suite("cs-mlkem768-aesgcm-mldsa65").wire_id;
    made.challenge = challenge;
    Bytes frame = encode(made);
    append_mac(frame, psk_->sha256, psk_->sha256.hello);
    return frame;
  }
  HelloGate::Verdict handle(ByteView frame, const Endpoint & from = WiredPair::stranger(1))
  {
    return gate_.handle(frame, from, now_);
  }
  Random32 challenge_of(const HelloGate::Verdict & verdict)
  {
    return parse_hello_retry(std::get<HelloGate::Challenged>(verdict).retry);
  }
  bool is_admitted(const HelloGate::Verdict & verdict)
  {
    return std::holds_alternative<HelloGate::Admitted>(verdict);
  }
  bool is_turned_away(const HelloGate::Verdict & verdict)
  {
    return std::holds_alternative<HelloGate::TurnedAway>(verdict);
  }
  // A drone's two hellos with a random value.
  HelloGate::Verdict knock(const Endpoint & from = WiredPair::stranger(1))
  {
    const std::uint8_t random = ++randoms_;
    return handle(hello(challenge_of(handle(hello({}, random), from)), random), from);
  }
  // With a challenge that is none; it is new each time.
  Bytes outdated_hello()
  {
    Random32 challenge;
    random_.fill(challenge);
    return hello(challenge);
  }
  // How many hellos are answered in that time, of more than enough.
  int answers(HelloGate & gate, const Endpoint & from, Duration time)
  {
    int count = 0;
    const Instant end = now_ + time;
    for (;; now_ += 1s) {
      for (int i = 0; i < 100; ++i) {
        const auto verdict = gate.handle(outdated_hello(), from, now_);
        count += std::holds_alternative<HelloGate::Challenged>(verdict) ? 1 : 0;
      }
      if (now_ >= end) {
        return count;
      }
    }
  }
  HelloGate::Standing standing_of(const HelloGate::Verdict & verdict)
  {
    return std::get<HelloGate::Admitted>(verdict).standing;
  }

  SharedPskKeys psk_ =
    std::make_shared<const PskKeySet>(PskKeySet::derive(Psk(std::array<std::uint8_t, 32>{5})));
  SeededRandom random_{3};
  Endpoint live_;
  PathSettings paths_{
    {LinkSettings{"udp"}, LinkSettings{"radio", LinkType::udp, Carry::all, 1232, 64}}};
  HelloGate gate_{
    paths_, random_, [this](PeerIndex, const Endpoint & from) { return same_host(from, live_); }};
  std::uint8_t randoms_ = 0;
  Instant now_{1h};
};

TEST_F(Gate, challenges_a_hello_that_proves_the_psk_and_admits_its_answer)
{
  const auto challenged = handle(hello());
  ASSERT_TRUE(std::holds_alternative<HelloGate::Challenged>(challenged));
  const Bytes & retry = std::get<HelloGate::Challenged>(challenged).retry;
  EXPECT_LT(retry.size(), hello().size());
  EXPECT_TRUE(mac_holds(retry, psk_->sha256, psk_->sha256.retry, hello()));
  EXPECT_TRUE(is_admitted(handle(hello(challenge_of(challenged)))));
}

TEST_F(Gate, is_silent_to_everything_else_and_counts_it)
{
  EXPECT_TRUE(is_turned_away(handle(Bytes(152, 0x81))));
  EXPECT_TRUE(is_turned_away(handle(Bytes(10, 0x81))));
  Bytes wrong = hello();
  wrong.back() ^= 1;
  EXPECT_TRUE(is_turned_away(handle(wrong)));
  std::fill(wrong.end() - mac_size, wrong.end(), std::uint8_t{0});
  EXPECT_TRUE(is_turned_away(handle(wrong)));
  EXPECT_TRUE(is_turned_away(handle(hello({}, 7, {{9}}))));
  EXPECT_EQ(gate_.strangers().malformed, 2u);
  EXPECT_EQ(gate_.strangers().wrong_key, 2u);
  EXPECT_EQ(gate_.strangers().unknown_drone, 1u);
}

TEST_F(Gate, is_silent_to_a_hello_of_another_version_and_tells_whose_id_it_has)
{
  Bytes other = hello();
  other[1] = 5;
  other.resize(300);  // nothing behind the id is known
  const auto verdict = handle(other);
  ASSERT_TRUE(is_turned_away(verdict));
  EXPECT_EQ(std::get<HelloGate::TurnedAway>(verdict).version, 5);
  EXPECT_EQ(std::get<HelloGate::TurnedAway>(verdict).drone, PeerIndex{0});
  other[2] ^= 1;
  EXPECT_TRUE(is_turned_away(handle(other)));
  other.resize(9);
  EXPECT_TRUE(is_turned_away(handle(other)));
  EXPECT_EQ(gate_.strangers().other_version, 1u);
  EXPECT_EQ(gate_.strangers().malformed, 2u);
}

// An id of zeros is one like any other.
TEST_F(Gate, takes_only_a_whole_id_in_a_hello_of_another_version_for_an_id)
{
  gate_.set(PeerIndex{1}, {DroneId{}, {psk_}});
  const auto turned_away = [&](std::uint8_t type, std::size_t size) {
    Bytes other(size);
    other[0] = type;
    other[1] = 5;
    return std::get<HelloGate::TurnedAway>(handle(other)).drone;
  };
  EXPECT_EQ(turned_away(0x81, 2 + DroneId::size), PeerIndex{1});
  EXPECT_EQ(turned_away(0x81, 2 + DroneId::size - 1), std::nullopt);
  EXPECT_EQ(turned_away(0x82, 100), std::nullopt);  // a drone sends no such frame
}

TEST_F(Gate, answers_a_recorded_hello_from_one_address_only_now_and_then)
{
  ASSERT_TRUE(std::holds_alternative<HelloGate::Challenged>(handle(hello())));
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(std::holds_alternative<HelloGate::Unanswered>(handle(hello())));
  }
  EXPECT_EQ(gate_.strangers().repeated, 100u);
  // Another sender may be the right one, and so may another hello.
  EXPECT_TRUE(
    std::holds_alternative<HelloGate::Challenged>(handle(hello(), WiredPair::stranger(2))));
  EXPECT_TRUE(std::holds_alternative<HelloGate::Challenged>(handle(hello({}, 8))));
  // A drone that heard no answer repeats its hello.
  now_ += hello_retry_first;
  EXPECT_TRUE(std::holds_alternative<HelloGate::Challenged>(handle(hello())));
}

// Whoever has recorded hellos repeats them from any address. A drone repeats one for a few seconds.
TEST_F(
  Gate, answers_recorded_hellos_from_ever_new_addresses_within_a_share_of_the_link_and_no_longer)
{
  Endpoint from = WiredPair::stranger(1);
  from.link = 1;
  std::size_t bytes = 0;
  const Instant begun = now_;
  Instant last;
  for (; now_ < begun + 60s; now_ += 1ms) {
    ++from.port;
    const auto verdict = handle(hello(), from);
    if (const auto * challenged = std::get_if<HelloGate::Challenged>(&verdict)) {
      bytes += paths_.links[1].line_bytes(challenged->retry.size());
      last = now_;
    }
    // A hello of another random value is the drone's own.
    if ((now_ - begun) % 2s == 0s && now_ > begun) {
      EXPECT_TRUE(std::holds_alternative<HelloGate::Challenged>(
        handle(hello({}, static_cast<std::uint8_t>(100 + (now_ - begun) / 2s)), from)));
    }
  }
  EXPECT_LT(last - begun, 25s);
  EXPECT_LT(static_cast<double>(bytes), 0.05 * 8000 * 25 + 600);
}

TEST_F(Gate, answers_a_hello_to_eight_addresses_in_a_moment_and_for_24_seconds)
{
  const auto is_answered = [&](std::uint8_t host) {
    return std::holds_alternative<HelloGate::Challenged>(
      handle(hello(), WiredPair::stranger(host)));
  };
  const Instant begun = now_;
  for (std::uint8_t host = 1; host <= max_challenges; ++host) {
    EXPECT_TRUE(is_answered(host));
  }
  EXPECT_FALSE(is_answered(100));
  now_ += hello_retry_first / 2 - Duration(1);
  EXPECT_FALSE(is_answered(1));
  EXPECT_FALSE(is_answered(100));
  now_ += Duration(1);
  EXPECT_TRUE(is_answered(100));
  EXPECT_FALSE(is_answered(100));
  EXPECT_TRUE(is_answered(1));
  now_ = begun + answer_patience + longest_round_trip - Duration(1);
  EXPECT_TRUE(is_answered(1));
  now_ += 1s;
  EXPECT_FALSE(is_answered(1));
}

TEST_F(Gate, answers_a_hello_no_longer_from_24_seconds_after_the_first_answer_on)
{
  ASSERT_TRUE(std::holds_alternative<HelloGate::Challenged>(handle(hello())));
  now_ += answer_patience + longest_round_trip;
  EXPECT_TRUE(std::holds_alternative<HelloGate::Unanswered>(handle(hello())));
}

// Somebody copies each hello of the drone, and is faster.
TEST_F(Gate, admits_a_hello_with_its_challenge_although_copies_from_elsewhere_came_first)
{
  const Bytes second = hello(challenge_of(handle(hello())));
  for (std::uint8_t host = 2; host < 2 + max_challenges; ++host) {
    EXPECT_TRUE(
      std::holds_alternative<HelloGate::Challenged>(handle(second, WiredPair::stranger(host))));
  }
  EXPECT_TRUE(
    std::holds_alternative<HelloGate::Unanswered>(handle(second, WiredPair::stranger(100))));
  EXPECT_TRUE(is_admitted(handle(second)));
}

TEST_F(Gate, admits_a_hello_until_its_challenge_expires_although_a_copy_is_as_old)
{
  const Bytes second = hello(challenge_of(handle(hello())));
  ASSERT_TRUE(
    std::holds_alternative<HelloGate::Challenged>(handle(second, WiredPair::stranger(2))));
  now_ += challenge_validity - Duration(1);
  EXPECT_TRUE(
    std::holds_alternative<HelloGate::Unanswered>(handle(second, WiredPair::stranger(3))));
  EXPECT_TRUE(is_admitted(handle(second)));
  now_ += Duration(1);
  EXPECT_TRUE(std::holds_alternative<HelloGate::Unanswered>(handle(second)));
}

TEST_F(Gate, looks_at_no_challenge_that_has_expired)
{
  AnsweredHellos answered(random_);
  const Bytes frame = hello();
  answered.add(frame, live_, now_);
  now_ += challenge_validity - Duration(1);
  EXPECT_EQ(answered.look_up(frame, live_, now_), AnsweredHellos::Memory::refused);
  now_ += Duration(1);
  EXPECT_EQ(answered.look_up(frame, live_, now_), AnsweredHellos::Memory::expired);
}

// There are 1,024 places, so that some of these take that of another one.
TEST_F(Gate, keeps_two_hellos_apart_that_share_a_place_in_its_memory)
{
  AnsweredHellos answered(random_);
  for (int i = 0; i < 3000; ++i) {
    const Bytes frame = outdated_hello();
    EXPECT_EQ(answered.look_up(frame, live_, now_), AnsweredHellos::Memory::fresh);
    answered.add(frame, live_, now_);
    EXPECT_EQ(answered.look_up(frame, live_, now_), AnsweredHellos::Memory::refused);
  }
}

TEST_F(Gate, takes_a_challenge_from_its_address_for_20_to_30_seconds)
{
  const Random32 challenge = challenge_of(handle(hello()));
  EXPECT_FALSE(is_admitted(handle(hello(challenge), WiredPair::stranger(2))));
  Endpoint other_port = WiredPair::stranger(1);
  ++other_port.port;
  EXPECT_FALSE(is_admitted(handle(hello(challenge), other_port)));
  Endpoint other_link = WiredPair::stranger(1);
  ++other_link.link;
  EXPECT_FALSE(is_admitted(handle(hello(challenge), other_link)));
  const Random32 late = challenge_of(handle(hello({}, 8)));
  now_ += 20s;
  EXPECT_TRUE(is_admitted(handle(hello(challenge))));
  now_ += 10s;
  EXPECT_FALSE(is_admitted(handle(hello(late, 8))));
}

TEST_F(Gate, admits_no_random_value_twice_while_its_challenge_is_valid)
{
  const Random32 challenge = challenge_of(handle(hello()));
  EXPECT_TRUE(is_admitted(handle(hello(challenge))));
  for (now_ += 1s; !is_turned_away(handle(hello(challenge))); now_ += 1s) {
    const auto again = handle(hello(challenge));
    ASSERT_FALSE(is_admitted(again));
    if (std::holds_alternative<HelloGate::Unanswered>(again)) {
      break;  // the challenge has expired, and the first look at the hello made a new one
    }
    ASSERT_TRUE(std::holds_alternative<HelloGate::Repeated>(again));
    // Nor with a fresh challenge for the same random value.
  }
}

TEST_F(Gate, admits_a_random_value_again_once_every_challenge_for_it_has_expired)
{
  const auto knock_again = [&] { return handle(hello(challenge_of(handle(outdated_hello())))); };
  ASSERT_TRUE(is_admitted(knock_again()));
  const Instant forgotten = now_ + challenge_validity + 2 * (answer_patience + longest_round_trip);
  now_ = forgotten - Duration(1);
  EXPECT_TRUE(std::holds_alternative<HelloGate::Repeated>(knock_again()));
  now_ = forgotten;
  EXPECT_TRUE(is_admitted(knock_again()));
}

TEST_F(Gate, admits_the_host_of_the_live_session_once_a_second_after_a_burst_of_three)
{
  live_ = WiredPair::stranger(1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(standing_of(knock()), HelloGate::Standing::live);
  }
  EXPECT_FALSE(is_admitted(knock()));
  EXPECT_EQ(gate_.strangers().over_limit, 1u);
  now_ += 1s;
  EXPECT_TRUE(is_admitted(knock()));
  EXPECT_FALSE(is_admitted(knock()));
}

TEST_F(Gate, leaves_the_last_of_three_hellos_from_elsewhere_to_another_host)
{
  EXPECT_EQ(standing_of(knock()), HelloGate::Standing::fresh);
  EXPECT_EQ(standing_of(knock()), HelloGate::Standing::again);
  EXPECT_FALSE(is_admitted(knock()));
  EXPECT_EQ(standing_of(knock(WiredPair::stranger(2))), HelloGate::Standing::fresh);
  EXPECT_FALSE(is_admitted(knock(WiredPair::stranger(3))));
  for (int i = 0; i < 10; ++i) {
    now_ += 1s;
    knock();
    knock();
  }
  Endpoint other_port = WiredPair::stranger(1);
  ++other_port.port;
  EXPECT_FALSE(is_admitted(knock(other_port)));
  EXPECT_TRUE(is_admitted(knock(WiredPair::stranger(2))));
  now_ += 2s;
  EXPECT_TRUE(is_admitted(knock()));
}

TEST_F(Gate, lets_no_hello_from_elsewhere_take_what_is_for_the_host_of_the_live_session)
{
  live_ = WiredPair::stranger(200);
  for (std::uint8_t host = 1; host < 20; ++host) {
    knock(WiredPair::stranger(host));
  }
  EXPECT_EQ(standing_of(knock(live_)), HelloGate::Standing::live);
}

TEST_F(Gate, gives_the_host_of_the_live_session_precedence_for_three_sessions_of_which_none_is_made)
{
  live_ = WiredPair::stranger(200);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(standing_of(knock(live_)), HelloGate::Standing::live);
  }
  now_ += 1s;
  EXPECT_EQ(standing_of(knock(live_)), HelloGate::Standing::again);
  now_ += answer_patience;
  EXPECT_EQ(standing_of(knock(live_)), HelloGate::Standing::fresh);
  now_ += 15s;
  EXPECT_EQ(standing_of(knock(live_)), HelloGate::Standing::live);
  gate_.note_session(PeerIndex{0});
  EXPECT_EQ(standing_of(knock(live_)), HelloGate::Standing::live);
}

TEST_F(Gate, leaves_some_answers_to_the_host_of_the_live_session)
{
  live_ = WiredPair::stranger(200);
  const Bytes recorded = hello();
  ASSERT_TRUE(std::holds_alternative<HelloGate::Challenged>(handle(recorded)));
  EXPECT_GT(answers(gate_, WiredPair::stranger(1), 0s), 10);
  EXPECT_TRUE(std::holds_alternative<HelloGate::Unanswered>(handle(recorded, live_)));
  EXPECT_GT(answers(gate_, live_, 0s), 5);
}

TEST_F(
  Gate, leaves_some_answers_to_other_hosts_and_none_of_them_to_hellos_that_were_answered_before)
{
  live_ = WiredPair::stranger(200);
  const Bytes recorded = hello();
  ASSERT_TRUE(std::holds_alternative<HelloGate::Challenged>(handle(recorded)));
  EXPECT_GT(answers(gate_, live_, 0s), 10);
  for (std::uint8_t host = 2; host < 5; ++host) {
    EXPECT_TRUE(
      std::holds_alternative<HelloGate::Unanswered>(handle(recorded, WiredPair::stranger(host))));
  }
  const int elsewhere = answers(gate_, WiredPair::stranger(1), 0s);
  EXPECT_GT(elsewhere, 5);
  EXPECT_LT(elsewhere, 50);
  EXPECT_EQ(answers(gate_, live_, 0s), 0);
}

TEST_F(Gate, answers_within_a_share_of_the_rate_that_was_found_for_the_only_link)
{
  const auto answers_of = [&](const PathSettings & paths, std::optional<double> rate) {
    HelloGate gate(paths, random_, [](PeerIndex, const Endpoint &) { return false; });
    gate.set(PeerIndex{0}, {DroneId{{1}}, {psk_}});
    answers(gate, WiredPair::stranger(1), 0s);  // what is saved at the start
    gate.set_found_rate(rate);
    return answers(gate, WiredPair::stranger(1), 10s);
  };
  const PathSettings one{{paths_.links[0]}};
  const PathSettings thin{{paths_.links[1]}};
  constexpr double found = 8000;
  EXPECT_GT(answers_of(one, std::nullopt), 200);
  EXPECT_LT(answers_of(one, found), 60);
  EXPECT_GT(answers_of(one, 1e9), 200);
  EXPECT_GT(answers_of(paths_, found), 200);
  EXPECT_EQ(answers_of(thin, found / 10), answers_of(thin, std::nullopt));
}

}  // namespace
}  // namespace pqc_tunnel::test
