// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <vector>

#include "support/pair/stream_link.hpp"
#include "support/repetitions.hpp"

// How long a key of Classic McEliece, 1.36 MB, takes over links that lose parts and acknowledgements: 50 fetches each, in
// virtual time. An average says little of them; a fetch that is unlucky should take little longer than the others.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t key = 1'360'000;
constexpr std::size_t light = 6'200;  // a key of ML-KEM

double fetch(Streams & streams, std::size_t size)
{
  const std::size_t before = streams.received().size();
  const Instant begun = streams.now();
  streams.sender().send(StreamLane::first, streams.message(size), begun);
  EXPECT_TRUE(streams.run_until([&] { return streams.received().size() > before; }, 3000s));
  return in_seconds(streams.now() - begun);
}

// Small parts are acknowledged rarely, but a part that was missed is acknowledged at once.
TEST(PacedStreamTimes, are_short_although_two_of_five_small_parts_and_acknowledgements_are_lost)
{
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    Streams streams({.loss = 0.4, .delay = 30ms}, seed);
    streams.sender().set_pace(
      {.bytes_per_s = 1e6, .overhead = 50, .longest = 500, .yields_beyond = true});
    streams.receiver().set_paced(true);
    EXPECT_LT(fetch(streams, light), 20) << "seed " << seed;
  }
}

struct Profile
{
  const char * name;
  Link link;
  int fetches;
};

std::ostream & operator<<(std::ostream & out, const Profile & profile)
{
  return out << profile.name;
}

class StreamTimes : public testing::TestWithParam<Profile>
{
};

// The model: what the same link takes without loss, as often as a part has to be sent, and what the last parts take, which
// nothing follows that would show their loss: ten round trips, or five times the least patience of a sender.
TEST_P(StreamTimes, of_unlucky_fetches_are_little_longer_than_usual)
{
  const Profile & profile = GetParam();
  Link lossless = profile.link;
  lossless.loss = 0;
  Streams ideal(lossless);
  const double last_parts = in_seconds(std::max<Duration>(20 * profile.link.delay, 500ms));
  const double model = fetch(ideal, key) / (1 - profile.link.loss) + last_parts;
  for (const bool first : {true, false}) {
    std::vector<double> times;
    for (int seed = 1; seed <= repetitions(profile.fetches); ++seed) {
      Streams streams(profile.link, static_cast<std::uint64_t>(seed));
      if (!first) {
        // A light key goes ahead, as in a session: its end tells the sender little of the link.
        fetch(streams, light);
        streams.run_until([] { return false; }, 2s);
      }
      times.push_back(fetch(streams, key) / model);
    }
    std::ranges::sort(times);
    const double median = times[times.size() / 2];
    const double percentile_95 = times[times.size() * 95 / 100];
    std::cout << profile.name << (first ? ", first" : ", later") << ": model " << model
              << " s; times it: median " << median << ", 95 % " << percentile_95 << ", worst "
              << times.back() << '\n';
    EXPECT_LT(median, 1.2);
    // A few fetches have no percentiles.
    if (!sanitized) {
      EXPECT_LT(percentile_95, 1.5 * median);
    }
    EXPECT_LT(times.back(), 1.5);
  }
}

Link wide(Duration round_trip, double mbit_per_s, Duration jitter = {})
{
  return {
    .loss = 0.2, .delay = round_trip / 2, .jitter = jitter, .bytes_per_s = mbit_per_s * 125e3};
}
Link thin(double kbit_per_s, std::size_t max_part)
{
  return {.loss = 0.02, .delay = 20ms, .bytes_per_s = kbit_per_s * 125, .max_part = max_part};
}

INSTANTIATE_TEST_SUITE_P(
  Links, StreamTimes,
  testing::Values(
    Profile{"20 Mbit/s, 2 ms, a fifth lost", wide(2ms, 20), 50},
    Profile{"20 Mbit/s, 40 ms, a fifth lost", wide(40ms, 20), 50},
    Profile{"20 Mbit/s, 200 ms, a fifth lost", wide(200ms, 20), 50},
    Profile{"2 Mbit/s, 2 ms, a fifth lost", wide(2ms, 2), 50},
    Profile{"2 Mbit/s, 40 ms, a fifth lost", wide(40ms, 2), 50},
    Profile{"2 Mbit/s, 200 ms, a fifth lost", wide(200ms, 2), 50},
    Profile{"2 Mbit/s, 40 ms and jitter, a fifth lost", wide(40ms, 2, 10ms), 50},
    Profile{"57.6 kbit/s, one in 50 lost", thin(57.6, 297), 10},
    Profile{"250 kbit/s, one in 50 lost", thin(250, 1200), 10}));

}  // namespace
}  // namespace pqc_tunnel::test
