// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/pair/traffic.hpp"

// Effects of the network on datagrams, and the counter of each dropped one.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

class Datagram : public testing::TestWithParam<Side>
{
protected:
  Datagram() { EXPECT_TRUE(pair_.establish()); }

  Side from() const { return GetParam(); }
  Side to() const { return other(GetParam()); }

  // A sealed data datagram that has not been delivered.
  Bytes withheld(ByteView plaintext)
  {
    Bytes kept;
    pair_.set_datagram_filter([&](Side side, Bytes & bytes) {
      if (side == from()) {
        kept = bytes;
        return false;
      }
      return true;
    });
    EXPECT_TRUE(pair_.send(from(), plaintext));
    pair_.set_datagram_filter(nullptr);
    return kept;
  }
  // The class in which the receiver counts it; nothing if it took it.
  std::optional<Drop> fate(const Bytes & datagram)
  {
    std::array<std::uint64_t, drop_classes> before{};
    for (std::size_t i = 0; i < drop_classes; ++i) {
      before[i] = pair_.drops(to(), Drop{static_cast<std::uint8_t>(i)});
    }
    const bool taken = pair_.inject(to(), datagram).peer.has_value();
    std::optional<Drop> found;
    for (std::size_t i = 0; i < drop_classes; ++i) {
      const Drop drop{static_cast<std::uint8_t>(i)};
      if (pair_.drops(to(), drop) != before[i]) {
        EXPECT_FALSE(found) << "counted twice";
        EXPECT_EQ(pair_.drops(to(), drop), before[i] + 1);
        found = drop;
      }
    }
    EXPECT_EQ(taken, !found);
    return found;
  }

  WiredPair pair_;
};

TEST_P(Datagram, that_is_lost_is_the_only_one_missing)
{
  Traffic traffic(pair_);
  pair_.set_channel([this](Side, Bytes &) {
    return pair_.random().uniform() < 0.3 ? std::vector<Duration>{} : std::vector<Duration>{0ms};
  });
  traffic.run_for(2s);
  pair_.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_at_most_once(to()));
  EXPECT_NEAR(static_cast<double>(pair_.received(to()).size()), 1400, 150);
  EXPECT_EQ(pair_.drops(to()), 0u);
}

TEST_P(Datagram, that_arrives_thrice_is_delivered_once_and_counted_as_replay_twice)
{
  pair_.set_channel([](Side, Bytes &) { return std::vector<Duration>{0ms, 0ms, 3ms}; });
  const std::size_t before = pair_.datagrams_sent(from()).size();
  Traffic traffic(pair_);
  traffic.run_for(500ms);
  pair_.run_for(50ms);
  EXPECT_TRUE(traffic.arrived_exactly(to()));
  const std::size_t sent = pair_.datagrams_sent(from()).size() - before;
  EXPECT_EQ(pair_.drops(to(), Drop::replay), 2 * sent);
  EXPECT_EQ(pair_.drops(to()), 2 * sent);
  EXPECT_EQ(pair_.snapshot(to()).link.duplicates, 2 * sent);
}

TEST_P(Datagram, that_arrives_late_within_the_window_is_delivered)
{
  Traffic traffic(pair_);
  pair_.set_channel([this](Side, Bytes &) {
    return std::vector<Duration>{
      std::chrono::milliseconds(static_cast<int>(pair_.random().uniform() * 800))};
  });
  traffic.run_for(2s);
  pair_.run_for(1s);
  EXPECT_TRUE(traffic.arrived_at_most_once(to()));
  EXPECT_EQ(pair_.received(to()).size(), traffic.sent(from()));
  EXPECT_EQ(pair_.drops(to()), 0u);
}

TEST_P(Datagram, that_falls_behind_the_window_is_counted_as_old)
{
  const Bytes late = withheld(numbered(1));
  const Bytes just_in_time = withheld(numbered(2));
  for (std::uint32_t i = 0; i + 1 < TunnelSettings().replay_window; ++i) {
    pair_.send(from(), numbered(100 + i));
  }
  pair_.run_for(20ms);
  EXPECT_EQ(fate(just_in_time), std::nullopt);
  EXPECT_EQ(fate(late), Drop::seq_old);
}

