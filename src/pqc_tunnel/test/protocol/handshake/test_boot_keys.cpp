// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <set>

#include "protocol/handshake/hello_messages.hpp"
#include "protocol/session/epoch_keys.hpp"
#include "protocol/wire/control_frame.hpp"
#include "support/hostile/psk_thief.hpp"
#include "support/pair/traffic.hpp"

// The time between a hello and the keys of its session: which challenges, addresses and answers count.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Suite & first_suite() { return suite("cs-mlkem512-aesgcm-mldsa44"); }

class BootKeys : public testing::Test
{
protected:
  BootKeys()
  {
    WiredPair::Options options;
    options.suite = first_suite().id;
    pair_ = std::make_unique<WiredPair>(options);
  }

  // Second hellos, the newest last; each holds the challenge that it answers.
  std::vector<Bytes> second_hellos()
  {
    std::vector<Bytes> found;
    for (const Bytes & bytes : pair_->datagrams_sent(Side::drone)) {
      if (is_hello(bytes) && parse_client_hello(bytes).challenge != Random32{}) {
        found.push_back(bytes);
      }
    }
    return found;
  }
  std::size_t challenges_answered()
  {
    std::set<Random32> challenges;
    for (const Bytes & hello : second_hellos()) {
      challenges.insert(parse_client_hello(hello).challenge);
    }
    return challenges.size();
  }
  // Has the ground station challenge a hello at so many other addresses, a few at a time as it answers them, and brings the
  // drone all challenges.
  void challenge_elsewhere(const Bytes hello, std::uint8_t addresses)
  {
    for (std::uint8_t i = 0; i < addresses; ++i) {
      pair_->inject(Side::gcs, hello, WiredPair::stranger(static_cast<std::uint8_t>(66 + i)));
      pair_->run_for(20ms);
    }
    const auto retries = std::exchange(pair_->sent_elsewhere(Side::gcs), {});
    EXPECT_EQ(retries.size(), addresses);
    for (const auto & [to, retry] : retries) {
      pair_->inject(Side::drone, retry);
    }
  }
  // Until the drone awaits the answer to its Finish, under its boot keys.
  void run_until_finish()
  {
    pair_->set_job_filter([this](Side at, Job & job) {
      if (at == Side::gcs && std::holds_alternative<CompleteFinish>(job)) {
        pair_->hold_jobs(Side::gcs, true);
      }
      return std::optional<JobResult>();
    });
    ASSERT_TRUE(pair_->run_until([&] { return pair_->jobs_run(Side::drone) == 2; }));
    pair_->run_for(100ms);
  }
  // The boot keys of the ground station, as whoever knows the PSK has them; beyond its own sequence numbers.
  std::unique_ptr<EpochKeys> forger()
  {
    const ClientHello hello = parse_client_hello(second_hellos().back());
    const PskKeySet psk =
      PskKeySet::derive(Identities::for_signature(first_suite().signature).record().psk);
    auto keys = std::make_unique<EpochKeys>(
      EpochName{&first_suite(), {}, {}}, Role::gcs,
      boot_secrets(psk.of(hello.suite), first_suite().aead, hello.client_random, hello.challenge),
      TunnelSettings{}, pair_->now(), std::make_shared<PeerClock>());
    for (int i = 0; i < 100; ++i) {
      sealed(*keys, PathRequest{});
    }
    return keys;
  }
  Bytes sealed(EpochKeys & keys, const ControlBody & body)
  {
    const Bytes text = encode(ControlFrame{0, body});
    Bytes frame(text.size() + frame_overhead);
    std::ranges::copy(text, frame.begin() + frame_header_size);
    keys.seal(FrameKind::control, frame, pair_->now());
    return frame;
  }
  bool has_boot_keys() { return pair_->saw(Side::gcs, EventKind::handshake_started); }

  std::unique_ptr<WiredPair> pair_;
};

TEST_F(BootKeys, are_made_for_few_challenges_only)
{
  pair_->set_datagram_filter([](Side from, Bytes &) { return from == Side::drone; });
  ASSERT_TRUE(pair_->run_until([&] { return !pair_->datagrams_sent(Side::gcs).empty(); }));
  challenge_elsewhere(pair_->datagrams_sent(Side::drone).front(), 20);
  EXPECT_EQ(challenges_answered(), max_challenges);
}

TEST_F(BootKeys, once_in_use_are_asked_for_no_more)
{
  ASSERT_NO_FATAL_FAILURE(run_until_finish());
  const std::size_t asked = second_hellos().size();
  pair_->run_for(3s);
  pair_->drone().handle_timeout(pair_->now());  // as for anything else that is due
  pair_->pump();
  EXPECT_EQ(second_hellos().size(), asked);
}

