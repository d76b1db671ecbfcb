// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/empty_pool.hpp"
#include "support/traffic.hpp"

// Everything that can get lost, cut or stalled during a rekey. Whatever it is: no datagram is lost because of it, no
// suite is blamed for it, and the link ends on the new keys or stays on the old ones.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Suite & old_suite() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & new_suite() { return suite("cs-mlkem768-chacha20poly1305-mldsa65"); }

// Sizes on the wire of the control frames of a rekey: 38 around, 8 in front of the body.
enum FrameSize : std::size_t
{
  prepare = 38 + 8 + 6,
  ready_or_busy = 38 + 8 + 4,
  commit = 38 + 8 + 25,
  commit_ack_or_keepalive = 38 + 8,
};

class RekeyMishap : public testing::Test
{
protected:
  RekeyMishap() : pair_(with_empty_pool()), traffic_(pair_) { EXPECT_TRUE(pair_.establish()); }

  // Drops the first `count` control frames of that size.
  void lose(std::size_t size, int count)
  {
    pair_.set_datagram_filter([size, count](Side, Bytes & bytes) mutable {
      return bytes[0] != 0x21 || bytes.size() != size || count-- <= 0;
    });
  }
  // Runs a rekey under traffic to its answer and on to rest.
  void rekey(Duration limit = 30s)
  {
    const std::size_t answers = pair_.outcomes(Side::drone).size();
    pair_.drone().request_rekey(rekey_to(&new_suite()), pair_.now());
    ASSERT_TRUE(
      traffic_.run_until([&] { return pair_.outcomes(Side::drone).size() > answers; }, limit, 2ms));
    traffic_.run_for(200ms, 2ms);
    pair_.run_for(50ms);
  }
  void expect_nothing_lost_and_nobody_blamed()
  {
    for (const Side side : both_sides) {
      EXPECT_TRUE(traffic_.arrived_exactly(side));
      EXPECT_EQ(pair_.drops(side), 0u);
      EXPECT_EQ(pair_.snapshot(side).rollbacks, 0u);
      EXPECT_FALSE(pair_.saw(side, EventKind::rollback));
      EXPECT_FALSE(pair_.saw(side, EventKind::peer_lost));
    }
    EXPECT_TRUE(pair_.drone().blacklist(PeerIndex{0}, pair_.now()).empty());
  }
  void expect_success()
  {
    ASSERT_FALSE(pair_.outcomes(Side::drone).empty());
    EXPECT_TRUE(pair_.outcomes(Side::drone).back().success)
      << pair_.outcomes(Side::drone).back().message;
    EXPECT_TRUE(pair_.agreed());
    EXPECT_EQ(pair_.snapshot(Side::gcs).suite, &new_suite());
    expect_nothing_lost_and_nobody_blamed();
  }
  void expect_failure(std::string_view words)
  {
    ASSERT_FALSE(pair_.outcomes(Side::drone).empty());
    EXPECT_FALSE(pair_.outcomes(Side::drone).back().success);
    EXPECT_NE(pair_.outcomes(Side::drone).back().message.find(words), std::string::npos)
      << pair_.outcomes(Side::drone).back().message;
    EXPECT_TRUE(pair_.agreed());
    EXPECT_EQ(pair_.snapshot(Side::gcs).suite, &old_suite());
    EXPECT_EQ(pair_.snapshot(Side::drone).epoch, Epoch{0});
    expect_nothing_lost_and_nobody_blamed();
  }
  // Once nothing disturbs it any more, a rekey succeeds at once.
  void expect_the_next_one_succeeds()
  {
    pair_.set_datagram_filter(nullptr);
    pair_.set_stream_filter(nullptr);
    pair_.set_channel(nullptr);
    pair_.set_tcp(Tcp::works);
    rekey(1s);
    expect_success();
  }

  WiredPair pair_;
  Traffic traffic_;
};