TEST_P(Datagram, with_any_byte_changed_is_dropped_and_the_genuine_one_still_taken)
{
  const Bytes genuine = withheld(numbered(7, 100));
  for (std::size_t at = 0; at < genuine.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      Bytes changed = genuine;
      changed[at] ^= static_cast<std::uint8_t>(1u << bit);
      const auto dropped = fate(changed);
      ASSERT_TRUE(dropped) << at;
      if (at == 0 && bit >= 6) {
        EXPECT_EQ(dropped, Drop::malformed);  // another form
      } else if (at <= 2) {
        EXPECT_EQ(dropped, Drop::unknown) << at;  // the key id
      } else if (at <= 5) {
        EXPECT_TRUE(
          dropped == Drop::auth_fail || dropped == Drop::replay || dropped == Drop::decrypt_fail ||
          dropped == Drop::seq_old)
          << at;
      } else {
        EXPECT_EQ(dropped, Drop::auth_fail) << at;
      }
    }
  }
  EXPECT_EQ(fate(genuine), std::nullopt);
  EXPECT_EQ(fate(genuine), Drop::replay);
}

TEST_P(Datagram, cut_short_or_lengthened_is_dropped)
{
  const Bytes genuine = withheld(numbered(7, 100));
  for (std::size_t size = 0; size < genuine.size(); ++size) {
    const auto end = genuine.begin() + static_cast<std::ptrdiff_t>(size);
    ASSERT_EQ(
      fate(Bytes(genuine.begin(), end)), size < frame_overhead ? Drop::malformed : Drop::auth_fail);
  }
  Bytes longer = genuine;
  longer.push_back(0);
  EXPECT_EQ(fate(longer), Drop::auth_fail);
  EXPECT_EQ(fate(genuine), std::nullopt);
}

TEST_P(Datagram, reflected_to_its_sender_is_dropped)
{
  const Bytes genuine = withheld(numbered(7));
  const auto before = pair_.drops(from(), Drop::unknown);
  EXPECT_FALSE(pair_.inject(from(), genuine).peer);
  EXPECT_EQ(pair_.drops(from(), Drop::unknown), before + 1);
}

TEST_P(Datagram, of_another_pair_is_unknown)
{
  WiredPair::Options options;
  options.seed = 2;
  WiredPair another(options);
  ASSERT_TRUE(another.establish());
  another.send(from(), numbered(1));
  EXPECT_EQ(fate(another.datagrams_sent(from()).back()), Drop::unknown);
}

TEST_P(Datagram, of_control_replayed_has_no_effect)
{
  pair_.run_for(3s);
  const auto jobs = pair_.jobs_run(Side::gcs);
  pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
  ASSERT_TRUE(pair_.run_until([&] { return !pair_.outcomes(Side::drone).empty(); }));
  pair_.run_for(50ms);
  const auto jobs_after = pair_.jobs_run(Side::gcs);
  EXPECT_GT(jobs_after, jobs);
  const auto said = pair_.snapshot(to()).traffic.control_out;
  const auto all = pair_.datagrams_sent(from());
  for (const Bytes & datagram : all) {
    if (!is_hello(datagram)) {
      const auto dropped = fate(datagram);
      EXPECT_TRUE(dropped == Drop::replay || dropped == Drop::unknown);  // those under boot keys
    }
  }
  EXPECT_EQ(pair_.jobs_run(Side::gcs), jobs_after);
  EXPECT_EQ(pair_.snapshot(to()).traffic.control_out, said);
  // Once the overlap is over, those of the former epoch look like those of a stranger.
  pair_.run_for(2100ms);
  const auto former = all.at(all.size() / 2);
  EXPECT_EQ(fate(former), Drop::unknown);
}

