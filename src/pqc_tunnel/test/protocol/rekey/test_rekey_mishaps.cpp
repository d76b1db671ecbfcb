// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "support/pair/empty_pool.hpp"
#include "support/pair/traffic.hpp"
#include "support/repetitions.hpp"

// Everything that can get lost, cut or stalled during a rekey. Whatever it is: no datagram is lost because of it, no
// suite is blamed for it, and the link ends on the new keys or stays on the old ones.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const Suite & old_suite() { return suite("cs-mlkem768-aesgcm-mldsa65"); }
const Suite & new_suite() { return suite("cs-mlkem768-chacha20poly1305-mldsa65"); }

// Sizes on the wire of the control frames of a rekey: 25 around, 5 in front of the body.
enum FrameSize : std::size_t
{
  want = 25 + 5 + 10,
  confirm = 25 + 5 + 32,
  keepalive = 25 + 5,
  ratchet = 25 + 5 + 65,
  ratchet_ok = 25 + 5 + 64,
};
// Parts of streams are the only frames as long as this.
constexpr std::size_t long_frame = 300;

class RekeyMishap : public testing::Test
{
protected:
  RekeyMishap() : pair_(with_empty_pool()), traffic_(pair_) { EXPECT_TRUE(pair_.establish()); }

  // Drops the first `count` control frames of that size.
  void lose(std::size_t size, int count)
  {
    pair_.set_datagram_filter(
      [size, count](Side, Bytes & bytes) mutable { return bytes.size() != size || count-- <= 0; });
  }
  // Runs a rekey under traffic to its answer and on to rest.
  void rekey(Duration limit = 60s, bool by_ratchet = false)
  {
    const std::size_t answers = pair_.outcomes(Side::drone).size();
    RekeyCommand command = rekey_to(by_ratchet ? nullptr : &new_suite());
    command.ratchet = by_ratchet;
    pair_.drone().request_rekey(command, pair_.now());
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
    EXPECT_TRUE(pair_.snapshot(Side::drone).blacklist.empty());
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
    pair_.set_channel(nullptr);
    rekey(2s);
    expect_success();
  }

  WiredPair pair_;
  Traffic traffic_;
};

TEST_F(RekeyMishap, loss_of_want_is_made_good)
{
  lose(want, 4);
  rekey();
  expect_success();
}

TEST_F(RekeyMishap, loss_of_every_want_ends_the_rekey)
{
  lose(want, 1000);
  const auto begun = pair_.now();
  rekey();
  expect_failure("sends no prekey");
  EXPECT_GT(pair_.now() - begun, 14s);
  EXPECT_LT(pair_.now() - begun, 17s);
  expect_the_next_one_succeeds();
}

TEST_F(RekeyMishap, loss_of_confirm_is_made_good_ten_times)
{
  lose(confirm, 10);
  rekey();
  expect_success();
}

TEST_F(RekeyMishap, loss_of_every_confirm_ends_the_rekey)
{
  lose(confirm, 1000);
  rekey();
  expect_failure("did not confirm the new keys");
  expect_the_next_one_succeeds();
}

TEST_F(RekeyMishap, loss_of_keepalives_is_made_good_by_any_packet)
{
  lose(keepalive, 1000);
  rekey();
  expect_success();
}

TEST_F(RekeyMishap, loss_of_keepalives_without_traffic_is_made_good_by_themselves)
{
  lose(keepalive, 3);
  pair_.drone().request_rekey(rekey_to(&new_suite()), pair_.now());
  ASSERT_TRUE(pair_.run_until([&] { return !pair_.outcomes(Side::drone).empty(); }, 5s));
  pair_.run_for(100ms);
  expect_success();
}

TEST_F(RekeyMishap, loss_of_every_second_part_of_a_stream_is_made_good)
{
  pair_.set_datagram_filter(
    [n = 0](Side, Bytes & bytes) mutable { return bytes.size() < long_frame || ++n % 2 == 0; });
  rekey();
  expect_success();
}

TEST_F(RekeyMishap, loss_of_all_long_frames_is_made_good_by_shorter_parts)
{
  pair_.set_datagram_filter([](Side, Bytes & bytes) { return bytes.size() <= 600; });
  rekey();
  expect_success();
}

TEST_F(RekeyMishap, loss_of_every_part_of_the_finish_ends_the_rekey)
{
  pair_.set_datagram_filter(
    [](Side from, Bytes & bytes) { return from == Side::gcs || bytes.size() < long_frame; });
  rekey();
  expect_failure("did not confirm the new keys");
  expect_the_next_one_succeeds();
}

