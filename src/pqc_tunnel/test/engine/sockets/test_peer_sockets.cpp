// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "engine/sockets/peer_sockets.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "net/address.hpp"
#include "support/application.hpp"

namespace pqc_tunnel
{
namespace
{

// The sockets of one link, for two peers.
class PeersSockets : public testing::Test
{
protected:
  void SetUp() override
  {
    auto first = open_datagram_socket({"127.0.0.1", 0}, usual_receive_buffer, "the test");
    ASSERT_TRUE(first);
    first_ = std::move(*first);
  }
  static Endpoint of(const Application & application)
  {
    return resolve({"127.0.0.1", application.port()}).value().front();
  }
  // The system connects no socket to it.
  static Endpoint nowhere() { return resolve({"255.255.255.255", 1000}).value().front(); }
  std::optional<int> use(std::size_t peer, const Endpoint & remote, bool changed = false)
  {
    return sockets_.use(peer, remote, first_, "", changed);
  }
  std::optional<bool> send(std::size_t peer, const Endpoint & to)
  {
    const auto taken = sockets_.add(frame_, to, peer);
    flush();
    return taken;
  }
  void flush()
  {
    sockets_.flush(
      [this](std::size_t peer, bool) { refused_.push_back(peer); }, [this](int) { ++sent_; });
  }

  const Bytes frame_{1, 2, 3};
  Application alpha_;
  Application beta_;
  Socket first_;
  PeerSockets sockets_;
  std::vector<std::size_t> refused_;
  int sent_ = 0;
};

TEST_F(PeersSockets, are_made_once_for_each_peer_and_send_to_it)
{
  EXPECT_EQ(sockets_.fd(1), -1);
  const auto second = use(1, of(beta_));
  ASSERT_TRUE(second);
  EXPECT_EQ(sockets_.fd(1), *second);
  EXPECT_EQ(sockets_.fd(0), -1);
  const auto first = use(0, of(alpha_));
  ASSERT_TRUE(first);
  EXPECT_NE(*first, *second);
  EXPECT_EQ(sockets_.fd(1), *second);
  EXPECT_EQ(use(0, of(alpha_)), std::nullopt);
  EXPECT_EQ(sockets_.fd(0), *first);

  EXPECT_EQ(send(0, of(alpha_)), true);
  EXPECT_EQ(alpha_.receive(), frame_);
  EXPECT_EQ(send(1, of(beta_)), true);
  EXPECT_EQ(beta_.receive(), frame_);
  EXPECT_TRUE(refused_.empty());

  const auto arrives = [](int fd) {
    std::uint8_t byte = 0;
    return ::recv(fd, &byte, 1, 0) == 1;
  };
  alpha_.answer(frame_);
  EXPECT_TRUE(arrives(*first));
  EXPECT_FALSE(arrives(*second));
  beta_.answer(frame_);
  EXPECT_TRUE(arrives(*second));
  EXPECT_FALSE(arrives(*first));
  EXPECT_FALSE(arrives(first_.fd.get()));
  EXPECT_FALSE(open_datagram_socket({"127.0.0.1", first_.port}, 1000, "another program"));
}

TEST_F(PeersSockets, leave_other_addresses_to_the_socket_of_the_link)
{
  EXPECT_EQ(send(0, of(alpha_)), std::nullopt);
  ASSERT_TRUE(use(1, of(alpha_)));
  EXPECT_EQ(send(0, of(alpha_)), std::nullopt);
  EXPECT_EQ(send(1, of(beta_)), std::nullopt);
  EXPECT_EQ(send(2, of(alpha_)), std::nullopt);
  EXPECT_EQ(sent_, 0);
}

TEST_F(PeersSockets, queue_frames_until_they_are_flushed_once)
{
  ASSERT_TRUE(use(0, of(alpha_)));
  for (std::size_t i = 0; i < batch_size; ++i) {
    EXPECT_EQ(sockets_.add(frame_, of(alpha_), 0), true);
  }
  EXPECT_EQ(sockets_.add(frame_, of(alpha_), 0), false);
  flush();
  EXPECT_EQ(sent_, 1);
  flush();
  EXPECT_EQ(sent_, 1);
  for (std::size_t i = 0; i < batch_size; ++i) {
    EXPECT_EQ(alpha_.receive(), frame_);
  }
  EXPECT_EQ(send(0, of(alpha_)), true);
  EXPECT_EQ(alpha_.receive(), frame_);
}

TEST_F(PeersSockets, follow_a_peer_to_another_address)
{
  const auto fd = use(0, of(alpha_));
  ASSERT_TRUE(fd);
  EXPECT_EQ(use(0, of(beta_)), std::nullopt);
  EXPECT_EQ(sockets_.fd(0), *fd);
  EXPECT_EQ(send(0, of(alpha_)), std::nullopt);
  EXPECT_EQ(send(0, of(beta_)), true);
  EXPECT_EQ(beta_.receive(), frame_);
}

TEST_F(PeersSockets, keep_what_a_peer_sends_that_is_left_to_the_socket_of_the_link)
{
  const auto fd = use(0, of(alpha_));
  ASSERT_TRUE(fd);
  sockets_.leave(0);
  sockets_.leave(1);
  EXPECT_EQ(sockets_.fd(0), *fd);
  EXPECT_EQ(send(0, of(alpha_)), std::nullopt);
  EXPECT_EQ(use(0, of(alpha_)), std::nullopt);
  EXPECT_EQ(send(0, of(alpha_)), true);
}

// Only then: the system answers from the address and by the route of the moment of connecting.
TEST_F(PeersSockets, are_connected_again_when_the_network_has_changed)
{
  ASSERT_TRUE(use(0, of(alpha_)));
  const auto connected_to = [this] {
    sockaddr_in address{};
    socklen_t length = sizeof(address);
    check(
      ::getpeername(sockets_.fd(0), reinterpret_cast<sockaddr *>(&address), &length) == 0,
      "getpeername");
    return ntohs(address.sin_port);
  };
  const sockaddr_in other = loopback_address(beta_.port());
  const auto disturb = [&] {
    check(
      ::connect(sockets_.fd(0), reinterpret_cast<const sockaddr *>(&other), sizeof(other)) == 0,
      "connect");
  };
  disturb();
  use(0, of(alpha_), false);
  EXPECT_EQ(connected_to(), beta_.port());
  use(0, of(alpha_), true);
  EXPECT_EQ(connected_to(), alpha_.port());
}

TEST_F(PeersSockets, that_can_not_be_connected_are_given_up_and_made_anew_later)
{
  EXPECT_EQ(use(0, nowhere()), std::nullopt);
  EXPECT_EQ(sockets_.fd(0), -1);
  ASSERT_TRUE(use(0, of(alpha_)));
  EXPECT_EQ(use(0, nowhere()), std::nullopt);
  EXPECT_EQ(sockets_.fd(0), -1);
  EXPECT_EQ(send(0, of(alpha_)), std::nullopt);
  EXPECT_TRUE(use(0, of(alpha_)));
  EXPECT_EQ(send(0, of(alpha_)), true);
  EXPECT_EQ(alpha_.receive(), frame_);
  sockets_.close();
  EXPECT_EQ(sockets_.fd(0), -1);
}

}  // namespace
}  // namespace pqc_tunnel
