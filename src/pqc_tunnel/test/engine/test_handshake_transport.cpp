// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>

#include "engine/engine.hpp"
#include "engine/handshake_transport.hpp"
#include "support/application.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr ConnectionId drone_side{7};

Endpoint loopback_endpoint(std::uint16_t port)
{
  Endpoint endpoint;
  endpoint.family = AddressFamily::ipv4;
  endpoint.port = port;
  endpoint.address = {127, 0, 0, 1};
  return endpoint;
}

// One end's poller and transport, driven by hand.
struct End
{
  Poller poller;
  HandshakeTransport transport{poller, std::chrono::seconds(3)};

  // What becomes ready within a moment, at most a second when nothing does.
  std::vector<HandshakeTransport::Progress> progress;
  Bytes received;
  std::optional<ConnectionId> accepted;
  Endpoint caller_address;

  void turn()
  {
    const Instant now = monotonic_now();
    for (const epoll_event & event : poller.wait(now + std::chrono::milliseconds(20))) {
      const ReadyTag tag = ReadyTag::unpack(event.data.u64);
      if (tag.source == Source::listener) {
        if (const auto caller = transport.accept()) {
          accepted = caller->connection;
          caller_address = caller->from;
        }
      } else if (tag.source == Source::connection) {
        auto one = transport.handle_ready(ConnectionId{tag.number}, event.events, now);
        received.insert(received.end(), one.bytes.begin(), one.bytes.end());
        one.bytes = {};
        progress.push_back(std::move(one));
      }
    }
    for (auto & one : transport.handle_timeout(monotonic_now())) {
      progress.push_back(std::move(one));
    }
  }

  bool connected() const
  {
    return std::any_of(
      progress.begin(), progress.end(), [](const auto & p) { return p.connected.has_value(); });
  }
  std::optional<std::string> closed() const
  {
    for (const auto & one : progress) {
      if (one.closed) {
        return one.closed->text;
      }
    }
    return std::nullopt;
  }
};

class HandshakeTransportTest : public ::testing::Test
{
protected:
  HandshakeTransportTest()
  {
    auto listener = *open_listener({"127.0.0.1", 0}, "a test");
    port_ = listener.port;
    gcs_.transport.listen(std::move(listener));
  }

  template <class Predicate>
  bool turn_until(Predicate && predicate)
  {
    for (int i = 0; i < 1500; ++i) {
      if (predicate()) {
        return true;
      }
      gcs_.turn();
      drone_.turn();
    }
    return false;
  }

  void connect()
  {
    drone_.transport.connect(drone_side, {loopback_endpoint(port_)}, monotonic_now());
    ASSERT_TRUE(turn_until([this] { return gcs_.accepted && drone_.connected(); }));
  }

  // A port without a listener.
  static std::uint16_t closed_port() { return open_listener({"127.0.0.1", 0}, "a test")->port; }

  std::uint16_t port_ = 0;
  End gcs_;
  End drone_;
};

TEST_F(HandshakeTransportTest, connections_come_from_the_address_that_datagrams_come_from)
{
  const Socket link = *open_datagram_socket({"127.0.0.9", 0}, 1 << 16, "a test");
  drone_.transport.connect_from(bound_address(link.fd.get()));
  connect();
  EXPECT_EQ(gcs_.caller_address.address[3], 9);
  const Socket any = *open_datagram_socket({"", 0}, 1 << 16, "a test");
  EXPECT_EQ(bound_address(any.fd.get()), Endpoint{});
}

TEST_F(HandshakeTransportTest, bytes_arrive_whole_and_in_order_however_many)
{
  connect();
  Bytes sent;
  for (std::uint8_t i = 0; i < 3; ++i) {
    const Bytes part(1'000'000, i);
    ASSERT_TRUE(gcs_.transport.send(*gcs_.accepted, part));
    sent.insert(sent.end(), part.begin(), part.end());
  }
  ASSERT_TRUE(turn_until([&] { return drone_.received.size() >= sent.size(); }));
  EXPECT_TRUE(drone_.received == sent);
}

TEST_F(HandshakeTransportTest, queued_bytes_are_sent_before_closing)
{
  connect();
  const Bytes sent(3'000'000, 5);
  ASSERT_TRUE(gcs_.transport.send(*gcs_.accepted, sent));
  gcs_.transport.close(*gcs_.accepted, monotonic_now());
  ASSERT_TRUE(turn_until([this] { return drone_.closed().has_value(); }));
  EXPECT_TRUE(drone_.received == sent);
  EXPECT_EQ(drone_.closed(), "the other end closed the connection");
}

