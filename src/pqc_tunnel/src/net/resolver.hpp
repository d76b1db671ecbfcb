// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NET__RESOLVER_HPP_
#define PQC_TUNNEL__NET__RESOLVER_HPP_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "address.hpp"
#include "os/thread.hpp"

namespace pqc_tunnel
{

// Resolves a host name on a thread of its own, so that the packet thread never blocks.
class Resolver
{
public:
  // `answered` is called on the resolver's thread whenever take_answers() has something new.
  Resolver(HostPort host, std::function<void()> answered);
  // Does not wait for a slow name server.
  ~Resolver();

  // Starts a look-up; it waits for one that is still running.
  void ask();
  std::vector<Result<std::vector<Endpoint>>> take_answers();

private:
  // Shared with the thread, which may outlive the resolver by one slow look-up.
  struct Shared
  {
    std::mutex mutex;
    std::condition_variable wake;
    bool stopping = false;
    bool asked = false;
    std::vector<Result<std::vector<Endpoint>>> answers;
    HostPort host;
    std::function<void()> answered;
  };
  static void work(Shared & shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NET__RESOLVER_HPP_
