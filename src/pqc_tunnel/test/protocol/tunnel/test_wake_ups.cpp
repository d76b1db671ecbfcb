// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <vector>

#include "protocol/wire/control_frame.hpp"
#include "support/pair/wired_pair.hpp"

// When an end asks, repeats and shows something; the drone wakes up for it, although it has no report to send for long.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t question_size = frame_overhead + 5 + 8;

class RareReportsOfTheDrone : public testing::Test
{
protected:
  void establish(Duration peer_timeout, Duration max_key_age)
  {
    WiredPair::Options options;
    options.settings.report_interval = options.settings.keepalive_interval = 1h;
    options.settings.wipe_after = 0s;
    options.settings.peer_timeout = peer_timeout;
    options.settings.max_key_age = max_key_age;
    pair_ = std::make_unique<WiredPair>(options);
    pair_->watch_arrivals([this](Side to, const Endpoint &, ByteView, const Opened & opened) {
      heard_ = to == Side::drone && opened.peer ? pair_->now() : heard_;
    });
    ASSERT_TRUE(pair_->establish());
  }
  bool runs_until_prekey(Duration limit)
  {
    return pair_->run_until([this] { return pair_->snapshot(Side::drone).prekeys > 0; }, limit);
  }

  Instant heard_;
  std::unique_ptr<WiredPair> pair_;
};

TEST_F(RareReportsOfTheDrone, let_a_lost_ground_station_be_noticed_in_time)
{
  establish(4777ms, 0s);
  pair_->run_for(1s);
  pair_->set_datagram_filter([](Side, Bytes &) { return false; });
  ASSERT_TRUE(pair_->run_until([&] { return pair_->saw(Side::drone, EventKind::peer_lost); }, 7s));
  EXPECT_EQ(pair_->now(), heard_ + 4777ms);
}

TEST_F(RareReportsOfTheDrone, let_keys_be_renewed_in_time)
{
  establish(1h, 67s);
  const Instant exchanged = pair_->snapshot(Side::drone).key_installed;
  ASSERT_TRUE(pair_->run_until([&] { return pair_->saw(Side::drone, EventKind::key_limit); }, 80s));
  EXPECT_EQ(pair_->now(), exchanged + 67s);
}

TEST_F(RareReportsOfTheDrone, let_a_prekey_be_fetched_ahead_in_time)
{
  establish(1h, 0s);
  EXPECT_TRUE(runs_until_prekey(3s));
}

TEST_F(RareReportsOfTheDrone, let_a_request_for_a_prekey_be_repeated_in_time)
{
  establish(1h, 0s);
  const std::size_t want_size = frame_overhead + encode(ControlFrame{0, Want{}}).size();
  std::vector<Instant> lost;
  pair_->set_datagram_filter([&](Side from, Bytes & bytes) {
    const bool want = from == Side::drone && bytes.size() == want_size;
    if (want) {
      lost.push_back(pair_->now());
    }
    return !want;
  });
  ASSERT_TRUE(pair_->run_until([&lost] { return lost.size() == 2; }, 5s));
  EXPECT_LE(lost[1] - lost[0], control_retry_first * 6 / 5);
}

// --- Data that bring a time-out forward ---

class DataBringForward : public testing::Test
{
protected:
  static WiredPair::Options options()
  {
    WiredPair::Options options;
    options.settings.report_interval = options.settings.keepalive_interval = 1h;
    options.settings.peer_timeout = 1h;
    return options;
  }
  // The next datagram of that end, which the other end does not get.
  static Bytes hold_datagram(WiredPair & pair, Side from)
  {
    pair.set_datagram_filter([](Side, Bytes &) { return false; });
    pair.send(from, Bytes(40));
    pair.set_datagram_filter(nullptr);
    return pair.datagrams_sent(from).back();
  }
  static void expect_earlier(WiredPair & pair, Side to, ByteView datagram, const Endpoint & from)
  {
    Tunnel & end = pair.end(to);
    const Instant before = end.next_timeout();
    EXPECT_TRUE(pair.inject(to, datagram, from).forward);
    EXPECT_LT(pair.standing(to).due, before);
    EXPECT_EQ(end.next_timeout(), pair.standing(to).due);
  }
};

