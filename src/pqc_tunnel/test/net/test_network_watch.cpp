// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "net/network_watch.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <cstdlib>
#include <string>

namespace pqc_tunnel
{
namespace
{

// In a network of its own, which nobody else changes.
class Watched : public testing::Test
{
protected:
  void SetUp() override
  {
    home_ = FileDescriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (::unshare(CLONE_NEWNET) != 0 || !change("ip link set lo up")) {
      GTEST_SKIP() << "network namespaces need root and the program ip";
    }
  }
  ~Watched() override { ::setns(home_.get(), CLONE_NEWNET); }
  static bool change(const std::string & command) { return std::system(command.c_str()) == 0; }
  static bool has_news(const NetworkWatch & watch)
  {
    pollfd ready{watch.fd(), POLLIN, 0};
    return ::poll(&ready, 1, 0) == 1;
  }

  FileDescriptor home_;
};

TEST_F(Watched, network_tells_each_change_once)
{
  NetworkWatch watch;
  ASSERT_GE(watch.fd(), 0);
  EXPECT_FALSE(has_news(watch));
  for (const char * command :
       {"ip link add modem type veth peer name cable", "ip link set modem up",
        "ip addr add 192.0.2.1/24 dev modem", "ip route add 198.51.100.0/24 via 192.0.2.2",
        "ip -6 addr add 2001:db8::1/64 dev modem nodad",
        "ip -6 route add 2001:db8:1::/64 via 2001:db8::2", "ip link del modem"})
  {
    ASSERT_TRUE(change(command)) << command;
    EXPECT_TRUE(has_news(watch)) << command;
    watch.clear();
    EXPECT_FALSE(has_news(watch)) << command;
  }
}

// Whoever looks finds the present state.
TEST_F(Watched, network_that_changes_faster_than_anybody_reads_has_news_and_then_none)
{
  NetworkWatch watch;
  const int least = 1;
  ASSERT_EQ(::setsockopt(watch.fd(), SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)), 0);
  ASSERT_TRUE(
    change("for i in $(seq 50); do ip addr add 192.0.2.$i/32 dev lo; ip addr del 192.0.2.$i/32 dev "
           "lo; done"));
  EXPECT_TRUE(has_news(watch));
  watch.clear();
  EXPECT_FALSE(has_news(watch));
}

}  // namespace
}  // namespace pqc_tunnel