TEST_F(BootKeys, once_in_use_are_not_made_for_another_challenge)
{
  pair_->hold_jobs(Side::gcs, true);
  ASSERT_TRUE(pair_->run_until([&] { return has_boot_keys(); }));
  pair_->run_for(50ms);  // a frame under them has come
  const std::size_t answered = challenges_answered();
  challenge_elsewhere(second_hellos().back(), 3);
  EXPECT_EQ(challenges_answered(), answered);
  pair_->hold_jobs(Side::gcs, false);
  EXPECT_TRUE(pair_->establish());
}

// Whoever knows the PSK has the boot keys, but not what was agreed under them.
TEST_F(BootKeys, do_not_confirm_a_session_by_themselves)
{
  ASSERT_NO_FATAL_FAILURE(run_until_finish());
  const auto forging = forger();
  pair_->inject(Side::drone, sealed(*forging, Confirm{}));
  EXPECT_FALSE(pair_->saw(Side::drone, EventKind::handshake_completed));
  EXPECT_EQ(pair_->snapshot(Side::drone).state, PeerState::handshaking);
  pair_->set_job_filter(nullptr);
  pair_->hold_jobs(Side::gcs, false);
  EXPECT_TRUE(pair_->establish());
  EXPECT_EQ(pair_->count(Side::drone, EventKind::handshake_completed), 1u);
}

TEST_F(BootKeys, of_a_newer_hello_end_the_exchange_under_those_before)
{
  pair_->set_job_filter([this](Side, Job & job) {
    if (std::holds_alternative<CompleteFinish>(job)) {
      pair_->hold_jobs(Side::gcs, true);
    }
    return std::optional<JobResult>();
  });
  ASSERT_TRUE(pair_->run_until([&] { return pair_->jobs_run(Side::gcs) == 2; }));
  pair_->restart(Side::drone);
  ASSERT_TRUE(
    pair_->run_until([&] { return pair_->count(Side::gcs, EventKind::handshake_started) == 2; }));
  pair_->set_job_filter(nullptr);
  pair_->hold_jobs(Side::gcs, false);
  EXPECT_TRUE(pair_->establish());
  EXPECT_EQ(pair_->count(Side::gcs, EventKind::handshake_completed), 1u);
}

// A frame from elsewhere that newer ones have overtaken is a copy that someone held back.
TEST_F(BootKeys, do_not_follow_an_old_frame_to_another_address)
{
  std::optional<Bytes> held;
  pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
    const bool first = from == Side::drone && !is_hello(bytes) && !held;
    if (first) {
      held = bytes;
    }
    return !first;
  });
  pair_->set_job_filter([this](Side, Job & job) {
    if (std::holds_alternative<CompleteFinish>(job)) {
      pair_->hold_jobs(Side::gcs, true);
    }
    return std::optional<JobResult>();
  });
  ASSERT_TRUE(pair_->run_until([&] { return pair_->jobs_run(Side::drone) == 2; }));
  pair_->run_for(100ms);
  ASSERT_TRUE(held);
  EXPECT_TRUE(pair_->inject(Side::gcs, *held, WiredPair::stranger()).peer);
  pair_->hold_jobs(Side::gcs, false);
  EXPECT_TRUE(pair_->establish());
  EXPECT_TRUE(pair_->sent_elsewhere(Side::gcs).empty());
}

// Somebody repeats frames of the ground station from the address of a third party, which must not be flooded.
TEST_F(BootKeys, answer_questions_from_another_address_as_far_as_it_may_get_anything)
{
  ASSERT_NO_FATAL_FAILURE(run_until_finish());
  const auto forging = forger();
  const Bytes held_back = sealed(*forging, PathRequest{1});
  pair_->inject(Side::drone, sealed(*forging, PathRequest{2}));
  pair_->inject(Side::drone, held_back, WiredPair::stranger());
  pair_->run_for(100ms);
  EXPECT_TRUE(pair_->sent_elsewhere(Side::drone).empty()) << "the frame is not the newest";
  std::size_t received = 0;
  for (int i = 0; i < 300; ++i) {
    const Bytes question = sealed(*forging, PathRequest{3});
    received += question.size();
    pair_->inject(Side::drone, question, WiredPair::stranger());
  }
  std::size_t sent = 0;
  for (const auto & [to, bytes] : pair_->sent_elsewhere(Side::drone)) {
    EXPECT_EQ(to, WiredPair::stranger());
    sent += bytes.size();
  }
  EXPECT_GT(sent, received / 2) << "answers, beside a probe";
  EXPECT_LE(sent, 8000u);
  EXPECT_GT(received, 8000u);
  Endpoint nowhere = WiredPair::stranger();
  nowhere.link = 7;
  pair_->sent_elsewhere(Side::drone).clear();
  pair_->inject(Side::drone, sealed(*forging, PathRequest{4}), nowhere);
  EXPECT_TRUE(pair_->sent_elsewhere(Side::drone).empty()) << "there is no such link";
}

