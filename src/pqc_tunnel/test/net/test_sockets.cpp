// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "net/sockets.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string_view>

#include "net/address.hpp"
#include "net/address_scope.hpp"
#include "net/datagram_batch.hpp"
#include "support/application.hpp"

namespace pqc_tunnel
{
namespace
{

// Otherwise the mirror's socket would be open to the network.
TEST(Sockets, a_socket_to_send_to_this_machine_from_stays_on_the_loopback)
{
  const Application receiver;
  for (const char * host : {"127.0.0.1", "::1"}) {
    const Endpoint to = resolve(HostPort{host, receiver.port()}).value().front();
    const auto sender = open_sender(to);
    if (!sender) {
      EXPECT_EQ(to.family, AddressFamily::ipv6) << sender.error().message;  // it may be off
      continue;
    }
    const auto address = to_socket_address(to, sender->family);
    ::sendto(sender->fd.get(), "x", 1, 0, address.data(), address.length);
    const Endpoint from = bound_address(sender->fd.get());
    EXPECT_NE(from.family, AddressFamily::none) << host << ": bound to every address";
    EXPECT_TRUE(is_loopback(from)) << host;
  }
}

// A socket for everybody, and one at the same port for an application.
class Connected : public testing::TestWithParam<const char *>
{
protected:
  void SetUp() override
  {
    auto first = open_datagram_socket({GetParam(), 0}, usual_receive_buffer, "the test");
    ASSERT_TRUE(first);
    first_ = std::move(*first);
    ASSERT_TRUE(connected_.use(of(peer_.port()), first_, "", false));
    peer_.connect(first_.port);
    stranger_.connect(first_.port);
  }
  static Endpoint of(std::uint16_t port) { return resolve({"127.0.0.1", port}).value().front(); }
  static bool arrives(const Socket & at)
  {
    std::uint8_t byte = 0;
    return ::recv(at.fd.get(), &byte, 1, 0) == 1;
  }
  static bool arrives(const ConnectedSocket & at) { return arrives(at.socket()); }
  void send()
  {
    SendBatch batch;
    batch.add(bytes_, 7);
    batch.flush(connected_.fd(), [this](std::size_t, bool) { ++refused_; });
  }

  Bytes bytes_{1, 2, 3};
  Application peer_;
  Application stranger_;
  Socket first_;
  ConnectedSocket connected_;
  int refused_ = 0;
};

TEST_P(Connected, takes_what_comes_from_the_peer_and_leaves_the_rest_to_the_first)
{
  peer_.send(bytes_);
  stranger_.send(bytes_);
  EXPECT_TRUE(arrives(connected_));
  EXPECT_FALSE(arrives(connected_));
  EXPECT_TRUE(arrives(first_));
  EXPECT_FALSE(arrives(first_));
}

TEST_P(Connected, sends_from_the_same_port)
{
  send();
  ASSERT_EQ(peer_.receive(), bytes_);
  peer_.answer(bytes_);
  EXPECT_TRUE(arrives(connected_));
}

TEST_P(Connected, follows_the_peer_to_another_address_and_keeps_what_has_arrived)
{
  peer_.send(bytes_);
  EXPECT_FALSE(connected_.use(of(stranger_.port()), first_, "", false));  // the same socket
  ASSERT_TRUE(connected_.reaches(of(stranger_.port())));
  stranger_.send(bytes_);
  peer_.send(bytes_);
  EXPECT_TRUE(arrives(connected_));
  EXPECT_TRUE(arrives(connected_));
  EXPECT_FALSE(arrives(connected_));
  EXPECT_TRUE(arrives(first_));
  send();
  EXPECT_EQ(stranger_.receive(), bytes_);
}

TEST_P(Connected, leaves_the_port_in_use_for_other_programs)
{
  const auto another = open_datagram_socket({GetParam(), first_.port}, 1000, "another program");
  ASSERT_FALSE(another);
  EXPECT_NE(another.error().message.find("is in use by another program"), std::string::npos);
}

TEST_P(Connected, shares_the_port_with_that_of_another_peer_and_no_other_program)
{
  ConnectedSocket second;
  ASSERT_TRUE(second.use(of(stranger_.port()), first_, "", false));
  peer_.send(bytes_);
  EXPECT_TRUE(arrives(connected_));
  EXPECT_FALSE(arrives(second));
  stranger_.send(bytes_);
  EXPECT_TRUE(arrives(second));
  EXPECT_FALSE(arrives(first_));
  EXPECT_FALSE(open_datagram_socket({GetParam(), first_.port}, 1000, "another program"));
}

TEST_P(Connected, leaves_large_datagrams_to_be_fragmented_as_the_first_one_does)
{
  const auto discovery = [](const Socket & socket) {
    int mode = -1;
    socklen_t size = sizeof(mode);
    ::getsockopt(socket.fd.get(), IPPROTO_IP, IP_MTU_DISCOVER, &mode, &size);
    return mode;
  };
  EXPECT_EQ(discovery(connected_.socket()), discovery(first_));
}

TEST_P(Connected, loses_nothing_to_what_anybody_says_of_an_earlier_datagram)
{
  std::uint16_t port = 0;
  {
    const Application gone;
    port = gone.port();
  }
  EXPECT_FALSE(connected_.use(of(port), first_, "", false));
  ASSERT_TRUE(connected_.reaches(of(port)));
  send();  // nobody is there, and the system says so
  const Application back(loopback_address(port));
  send();
  EXPECT_EQ(back.receive(), bytes_);
  EXPECT_EQ(refused_, 0);
}

INSTANTIATE_TEST_SUITE_P(
  Sockets, Connected, testing::Values("", "127.0.0.1"), [](const auto & one) {
    return std::string_view(one.param).empty() ? "of_both_families" : "of_an_address";
  });

}  // namespace
}  // namespace pqc_tunnel
