// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "protocol/wire/wire.hpp"
#include "support/pair/traffic.hpp"
#include "support/pair/wired_pair.hpp"

// Somebody copies frames between the ends, before they arrive or after, and names the address of a third party as their
// source: whatever he picks, that one gets at most three times the bytes that came in his name.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// Which frames he copies, and how. Drawn from a seed.
struct Habits
{
  std::optional<Side> from;  // that end alone
  bool hellos = true;
  bool sealed = true;
  std::size_t smallest = 0;
  std::size_t largest = SIZE_MAX;
  std::uint64_t one_of = 1;
  std::uint64_t addresses = 1;
  Duration ahead{};  // of the frame itself, or behind it
  Duration from_time{};

  static Habits draw(std::uint64_t seed)
  {
    std::mt19937_64 random(seed);
    const auto any = [&random](std::uint64_t n) { return random() % n; };
    Habits habits;
    if (any(3) > 0) {
      habits.from = any(2) == 0 ? Side::drone : Side::gcs;
    }
    habits.hellos = any(3) > 0;
    habits.sealed = !habits.hellos || any(3) > 0;
    habits.smallest = any(3) == 0 ? 100 : 0;
    habits.largest = any(3) == 0 ? 60 : SIZE_MAX;
    habits.one_of = 1 + any(2) * any(100);
    habits.addresses = 1 + any(2) * any(50);
    habits.ahead = std::chrono::milliseconds(any(3) == 0 ? -1 : 5);
    habits.from_time = std::chrono::milliseconds(any(2) * any(3000));
    return habits;
  }
};

class Reflection : public testing::TestWithParam<std::uint64_t>
{
protected:
  // True if every address got at most three times what came in its name.
  void watch(WiredPair & pair, const Habits & habits)
  {
    pair.set_datagram_filter([this, &pair, habits](Side from, Bytes & bytes) {
      const bool fits = is_hello(bytes) ? habits.hellos : habits.sealed;
      if (
        fits && habits.from.value_or(from) == from && bytes.size() >= habits.smallest &&
        bytes.size() <= habits.largest && pair.now() >= begun_ + habits.from_time &&
        seen_++ % habits.one_of == 0)
      {
        const Endpoint source =
          WiredPair::stranger(static_cast<std::uint8_t>(100 + copied_++ % habits.addresses));
        received_[{other(from), source.address[3]}] += bytes.size();
        pair.deliver_later(other(from), bytes, source, 10ms - habits.ahead);
      }
      return true;
    });
    pair.watch([this, &pair] {
      for (const Side side : both_sides) {
        for (const auto & [to, bytes] : std::exchange(pair.sent_elsewhere(side), {})) {
          const std::uint64_t sent = sent_[{side, to.address[3]}] += bytes.size();
          EXPECT_LE(sent, 3 * (received_[{side, to.address[3]}]))
            << (side == Side::drone ? "drone" : "ground");
        }
      }
    });
  }
  void begin(const WiredPair & pair) { begun_ = pair.now(); }
  std::uint64_t copied() const { return copied_; }

private:
  Instant begun_;
  std::uint64_t seen_ = 0;
  std::uint64_t copied_ = 0;
  std::map<std::pair<Side, std::uint8_t>, std::uint64_t> received_;
  std::map<std::pair<Side, std::uint8_t>, std::uint64_t> sent_;
};

TEST_P(Reflection, gives_at_most_three_times_what_came_and_costs_nothing)
{
  WiredPair::Options options;
  const bool large_keys = GetParam() % 10 == 0;  // most of the time goes into making them
  if (large_keys) {
    options.suite = "cs-classicmceliece460896-aesgcm-mldsa65";
  }
  WiredPair pair(options);
  begin(pair);
  watch(pair, Habits::draw(GetParam()));
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }, 30s));
  Traffic traffic(pair);
  traffic.run_for(1s);
  pair.drone().request_rekey(rekey_to(nullptr), pair.now());
  traffic.run_for(3s);
  pair.run_for(100ms);
  for (const Side side : both_sides) {  // in another order, as copies overtake
    EXPECT_TRUE(traffic.arrived_at_most_once(side));
    EXPECT_EQ(pair.received(side).size(), traffic.sent(other(side)));
  }
  EXPECT_TRUE(pair.agreed());
}

INSTANTIATE_TEST_SUITE_P(Adversaries, Reflection, testing::Range<std::uint64_t>(0, 60));

}  // namespace
}  // namespace pqc_tunnel::test
