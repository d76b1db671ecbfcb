// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "link/shaping/shaped_line.hpp"
#include "protocol/tunnel/outbound.hpp"
#include "support/pair/session_secrets.hpp"
#include "support/pair/traffic.hpp"

// The ground station's frames on each link, opened by the drones.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;
using Datagrams = std::vector<Bytes>;

LinkSettings udp(std::size_t mtu = universal_payload) { return {.name = "lte", .mtu = mtu}; }

Bytes joined(const std::vector<Bytes> & parts)
{
  Bytes all;
  for (const Bytes & part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

class OutboundLinks : public testing::Test
{
protected:
  struct Left
  {
    std::uint8_t link;
    Endpoint to;
    Bytes bytes;
    const std::uint8_t * place;
  };

  void use(std::vector<LinkSettings> links, std::size_t drones = 1)
  {
    settings_.paths.links = std::move(links);
    peers_.clear();
    drones_.clear();
    left_.clear();
    for (std::uint32_t i = 0; i < drones; ++i) {
      peers_.emplace_back(PeerIndex{i}, "drone", Role::gcs, settings_, random_, outbox_);
      drones_.emplace_back(PeerIndex{0}, "ground", Role::drone, settings_, random_, elsewhere_);
      give_keys(peers_[i], Role::gcs, i);
      give_keys(drones_[i], Role::drone, i);
      for (std::uint8_t link = 0; link < settings_.paths.links.size(); ++link) {
        peers_[i].paths().use(address(i, link), now_);
      }
    }
    outbound_.emplace(settings_, peers_);
    arrived_.assign(drones, {});
  }
  void give_keys(Peer & peer, Role role, std::uint32_t number)
  {
    peer.keys().install_for_sending(std::make_unique<EpochKeys>(
      EpochName{&suite("cs-mlkem512-aesgcm-falcon512"), SessionId{}, Epoch{0}}, role,
      filled_secrets(static_cast<std::uint8_t>(number + 1)), settings_, now_,
      std::make_shared<PeerClock>()));
  }
  void adapt()
  {
    for (Peer & peer : peers_) {
      outbound_->adapt(peer, now_);
    }
  }
  bool report_streams()
  {
    return outbound_->report_streams(0, now_, [](PeerIndex) {});
  }
  static Endpoint address(std::uint32_t drone, std::uint8_t link)
  {
    Endpoint at = WiredPair::stranger(static_cast<std::uint8_t>(10 + drone));
    at.link = link;
    return at;
  }

  bool send(const Bytes & datagram, std::size_t drone = 0)
  {
    frame_.assign(datagram.size() + frame_overhead, 0);
    std::ranges::copy(datagram, frame_.begin() + frame_header_size);
    return outbound_->send(peers_[drone], frame_, {}, now_);
  }
  void send_all(const std::vector<Bytes> & datagrams)
  {
    for (const Bytes & datagram : datagrams) {
      EXPECT_TRUE(send(datagram));
      poll();
    }
  }
  // Takes what may leave now.
  void poll()
  {
    for (std::uint8_t link = 0; link < settings_.paths.links.size(); ++link) {
      while (const auto frame = outbound_->poll(link, now_)) {
        left_.push_back(
          {link, frame->to, {frame->bytes.begin(), frame->bytes.end()}, frame->bytes.data()});
        open(frame->peer, left_.back().bytes);
      }
    }
  }
  void run_for(Duration time)
  {
    const Instant end = now_ + time;
    for (Instant due; (due = next_transmit()) <= end; poll()) {
      now_ = std::max(now_, due);
    }
    now_ = end;
  }
  Instant next_transmit() const
  {
    Instant next = Instant::max();
    for (std::uint8_t link = 0; link < settings_.paths.links.size(); ++link) {
      next = std::min(next, outbound_->next_transmit(link));
    }
    return next;
  }
  void open(PeerIndex drone, Bytes frame)
  {
    const auto header = decode_frame_header(frame);
    if (!header) {
      return;
    }
    const auto index = static_cast<std::size_t>(drone);
    auto received = drones_[index].open(*header, frame, {}, false, now_);
    EXPECT_TRUE(!received.drop || *received.drop == Drop::replay) << "no frame of this drone";
    if (received.forward && received.bundle) {
      while (const auto one = take_from_bundle(received.plaintext)) {
        arrived_[index].emplace_back(one->begin(), one->end());
      }
    } else if (received.forward) {
      arrived_[index].emplace_back(received.plaintext.begin(), received.plaintext.end());
    }
  }
  std::size_t frames(std::uint8_t link) const
  {
    return static_cast<std::size_t>(std::ranges::count(left_, link, &Left::link));
  }
  PathReport path(std::uint8_t link = 0, std::size_t drone = 0) const
  {
    PeerSnapshot snapshot;
    snapshot.paths = peers_[drone].paths().report(now_);
    outbound_->describe(snapshot, peers_[drone].index(), now_);
    return snapshot.paths.at(link);
  }
  ShaperCounts counts(TrafficClass traffic, std::uint8_t link = 0, std::size_t drone = 0) const
  {
    return path(link, drone).shaped.at(static_cast<std::size_t>(traffic));
  }
  std::uint64_t drops(Drop drop, std::size_t drone = 0)
  {
    return peers_[drone].traffic().drops[static_cast<std::size_t>(drop)];
  }
  // The drone has sent from an address that it has not proved.
  Endpoint move(std::uint8_t link)
  {
    Endpoint moved = address(50, link);
    peers_[0].paths().handle_frame(moved, {1, 1}, 5000, now_);
    return moved;
  }
  // The application cuts frames, until this is known.
  void cut_frames()
  {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Bytes frame = mavlink(attitude, i);
      send_all({Bytes(frame.begin(), frame.begin() + 9), Bytes(frame.begin() + 9, frame.end())});
    }
    run_for(1s);
    left_.clear();
    arrived_[0].clear();
  }

  TunnelSettings settings_;
  SeededRandom random_{1};
  Outbox outbox_;
  Outbox elsewhere_;
  std::deque<Peer> peers_;
  std::deque<Peer> drones_;
  std::optional<Outbound> outbound_;
  Instant now_{1000s};
  Bytes frame_;
  std::vector<Left> left_;
  std::vector<std::vector<Bytes>> arrived_;
};

// --- A single link without a queue ---

TEST_F(OutboundLinks, that_are_plain_take_a_datagram_at_once_from_where_it_lies)
{
  use({udp()});
  EXPECT_EQ(next_transmit(), Instant::max());
  ASSERT_TRUE(send(numbered(1)));
  EXPECT_LE(next_transmit(), now_);
  poll();
  ASSERT_EQ(left_.size(), 1U);
  EXPECT_EQ(left_[0].place, frame_.data());
  EXPECT_EQ(left_[0].to, address(0, 0));
  EXPECT_EQ(arrived_[0], Datagrams{numbered(1)});
  EXPECT_EQ(next_transmit(), Instant::max());
  EXPECT_EQ(path().frames_out, 1U);
}

TEST_F(OutboundLinks, that_are_plain_take_datagrams_that_cut_frames_as_they_are)
{
  use({udp()});
  std::vector<Bytes> datagrams;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const Bytes frame = mavlink(attitude, i);
    datagrams.emplace_back(frame.begin(), frame.begin() + 9);
    datagrams.emplace_back(frame.begin() + 9, frame.end());
  }
  send_all(datagrams);
  EXPECT_EQ(arrived_[0], datagrams);
}

