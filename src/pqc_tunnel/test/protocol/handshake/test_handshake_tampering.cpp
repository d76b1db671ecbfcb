// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "protocol/handshake/hello_messages.hpp"
#include "support/pair/traffic.hpp"

// An attacker on the network changes, cuts, crosses, reflects and repeats the datagrams of key exchanges. Each tampered
// one counts as lost: the exchange completes all the same, with keys that both ends share, and no suite is blamed.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

WiredPair::Options fast_suite(HandshakeMode mode = {})
{
  WiredPair::Options options;
  options.suite = "cs-mlkem512-aesgcm-mldsa44";
  options.settings.mode = mode;
  options.latency = 1ms;
  return options;
}

const Suite & another_suite() { return suite("cs-mlkem512-chacha20poly1305-mldsa44"); }

using Recording = std::vector<std::pair<Side, Bytes>>;

// The datagrams of the first session of a pair, in order.
Recording recorded(WiredPair::Options options)
{
  Recording all;
  WiredPair pair(std::move(options));
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    all.emplace_back(from, bytes);
    return true;
  });
  EXPECT_TRUE(pair.establish());
  return all;
}

void expect_agreement(WiredPair & pair, std::size_t at)
{
  ASSERT_TRUE(pair.establish()) << at;
  Traffic traffic(pair);
  traffic.run_for(5ms);
  pair.run_for(10ms);
  ASSERT_TRUE(traffic.arrived_exactly(Side::drone)) << at;
  ASSERT_TRUE(traffic.arrived_exactly(Side::gcs)) << at;
  ASSERT_TRUE(pair.snapshot(Side::drone).blacklist.empty()) << at;
  ASSERT_EQ(pair.snapshot(Side::drone).rollbacks, 0u) << at;
}

// Does that to the n-th datagram of the session.
WiredPair::Filter to_datagram(std::size_t n, std::function<void(Bytes &)> act)
{
  return [n, act, count = std::size_t{0}](Side, Bytes & bytes) mutable {
    if (count++ == n) {
      act(bytes);
    }
    return true;
  };
}

class FirstSession : public testing::TestWithParam<std::tuple<bool, bool>>
{
protected:
  WiredPair::Options options() const
  {
    return fast_suite({std::get<0>(GetParam()), std::get<1>(GetParam())});
  }
};