TEST_F(RekeyMishap, loss_of_ratchet_messages_is_made_good)
{
  for (const FrameSize size : {ratchet, ratchet_ok}) {
    lose(size, 5);
    rekey(30s, true);
    EXPECT_TRUE(pair_.outcomes(Side::drone).back().success);
    expect_nothing_lost_and_nobody_blamed();
  }
  EXPECT_TRUE(pair_.agreed());
  EXPECT_EQ(pair_.snapshot(Side::drone).ratchets, 2u);
  EXPECT_EQ(pair_.snapshot(Side::gcs).ratchets, 2u);
}

TEST_F(RekeyMishap, loss_of_every_ratchet_ends_it_and_the_next_full_rekey_succeeds)
{
  lose(ratchet, 1000);
  rekey(60s, true);
  EXPECT_FALSE(pair_.outcomes(Side::drone).back().success);
  expect_nothing_lost_and_nobody_blamed();
  expect_the_next_one_succeeds();
}

// spin/prekey.pml: the late one must not displace the keys that the newer one has led to.
TEST(LateRatchet, of_an_attempt_given_up_does_no_harm_to_the_next_one)
{
  WiredPair::Options options = with_empty_pool();
  options.settings.max_age = 5s;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  Bytes late;
  bool held_back = true;
  pair.set_datagram_filter([&](Side, Bytes & bytes) {
    if (bytes.size() == ratchet && held_back) {
      late = bytes;
    }
    return bytes.size() != ratchet || !held_back;
  });
  RekeyCommand command = rekey_to(nullptr);
  command.ratchet = true;
  pair.drone().request_rekey(command, pair.now());
  ASSERT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }));
  EXPECT_FALSE(pair.outcomes(Side::drone).back().success);

  held_back = false;
  // The newer RATCHET is answered, the late one comes, and the newer one again before the answer is here.
  std::vector<Bytes> answers;
  bool answers_wait = true;
  Bytes again;
  pair.set_datagram_filter([&](Side, Bytes & bytes) {
    if (bytes.size() == ratchet) {
      again = bytes;
    }
    if (bytes.size() == ratchet_ok && answers_wait) {
      answers.push_back(bytes);
      return false;
    }
    return true;
  });
  pair.drone().request_rekey(command, pair.now());
  ASSERT_TRUE(pair.run_until([&] { return answers.size() == 1; }, 1s));
  pair.inject(Side::gcs, late);
  ASSERT_TRUE(pair.run_until([&] { return answers.size() >= 3; }, 1s));
  answers_wait = false;
  pair.inject(Side::drone, answers.front());
  EXPECT_TRUE(pair.run_until([&] { return pair.outcomes(Side::drone).size() == 2; }, 5s));
  pair.run_for(5s);
  EXPECT_TRUE(pair.outcomes(Side::drone).back().success);
  EXPECT_TRUE(pair.agreed());
  EXPECT_FALSE(pair.saw(Side::drone, EventKind::peer_lost));
  EXPECT_EQ(pair.drops(Side::gcs, Drop::unknown), 0u);
}

TEST_F(RekeyMishap, an_outage_of_a_second_after_the_finish_has_arrived_costs_no_rekey)
{
  Instant begun = Instant::max();
  pair_.set_datagram_filter([&](Side from, Bytes & bytes) {
    if (from == Side::gcs && bytes.size() == confirm) {
      begun = std::min(begun, pair_.now());
    }
    return begun == Instant::max() || pair_.now() > begun + 1500ms;
  });
  pair_.drone().request_rekey(rekey_to(&new_suite()), pair_.now());
  ASSERT_TRUE(pair_.run_until([&] { return !pair_.outcomes(Side::drone).empty(); }));
  EXPECT_TRUE(pair_.outcomes(Side::drone).back().success)
    << pair_.outcomes(Side::drone).back().message;
}

// The drone holds a prekey whose id the ground station does not know.
TEST_F(
  RekeyMishap, a_prekey_that_the_ground_station_has_forgotten_is_fetched_once_more_or_not_needed)
{
  for (const int forgotten : {1, 2}) {
    const SessionId session = pair_.snapshot(Side::drone).session;
    int changed = 0;
    pair_.set_job_filter([&](Side, Job & job) -> std::optional<JobResult> {
      if (!std::holds_alternative<VerifyPrekey>(job) || changed++ >= forgotten) {
        return std::nullopt;
      }
      JobResult result = run_job(std::move(job), pair_.random());
      std::get<VerifiedPrekey>(result).key_id.bytes[0] ^= static_cast<std::uint8_t>(changed);
      return result;
    });
    rekey();
    EXPECT_TRUE(pair_.outcomes(Side::drone).back().success);
    EXPECT_EQ(pair_.snapshot(Side::drone).session == session, forgotten == 1);
    expect_nothing_lost_and_nobody_blamed();
  }
}

