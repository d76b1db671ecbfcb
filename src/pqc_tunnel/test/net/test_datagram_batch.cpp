// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "net/datagram_batch.hpp"
#include "net/sockets.hpp"
#include "support/application.hpp"

namespace pqc_tunnel
{
namespace
{

using namespace std::chrono_literals;

constexpr std::size_t headroom = 22;
constexpr std::size_t tailroom = 16;
constexpr std::size_t max_datagram = 100;

class DatagramBatch : public ::testing::Test
{
protected:
  DatagramBatch() : socket_(*open_datagram_socket({"127.0.0.1", 0}, 1 << 20, "a test"))
  {
    application_.connect(socket_.port);
  }

  static Endpoint loopback_endpoint(std::uint16_t port)
  {
    Endpoint endpoint;
    endpoint.family = AddressFamily::ipv4;
    endpoint.port = port;
    endpoint.address = {127, 0, 0, 1};
    return endpoint;
  }

  // The loopback delivers before send() returns.
  std::size_t receive(Duration since_last = {})
  {
    return batch_.receive(socket_.fd.get(), now_ += since_last);
  }

  Instant now_;
  Socket socket_;
  Application application_;
  ReceiveBatch batch_{headroom, max_datagram, tailroom};
};

TEST_F(DatagramBatch, one_call_receives_at_most_a_batch_in_order)
{
  for (std::size_t i = 0; i < batch_size + 10; ++i) {
    application_.send(Bytes(1, static_cast<std::uint8_t>(i)));
  }
  ASSERT_EQ(receive(), batch_size);
  for (std::size_t i = 0; i < batch_size; ++i) {
    EXPECT_EQ(batch_.datagram(i)[0], i);
  }
  EXPECT_EQ(receive(), 10u);
  EXPECT_EQ(batch_.datagram(0)[0], batch_size);
  EXPECT_EQ(receive(), 0u);
}

TEST_F(DatagramBatch, after_a_pause_one_datagram_is_received_and_soon_after_it_the_rest)
{
  for (std::uint8_t i = 0; i < 5; ++i) {
    application_.send(Bytes(1, i));
  }
  EXPECT_EQ(receive(std::chrono::milliseconds(3)), 1u);
  EXPECT_EQ(batch_.datagram(0)[0], 0);
  EXPECT_EQ(receive(std::chrono::microseconds(20)), 4u);
  EXPECT_EQ(batch_.datagram(0)[0], 1);
  EXPECT_EQ(batch_.datagram(3)[0], 4);
  EXPECT_EQ(receive(std::chrono::milliseconds(3)), 0u);
}

TEST_F(DatagramBatch, every_datagram_lies_in_a_frame_of_its_own)
{
  const Bytes full(max_datagram, 0xaa);
  for (std::size_t i = 0; i < batch_size; ++i) {
    application_.send(full);
  }
  ASSERT_EQ(receive(), batch_size);
  for (std::size_t i = 0; i < batch_size; ++i) {
    const MutableBytes frame = batch_.framed(i);
    ASSERT_EQ(frame.size(), headroom + max_datagram + tailroom);
    ASSERT_EQ(frame.data() + headroom, batch_.datagram(i).data());
    std::fill(frame.begin(), frame.begin() + headroom, std::uint8_t{0x11});
    std::fill(frame.end() - tailroom, frame.end(), std::uint8_t{0x22});
  }
  for (std::size_t i = 0; i < batch_size; ++i) {
    const MutableBytes datagram = batch_.datagram(i);
    EXPECT_TRUE(std::equal(datagram.begin(), datagram.end(), full.begin(), full.end())) << i;
  }
}

TEST_F(DatagramBatch, only_a_datagram_beyond_the_limit_is_truncated)
{
  application_.send(Bytes(max_datagram));
  application_.send(Bytes(max_datagram + 1));
  application_.send(Bytes(10 * max_datagram));
  application_.send({});
  ASSERT_EQ(receive(), 4u);
  EXPECT_FALSE(batch_.truncated(0));
  EXPECT_TRUE(batch_.truncated(1));
  EXPECT_TRUE(batch_.truncated(2));
  EXPECT_FALSE(batch_.truncated(3));
  EXPECT_EQ(batch_.datagram(3).size(), 0u);
}

TEST_F(DatagramBatch, the_source_is_the_address_of_the_sender)
{
  application_.send(Bytes(1));
  ASSERT_EQ(receive(), 1u);
  EXPECT_EQ(to_endpoint(batch_.source(0)), loopback_endpoint(application_.port()));
}

TEST_F(DatagramBatch, a_batch_goes_to_several_destinations_in_order)
{
  const Application other;
  const Bytes first{1};
  const Bytes second{2};
  SendBatch batch;
  ASSERT_TRUE(batch.add(first, loopback_endpoint(application_.port()), socket_.family));
  ASSERT_TRUE(batch.add(second, loopback_endpoint(other.port()), socket_.family));
  batch.flush(socket_.fd.get(), [](std::size_t, bool) { ADD_FAILURE() << "refused"; });
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(application_.receive(), first);
  EXPECT_EQ(other.receive(), second);
}

TEST_F(DatagramBatch, destinations_may_alternate_with_ones_that_cannot_be_reached)
{
  const Application other;
  const std::array<const Application *, 2> applications{&application_, &other};
  SendBatch batch;
  for (int round = 0; round < 3; ++round) {
    std::vector<Bytes> sent;
    sent.reserve(batch_size);
    for (std::size_t i = 0; i < batch_size; ++i) {
      EXPECT_FALSE(batch.add(Bytes{0}, Endpoint{}, socket_.family));
      sent.push_back({static_cast<std::uint8_t>(i)});
      ASSERT_TRUE(
        batch.add(sent.back(), loopback_endpoint(applications[i % 2]->port()), socket_.family));
    }
    batch.flush(socket_.fd.get(), [](std::size_t, bool) { ADD_FAILURE() << "refused"; });
    for (std::size_t i = 0; i < batch_size; ++i) {
      EXPECT_EQ(applications[i % 2]->receive(), sent[i]);
    }
  }
}

TEST_F(DatagramBatch, a_rejected_datagram_is_reported_with_its_owner_and_the_rest_is_sent)
{
  const Bytes small{1};
  const Bytes huge(70000);
  const Endpoint to = loopback_endpoint(application_.port());
  SendBatch batch;
  ASSERT_TRUE(batch.add(small, to, socket_.family, 10));
  ASSERT_TRUE(batch.add(huge, to, socket_.family, 11));
  ASSERT_TRUE(batch.add(small, loopback_endpoint(0), socket_.family, 12));
  ASSERT_TRUE(batch.add(small, to, socket_.family, 13));
  std::vector<std::pair<std::size_t, bool>> refused;
  batch.flush(socket_.fd.get(), [&refused](std::size_t owner, bool oversize) {
    refused.emplace_back(owner, oversize);
  });
  EXPECT_EQ(refused, (std::vector<std::pair<std::size_t, bool>>{{11, true}, {12, false}}));
  EXPECT_EQ(batch.refusal(), EINVAL);  // for port 0
  EXPECT_EQ(application_.receive(), small);
  EXPECT_EQ(application_.receive(), small);
}

TEST_F(DatagramBatch, a_destination_of_another_family_or_a_full_batch_is_rejected)
{
  Endpoint v6;
  v6.family = AddressFamily::ipv6;
  v6.port = 1;
  const Bytes bytes{1};
  SendBatch batch;
  EXPECT_FALSE(batch.add(bytes, v6, SocketFamily::ipv4));
  EXPECT_FALSE(batch.add(bytes, Endpoint{}, SocketFamily::ipv4));
  for (std::size_t i = 0; i < batch_size; ++i) {
    EXPECT_TRUE(batch.add(bytes, loopback_endpoint(9), SocketFamily::ipv4));
  }
  EXPECT_FALSE(batch.add(bytes, loopback_endpoint(9), SocketFamily::ipv4));
}

TEST(StampClock, tells_the_age_of_stamps_from_before_and_after_the_clock_was_set)
{
  using std::chrono::hours, std::chrono::milliseconds, std::chrono::seconds;
  for (const Duration set_by :
       {Duration(-24h), Duration(-60s), Duration(60s), Duration(24h), Duration(56 * 365 * 24h)})
  {
    StampClock clock;
    Instant now = Instant{} + seconds(100);
    Duration system = hours(24 * 365 * 57);
    clock.read(now, system);
    const Duration before = system;
    EXPECT_EQ(clock.age(before - milliseconds(3)), milliseconds(3));
    EXPECT_EQ(clock.age(before + milliseconds(3)), Duration{});

    clock.read(now += milliseconds(10), system += milliseconds(10) + set_by);
    EXPECT_EQ(clock.age(before), milliseconds(10));
    EXPECT_EQ(clock.age(before + set_by + milliseconds(7)), milliseconds(3));
    // Both clocks are not read at the same moment.
    EXPECT_EQ(clock.age(before + milliseconds(12)), Duration{});
    EXPECT_EQ(clock.age(before + set_by + milliseconds(12)), Duration{});

    clock.read(now += seconds(30), system += seconds(30));
    EXPECT_EQ(clock.age(system - seconds(5)), seconds(5));
  }
}

}  // namespace
}  // namespace pqc_tunnel
