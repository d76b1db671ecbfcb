// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "link/shaping/shaped_line.hpp"
#include "support/pair/radio_pair.hpp"
#include "support/pair/wired_pair.hpp"

// New keys every 10 s while both ends ask more of a half-duplex radio than it carries. It runs for PQC_RADIO_MINUTES of
// virtual time, 3 by default; an hour takes some 10 s.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t ticks_per_s = 320;
constexpr Duration tick = std::chrono::nanoseconds(1'000'000'000 / ticks_per_s);

// What both ends send that an ArduCopter and two programs on the ground do a lot with.
class Flight
{
public:
  Flight(const RadioPair::Settings & radio, std::uint64_t seed)
  : pair_(options(seed)), radio_(pair_, radio, seed)
  {
  }

  WiredPair & pair() { return pair_; }
  bool establish()
  {
    for (int i = 0; i < 40'000 && !pair_.agreed(); ++i) {
      step();
    }
    return pair_.agreed();
  }
  void fly(Duration time)
  {
    for (const Instant end = pair_.now() + time; pair_.now() < end; ++tick_) {
      offer();
      step();
    }
  }

private:
  static WiredPair::Options options(std::uint64_t seed)
  {
    WiredPair::Options options;
    options.seed = seed;
    options.job_time = 5ms;
    options.identities = {SignatureAlgorithm::falcon_512, SignatureAlgorithm::ml_dsa_44};
    options.settings.paths.links = {radio(57.6, 240)};
    return options;
  }

  void step()
  {
    pair_.run_for(tick);
    radio_.advance();
    for (const Side side : both_sides) {
      pair_.received(side).clear();
      pair_.datagrams_sent(side).clear();
    }
  }

  void offer()
  {
    constexpr std::uint32_t states[] = {30, 32, 33, 24, 74, 1, 65, 36, 62, 241, 193, 147};
    constexpr std::uint8_t pilot = 255;
    constexpr std::uint8_t helper = 254;
    const auto often = [this](std::size_t per_s, std::size_t phase) {
      return tick_ % (ticks_per_s / per_s) == phase;
    };
    const auto send = [&](Side from, std::uint32_t message, std::size_t size, std::uint8_t system) {
      pair_.offer(from, mavlink(message, static_cast<std::uint32_t>(tick_), size, system));
    };
    send(Side::drone, states[tick_ % std::size(states)], 20 + tick_ % 25, 1);
    if (often(1, 0)) {
      send(Side::drone, heartbeat, 9, 1);
      send(Side::gcs, heartbeat, 9, pilot);
    }
    if (often(5, 10)) {
      send(Side::gcs, command_long, 33, pilot);
      send(Side::drone, 77, 10, 1);       // COMMAND_ACK
      send(Side::gcs, 233, 182, helper);  // GPS_RTCM_DATA
    }
    if (often(20, 5)) {
      send(Side::gcs, manual_control, 11, pilot);
      send(Side::gcs, 110, 200, helper);  // FILE_TRANSFER_PROTOCOL
    }
    // All parameters of the vehicle, every minute.
    for (int i = 0; i < 3 && tick_ % (60 * ticks_per_s) < 400; ++i) {
      send(Side::drone, param_value, 25, 1);
    }
  }

  WiredPair pair_;
  RadioPair radio_;
  std::size_t tick_ = 0;
};

Duration run_time()
{
  const char * minutes = std::getenv("PQC_RADIO_MINUTES");
  return std::chrono::minutes(minutes != nullptr ? std::atoi(minutes) : 3);
}

class HalfDuplex : public testing::TestWithParam<int>
{
protected:
  // Each turn in ms.
  RadioPair::Settings radio_settings() const
  {
    RadioPair::Settings settings;
    settings.turn = std::chrono::milliseconds(GetParam());
    settings.guard = settings.turn / 12;
    return settings;
  }

  // Asks for new keys after each of these times, in turn; all must have come by the next time.
  struct Keys
  {
    const char * suite;  // null: the one in use; empty: a ratchet
    Duration time;
  };
  void change_keys(Flight & flight, const std::vector<Keys> & course)
  {
    WiredPair & pair = flight.pair();
    std::size_t asked = 0;
    std::vector<double> times;
    for (const Instant end = pair.now() + run_time(); pair.now() < end; ++asked) {
      const Keys & keys = course[asked % course.size()];
      // A session has 256 epochs; no ratchet leads to the next one.
      const bool is_last = pair.snapshot(Side::drone).epoch == last_epoch;
      sessions_ += is_last ? 1 : 0;
      const bool ratchet = keys.suite != nullptr && *keys.suite == '\0' && !is_last;
      RekeyCommand command =
        rekey_to(keys.suite == nullptr || *keys.suite == '\0' ? nullptr : &suite(keys.suite));
      command.ratchet = ratchet;
      pair.outcomes(Side::drone).clear();
      pair.drone().request_rekey(command, pair.now());
      flight.fly(keys.time);
      ASSERT_EQ(pair.outcomes(Side::drone).size(), 1u) << command.suite_id;
      const RekeyReply & outcome = pair.outcomes(Side::drone).front();
      EXPECT_TRUE(outcome.success) << outcome.message;
      times.push_back(
        std::chrono::duration<double>(outcome.timing.total + outcome.timing.fetch).count());
    }
    std::ranges::sort(times);
    std::cout << asked << " times new keys: median " << times[times.size() / 2] << " s, longest "
              << times.back() << " s\n";
  }
  void expect_peace(WiredPair & pair) const
  {
    EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_completed), sessions_);
    for (const Side side : both_sides) {
      for (const Event & event : pair.events(side)) {
        EXPECT_LT(severity(event), EventSeverity::warning) << event.text;
        EXPECT_NE(event.kind, EventKind::peer_lost) << event.text;
      }
    }
  }