TEST_F(OutboundLinks, without_keys_take_nothing)
{
  for (const auto & link : {udp(300), radio()}) {
    use({link});
    peers_[0].wipe();
    EXPECT_FALSE(send(numbered(1)));
    EXPECT_FALSE(send(joined({mavlink(attitude, 1, 200), mavlink(attitude, 2, 200)})));
    EXPECT_GE(drops(Drop::no_session), 2U);
    run_for(1s);
    EXPECT_TRUE(left_.empty());
  }
}

// --- Datagrams that are too long ---

TEST_F(OutboundLinks, take_frames_in_one_datagram_as_long_as_it_fits)
{
  for (const bool is_plain : {true, false}) {
    use(
      is_plain ? std::vector<LinkSettings>{udp(252)}
               : std::vector<LinkSettings>{udp(300), radio(57.6, 252)});
    const Bytes first = mavlink(attitude, 1, 88);
    for (const std::size_t more : {0U, 1U}) {
      left_.clear();
      arrived_[0].clear();
      const Bytes second = mavlink(attitude, 2, 252 - frame_overhead - 100 - 12 + more);
      const Bytes both = joined({first, second});
      ASSERT_EQ(both.size(), 252 - frame_overhead + more);
      ASSERT_TRUE(send(both));
      poll();
      EXPECT_EQ(left_.size(), 1 + more);
      EXPECT_EQ(arrived_[0], (more == 0 ? Datagrams{both} : Datagrams{first, second}));
    }
  }
}