// A link that loses a share of all datagrams each way, with numbered datagrams in both directions beside the rekeys.
class LossyLink
{
public:
  LossyLink(double loss, Duration rtt) : pair_(options(rtt))
  {
    EXPECT_TRUE(pair_.establish());
    pair_.set_channel([this, loss](Side from, Bytes &) {
      const bool lost = pair_.random().uniform() < loss;
      if (!lost && carries_data_) {
        delivered_[from].push_back(next_);
      }
      return lost ? std::vector<Duration>{} : std::vector<Duration>{0ms};
    });
  }

  WiredPair & pair() { return pair_; }
  bool run_until(const std::function<bool()> & condition, Duration limit)
  {
    const Instant end = pair_.now() + limit;
    while (!condition() && pair_.now() < end) {
      for (const Side from : both_sides) {
        pair_.pump();  // what leaves beside the data
        carries_data_ = true;
        EXPECT_TRUE(pair_.send(from, numbered(next_)));
        carries_data_ = false;
      }
      ++next_;
      pair_.run_until(condition, 20ms);
    }
    return condition();
  }
  // What the link has delivered has arrived, all of it once, and nothing else.
  void expect_no_other_loss()
  {
    pair_.run_for(1s);
    for (const Side to : both_sides) {
      std::vector<Bytes> expected;
      for (const std::uint32_t number : delivered_[other(to)]) {
        expected.push_back(numbered(number));
      }
      EXPECT_TRUE(std::ranges::equal(pair_.received(to), expected));
      EXPECT_LT(expected.size(), next_);
    }
  }

private:
  static WiredPair::Options options(Duration rtt)
  {
    WiredPair::Options options;
    options.settings.find_rate = false;  // each datagram leaves at once
    options.latency = rtt / 2;
    options.settings.prefetch_airtime = 1;  // what is rekeyed a thousand times needs many prekeys
    return options;
  }

  WiredPair pair_;
  bool carries_data_ = false;
  std::uint32_t next_ = 0;
  std::map<Side, std::vector<std::uint32_t>> delivered_;
};

class LossyRekeys : public testing::TestWithParam<std::tuple<int, Duration>>
{
protected:
  double loss() const { return std::get<0>(GetParam()) / 100.0; }
  Duration rtt() const { return std::get<1>(GetParam()); }
};

TEST_P(LossyRekeys, and_ratchets_all_complete_in_step_within_20_round_trips_and_lose_no_data)
{
  // On two links for each loss, so 1,000 in all; without a sanitizer more than the epochs of a session.
  constexpr std::size_t rounds = repetitions(std::size_t{500});
  LossyLink link(loss(), rtt());
  WiredPair & pair = link.pair();
  link.run_until(
    [] { return false; }, 15s);  // both ends know the loss, and the drone has its prekeys
  std::size_t most_prekeys = 1;
  std::vector<double> round_trips;
  for (std::size_t n = 1; n <= rounds; ++n) {
    RekeyCommand command = rekey_to(
      n % 4 == 1   ? &new_suite()
      : n % 4 == 3 ? &old_suite()
                   : nullptr);
    const bool needs_session = pair.snapshot(Side::drone).epoch == last_epoch;
    command.ratchet = n % 2 == 0 && !needs_session;
    ASSERT_TRUE(link.run_until(
      [&] {
        const PeerSnapshot drone = pair.snapshot(Side::drone);
        most_prekeys = std::max(most_prekeys, drone.prekeys);  // first that of the suite in use
        return drone.state == PeerState::established && drone.prekeys == most_prekeys &&
               pair.snapshot(Side::drone).keys.front().confirmed;
      },
      60s));
    const Instant asked = pair.now();
    pair.drone().request_rekey(command, pair.now());
    ASSERT_TRUE(link.run_until([&] { return pair.outcomes(Side::drone).size() >= n; }, 60s)) << n;
    const RekeyReply & reply = pair.outcomes(Side::drone).back();
    ASSERT_TRUE(reply.success) << n << ' ' << reply.message;
    if (!needs_session) {
      EXPECT_EQ(reply.timing.fetch, Duration{}) << n;
      round_trips.push_back(
        static_cast<double>((pair.now() - asked).count()) / static_cast<double>(rtt().count()));
    }
  }
  EXPECT_GT(round_trips.size(), rounds - 10);
  EXPECT_LE(*std::ranges::max_element(round_trips), 20);
  link.expect_no_other_loss();
  EXPECT_EQ(pair.count(Side::drone, EventKind::peer_lost), 0u);
  EXPECT_EQ(pair.count(Side::drone, EventKind::rekey_failed), 0u);
  pair.set_channel(nullptr);
  EXPECT_TRUE(pair.run_until([&] { return pair.agreed(); }, 10s));
}

