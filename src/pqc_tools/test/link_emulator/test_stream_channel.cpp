// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "link_emulator/stream_channel.hpp"
#include "one_way.hpp"

namespace pqc_tunnel::link_emulator
{
namespace
{

// A sender with `total` bytes that writes whenever there is room, and a receiver.
class OneWayStream
{
public:
  explicit OneWayStream(const ChannelSettings & settings, std::uint64_t seed = 1)
  : bottleneck(settings),
    channel(settings, bottleneck, counters, milliseconds(200), seed, start),
    now_(start)
  {
  }

  // Until everything has arrived; the instant when it has.
  Instant carry(std::size_t total)
  {
    for (std::size_t i = 0; i < total; ++i) {
      sent_.push_back(static_cast<std::uint8_t>(i * 31 + i / 251));
    }
    std::size_t position = 0;
    bool ended = false;
    while (!ended) {
      while (position < total && channel.room_at(now_) <= now_) {
        const std::size_t size = std::min(channel.segment_bytes(), total - position);
        channel.handle_bytes(ByteView(sent_).subspan(position, size), now_);
        position += size;
        if (position == total) {
          channel.handle_end(StreamEnd::finished, now_);
        }
      }
      while (const auto delivery = channel.poll_delivery(now_)) {
        arrivals.push_back(delivery->at);
        received.insert(received.end(), delivery->bytes.begin(), delivery->bytes.end());
        ended = ended || delivery->end == StreamEnd::finished;
      }
      const Instant room = position < total ? channel.room_at(now_) : Instant::max();
      now_ = std::max(now_, std::min(room, channel.next_timeout()));
    }
    EXPECT_EQ(received, sent_);
    return arrivals.back();
  }

  Bottleneck bottleneck;
  StreamCounters counters;
  StreamChannel channel;
  Bytes received;
  std::vector<Instant> arrivals;

private:
  Bytes sent_;
  Instant now_;
};

TEST(StreamChannel, a_clean_link_carries_a_stream_at_once)
{
  OneWayStream stream({});
  EXPECT_EQ(stream.carry(1'000'000), start);
  EXPECT_EQ(stream.counters.bytes_in, 1'000'000U);
  EXPECT_EQ(stream.counters.bytes_out, 1'000'000U);
}

TEST(StreamChannel, delay_and_rate_decide_how_long_a_stream_takes)
{
  ChannelSettings settings;
  settings.delay = milliseconds(100);
  settings.rate_bits_per_s = 800'000;
  const Duration took = OneWayStream(settings).carry(146'000) - start;
  // 100 segments of 1460 bytes and 40 of headers, and the end: 1.5 s on the link.
  EXPECT_NEAR(std::chrono::duration<double>(took).count(), 1.6, 0.005);
}

TEST(StreamChannel, loss_and_corruption_cost_time_and_no_bytes)
{
  ChannelSettings settings;
  settings.delay = milliseconds(10);
  const Instant undisturbed = OneWayStream(settings).carry(500'000);
  settings.loss = 0.05;
  settings.corrupt = 0.05;
  settings.reorder = 1.0;
  settings.reorder_delay = milliseconds(50);
  settings.duplicate = 1.0;
  OneWayStream stream(settings);
  EXPECT_GT(stream.carry(500'000), undisturbed + milliseconds(200));
  EXPECT_GT(stream.counters.retransmissions, 15U);
  EXPECT_EQ(stream.counters.bytes_out, 500'000U);
}

TEST(StreamChannel, bursts_count_with_their_average_loss)
{
  ChannelSettings settings;
  settings.loss = 0.05;
  settings.burst = {0.02, 0.08, 0.5};  // 0.5 of a fifth
  OneWayStream stream(settings);
  stream.carry(4'000'000);
  const auto retransmissions = static_cast<double>(stream.counters.retransmissions);
  const double attempts = retransmissions + static_cast<double>(stream.counters.segments);
  EXPECT_NEAR(retransmissions / attempts, 1.0 - 0.95 * 0.9, 0.02);
}

TEST(StreamChannel, the_same_seed_gives_the_same_instants)
{
  ChannelSettings settings;
  settings.jitter = milliseconds(10);
  settings.loss = 0.1;
  OneWayStream once(settings, 3);
  OneWayStream again(settings, 3);
  OneWayStream other(settings, 4);
  once.carry(100'000);
  again.carry(100'000);
  other.carry(100'000);
  EXPECT_EQ(once.arrivals, again.arrivals);
  EXPECT_NE(once.arrivals, other.arrivals);
}

TEST(StreamChannel, an_outage_holds_a_stream_until_its_end)
{
  ChannelSettings settings;
  settings.delay = milliseconds(10);
  settings.outages = {{milliseconds(0), milliseconds(700), std::nullopt}};
  OneWayStream stream(settings);
  EXPECT_EQ(stream.carry(10'000), start + milliseconds(710));
  EXPECT_GT(stream.counters.stalled, 0U);
}

TEST(StreamChannel, a_sender_waits_for_the_link_instead_of_overflowing_its_queue)
{
  ChannelSettings settings;
  settings.rate_bits_per_s = 80'000;
  Bottleneck bottleneck(settings);
  StreamCounters counters;
  StreamChannel channel(settings, bottleneck, counters, milliseconds(200), 1, start);
  const Bytes segment(960);  // 100 ms on the link
  EXPECT_LE(channel.room_at(start), start);
  channel.handle_bytes(segment, start);
  EXPECT_LE(channel.room_at(start), start);
  channel.handle_bytes(segment, start);
  EXPECT_EQ(channel.room_at(start), start + milliseconds(100));
}

TEST(StreamChannel, datagrams_and_streams_share_the_rate)
{
  ChannelSettings settings;
  settings.rate_bits_per_s = 80'000;
  settings.queue_bytes = 10'000;
  Bottleneck bottleneck(settings);
  StreamCounters counters;
  StreamChannel stream(settings, bottleneck, counters, milliseconds(200), 1, start);
  DatagramChannel datagrams(settings, bottleneck, 1, start);
  stream.handle_bytes(Bytes(960), start);
  datagrams.handle_datagram(Bytes(100), start);
  EXPECT_EQ(datagrams.next_timeout(), start + milliseconds(110));
}

TEST(StreamChannel, a_receiver_that_takes_nothing_stops_the_sender_in_the_end)
{
  OneWayStream stream({});
  std::size_t sent = 0;
  while (stream.channel.room_at(start) <= start) {
    stream.channel.handle_bytes(Bytes(1460), start);
    sent += 1460;
    ASSERT_LT(sent, std::size_t{8} << 20);
  }
  EXPECT_EQ(stream.channel.room_at(start), Instant::max());
}

}  // namespace
}  // namespace pqc_tunnel::link_emulator
