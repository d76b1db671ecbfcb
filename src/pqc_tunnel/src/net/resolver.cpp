// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "resolver.hpp"

#include <utility>

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t resolver_stack_bytes = 1048576;

}  // namespace

Resolver::Resolver(HostPort host, std::function<void()> answered)
: shared_(std::make_shared<Shared>())
{
  shared_->host = std::move(host);
  shared_->answered = std::move(answered);
  Thread("pqc_resolver", resolver_stack_bytes, [shared = shared_] { work(*shared); }).detach();
}

Resolver::~Resolver()
{
  const std::scoped_lock lock(shared_->mutex);
  shared_->stopping = true;
  shared_->wake.notify_one();
}

void Resolver::ask()
{
  const std::scoped_lock lock(shared_->mutex);
  shared_->asked = true;
  shared_->wake.notify_one();
}

std::vector<Result<std::vector<Endpoint>>> Resolver::take_answers()
{
  const std::scoped_lock lock(shared_->mutex);
  return std::exchange(shared_->answers, {});
}

void Resolver::work(Shared & shared)
{
  std::unique_lock lock(shared.mutex);
  while (true) {
    shared.wake.wait(lock, [&shared] { return shared.stopping || shared.asked; });
    if (shared.stopping) {
      return;
    }
    shared.asked = false;
    lock.unlock();
    auto endpoints = resolve(shared.host);
    lock.lock();
    if (shared.stopping) {
      return;
    }
    shared.answers.push_back(std::move(endpoints));
    shared.answered();
  }
}

}  // namespace pqc_tunnel