TEST_F(RekeyMishap, loss_of_prepare_is_made_good_four_times)
{
  lose(prepare, 4);
  rekey();
  expect_success();
}

TEST_F(RekeyMishap, loss_of_every_prepare_ends_the_rekey_after_five_tries)
{
  lose(prepare, 1000);
  const auto begun = pair_.now();
  rekey();
  expect_failure("did not get ready in time");
  EXPECT_GT(pair_.now() - begun, 6s);
  EXPECT_LT(pair_.now() - begun, 10s);
  EXPECT_EQ(pair_.jobs_run(Side::gcs), 2u);  // those of the first handshake
  expect_the_next_one_succeeds();
}

TEST_F(RekeyMishap, loss_of_ready_is_made_good)
{
  lose(ready_or_busy, 5);
  rekey();
  expect_success();
}

TEST_F(RekeyMishap, loss_of_every_ready_ends_the_rekey)
{
  lose(ready_or_busy, 1000);
  rekey();
  expect_failure("did not get ready in time");
  EXPECT_EQ(pair_.jobs_run(Side::gcs), 3u);  // one more, to prepare
  expect_the_next_one_succeeds();
}

TEST_F(RekeyMishap, loss_of_commit_is_made_good_by_any_packet)
{
  lose(commit, 1000);
  rekey();
  expect_success();
}

TEST_F(RekeyMishap, loss_of_commit_without_traffic_is_made_good_by_itself)
{
  lose(commit, 3);
  pair_.drone().request_rekey(rekey_to(&new_suite()), pair_.now());
  ASSERT_TRUE(pair_.run_until([&] { return !pair_.outcomes(Side::drone).empty(); }, 5s));
  expect_success();
}

TEST_F(RekeyMishap, loss_of_commit_ack_is_made_good_by_any_packet)
{
  lose(commit_ack_or_keepalive, 1000);
  rekey();
  expect_success();
}

