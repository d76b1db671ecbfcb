// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__IO__RESOLVER_HPP_
#define PQC_TUNNEL__IO__RESOLVER_HPP_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pqc_tunnel/core/ids.hpp"
#include "pqc_tunnel/io/address.hpp"
#include "thread.hpp"

namespace pqc_tunnel
{

struct ResolvedName
{
  ConnectionId connection;
  Result<std::vector<Endpoint>> endpoints;
};

// Asks name servers beside the packet thread, one question at a time; a new question replaces one
// not yet begun.
class Resolver
{
public:
  // `answered` is called on the resolver's thread whenever take_answers() has something new.
  explicit Resolver(std::function<void()> answered);
  // Doesn't wait for a name server that is slow to answer.
  ~Resolver();

  void ask(ConnectionId connection, HostPort where);
  std::vector<ResolvedName> take_answers();

private:
  struct Question
  {
    ConnectionId connection;
    HostPort where;
  };
  // Shared with the thread, which may outlive the resolver by one slow question.
  struct Shared
  {
    std::mutex mutex;
    std::condition_variable wake;
    bool stopping = false;
    std::optional<Question> question;
    std::vector<ResolvedName> answers;
    std::function<void()> answered;
  };
  static void work(Shared & shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__IO__RESOLVER_HPP_