private:
  std::size_t sessions_ = 1;
};

TEST_P(HalfDuplex, radio_that_both_ends_fill_changes_keys_every_ten_seconds_and_loses_nobody)
{
  Flight flight(radio_settings(), 1);
  ASSERT_TRUE(flight.establish());
  change_keys(
    flight, {{"", 10s},
             {nullptr, 10s},
             {"cs-mlkem512-aesgcm-falcon512", 10s},
             {"", 10s},
             {nullptr, 10s},
             {"cs-mlkem768-aesgcm-mldsa65", 10s}});
  expect_peace(flight.pair());
}

// Twice 4.5 kB, with a third of half of the link.
TEST_P(HalfDuplex, radio_that_both_ends_fill_changes_to_hqc_and_back_within_twenty_seconds)
{
  Flight flight(radio_settings(), 2);
  ASSERT_TRUE(flight.establish());
  change_keys(
    flight, {{"cs-hqc128-aesgcm-mldsa44", 20s}, {"", 10s}, {"cs-mlkem768-aesgcm-mldsa65", 10s}});
  expect_peace(flight.pair());
}

// A queue drops what is sealed and has waited long. That looked like loss on the way, and was sent again and again.
TEST_P(HalfDuplex, radio_gets_no_part_of_a_stream_that_its_queue_would_drop)
{
  Flight flight(radio_settings(), 3);
  ASSERT_TRUE(flight.establish());
  change_keys(flight, {{nullptr, 10s}});
  for (const Side side : both_sides) {
    const ShaperCounts counts = flight.pair().queue_counts(side, TrafficClass::stream);
    EXPECT_GT(counts.offered, 100u);
    EXPECT_LE(counts.stale + counts.full, counts.offered / 50);
  }
}

// Each end gets no processor now and then, for one to two seconds; what waited meanwhile is too old.
TEST_P(HalfDuplex, radio_of_ends_on_busy_machines_loses_nobody)
{
  Flight flight(radio_settings(), 4);
  WiredPair & pair = flight.pair();
  ASSERT_TRUE(flight.establish());
  SeededRandom dice(5);
  for (const Instant end = pair.now() + run_time(); pair.now() < end;) {
    for (const Side side : both_sides) {
      const auto more = std::chrono::milliseconds(static_cast<int>(1000 * dice.uniform()));
      pair.stand_still(side, 1001ms + more);
      flight.fly(5s);
    }
  }
  for (const Side side : both_sides) {
    EXPECT_FALSE(pair.saw(side, EventKind::peer_lost));
    EXPECT_FALSE(pair.saw(side, EventKind::link_stretched));
  }
}

INSTANTIATE_TEST_SUITE_P(Turns, HalfDuplex, testing::Values(25, 120));

}  // namespace
}  // namespace pqc_tunnel::test