INSTANTIATE_TEST_SUITE_P(
  PercentAndRoundTrip, LossyRekeys,
  testing::Combine(testing::Values(20, 40), testing::Values(Duration(20ms), Duration(60ms))));

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

TEST(Rekey, slow_key_generation_is_waited_for)
{
  WiredPair::Options options;
  options.time_of_job = [](const Job & job) {
    return std::holds_alternative<IssuePrekey>(job) ? Duration(40s) : Duration(1ms);
  };
  WiredPair pair(with_empty_pool(options));
  ASSERT_TRUE(pair.run_until([&] { return pair.agreed(); }, 100s));
  Traffic traffic(pair);
  pair.drone().request_rekey(rekey_to(&new_suite()), pair.now());
  ASSERT_TRUE(traffic.run_until([&] { return !pair.outcomes(Side::drone).empty(); }, 130s, 20ms));
  EXPECT_TRUE(pair.outcomes(Side::drone).front().success);
  EXPECT_GT(pair.snapshot(Side::drone).timing.fetch, 40s);
  pair.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_exactly(Side::drone));
  EXPECT_TRUE(traffic.arrived_exactly(Side::gcs));
}

// A repeated answer has the ground station ask for the time. The wires throw if that leaves a time-out due.
// A key of McEliece comes ahead for minutes. What it took for progress of its own fetch kept a rekey from asking again.
TEST(Rekey, awaits_no_other_prekey_that_is_on_its_way_although_its_want_is_lost)
{
  WiredPair::Options options;
  const Suite & heavy = suite("cs-classicmceliece348864-aesgcm-mldsa44");
  options.identities = {heavy.signature};
  options.settings.suites = SuitePolicy({&suite(options.suite), &heavy});
  options.settings.prefetch_airtime = 1;
  options.settings.paths.links = {
    {.name = "radio", .type = LinkType::serial, .mtu = 320, .rate_kbit = 57.6}};
  WiredPair pair(options);
  const auto under_way = [&] { return pair.snapshot(Side::drone).pool.bytes_under_way; };
  ASSERT_TRUE(pair.run_until([&] { return under_way() > 200'000; }));
  const auto rekey = [&] {
    pair.outcomes(Side::drone).clear();
    pair.drone().request_rekey(rekey_to(nullptr), pair.now());
    EXPECT_TRUE(pair.run_until([&] { return !pair.outcomes(Side::drone).empty(); }, 5s));
    return !pair.outcomes(Side::drone).empty() && pair.outcomes(Side::drone)[0].success;
  };
  ASSERT_TRUE(rekey());
  ASSERT_EQ(pair.snapshot(Side::drone).prekeys, 0u);
  ASSERT_GT(under_way(), 200'000u);
  pair.set_datagram_filter([lost = false](Side, Bytes & frame) mutable {
    return frame.size() != want || std::exchange(lost, true);
  });
  EXPECT_TRUE(rekey());
  // The drone keeps what has come of the other one.
  EXPECT_GT(under_way(), 200'000u);
}

TEST_F(RekeyMishap, answers_that_repeat_after_a_late_proof_of_the_former_session_leave_nothing_due)
{
  const auto former = pair_.snapshot(Side::gcs).keys.front().receive_id;
  Bytes proof;
  pair_.set_datagram_filter([&](Side from, Bytes & bytes) {
    const auto header = decode_frame_header(bytes);
    const bool proves = from == Side::drone && header && header->key_id != former;
    proof = proves ? bytes : proof;
    return !proves;
  });
  RekeyCommand command = rekey_to(nullptr);
  command.ratchet = true;
  pair_.drone().request_rekey(command, pair_.now());
  ASSERT_TRUE(pair_.run_until([&] { return !proof.empty(); }));
  pair_.restart(Side::drone);
  pair_.set_datagram_filter([](Side, Bytes & bytes) { return bytes.size() != confirm; });
  const auto made = pair_.count(Side::gcs, EventKind::handshake_completed);
  ASSERT_TRUE(
    pair_.run_until([&] { return pair_.count(Side::gcs, EventKind::handshake_completed) > made; }));
  EXPECT_TRUE(pair_.send(Side::gcs, Bytes(20)));
  EXPECT_TRUE(pair_.inject(Side::gcs, proof).peer);
  EXPECT_NO_THROW(pair_.run_for(3s));
}

}  // namespace
}  // namespace pqc_tunnel::test