TEST_F(DataBringForward, the_next_probe_of_a_new_address)
{
  WiredPair pair(options());
  ASSERT_TRUE(pair.establish());
  pair.run_for(1min);
  expect_earlier(pair, Side::gcs, hold_datagram(pair, Side::drone), WiredPair::stranger());
}

TEST_F(DataBringForward, the_next_probe_of_a_second_link)
{
  WiredPair::Options options = this->options();
  options.settings.paths.links = {{.name = "lte"}, {.name = "radio", .type = LinkType::serial}};
  WiredPair pair(options);
  // Nothing has come by the radio yet.
  pair.set_link_weather(
    [](Side, std::uint8_t link) { return link == 1 ? std::nullopt : std::optional(Duration{}); });
  ASSERT_TRUE(pair.establish());
  pair.run_for(1min);
  Endpoint radio;
  radio.family = AddressFamily::serial;
  radio.link = 1;
  expect_earlier(pair, Side::gcs, hold_datagram(pair, Side::drone), radio);
}

TEST_F(DataBringForward, the_fetch_of_a_prekey_ahead)
{
  WiredPair pair(options());
  pair.set_datagram_filter([&pair](Side from, Bytes & bytes) {
    const auto header = decode_frame_header(bytes);
    return from == Side::drone || !header ||
           header->key_id != pair.snapshot(Side::drone).receive_id;
  });
  ASSERT_TRUE(
    pair.run_until([&pair] { return pair.snapshot(Side::gcs).state == PeerState::established; }));
  pair.run_for(15s);
  expect_earlier(
    pair, Side::drone, hold_datagram(pair, Side::gcs), WiredPair::address_of(Side::gcs));
}

// Under boot keys, with pauses that double: at once, and after 125, 375, 875 and 1,875 ms.
TEST(QuestionsOfTheTime, under_boot_keys_are_repeated_until_one_is_answered)
{
  for (const bool answered : {true, false}) {
    WiredPair pair;
    pair.hold_jobs(Side::gcs, true);  // it says so every 2 s
    std::map<Side, std::size_t> questions;
    pair.set_datagram_filter([&](Side from, Bytes & bytes) {
      const bool question = bytes.size() == question_size;
      questions[from] += question ? 1 : 0;
      return answered || !question;
    });
    ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::gcs, EventKind::handshake_started); }));
    pair.run_for(3s);
    for (const Side side : both_sides) {
      EXPECT_EQ(questions[side], answered ? 1u : 5u);
    }
  }
}

// The clock of a session is that of its boot keys, and each rekey takes it over.
TEST(TheClockOfTheWay, is_known_from_the_first_frame_under_new_keys)
{
  WiredPair::Options options;
  options.latency = 700ms;
  options.settings.max_age = 1s;
  WiredPair pair(options);
  for (const EventKind made : {EventKind::handshake_completed, EventKind::rekey_committed}) {
    ASSERT_TRUE(pair.run_until([&] { return pair.saw(Side::drone, made); }));
    ASSERT_TRUE(pair.send(Side::drone, Bytes(40)));
    EXPECT_TRUE(pair.run_until([&] { return !pair.received(Side::gcs).empty(); }, 1s));
    pair.received(Side::gcs).clear();
    ASSERT_TRUE(pair.run_until([&pair] { return pair.agreed(); }));
    pair.run_for(2s);
    pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  }
  EXPECT_EQ(pair.drops(Side::gcs, Drop::stale), 0u);
}

// Without an answer under the boot keys, the session asks four times as often as it reports.
TEST(QuestionsOfTheTime, are_asked_often_until_the_first_answer)
{
  WiredPair pair;
  std::size_t questions = 0;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    const bool question = bytes.size() == question_size;
    questions += question && from == Side::drone ? 1 : 0;
    return !question;
  });
  ASSERT_TRUE(pair.establish());
  questions = 0;
  pair.run_for(1s);
  EXPECT_NEAR(static_cast<double>(questions), 8, 1);
}

TEST(TheClockOfTheWay, is_shown_as_soon_as_it_is_known)
{
  WiredPair pair;
  const PeerSnapshot before = pair.snapshot(Side::drone);
  EXPECT_FALSE(before.clock_valid);
  EXPECT_EQ(before.clock_error, 0s);
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  const PeerSnapshot after = pair.snapshot(Side::drone);
  EXPECT_TRUE(after.clock_valid);
  EXPECT_EQ(after.rtt, 20ms);
  EXPECT_FALSE(after.stretched);
}

