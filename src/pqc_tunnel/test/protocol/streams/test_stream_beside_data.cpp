// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support/pair/traffic.hpp"

// A key of Classic McEliece, 1.36 MB, is fetched over a link of 2 Mbit/s on which 320 datagrams a second fly each way.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr double bytes_per_s = 250'000;
constexpr std::size_t ip_overhead = 28;
constexpr std::size_t datagram_size = 100;
constexpr double datagrams_per_s = 320;
constexpr const char * suite_id = "cs-classicmceliece8192128-aesgcm-mldsa87";

// Each direction has a rate and a queue of its own.
class Bottleneck
{
public:
  explicit Bottleneck(double loss) : dice_(7), loss_(loss), pair_(options())
  {
    pair_.set_channel([this](Side from, Bytes & frame) { return travel(from, frame.size()); });
    pair_.watch([this] { note_arrivals(); });
  }

  WiredPair & pair() { return pair_; }

  // The delays of the datagrams sent by the ground station while the condition does not hold, in ms.
  std::vector<double> delays_until(const std::function<bool()> & condition, Duration limit)
  {
    delays_.clear();
    const Instant end = pair_.now() + limit;
    while (!condition() && pair_.now() < end) {
      for (const Side from : both_sides) {
        if (pair_.send(from, numbered(next_, datagram_size))) {
          sent_at_[from][next_] = pair_.now();
        }
      }
      ++next_;
      pair_.run_for(std::chrono::microseconds(3125));
    }
    return delays_;
  }

private:
  static WiredPair::Options options()
  {
    WiredPair::Options options;
    options.latency = 20ms;
    options.identities = {SignatureAlgorithm::ml_dsa_87};
    options.settings.prefetch_max_bytes = 0;  // the key is fetched when it is asked for
    return options;
  }

  std::vector<Duration> travel(Side from, std::size_t size)
  {
    const std::chrono::duration<double> airtime(
      static_cast<double>(size + ip_overhead) / bytes_per_s);
    Instant & free = free_at_[from];
    free = std::max(free, pair_.now()) + std::chrono::duration_cast<Duration>(airtime);
    if (dice_.uniform() < loss_) {
      return {};
    }
    return {free - pair_.now()};
  }

  void note_arrivals()
  {
    for (const Side to : both_sides) {
      auto & received = pair_.received(to);
      for (; !received.empty(); received.pop_front()) {
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < 4; ++i) {
          number |= std::uint32_t{received.front()[i]} << (8 * i);
        }
        if (to == Side::drone) {
          delays_.push_back(1e3 * in_seconds(pair_.now() - sent_at_[Side::gcs].at(number)));
        }
      }
    }
  }

  SeededRandom dice_;
  double loss_;
  std::map<Side, Instant> free_at_;
  std::map<Side, std::map<std::uint32_t, Instant>> sent_at_;
  std::vector<double> delays_;
  std::uint32_t next_ = 0;
  WiredPair pair_;
};

double percentile_99(std::vector<double> values)
{
  std::ranges::sort(values);
  return values.at(values.size() * 99 / 100);
}

class StreamBesideData : public testing::TestWithParam<double>
{
};

TEST_P(StreamBesideData, takes_most_of_what_the_link_has_left_and_delays_the_data_little)
{
  const double loss = GetParam();
  Bottleneck link(loss);
  WiredPair & pair = link.pair();
  ASSERT_TRUE(pair.establish());
  const double quiet = percentile_99(link.delays_until([] { return false; }, 5s));

  pair.drone().request_rekey(rekey_to(&suite(suite_id)), pair.now());
  const auto beside = link.delays_until([&] { return !pair.outcomes(Side::drone).empty(); }, 60s);
  ASSERT_FALSE(pair.outcomes(Side::drone).empty());
  const RekeyReply & outcome = pair.outcomes(Side::drone).front();
  ASSERT_TRUE(outcome.success) << outcome.message;

  const Suite & of = suite(suite_id);
  const auto key =
    static_cast<double>(kem_sizes(of.kem).public_key + signature_sizes(of.signature).signature_max);
  const double left =
    (bytes_per_s - datagrams_per_s * (datagram_size + Tunnel::frame_overhead + ip_overhead)) *
    (1 - loss);
  const double share = key / in_seconds(outcome.timing.fetch) / left;
  const double growth = percentile_99(beside) - quiet;
  std::cout << "loss " << loss << ": " << share << " of what the link has left, p99 of the data "
            << quiet << " ms, and " << growth << " ms more beside the stream\n";
  EXPECT_GE(share, 0.7);
  EXPECT_LE(growth, 25);
}

INSTANTIATE_TEST_SUITE_P(
  Losses, StreamBesideData, testing::Values(0.0, 0.2),
  [](const auto & test) { return test.param > 0 ? "one_in_five_lost" : "nothing_lost"; });

}  // namespace
}  // namespace pqc_tunnel::test
