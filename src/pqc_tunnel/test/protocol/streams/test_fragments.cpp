// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "protocol/peer/peer.hpp"
#include "protocol/streams/reassembly.hpp"
#include "support/hostile/insider.hpp"
#include "support/pair/rekey_command.hpp"
#include "support/pair/session_secrets.hpp"
#include "support/pair/traffic.hpp"

// Datagrams that no frame of a link holds: sealed in fragments, and put together at the other end.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

// Each byte tells its datagram and its place.
Bytes patterned(std::uint32_t n, std::size_t size)
{
  Bytes bytes = numbered(n, size);
  for (std::size_t i = 4; i < size; ++i) {
    bytes[i] = static_cast<std::uint8_t>(n * 101 + i * 7 + (i >> 8) * 13);
  }
  return bytes;
}

LinkSettings udp(std::size_t mtu, const std::string & name = "lte")
{
  return {.name = name, .mtu = mtu};
}
LinkSettings radio(std::size_t mtu, double kbit = 57.6)
{
  return {.name = "radio", .type = LinkType::serial, .mtu = mtu, .rate_kbit = kbit};
}

WiredPair::Options over(std::vector<LinkSettings> links, std::uint64_t seed = 1)
{
  WiredPair::Options options;
  options.suite = "cs-mlkem512-aesgcm-falcon512";
  options.settings.suites = SuitePolicy({&suite(options.suite)});
  options.settings.paths.links = std::move(links);
  options.seed = seed;
  return options;
}

// The frames in which a datagram of the drone leaves now. They do not arrive.
std::vector<Bytes> frames_of(WiredPair & pair, const Bytes & datagram)
{
  pair.datagrams_sent(Side::drone).clear();
  pair.set_datagram_filter([](Side from, Bytes &) { return from != Side::drone; });
  EXPECT_TRUE(pair.send(Side::drone, datagram));
  pair.set_datagram_filter(nullptr);
  return pair.datagrams_sent(Side::drone);
}

bool is_data(const Bytes & datagram) { return decode_frame_header(datagram).has_value(); }

TEST(Fragments, of_any_length_up_to_an_ethernet_frame_arrive_on_any_link)
{
  for (const auto & link : {udp(100), udp(256), udp(1452), radio(252), radio(160, 19.2)}) {
    WiredPair pair(over({link}));
    ASSERT_TRUE(pair.establish());
    pair.run_for(5s);
    for (const std::size_t size : {1U, 76U, 279U, 330U, 532U, 1064U, 1427U, 1428U, 1500U}) {
      for (const Side from : both_sides) {
        pair.received(other(from)).clear();
        pair.offer(from, patterned(7, size));
        pair.run_for(3s);
        ASSERT_EQ(pair.received(other(from)).size(), 1U) << link.name << link.mtu << ": " << size;
        EXPECT_EQ(pair.received(other(from)).front(), patterned(7, size));
      }
    }
    EXPECT_EQ(pair.drops(Side::drone) + pair.drops(Side::gcs), 0U);
  }
}

TEST(Fragments, count_as_one_datagram_at_both_ends)
{
  WiredPair pair(over({udp(256)}));
  ASSERT_TRUE(pair.establish());
  pair.offer(Side::drone, patterned(1, 1000));
  pair.run_for(100ms);
  EXPECT_EQ(pair.snapshot(Side::drone).traffic.plain_in_packets, 1U);
  EXPECT_EQ(pair.snapshot(Side::drone).traffic.plain_in_bytes, 1000U);
  EXPECT_EQ(pair.snapshot(Side::gcs).traffic.plain_out_packets, 1U);
  EXPECT_EQ(pair.snapshot(Side::gcs).traffic.plain_out_bytes, 1000U);
  const auto & out = pair.snapshot(Side::drone).traffic;
  EXPECT_EQ(out.cipher_out_packets, pair.snapshot(Side::gcs).traffic.cipher_in_packets);
}

TEST(Fragments, of_what_is_longer_than_an_ethernet_frame_never_leave)
{
  WiredPair pair(over({udp(256)}));
  ASSERT_TRUE(pair.establish());
  EXPECT_FALSE(pair.send(Side::drone, Bytes(1501)));
  EXPECT_EQ(pair.drops(Side::drone, Drop::oversize), 1U);
}

TEST(Fragments, without_keys_are_one_datagram_without_a_session)
{
  WiredPair pair(over({udp(256)}));
  EXPECT_FALSE(pair.send(Side::drone, Bytes(999)));
  EXPECT_EQ(pair.drops(Side::drone, Drop::no_session), 1U);
}