TEST_F(HandshakeTransportTest, a_peer_that_receives_nothing_is_given_up)
{
  connect();
  bool taken = true;
  for (int i = 0; i < 100 && taken; ++i) {
    taken = gcs_.transport.send(*gcs_.accepted, Bytes(1'000'000));
  }
  EXPECT_FALSE(taken);
  EXPECT_FALSE(gcs_.transport.send(*gcs_.accepted, Bytes(1)));
}

TEST_F(HandshakeTransportTest, the_next_address_of_a_host_is_tried_when_one_fails)
{
  drone_.transport.connect(
    drone_side, {loopback_endpoint(closed_port()), loopback_endpoint(port_)}, monotonic_now());
  ASSERT_TRUE(turn_until([this] { return drone_.connected(); }));
  EXPECT_EQ(drone_.progress.back().connected, loopback_endpoint(port_));
}

TEST_F(HandshakeTransportTest, a_host_that_refuses_on_every_address_is_reported_with_the_last_one)
{
  const std::uint16_t last = closed_port();
  drone_.transport.connect(
    drone_side, {loopback_endpoint(closed_port()), loopback_endpoint(last)}, monotonic_now());
  ASSERT_TRUE(turn_until([this] { return drone_.closed().has_value(); }));
  EXPECT_EQ(
    drone_.closed(),
    "can't connect to 127.0.0.1:" + std::to_string(last) + " (Connection refused)");
}

TEST_F(HandshakeTransportTest, an_address_that_does_not_answer_leaves_time_for_the_next)
{
  // Its queue is full: new connections get no answer.
  const FileDescriptor silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  SocketAddress address = to_socket_address(loopback_endpoint(0), SocketFamily::ipv4);
  ASSERT_EQ(::bind(silent.get(), address.data(), address.length), 0);
  ASSERT_EQ(::listen(silent.get(), 0), 0);
  ASSERT_EQ(::getsockname(silent.get(), address.data(), &address.length), 0);
  const Endpoint silent_endpoint = to_endpoint(address.storage);
  const FileDescriptor first = begin_connect(silent_endpoint);
  const FileDescriptor second = begin_connect(silent_endpoint);

  const Instant start = monotonic_now();
  drone_.transport.connect(drone_side, {silent_endpoint, loopback_endpoint(port_)}, start);
  EXPECT_LE(drone_.transport.next_timeout(), start + std::chrono::milliseconds(1500));
  ASSERT_TRUE(turn_until([this] { return drone_.connected(); }));
  EXPECT_EQ(drone_.progress.back().connected, loopback_endpoint(port_));
}

TEST_F(HandshakeTransportTest, peers_that_never_close_do_not_prevent_an_orderly_close_of_others)
{
  std::vector<FileDescriptor> lingering;
  for (int i = 0; i < 100; ++i) {
    lingering.push_back(begin_connect(loopback_endpoint(port_)));
    gcs_.accepted.reset();
    ASSERT_TRUE(turn_until([this] { return gcs_.accepted.has_value(); }));
    ASSERT_TRUE(gcs_.transport.send(*gcs_.accepted, Bytes(40)));
    gcs_.transport.close(*gcs_.accepted, monotonic_now());
  }
  gcs_.accepted.reset();
  connect();
  ASSERT_TRUE(gcs_.transport.send(*gcs_.accepted, Bytes(40)));
  gcs_.transport.close(*gcs_.accepted, monotonic_now());
  ASSERT_TRUE(turn_until([this] { return drone_.closed().has_value(); }));
  EXPECT_EQ(drone_.closed(), "the other end closed the connection");
  EXPECT_EQ(drone_.received.size(), 40u);
}

TEST_F(HandshakeTransportTest, an_attempt_that_is_closed_is_forgotten)
{
  drone_.transport.connect(drone_side, {loopback_endpoint(port_)}, monotonic_now());
  drone_.transport.close(drone_side, monotonic_now());
  EXPECT_FALSE(drone_.transport.send(drone_side, Bytes(1)));
  EXPECT_EQ(drone_.transport.next_timeout(), Instant::max());
}

TEST_F(HandshakeTransportTest, a_rejected_peer_sees_the_connection_fail)
{
  connect();
  gcs_.transport.reject(*gcs_.accepted);
  EXPECT_TRUE(turn_until([this] { return drone_.closed().has_value(); }));
}

}  // namespace
}  // namespace pqc_tunnel