TEST_F(OutboundLinks, take_a_long_datagram_by_its_frames_or_else_in_fragments)
{
  for (const bool is_plain : {true, false}) {
    use(
      is_plain ? std::vector<LinkSettings>{udp(252)}
               : std::vector<LinkSettings>{udp(252), radio(57.6, 252)});
    const std::vector<Bytes> whole = {
      mavlink(attitude, 1, 200), mavlink(attitude, 2, 200), mavlink(attitude, 3, 200)};
    ASSERT_TRUE(send(joined(whole)));
    poll();
    EXPECT_EQ(arrived_[0], whole);
    arrived_[0].clear();
    left_.clear();
    ASSERT_TRUE(send(numbered(1, 600)));
    poll();
    EXPECT_EQ(left_.size(), 3U);
    EXPECT_EQ(arrived_[0], Datagrams{numbered(1, 600)});
  }
}

TEST_F(OutboundLinks, report_a_frame_of_a_datagram_that_is_too_long_and_take_the_others)
{
  settings_.max_datagram = 100;
  use({udp()});
  const Bytes frame = mavlink(attitude, 2);
  EXPECT_FALSE(send(joined({mavlink(attitude, 1, 150), frame})));
  poll();
  EXPECT_EQ(arrived_[0], Datagrams{frame});
  EXPECT_EQ(drops(Drop::oversize), 1U);
}

TEST_F(OutboundLinks, reuse_the_memory_of_frames_that_have_left)
{
  use({udp(252)});
  const Bytes both = joined({mavlink(attitude, 1, 200), mavlink(attitude, 2, 200)});
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(send(both));
    poll();
  }
  ASSERT_EQ(left_.size(), 8U);
  for (std::size_t i = 2; i < 8; ++i) {
    EXPECT_EQ(left_[i].place, left_[i - 2].place);
  }
}

// --- Datagrams that cut frames, where frames are classified ---

TEST_F(OutboundLinks, that_classify_take_each_byte_of_cut_frames_once)
{
  use({udp(), radio()});
  std::vector<Bytes> frames;
  std::vector<Bytes> datagrams;
  for (std::uint32_t i = 0; i < 8; ++i) {
    frames.push_back(mavlink(attitude, i));
    datagrams.emplace_back(frames[i].begin(), frames[i].begin() + 9);
    datagrams.emplace_back(frames[i].begin() + 9, frames[i].end());
  }
  send_all(datagrams);
  EXPECT_EQ(joined(arrived_[0]), joined(frames));
  EXPECT_EQ(arrived_[0].back(), frames.back());
  EXPECT_EQ(left_.size(), arrived_[0].size());
}

TEST_F(OutboundLinks, that_classify_take_each_byte_once_if_each_datagram_ends_within_a_frame)
{
  use({udp(), radio()});
  std::vector<Bytes> frames;
  for (std::uint32_t i = 0; i < 40; ++i) {
    frames.push_back(mavlink(attitude, i));
  }
  const Bytes stream = joined(frames);
  const std::size_t size = frames[0].size() + 1;
  for (std::size_t at = 0; at < stream.size(); at += size) {
    const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(at);
    send_all(
      {Bytes(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, stream.size() - at)))});
  }
  EXPECT_EQ(joined(arrived_[0]), stream);
  EXPECT_EQ(arrived_[0].back(), frames.back());
}

TEST_F(OutboundLinks, that_classify_report_that_one_of_the_frames_is_too_long)
{
  settings_.max_datagram = 100;
  use({udp(), radio()});
  cut_frames();
  const Bytes long_frame = mavlink(attitude, 8, 150);
  const Bytes frame = mavlink(attitude, 9);
  EXPECT_TRUE(send(Bytes(long_frame.begin(), long_frame.begin() + 9)));
  EXPECT_FALSE(send(joined({Bytes(long_frame.begin() + 9, long_frame.end()), frame})));
  poll();
  EXPECT_EQ(arrived_[0], Datagrams{frame});
}

TEST_F(OutboundLinks, that_classify_take_no_cut_frame_without_keys)
{
  use({udp(), radio()});
  cut_frames();
  peers_[0].wipe();
  EXPECT_FALSE(send(mavlink(attitude, 9)));
  EXPECT_EQ(drops(Drop::no_session), 1U);
}

TEST_F(OutboundLinks, that_classify_take_the_frames_of_a_very_long_datagram)
{
  use({udp(), radio()});
  cut_frames();
  const std::vector<Bytes> frames(10, mavlink(attitude, 1, 200));
  const Bytes all = joined(frames);
  EXPECT_TRUE(send(Bytes(all.begin(), all.begin() + 9)));
  const Bytes rest(all.begin() + 9, all.end());
  ASSERT_GT(rest.size(), settings_.longest_received());
  EXPECT_TRUE(send(rest));
  poll();
  EXPECT_EQ(arrived_[0], frames);
}