TEST(Fragments, whose_session_is_wiped_while_they_wait_are_dropped)
{
  WiredPair pair(over({radio(256)}));
  ASSERT_TRUE(pair.establish());
  pair.run_for(1s);
  const auto arrived = pair.snapshot(Side::gcs).traffic.plain_out_packets;
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(pair.send(Side::drone, patterned(i, 999)));
  }
  pair.set_datagram_filter([](Side, Bytes &) { return false; });
  pair.drone().wipe(PeerIndex{0}, "by hand", pair.now());
  pair.run_for(2s);
  EXPECT_EQ(pair.snapshot(Side::gcs).traffic.plain_out_packets, arrived);
  EXPECT_GT(pair.drops(Side::drone, Drop::no_session), 0U);
}

class LosingFragments : public testing::Test
{
protected:
  LosingFragments() : pair_(over({udp(256)})), insider_(pair_)
  {
    EXPECT_TRUE(pair_.establish());
    pair_.run_for(1s);
  }

  std::vector<Bytes> sealed(const Bytes & datagram) { return frames_of(pair_, datagram); }
  void arrive(const Bytes & frame)
  {
    pair_.deliver_later(Side::gcs, frame, WiredPair::address_of(Side::drone), 0ms);
    pair_.run_for(0ms);
  }
  std::deque<Bytes> & received() { return pair_.received(Side::gcs); }

  WiredPair pair_;
  Insider insider_;
};

TEST_F(LosingFragments, loses_the_datagram_and_is_counted_by_name)
{
  const auto frames = sealed(patterned(1, 600));
  ASSERT_EQ(frames.size(), 3U);
  arrive(frames[0]);
  arrive(frames[2]);
  EXPECT_TRUE(received().empty());
  pair_.run_for(2s);
  EXPECT_EQ(pair_.drops(Side::gcs, Drop::incomplete), 1U);
  arrive(frames[1]);
  EXPECT_TRUE(received().empty());
}

TEST_F(LosingFragments, completes_it_in_any_order_and_takes_no_copy)
{
  const auto frames = sealed(patterned(1, 600));
  for (const std::size_t which : {2U, 0U, 0U, 2U, 1U, 1U, 0U}) {
    arrive(frames[which]);
  }
  EXPECT_EQ(received(), std::deque<Bytes>{patterned(1, 600)});
  EXPECT_EQ(pair_.drops(Side::gcs, Drop::replay), 4U);
  EXPECT_EQ(pair_.drops(Side::gcs, Drop::malformed), 0U);
}

TEST_F(LosingFragments, delivers_nothing_of_which_a_fragment_was_held_back)
{
  for (std::size_t held = 0; held < 3; ++held) {
    const auto frames = sealed(patterned(1, 600));
    for (std::size_t i = 0; i < 3; ++i) {
      if (i != held) {
        arrive(frames[i]);
      }
    }
    pair_.run_for(1200ms);
    arrive(frames[held]);
    EXPECT_TRUE(received().empty()) << held;
  }
}

TEST_F(LosingFragments, completes_no_datagram_with_fragments_of_another)
{
  const auto one = sealed(patterned(1, 600));
  const auto two = sealed(patterned(2, 600));
  arrive(one[0]);
  arrive(two[1]);
  arrive(one[2]);
  EXPECT_TRUE(received().empty());
  arrive(two[0]);
  arrive(two[2]);
  EXPECT_EQ(received(), std::deque<Bytes>{patterned(2, 600)});
}

TEST_F(LosingFragments, is_forgotten_when_the_keys_are_wiped)
{
  const auto frames = sealed(patterned(1, 600));
  arrive(frames[0]);
  pair_.gcs().wipe(PeerIndex{0}, "in a test", pair_.now());
  ASSERT_TRUE(pair_.establish());
  pair_.run_for(3s);
  EXPECT_EQ(pair_.drops(Side::gcs, Drop::incomplete), 0U);
}

// A fleet member that begins datagrams and never ends them holds a few of them, and costs nobody anything else.
TEST_F(LosingFragments, of_a_hostile_peer_by_the_thousand_gives_up_its_own)
{
  Bytes beginning(fragment_header + 100, 1);
  write_fragment_header(std::span(beginning).first<3>(), {0, false}, 0);
  for (int i = 0; i < 1000; ++i) {
    pair_.inject(Side::gcs, insider_.seal(Side::drone, FrameKind::fragment, beginning));
  }
  EXPECT_EQ(pair_.drops(Side::gcs, Drop::incomplete), 1000U - Reassembly::most_datagrams);
  EXPECT_TRUE(received().empty());
}

