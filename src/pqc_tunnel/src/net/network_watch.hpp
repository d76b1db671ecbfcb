// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__NETWORK_WATCH_HPP_
#define PQC_TUNNEL__NET__NETWORK_WATCH_HPP_

#include "os/file_descriptor.hpp"

namespace pqc_tunnel
{

/// Hears of interfaces, addresses and routes of this machine that come, go or change (rtnetlink).
class NetworkWatch
{
public:
  NetworkWatch();

  /// Returns a descriptor that becomes readable with each change; negative: the system does not allow it.
  int fd() const { return socket_.get(); }
  /// Reads all news.
  void clear();

private:
  FileDescriptor socket_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__NETWORK_WATCH_HPP_
