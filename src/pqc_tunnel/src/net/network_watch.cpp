// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "network_watch.hpp"

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>

namespace pqc_tunnel
{

NetworkWatch::NetworkWatch()
: socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE))
{
  sockaddr_nl groups{};
  groups.nl_family = AF_NETLINK;
  groups.nl_groups =
    RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;
  if (
    socket_ &&
    ::bind(socket_.get(), reinterpret_cast<const sockaddr *>(&groups), sizeof(groups)) != 0)
  {
    socket_.reset();
  }
}

// Lost news (ENOBUFS) are news as well: whoever looks finds the present state.
void NetworkWatch::clear()
{
  std::array<std::uint8_t, 4096> news;
  while (::recv(socket_.get(), news.data(), news.size(), 0) >= 0 || errno == ENOBUFS) {
  }
}

}  // namespace pqc_tunnel