TEST(Fragments, begun_under_the_keys_of_before_leave_again_and_arrive_after_a_ratchet)
{
  for (const Side from : both_sides) {
    auto options = over({radio(160, 19.2)});
    options.settings.prefetch_max_bytes = 0;  // so that no stream has frames of that length
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    pair.run_for(20s);
    const auto sealed_before = pair.snapshot(from).traffic.cipher_out_packets;
    pair.offer(from, patterned(1, 1500));
    pair.datagrams_sent(from).clear();
    ASSERT_TRUE(pair.run_until(
      [&] { return std::ranges::count(pair.datagrams_sent(from), 160U, &Bytes::size) == 1; }));
    RekeyCommand command = rekey_to(nullptr);
    command.ratchet = true;
    pair.drone().request_rekey(command, pair.now());
    ASSERT_TRUE(pair.run_until([&] { return pair.snapshot(from).epoch == Epoch{1}; }));
    EXPECT_TRUE(pair.received(other(from)).empty()) << "too early to tell";
    pair.run_for(6s);
    EXPECT_EQ(pair.received(other(from)), std::deque<Bytes>{patterned(1, 1500)});
    EXPECT_EQ(pair.drops(from), 0U);
    EXPECT_GT(pair.snapshot(from).traffic.cipher_out_packets, sealed_before + 12);
    EXPECT_EQ(pair.snapshot(from).traffic.plain_in_packets, 1U);
    EXPECT_EQ(pair.drops(other(from), Drop::incomplete), 0U);
  }
}

// A fragment names the frame with the first one by how many frames ago it was sealed, under the same keys.
TEST(Fragments, begin_again_under_other_keys_and_long_after_the_first)
{
  TunnelSettings settings;
  SeededRandom random(1);
  Outbox outbox;
  Peer peer(PeerIndex{0}, "drone", Role::gcs, settings, random, outbox);
  const auto use_keys = [&](std::uint8_t number) {
    EpochSecrets secrets = filled_secrets(number);
    secrets.transcript.fill(number);
    peer.keys().install_for_sending(std::make_unique<EpochKeys>(
      EpochName{&suite("cs-mlkem512-aesgcm-falcon512"), SessionId{}, Epoch{number}}, Role::gcs,
      std::move(secrets), settings, Instant{}, std::make_shared<PeerClock>()));
  };
  FragmentOrigin origin;
  const auto seal_fragment = [&](std::size_t offset) {
    Bytes frame(252);
    return peer.seal_fragment(frame, {offset, false}, origin, Instant{});
  };
  const auto seal_others = [&](std::uint64_t frames) {
    for (std::uint64_t i = 0; i < frames; ++i) {
      Bytes frame(frame_overhead + 4);
      ASSERT_TRUE(peer.seal(FrameKind::data, 1, frame, Instant{}));
    }
  };
  use_keys(1);
  ASSERT_EQ(seal_fragment(0), SealedFragment::sealed);
  seal_others(most_back - 1);
  EXPECT_EQ(seal_fragment(200), SealedFragment::sealed);
  EXPECT_EQ(seal_fragment(400), SealedFragment::begin_again);

  ASSERT_EQ(seal_fragment(0), SealedFragment::sealed);
  use_keys(2);
  seal_others(2 * most_back);  // more than under the keys of before
  EXPECT_EQ(seal_fragment(200), SealedFragment::begin_again);
}

// Random datagrams over a random link.
class RandomFragments
{
public:
  explicit RandomFragments(std::uint64_t seed)
  : random_(seed), ordered_(seed % 3 == 0), pair_(over({link(seed)}, seed))
  {
    pair_.set_channel([this](Side, Bytes & datagram) { return travel(datagram); });
  }