// --- Queues ---

TEST_F(OutboundLinks, that_are_redundant_carry_the_same_frame_by_socket_and_queue)
{
  settings_.paths.schedule = Schedule::redundant;
  use({radio(), udp()});
  ASSERT_TRUE(send(numbered(1)));
  ASSERT_TRUE(send(numbered(2)));
  EXPECT_EQ(counts(TrafficClass::other).waiting(), 2U);
  EXPECT_EQ(counts(TrafficClass::other, 1).offered, 0U);
  run_for(1s);
  ASSERT_EQ(frames(0), 2U);
  ASSERT_EQ(frames(1), 2U);
  EXPECT_EQ(arrived_[0], (Datagrams{numbered(1), numbered(2)}));
  EXPECT_EQ(path(0).frames_out, 2U);
  EXPECT_EQ(path(1).frames_out, 2U);
}

TEST_F(OutboundLinks, that_are_redundant_carry_the_same_fragments)
{
  settings_.paths.schedule = Schedule::redundant;
  use({radio(57.6, 252), udp()});
  ASSERT_TRUE(send(numbered(1, 600)));
  run_for(2s);
  EXPECT_EQ(frames(0), 3U);
  EXPECT_EQ(frames(1), 3U);
  EXPECT_EQ(path(0).frames_out, 3U);
  EXPECT_EQ(arrived_[0], Datagrams{numbered(1, 600)});
}

TEST_F(OutboundLinks, send_nothing_that_cannot_be_sealed_any_more)
{
  use({radio()});
  ASSERT_TRUE(send(numbered(1)));
  ASSERT_TRUE(send(numbered(1, 600)));
  peers_[0].wipe();
  run_for(2s);
  EXPECT_TRUE(left_.empty());
  EXPECT_EQ(drops(Drop::no_session), 2U);
}

TEST_F(OutboundLinks, pass_the_frames_of_the_tunnel_to_socket_or_queue)
{
  use({udp(), radio()});
  for (std::uint8_t link = 0; link < 2; ++link) {
    outbound_->send_own({PeerIndex{0}, address(0, link), Bytes(40, link)}, now_);
  }
  EXPECT_EQ(counts(TrafficClass::control, 0).offered, 0U);
  EXPECT_EQ(counts(TrafficClass::control, 1).waiting(), 1U);
  run_for(1s);
  ASSERT_EQ(left_.size(), 2U);
  for (std::uint8_t link = 0; link < 2; ++link) {
    EXPECT_EQ(left_[link].link, link);
    EXPECT_EQ(left_[link].bytes, Bytes(40, link));
    EXPECT_EQ(left_[link].to, address(0, link));
  }
}

TEST_F(OutboundLinks, that_do_not_exist_take_nothing_and_say_so)
{
  use({udp()});
  outbound_->send_own({PeerIndex{0}, address(0, 1), Bytes(40)}, now_);
  outbound_->handle_link_down(1, now_);
  outbound_->handle_arrival(1, 40);
  EXPECT_EQ(drops(Drop::queue_full), 1U);
  poll();
  EXPECT_TRUE(left_.empty());
}

// --- Copies to an address that is not proved ---

TEST_F(OutboundLinks, that_are_plain_give_copies_to_an_unproved_address)
{
  use({udp()});
  const Endpoint moved = move(0);
  ASSERT_TRUE(send(numbered(1)));
  poll();
  ASSERT_EQ(left_.size(), 2U);
  EXPECT_EQ(left_[0].to, address(0, 0));
  EXPECT_EQ(left_[1].to, moved);
  EXPECT_EQ(left_[0].bytes, left_[1].bytes);
  EXPECT_EQ(left_[1].place, frame_.data());
}

TEST_F(OutboundLinks, with_a_queue_give_copies_after_it)
{
  LinkSettings link = udp();
  link.rate_kbit = 250;
  use({link});
  const Endpoint moved = move(0);
  ASSERT_TRUE(send(numbered(1)));
  run_for(1s);
  ASSERT_EQ(left_.size(), 2U);
  EXPECT_EQ(left_[0].to, address(0, 0));
  EXPECT_EQ(left_[1].to, moved);
  EXPECT_EQ(left_[0].bytes, left_[1].bytes);
  EXPECT_EQ(counts(TrafficClass::unproved).sent, 1U);
  EXPECT_EQ(path().frames_out, 1U);
  EXPECT_EQ(arrived_[0], Datagrams{numbered(1)});
}

TEST_F(OutboundLinks, report_the_load_of_queues_only)
{
  use({udp(), radio()});
  EXPECT_FALSE(path(0).load);
  EXPECT_EQ(path(1).load, Duration{});
}