// The first frame under its keys proves a session; the report goes at once, too.
TEST(FirstFrame, that_is_lost_does_not_delay_a_session)
{
  WiredPair pair;
  bool lost = false;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    const bool first = !lost && from == Side::drone && !is_hello(bytes) &&
                       pair.saw(Side::drone, EventKind::handshake_completed);
    lost = lost || first;
    return !first;
  });
  ASSERT_TRUE(
    pair.run_until([&] { return pair.saw(Side::drone, EventKind::handshake_completed); }));
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 100ms));
}

// --- Repetitions ---

TEST(Confirm, of_a_new_session_is_repeated_after_a_quarter_of_a_second)
{
  WiredPair pair;
  std::vector<Instant> confirmed;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    const bool confirm = from == Side::gcs &&
                         bytes.size() == frame_overhead + encode(ControlFrame{0, Confirm{}}).size();
    if (confirm) {
      confirmed.push_back(pair.now());
    }
    return !confirm;
  });
  ASSERT_TRUE(pair.run_until([&] { return confirmed.size() == 2; }));
  EXPECT_GE(confirmed[1] - confirmed[0], hello_retry_first * 4 / 5);
}

struct RepeatedRatchet
{
  double loss;  // of what the drone sends
  double rate_kbit;
  Duration pause;
};

// Every half round trip on a link that loses much and has room, and else after a little more than one.
TEST(Ratchet, is_repeated_more_often_on_a_link_that_loses_much)
{
  for (const auto & [loss, rate_kbit, pause] :
       {RepeatedRatchet{0, 0, 125ms}, RepeatedRatchet{0.3, 0, 50ms},
        RepeatedRatchet{0.3, 100, 125ms}})
  {
    WiredPair::Options options;
    options.latency = 50ms;
    options.settings.paths.links[0].rate_kbit = rate_kbit;
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    std::bernoulli_distribution drops(loss);
    std::mt19937 dice(1);
    pair.set_datagram_filter(
      [&](Side from, Bytes &) { return from != Side::drone || !drops(dice); });
    pair.run_for(20s);
    std::vector<Instant> sent;
    pair.set_datagram_filter([&](Side from, Bytes & bytes) {
      const bool ratchet =
        from == Side::drone &&
        bytes.size() == frame_overhead + encode(ControlFrame{0, Ratchet{}}).size();
      if (ratchet) {
        sent.push_back(pair.now());
      }
      return !ratchet;
    });
    RekeyCommand command = rekey_to(nullptr);
    command.ratchet = true;
    pair.drone().request_rekey(command, pair.now());
    ASSERT_TRUE(pair.run_until([&] { return sent.size() == 2; }));
    EXPECT_GE(sent[1] - sent[0], pause * 3 / 5) << loss << " " << rate_kbit;
    EXPECT_LE(sent[1] - sent[0], pause * 7 / 5) << loss << " " << rate_kbit;
  }
}

enum class Message
{
  finish,
  finish_of_new_session,
  prekey,
};

struct RepeatedPart
{
  Message message;
  double loss;  // of what the drone sends
  bool repeated;
};

// Within a round trip, like RATCHET; the parts of other messages only when they are missed.
TEST(Parts, of_a_finish_are_repeated_at_once_on_a_link_that_loses_much)
{
  for (const auto & [message, loss, repeated] :
       {RepeatedPart{Message::finish, 0, false}, RepeatedPart{Message::finish, 0.3, true},
        RepeatedPart{Message::finish_of_new_session, 0.3, false},
        RepeatedPart{Message::prekey, 0.3, false}})
  {
    WiredPair::Options options;
    options.latency = 50ms;
    options.settings.prefetch_max_bytes = 0;
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    std::bernoulli_distribution drops(loss);
    std::mt19937 dice(1);
    pair.set_datagram_filter(
      [&](Side from, Bytes &) { return from != Side::drone || !drops(dice); });
    pair.run_for(20s);
    const Side sender = message == Message::prekey ? Side::gcs : Side::drone;
    std::vector<Instant> sent;
    pair.set_datagram_filter([&](Side from, Bytes & bytes) {
      const bool part = from == sender && !is_hello(bytes) && bytes.size() > 500;
      if (part) {
        sent.push_back(pair.now());
      }
      return !part;
    });
    if (message == Message::finish_of_new_session) {
      pair.drone().wipe(PeerIndex{0}, "test", pair.now());
    } else {
      pair.drone().request_rekey(rekey_to(nullptr), pair.now());
    }
    ASSERT_TRUE(pair.run_until([&sent] { return !sent.empty(); }));
    pair.run_for(90ms);
    EXPECT_EQ(sent.back() > sent.front(), repeated) << static_cast<int>(message) << " " << loss;
  }
}