TEST_P(FirstSession, with_any_byte_of_any_datagram_changed_is_made_all_the_same)
{
  const Recording untouched = recorded(options());
  for (std::size_t n = 0; n < untouched.size(); ++n) {
    const std::size_t size = untouched[n].second.size();
    const std::size_t stride = size > 200 ? 41 : 3;
    for (std::size_t at = n % stride; at < size; at += stride) {
      WiredPair pair(options());
      pair.set_datagram_filter(to_datagram(n, [&](Bytes & bytes) {
        bytes[std::min(at, bytes.size() - 1)] ^= static_cast<std::uint8_t>(1u << at % 8);
      }));
      ASSERT_NO_FATAL_FAILURE(expect_agreement(pair, n * 10'000 + at));
    }
  }
}

TEST_P(FirstSession, with_any_datagram_lost_cut_doubled_or_reflected_is_made_all_the_same)
{
  const Recording untouched = recorded(options());
  for (std::size_t n = 0; n < untouched.size(); ++n) {
    for (const std::size_t divisor : {1u, 2u, 10u}) {
      WiredPair pair(options());
      pair.set_datagram_filter(to_datagram(
        n, [&](Bytes & bytes) { bytes.resize(bytes.size() - bytes.size() / divisor); }));
      ASSERT_NO_FATAL_FAILURE(expect_agreement(pair, n));
    }
    WiredPair doubled(options());
    doubled.set_channel([&, count = std::size_t{0}](Side, Bytes &) mutable {
      return count++ == n ? std::vector<Duration>{0ms, 0ms, 3ms} : std::vector<Duration>{0ms};
    });
    ASSERT_NO_FATAL_FAILURE(expect_agreement(doubled, n));
    WiredPair reflected(options());
    reflected.set_datagram_filter([&, count = std::size_t{0}](Side from, Bytes & bytes) mutable {
      if (count++ == n) {
        reflected.inject(from, bytes);
      }
      return true;
    });
    ASSERT_NO_FATAL_FAILURE(expect_agreement(reflected, n));
  }
}

TEST_P(FirstSession, with_any_datagram_replaced_by_that_of_another_session_is_made_all_the_same)
{
  auto others = options();
  others.seed = 99;
  const Recording another = recorded(others);
  for (std::size_t n = 0; n < another.size(); ++n) {
    WiredPair pair(options());
    pair.set_datagram_filter(to_datagram(n, [&](Bytes & bytes) { bytes = another[n].second; }));
    ASSERT_NO_FATAL_FAILURE(expect_agreement(pair, n));
  }
}

INSTANTIATE_TEST_SUITE_P(
  EveryMode, FirstSession, testing::Combine(testing::Bool(), testing::Bool()),
  [](const auto & test) {
    return std::string(std::get<0>(test.param) ? "hybrid" : "plain") +
           (std::get<1>(test.param) ? "_mutual" : "_psk");
  });

TEST(Rekey, with_any_byte_of_any_of_its_datagrams_changed_completes_and_blames_no_suite)
{
  const auto rekey = [](WiredPair & pair) {
    pair.drone().request_rekey(rekey_to(&another_suite()), pair.now());
    return pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); });
  };
  std::vector<std::size_t> sizes;
  WiredPair untouched(fast_suite());
  ASSERT_TRUE(untouched.establish());
  untouched.set_datagram_filter([&](Side, Bytes & bytes) {
    sizes.push_back(bytes.size());
    return true;
  });
  ASSERT_TRUE(rekey(untouched));
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    for (std::size_t at = n % 23; at < sizes[n]; at += 23) {
      WiredPair pair(fast_suite());
      ASSERT_TRUE(pair.establish());
      pair.set_datagram_filter(to_datagram(n, [&](Bytes & bytes) {
        bytes[std::min(at, bytes.size() - 1)] ^= static_cast<std::uint8_t>(0x80u >> at % 8);
      }));
      ASSERT_TRUE(rekey(pair)) << n << ' ' << at;
      ASSERT_TRUE(pair.outcomes(Side::drone).front().success)
        << n << ' ' << at << ' ' << pair.outcomes(Side::drone).front().message;
      ASSERT_EQ(pair.snapshot(Side::drone).rollbacks, 0u);
    }
  }
}

TEST(Reject, forged_by_a_stranger_is_not_believed)
{
  for (std::uint8_t reason = 1; reason <= 4; ++reason) {
    WiredPair pair(fast_suite());
    ASSERT_TRUE(pair.run_until([&] { return !pair.datagrams_sent(Side::gcs).empty(); }));
    Bytes forged = encode_reject(RejectReason{reason});
    forged.insert(forged.end(), 32, 0x5c);
    pair.inject(Side::drone, forged);
    ASSERT_NO_FATAL_FAILURE(expect_agreement(pair, reason));
    EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_failed), 0u);
  }
}

TEST(HelloRetry, counts_only_once_for_each_hello)
{
  // A second challenge, from another bucket of time, would make other boot keys.
  WiredPair pair(fast_suite());
  Bytes first;
  pair.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (from == Side::drone && first.empty()) {
      first = bytes;
    }
    return true;
  });
  ASSERT_TRUE(pair.run_until([&] { return !pair.datagrams_sent(Side::gcs).empty(); }));
  pair.run_for(1500us);
  const std::size_t sent = pair.datagrams_sent(Side::drone).size();
  pair.inject(Side::gcs, first);
  ASSERT_NO_FATAL_FAILURE(expect_agreement(pair, 0));
  EXPECT_GE(pair.datagrams_sent(Side::drone).size(), sent);
  EXPECT_EQ(pair.count(Side::gcs, EventKind::handshake_started), 1u);
}

}  // namespace
}  // namespace pqc_tunnel::test