TEST_F(RekeyMishap, every_datagram_thrice_and_out_of_order_does_no_harm)
{
  pair_.set_channel([this](Side, Bytes &) {
    const auto delay = [this] {
      return std::chrono::microseconds(static_cast<int>(pair_.random().uniform() * 40'000));
    };
    return std::vector<Duration>{delay(), delay(), delay()};
  });
  for (int i = 0; i < 10; ++i) {
    rekey();
    EXPECT_TRUE(pair_.outcomes(Side::drone).back().success);
  }
  pair_.run_for(100ms);
  EXPECT_EQ(pair_.snapshot(Side::drone).rekeys, 10u);
  EXPECT_EQ(pair_.snapshot(Side::gcs).rekeys, 10u);
  for (const Side side : both_sides) {
    EXPECT_TRUE(traffic_.arrived_at_most_once(side));
    EXPECT_EQ(pair_.received(side).size(), traffic_.sent(other(side)));
    EXPECT_EQ(pair_.drops(side), pair_.drops(side, Drop::replay));
  }
}

TEST_F(RekeyMishap, refused_tcp_is_tried_thrice_and_the_old_keys_stay)
{
  pair_.set_tcp(Tcp::refused);
  rekey();
  expect_failure(
    "3 handshakes failed, the last because no ground station answers at gcs_address: not started, "
    "wrong address, or TCP blocked");
  EXPECT_EQ(pair_.count(Side::drone, EventKind::handshake_started), 4u);
  expect_the_next_one_succeeds();
}

TEST_F(RekeyMishap, silent_tcp_is_tried_thrice_and_the_old_keys_stay)
{
  pair_.set_tcp(Tcp::silent);
  rekey(60s);
  expect_failure(
    "3 handshakes failed, the last because no answer from gcs_address: link down, wrong address, "
    "or "
    "a firewall that drops TCP");
  expect_the_next_one_succeeds();
}

// Which of the four pieces of a rekey's handshake it hits; how often.
class HandshakeMishap : public RekeyMishap,
                        public testing::WithParamInterface<std::tuple<std::size_t, bool>>
{
protected:
  std::size_t piece() const { return std::get<0>(GetParam()); }
  bool every_time() const { return std::get<1>(GetParam()); }

  // Does that to the chosen piece, every time or once.
  void disturb(std::function<bool(Bytes &)> act)
  {
    static constexpr std::size_t sizes[] = {4 + 161, 4 + 4622, 4 + 1200, 4 + 40};
    pair_.set_stream_filter(
      [act, size = sizes[piece()], left = every_time() ? 1000 : 1](Side, Bytes & bytes) mutable {
        return bytes.size() != size || left-- <= 0 || act(bytes);
      });
  }
  void expect_outcome()
  {
    if (every_time()) {
      expect_failure("3 handshakes failed");
    } else {
      expect_success();
    }
    expect_the_next_one_succeeds();
  }
};

TEST_P(HandshakeMishap, connection_cut_instead_of_a_message)
{
  disturb([this](Bytes &) {
    pair_.cut_connections();
    return false;
  });
  rekey();
  expect_outcome();
}

TEST_P(HandshakeMishap, message_that_never_arrives)
{
  disturb([](Bytes &) { return false; });
  rekey(60s);
  expect_outcome();
}

TEST_P(HandshakeMishap, message_that_arrives_by_half)
{
  disturb([](Bytes & bytes) {
    bytes.resize(bytes.size() / 2);
    return true;
  });
  rekey(60s);
  expect_outcome();
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::size_t, bool>> & info)
{
  static constexpr const char * names[] = {
    "client_hello", "server_hello", "client_finish", "server_finish"};
  return std::string(names[std::get<0>(info.param)]) +
         (std::get<1>(info.param) ? "_every_time" : "_once");
}

INSTANTIATE_TEST_SUITE_P(
  EveryMessage, HandshakeMishap,
  testing::Combine(testing::Range(std::size_t{0}, std::size_t{4}), testing::Bool()), name_of);

TEST(RekeyOfASlowLink, loses_nothing)
{
  for (const Duration latency : {100ms, 300ms, 490ms}) {
    WiredPair::Options options;
    options.latency = latency;
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    Traffic traffic(pair);
    for (std::size_t rekey = 1; rekey <= 3; ++rekey) {
      pair.drone().request_rekey(rekey_to(&new_suite()), pair.now());
      ASSERT_TRUE(
        traffic.run_until([&] { return pair.outcomes(Side::drone).size() == rekey; }, 15s, 5ms));
      EXPECT_TRUE(pair.outcomes(Side::drone).back().success);
    }
    traffic.run_for(4s, 5ms);
    pair.run_for(1s);
    for (const Side side : both_sides) {
      EXPECT_TRUE(traffic.arrived_exactly(side));
      EXPECT_EQ(pair.drops(side), 0u);
    }
  }
}

TEST(Rekeying, slow_key_generation_is_waited_for)
{
  WiredPair::Options options;
  options.time_of_job = [](const Job & job) {
    return std::holds_alternative<PrepareHello>(job) ? Duration(40s) : Duration(1ms);
  };
  WiredPair pair(with_empty_pool(options));
  ASSERT_TRUE(pair.establish());
  Traffic traffic(pair);
  pair.drone().request_rekey(rekey_to(&new_suite()), pair.now());
  ASSERT_TRUE(traffic.run_until([&] { return !pair.outcomes(Side::drone).empty(); }, 130s, 20ms));
  EXPECT_TRUE(pair.outcomes(Side::drone).front().success);
  EXPECT_GT(pair.snapshot(Side::drone).timing.prepare, 40s);
  EXPECT_EQ(pair.count(Side::drone, EventKind::handshake_started), 2u);
  pair.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_exactly(Side::drone));
  EXPECT_TRUE(traffic.arrived_exactly(Side::gcs));
}

}  // namespace
}  // namespace pqc_tunnel::test