TEST_F(BootKeys, answer_every_question_from_an_address_that_has_proved_itself)
{
  ASSERT_NO_FATAL_FAILURE(run_until_finish());
  const auto forging = forger();
  const auto & answers = pair_->sent_elsewhere(Side::drone);
  pair_->inject(Side::drone, sealed(*forging, TimeRequest{1}), WiredPair::stranger());
  ASSERT_EQ(answers.size(), 1u);
  Bytes probe = answers[0].second;
  const auto opened = forging->open(*decode_frame_header(probe), probe, pair_->now());
  ASSERT_FALSE(opened.drop);
  const ControlBody asked = decode_control(EpochKeys::payload(probe))->body;
  const PathResponse proof{std::get<PathRequest>(asked).nonce};
  pair_->inject(Side::drone, sealed(*forging, proof), WiredPair::stranger());
  pair_->sent_elsewhere(Side::drone).clear();
  for (int i = 0; i < 300; ++i) {
    pair_->inject(Side::drone, sealed(*forging, PathRequest{3}), WiredPair::stranger());
  }
  EXPECT_EQ(answers.size(), 300u);
}

TEST_F(BootKeys, of_a_session_that_has_begun_are_still_known_for_what_was_on_the_way)
{
  Bytes late;
  pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
    if (from != Side::gcs || is_hello(bytes) || !late.empty()) {
      return true;
    }
    late = bytes;
    return false;
  });
  ASSERT_TRUE(pair_->establish());
  pair_->run_for(100ms);
  ASSERT_FALSE(late.empty());
  const auto drops = pair_->drops(Side::drone);
  EXPECT_FALSE(pair_->inject(Side::drone, late).peer);
  EXPECT_EQ(pair_->drops(Side::drone), drops) << "nobody attacks";
  pair_->run_for(30s);
  pair_->inject(Side::drone, late);
  EXPECT_EQ(pair_->drops(Side::drone), drops + 1);
}

// --- Which address they go to ---

// A stranger brings the drone what the ground station sends and, if he brings challenges too, the ground station the answers
// to these. All else that the drone sends him is lost.
class RelayedBootKeys : public BootKeys
{
protected:
  void relay(bool hellos)
  {
    pair_->set_datagram_filter([this, hellos](Side from, Bytes & bytes) {
      const bool relayed = from == Side::gcs && (hellos || !is_hello(bytes)) && !pair_->agreed();
      if (relayed) {
        pair_->deliver_later(Side::drone, bytes, WiredPair::stranger(), 10ms);
      }
      return !relayed;
    });
    pair_->watch_elsewhere([this, hellos](Side from, ByteView datagram) {
      if (hellos && from == Side::drone && is_hello(datagram)) {
        pair_->deliver_later(
          Side::gcs, Bytes(datagram.begin(), datagram.end()), WiredPair::address_of(Side::drone),
          10ms);
      }
    });
  }
  // The drone has followed its ground station to another address, where it ends.
  void follow(const Endpoint & ground)
  {
    ASSERT_TRUE(pair_->establish());
    pair_->move_to(Side::gcs, ground);
    pair_->run_for(3s);
    ASSERT_EQ(pair_->snapshot(Side::drone).address, ground);
    pair_->restart(Side::gcs);
    pair_->sent_elsewhere(Side::drone).clear();
  }
  void expect_session()
  {
    const std::size_t before = pair_->count(Side::drone, EventKind::handshake_completed);
    EXPECT_TRUE(pair_->run_until(
      [&] { return pair_->count(Side::drone, EventKind::handshake_completed) > before; }, 10s));
  }
  // Longer ones than probes and copies of them.
  std::size_t frames_elsewhere()
  {
    return static_cast<std::size_t>(std::ranges::count_if(
      pair_->sent_elsewhere(Side::drone),
      [](const auto & sent) { return !is_hello(sent.second) && sent.second.size() > 200; }));
  }
  const Endpoint home_ = WiredPair::address_of(Side::gcs);
  const Endpoint roamed_ = WiredPair::stranger(9);
};