// --- How long frames of an exchange will wait ---

struct Question
{
  bool data;
  double rate_kbit;
  std::size_t links;
  std::size_t asked;
};

const std::size_t report_size = frame_overhead + encode(ControlFrame{0, LinkReport{}}).size();

// A report may carry a question and an answer.
bool is_report(const Bytes & frame)
{
  constexpr std::size_t question = 8;
  constexpr std::size_t answer = 24;
  return frame.size() == report_size || frame.size() == report_size + question ||
         frame.size() == report_size + answer || frame.size() == report_size + question + answer;
}

// A question at once, and a report with it, if there was data and the rate of the only link is not known. Frames that
// repeat one need none.
TEST(Exchange, asks_once_how_long_the_data_before_it_wait)
{
  for (const auto & [data, rate_kbit, links, asked] :
       {Question{true, 0, 1, 1}, Question{false, 0, 1, 0}, Question{true, 1000, 1, 0},
        Question{true, 0, 2, 0}})
  {
    WiredPair::Options options;
    options.latency = 100ms;
    options.settings.paths.links.resize(links);
    options.settings.paths.links[0].rate_kbit = rate_kbit;
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    pair.run_for(20s);
    std::size_t questions = 0;
    pair.set_datagram_filter([&questions](Side from, Bytes & bytes) {
      questions += from == Side::drone && is_report(bytes) ? 1 : 0;
      return bytes.size() != frame_overhead + encode(ControlFrame{0, Ratchet{}}).size();
    });
    RekeyCommand ratchet = rekey_to(nullptr);
    ratchet.ratchet = true;
    for (int i = 0; i < 2; ++i) {
      questions = 0;
      ASSERT_TRUE(pair.run_until([&questions] { return questions > 0; }));
      pair.run_for(10ms);
      questions = 0;
      for (int step = 0; step < 4; ++step) {
        if (data) {
          pair.send(Side::drone, Bytes(40));
        }
        if (step == 0) {
          pair.drone().request_rekey(ratchet, pair.now());
        }
        pair.run_for(100ms);
      }
      EXPECT_EQ(questions, asked) << data << " " << rate_kbit << " " << links;
      pair.run_for(1min);  // the ratchet fails
    }
  }
}

TEST(Exchange, is_none_that_fetches_a_prekey_ahead)
{
  WiredPair::Options options;
  options.latency = 100ms;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  std::size_t reports = 0;
  std::size_t parts = 0;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    reports += from == Side::gcs && is_report(bytes) ? 1 : 0;
    parts += from == Side::gcs && bytes.size() > 500 ? 1 : 0;
    return true;
  });
  while (parts == 0) {
    reports = 0;
    pair.send(Side::gcs, Bytes(40));
    pair.run_for(20ms);
  }
  EXPECT_EQ(reports, 0u);
}

// What is known of the ground station after a session was made and nothing has come since.
TEST(MissingDatagrams, are_a_fault_once_the_patience_ends)
{
  WiredPair pair;
  pair.set_datagram_filter(
    [&pair](Side, Bytes &) { return !pair.saw(Side::drone, EventKind::handshake_completed); });
  ASSERT_TRUE(
    pair.run_until([&] { return pair.saw(Side::drone, EventKind::handshake_completed); }));
  pair.run_for(datagram_patience - 100ms);
  EXPECT_EQ(pair.snapshot(Side::drone).likely_cause, "");
  pair.run_for(500ms);
  EXPECT_TRUE(pair.snapshot(Side::drone)
                .likely_cause.starts_with("handshake completed, but nothing arrives"));
}

}  // namespace
}  // namespace pqc_tunnel::test
