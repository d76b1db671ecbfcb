// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/pair/traffic.hpp"
#include "support/repetitions.hpp"

// Either end may crash at any moment, forgetting everything; both then find back by themselves.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Suite & next_suite() { return suite("cs-mlkem512-chacha20poly1305-mldsa44"); }

WiredPair::Options options()
{
  WiredPair::Options options;
  options.suite = "cs-mlkem512-aesgcm-mldsa44";
  return options;
}

class Crash : public testing::TestWithParam<std::tuple<Side, bool>>
{
protected:
  Side crashing() const { return std::get<0>(GetParam()); }
  bool traffic() const { return std::get<1>(GetParam()); }

  // In silence each end crashes at every step of the clock. Traffic adds nothing to the messages of an exchange, so that
  // it is enough to crash now and then while it flows; at different moments at both ends.
  template <typename Try>
  void at_moments(Duration until, Duration step, const Try & attempt)
  {
    const Duration apart = (traffic() ? 3 : 1) * (sanitized ? 10 : 1) * step;
    const Duration first = traffic() && crashing() == Side::gcs ? step : Duration{};
    for (Duration after = first; after < until; after += apart) {
      ASSERT_NO_FATAL_FAILURE(attempt(after));
    }
  }

  // Crashes `after` the start of the current operation, and expects both ends to reconnect in time.
  void crash_and_heal(WiredPair & pair, Duration after)
  {
    Traffic flow(pair);
    const Duration interval = traffic() ? Duration(1ms) : Duration(1h);
    if (traffic()) {
      flow.run_for(after, interval);
    } else {
      pair.run_for(after);
    }
    pair.restart(crashing());
    // The drone notices a silent ground station after 3 s; its own restart needs only a handshake.
    const Duration limit = crashing() == Side::gcs ? 4500ms : 2s;
    const auto healed = [&] { return pair.agreed(); };
    const bool in_time = traffic() ? flow.run_until(healed, 100ms, interval) ||
                                       flow.run_until(healed, limit - 100ms, 10 * interval)
                                   : pair.run_until(healed, limit);
    ASSERT_TRUE(in_time) << after / 1ms;
    // The same session goes on and carries every datagram.
    const SessionId session = pair.snapshot(Side::drone).session;
    pair.run_for(50ms);
    for (const Side side : both_sides) {
      pair.received(side).clear();
    }
    Traffic afterwards(pair);
    afterwards.run_for(3500ms, 50ms);
    pair.run_for(50ms);
    ASSERT_TRUE(pair.agreed());
    ASSERT_EQ(pair.snapshot(Side::drone).session, session);
    for (const Side side : both_sides) {
      ASSERT_TRUE(afterwards.arrived_exactly(side)) << after / 1ms;
    }
    ASSERT_TRUE(pair.snapshot(Side::drone).blacklist.empty());
  }
};

TEST_P(Crash, at_any_moment_of_the_first_handshake_heals)
{
  at_moments(120ms, 1ms, [this](Duration after) {
    WiredPair pair(options());
    crash_and_heal(pair, after);
  });
}

TEST_P(Crash, at_any_moment_of_a_rekey_heals_and_the_rekey_is_answered_once)
{
  at_moments(120ms, 1ms, [this](Duration after) {
    WiredPair pair(options());
    ASSERT_TRUE(pair.establish());
    pair.drone().request_rekey(rekey_to(&next_suite()), pair.now());
    ASSERT_NO_FATAL_FAILURE(crash_and_heal(pair, after));
    // A drone that crashed can't answer any more, unless it had done so before.
    const std::size_t answers = pair.outcomes(Side::drone).size();
    ASSERT_LE(answers, 1u) << after / 1ms;
    ASSERT_TRUE(answers == 1 || crashing() == Side::drone) << after / 1ms;
  });
}

TEST_P(Crash, at_any_moment_of_a_rekey_asked_for_by_the_ground_station_heals)
{
  at_moments(140ms, 2ms, [this](Duration after) {
    WiredPair pair(options());
    ASSERT_TRUE(pair.establish());
    pair.gcs().request_rekey(rekey_to(&next_suite()), pair.now());
    ASSERT_NO_FATAL_FAILURE(crash_and_heal(pair, after));
    pair.run_for(125s);
    const std::size_t answers = pair.outcomes(Side::gcs).size();
    ASSERT_LE(answers, 1u) << after / 1ms;
    ASSERT_TRUE(answers == 1 || crashing() == Side::gcs) << after / 1ms;
  });
}

TEST_P(Crash, again_and_again_heals)
{
  WiredPair pair(options());
  for (int i = 0; i < 60; ++i) {
    pair.run_for(std::chrono::milliseconds(7 * i));
    pair.restart(crashing());
  }
  ASSERT_NO_FATAL_FAILURE(crash_and_heal(pair, 0ms));
}

TEST_P(Crash, of_both_ends_heals)
{
  for (Duration apart{}; apart < 4s; apart += 130ms) {
    WiredPair pair(options());
    ASSERT_TRUE(pair.establish());
    pair.restart(crashing());
    pair.run_for(apart);
    pair.restart(other(crashing()));
    ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }, 5s)) << apart / 1ms;
  }
}

std::string name_of(const testing::TestParamInfo<std::tuple<Side, bool>> & info)
{
  return std::string(std::get<0>(info.param) == Side::drone ? "of_the_drone" : "of_the_gcs") +
         (std::get<1>(info.param) ? "_under_traffic" : "_in_silence");
}

INSTANTIATE_TEST_SUITE_P(
  EitherEnd, Crash, testing::Combine(testing::Values(Side::drone, Side::gcs), testing::Bool()),
  name_of);

}  // namespace
}  // namespace pqc_tunnel::test