// --- Links that go down ---

TEST_F(OutboundLinks, that_are_gone_leave_what_waits_of_each_drone_to_others)
{
  use({radio(), udp()}, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(send(numbered(static_cast<std::uint32_t>(i)), i));
    outbound_->send_own(
      {peers_[i].index(), address(static_cast<std::uint32_t>(i), 0), Bytes(40)}, now_);
    peers_[i].paths().handle_link_down(0);
  }
  outbound_->handle_link_down(0, now_);
  run_for(1s);
  EXPECT_EQ(frames(0), 0U);
  EXPECT_EQ(frames(1), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(arrived_[i], Datagrams{numbered(static_cast<std::uint32_t>(i))});
    EXPECT_EQ(counts(TrafficClass::other, 0, i).offered, 0U);
    EXPECT_EQ(counts(TrafficClass::control, 0, i).stale, 1U);
  }
}

TEST_F(OutboundLinks, that_are_down_for_one_drone_still_carry_the_datagrams_of_others)
{
  use({radio(), udp()}, 2);
  ASSERT_TRUE(send(numbered(0), 0));
  ASSERT_TRUE(send(numbered(1), 1));
  peers_[1].paths().handle_link_down(0);
  adapt();
  run_for(1s);
  EXPECT_EQ(frames(0), 1U);
  EXPECT_EQ(frames(1), 1U);
  EXPECT_EQ(arrived_[0], Datagrams{numbered(0)});
  EXPECT_EQ(arrived_[1], Datagrams{numbered(1)});
}

TEST_F(OutboundLinks, that_are_not_down_keep_what_waits_although_a_better_one_is_back)
{
  use({udp(), radio()});
  peers_[0].paths().handle_link_down(0);
  ASSERT_TRUE(send(numbered(1)));
  peers_[0].paths().handle_link_up(0, now_);
  ASSERT_EQ(peers_[0].address().link, 0U);
  adapt();
  run_for(1s);
  EXPECT_EQ(frames(0), 0U);
  EXPECT_EQ(frames(1), 1U);
}

TEST_F(OutboundLinks, that_are_gone_drop_what_waits_if_there_is_no_other_one)
{
  use({udp(), radio()});
  peers_[0].paths().handle_link_down(0);
  ASSERT_TRUE(send(numbered(1)));
  peers_[0].paths().handle_link_down(1);
  adapt();
  EXPECT_EQ(counts(TrafficClass::other, 1).waiting(), 1U);
  outbound_->handle_link_down(1, now_);
  EXPECT_EQ(counts(TrafficClass::other, 1).stale, 1U);
  EXPECT_EQ(peers_[0].traffic().plain_in_packets, 0U) << "it was sealed for no link";
  EXPECT_EQ(next_transmit(), Instant::max());
}

TEST_F(OutboundLinks, that_are_silent_as_all_others_let_what_waits_grow_old)
{
  use({radio(), udp()});
  now_ += 60s;
  peers_[0].paths().handle_timeout(now_);
  ASSERT_TRUE(peers_[0].paths().is_down(0));
  ASSERT_EQ(peers_[0].address().link, 0U);
  for (std::uint32_t i = 0; i < 60; ++i) {
    send(mavlink(attitude, i));
  }
  for (int i = 0; i < 50; ++i) {
    adapt();
    now_ += 100ms;  // and the link takes nothing
  }
  poll();
  EXPECT_EQ(counts(TrafficClass::telemetry).sent, 0U);
}

// --- Streams ---

TEST_F(OutboundLinks, with_a_queue_report_that_one_of_several_drones_sent_more)
{
  use({radio()}, 2);
  report_streams();
  peers_[0].send_message(Channel::session, StreamLane::first, Bytes(2000), now_);
  ASSERT_TRUE(outbox_.has_frame());
  outbound_->send_own(outbox_.pop_frame(), now_);
  EXPECT_FALSE(outbox_.has_frame()) << "one at a time";
  EXPECT_FALSE(report_streams());
  run_for(1s);
  EXPECT_EQ(left_.size(), 1U);
  EXPECT_TRUE(report_streams());
}

TEST_F(OutboundLinks, without_a_queue_let_parts_of_a_stream_leave_together)
{
  use({udp()});
  report_streams();
  peers_[0].send_message(Channel::session, StreamLane::first, Bytes(4000), now_);
  ASSERT_TRUE(outbox_.has_frame());
  outbox_.pop_frame();
  EXPECT_TRUE(outbox_.has_frame());
}

}  // namespace
}  // namespace pqc_tunnel::test