TEST_P(Datagram, of_the_former_epoch_is_delivered_during_the_overlap_and_never_after)
{
  const Bytes first = withheld(numbered(1));
  const Bytes second = withheld(numbered(2));
  pair_.drone().request_rekey(rekey_to(nullptr), pair_.now());
  ASSERT_TRUE(
    pair_.run_until([&] { return pair_.agreed() && pair_.snapshot(Side::gcs).epoch == Epoch{1}; }));
  pair_.run_for(900ms);
  EXPECT_EQ(fate(first), std::nullopt);
  pair_.run_for(200ms);
  EXPECT_EQ(fate(second), Drop::seq_old);  // it was held back
  pair_.run_for(1000ms);
  EXPECT_EQ(fate(second), Drop::unknown);
}

TEST_P(Datagram, of_any_size_up_to_the_limit_of_the_link_passes_and_a_longer_one_is_counted)
{
  for (const std::size_t size : {0u, 1u, 2u, 1448u, 1449u}) {
    ASSERT_TRUE(pair_.send(from(), numbered(9, size))) << size;
    pair_.run_for(20ms);
    ASSERT_EQ(pair_.received(to()).size(), 1u) << size;
    EXPECT_EQ(pair_.received(to()).front(), numbered(9, size));
    pair_.received(to()).clear();
  }
  EXPECT_FALSE(pair_.send(from(), numbered(9, 1450)));
  EXPECT_EQ(pair_.drops(from(), Drop::oversize), 1u);
}

TEST_P(Datagram, from_a_stranger_is_dropped_and_counted)
{
  EXPECT_EQ(fate({}), Drop::malformed);
  EXPECT_EQ(fate(Bytes(22, 0x40)), Drop::malformed);
  EXPECT_EQ(fate(Bytes(25, 0x40)), Drop::unknown);
  EXPECT_EQ(fate(Bytes(1500, 0x40)), Drop::unknown);
  EXPECT_EQ(fate(Bytes(1500, 0x10)), Drop::malformed);
  EXPECT_EQ(fate(Bytes(1500, 0xc0)), Drop::malformed);
}

TEST_P(Datagram, counters_add_up)
{
  Traffic traffic(pair_);
  traffic.run_for(1s);
  pair_.run_for(50ms);
  const TrafficCounters out = pair_.snapshot(from()).traffic;
  const TrafficCounters in = pair_.snapshot(to()).traffic;
  EXPECT_EQ(out.plain_in_packets, 1000u);
  EXPECT_EQ(out.plain_in_bytes, 40'000u);
  EXPECT_EQ(in.plain_out_packets, 1000u);
  EXPECT_EQ(in.plain_out_bytes, 40'000u);
  EXPECT_EQ(out.cipher_out_packets, in.cipher_in_packets);
  EXPECT_EQ(out.cipher_out_bytes, in.cipher_in_bytes);
  EXPECT_GE(out.cipher_out_packets, out.plain_in_packets + out.control_out);  // and streams
  EXPECT_EQ(out.control_out, in.control_in);
}

std::string direction(const testing::TestParamInfo<Side> & info)
{
  return info.param == Side::drone ? "up" : "down";
}

INSTANTIATE_TEST_SUITE_P(BothWays, Datagram, testing::Values(Side::drone, Side::gcs), direction);

TEST(SerialLine, that_changes_a_byte_has_a_malformed_frame_and_no_forged_one)
{
  for (const LinkType type : {LinkType::serial, LinkType::udp}) {
    WiredPair::Options options;
    options.settings.paths.links[0].type = type;
    WiredPair pair(options);
    ASSERT_TRUE(pair.establish());
    pair.set_datagram_filter([&](Side from, Bytes & bytes) {
      bytes.back() ^= from == Side::drone ? 1 : 0;
      return true;
    });
    EXPECT_TRUE(pair.send(Side::drone, Bytes(40)));
    pair.set_datagram_filter(nullptr);
    pair.run_for(100ms);
    const bool serial = type == LinkType::serial;
    EXPECT_EQ(pair.drops(Side::gcs, serial ? Drop::malformed : Drop::auth_fail), 1u);
    EXPECT_EQ(pair.drops(Side::gcs), 1u);
  }
}

}  // namespace
}  // namespace pqc_tunnel::test