TEST_F(RelayedBootKeys, go_to_the_configured_address_although_a_stranger_brings_the_challenge)
{
  relay(true);
  expect_session();
  EXPECT_EQ(frames_elsewhere(), 0u);
  EXPECT_EQ(pair_->snapshot(Side::drone).address, home_);
}

TEST_F(RelayedBootKeys, go_to_that_of_several_addresses_that_has_sent_the_challenge)
{
  pair_->drone().handle_change(
    GcsAddresses{{WiredPair::stranger(50), home_, WiredPair::stranger(51)}}, pair_->now());
  relay(false);
  expect_session();
  EXPECT_EQ(frames_elsewhere(), 0u);
}

TEST_F(
  RelayedBootKeys, go_to_the_address_that_the_drone_has_followed_if_the_challenge_comes_from_there)
{
  follow(roamed_);
  relay(false);
  expect_session();
}

TEST_F(RelayedBootKeys, go_to_the_configured_address_although_the_drone_has_followed_another_one)
{
  follow(roamed_);
  pair_->move_to(Side::gcs, home_);
  relay(true);
  expect_session();
  EXPECT_EQ(frames_elsewhere(), 0u);
}

TEST_F(RelayedBootKeys, are_made_for_a_challenge_while_no_address_is_configured)
{
  relay(true);
  pair_->run_for(15ms);  // the challenge is on its way
  pair_->drone().handle_change(GcsAddresses{{}}, pair_->now());
  pair_->run_for(1s);
  EXPECT_TRUE(has_boot_keys());
  for (const auto & [to, bytes] : pair_->sent_elsewhere(Side::drone)) {
    EXPECT_NE(to.family, AddressFamily::none);
  }
  pair_->drone().handle_change(GcsAddresses{{home_}}, pair_->now());
  EXPECT_TRUE(pair_->establish());
}

// --- Copies to other addresses and links ---

// Whoever has the PSK begins a session, and proves one address after the other.
TEST_F(BootKeys, send_copies_to_few_addresses)
{
  TunnelSettings settings;
  settings.initial_suite = &first_suite();
  PskThief thief(*pair_, settings);
  thief.begin_session(WiredPair::stranger(100));
  for (std::uint8_t i = 1; i <= 20; ++i) {
    thief.prove(WiredPair::stranger(static_cast<std::uint8_t>(100 + i)));
  }
  pair_->run_for(2s);
  std::set<std::uint8_t> reached;
  for (const auto & [to, bytes] : pair_->sent_elsewhere(Side::gcs)) {
    if (!is_hello(bytes)) {
      reached.insert(to.address[3]);
    }
  }
  EXPECT_EQ(reached.size(), max_challenges - 1);
}

class BootKeysOfTwoLinks : public testing::Test
{
protected:
  BootKeysOfTwoLinks()
  {
    WiredPair::Options options;
    options.settings.paths.links.push_back(options.settings.paths.links.front());
    options.settings.paths.links.back().name = "second";
    pair_ = std::make_unique<WiredPair>(options);
    pair_->watch_arrivals([this](Side to, const Endpoint & from, ByteView bytes, const Opened &) {
      const bool boot = to == Side::drone && !is_hello(bytes) && !pair_->agreed();
      by_second_ += boot && from.link == 1 ? 1 : 0;
    });
  }
  bool has_boot_keys() const { return pair_->saw(Side::gcs, EventKind::handshake_started); }

  std::unique_ptr<WiredPair> pair_;
  int by_second_ = 0;
};

TEST_F(BootKeysOfTwoLinks, take_the_first_one_as_long_as_frames_come)
{
  pair_->hold_jobs(Side::gcs, true);
  ASSERT_TRUE(pair_->run_until([this] { return has_boot_keys(); }));
  pair_->run_for(900ms);
  EXPECT_EQ(by_second_, 0);
  pair_->hold_jobs(Side::gcs, false);
  ASSERT_TRUE(pair_->establish());
  EXPECT_EQ(by_second_, 0);
}

TEST_F(BootKeysOfTwoLinks, take_the_second_one_too_after_a_second_of_silence)
{
  ASSERT_TRUE(pair_->run_until([this] { return has_boot_keys(); }));
  pair_->run_for(1ms);
  pair_->set_link_weather(
    [](Side, std::uint8_t link) { return link == 0 ? std::nullopt : std::optional(Duration{}); });
  const std::size_t begun = pair_->count(Side::drone, EventKind::handshake_started);
  ASSERT_TRUE(pair_->establish());
  EXPECT_GT(by_second_, 0);
  EXPECT_EQ(pair_->count(Side::drone, EventKind::handshake_started), begun);
}

}  // namespace
}  // namespace pqc_tunnel::test