  void run()
  {
    ASSERT_TRUE(pair_.run_until([this] { return pair_.agreed(); }, 120s));
    mishaps_ = true;
    for (int i = 0; i < 300; ++i) {
      if (i % 40 == 0 && pair_.snapshot(Side::drone).state == PeerState::established) {
        pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
      }
      const Side from = random_.uniform() < 0.5 ? Side::drone : Side::gcs;
      const std::size_t size = 4 + static_cast<std::size_t>(random_.uniform() * 1497);
      sent_[from].push_back(patterned(static_cast<std::uint32_t>(sent_[from].size()), size));
      pair_.offer(from, sent_[from].back());
      pair_.run_for(std::chrono::milliseconds(static_cast<int>(random_.uniform() * 400)));
    }
    mishaps_ = false;
    pair_.run_for(10s);
    for (const Side from : both_sides) {
      check(from);
    }
  }
  std::size_t arrived() const { return arrived_; }

private:
  LinkSettings link(std::uint64_t seed)
  {
    const auto mtu = 160 + static_cast<std::size_t>(random_.uniform() * 1340);
    return seed % 2 == 0 ? udp(mtu) : radio(mtu, 57.6 + 200 * random_.uniform());
  }
  std::vector<Duration> travel(const Bytes & datagram)
  {
    if (!mishaps_ || !is_data(datagram)) {
      return {0ms};
    }
    if (random_.uniform() < 0.05) {
      return {};
    }
    std::vector<Duration> copies = {jitter()};
    if (random_.uniform() < 0.05) {
      copies.push_back(jitter());
    }
    return copies;
  }
  Duration jitter()
  {
    return std::chrono::milliseconds(ordered_ ? 0 : static_cast<int>(random_.uniform() * 60));
  }
  // What arrives was sent, unchanged, and once; on a way that keeps the order it arrives in this order.
  void check(Side from)
  {
    std::size_t next = 0;
    std::set<std::size_t> seen;
    for (const Bytes & datagram : pair_.received(other(from))) {
      const auto & sent = sent_[from];
      const auto found = std::ranges::find(sent, datagram);
      ASSERT_NE(found, sent.end()) << "made up, or a mixture";
      const auto number = static_cast<std::size_t>(found - sent.begin());
      EXPECT_TRUE(seen.insert(number).second) << "twice";
      if (ordered_) {
        EXPECT_GE(number, next);
      }
      next = number + 1;
      ++arrived_;
    }
  }

  SeededRandom random_;
  bool ordered_;
  bool mishaps_ = false;
  WiredPair pair_;
  std::map<Side, std::vector<Bytes>> sent_;
  std::size_t arrived_ = 0;
};

TEST(Fragments, of_random_datagrams_give_what_was_sent_and_never_a_mixture)
{
  std::size_t arrived = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    RandomFragments run(seed);
    run.run();
    arrived += run.arrived();
    if (testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(arrived, 24U * 150);
}

// --- Several links ---

TEST(Fragments, fit_the_narrowest_of_the_links_that_they_take_and_arrive_once)
{
  auto options = over({udp(1452), radio(252)});
  options.settings.paths.schedule = Schedule::redundant;
  WiredPair pair(options);
  ASSERT_TRUE(pair.establish());
  pair.run_for(2s);
  std::map<std::uint8_t, bool> cut;
  pair.set_link_weather([&cut](Side, std::uint8_t link) {
    return cut[link] ? std::nullopt : std::optional(Duration(link * 30ms));
  });
  std::uint32_t sent = 0;
  for (const int cut_link : {-1, 0, 1}) {
    cut[0] = cut_link == 0;
    cut[1] = cut_link == 1;
    pair.offer(Side::drone, patterned(sent, 1000));
    ++sent;
    pair.run_for(1s);
    EXPECT_EQ(pair.received(Side::gcs).size(), sent) << cut_link;
  }
  for (std::uint32_t n = 0; n < sent; ++n) {
    EXPECT_EQ(pair.received(Side::gcs)[n], patterned(n, 1000));
  }
}

TEST(Fragments, that_are_full_have_no_empty_one_behind_them)
{
  WiredPair pair(over({udp(252)}));
  ASSERT_TRUE(pair.establish());
  const std::size_t room = 252 - frame_overhead - fragment_header;
  const auto frames = frames_of(pair, Bytes(2 * room));
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].size() + frames[1].size(), 2 * 252U);
}

TEST(Fragments, of_one_datagram_may_come_by_different_links)
{
  WiredPair pair(over({udp(252), udp(252, "wlan")}));
  ASSERT_TRUE(pair.establish());
  const auto frames = frames_of(pair, patterned(1, 600));
  ASSERT_EQ(frames.size(), 3U);
  for (std::uint8_t i = 0; i < 3; ++i) {
    pair.deliver_later(Side::gcs, frames[i], WiredPair::address_of(Side::drone, i % 2), 1ms);
  }
  pair.run_for(10ms);
  EXPECT_EQ(pair.received(Side::gcs), std::deque<Bytes>{patterned(1, 600)});
}

}  // namespace
}  // namespace pqc_tunnel::test
