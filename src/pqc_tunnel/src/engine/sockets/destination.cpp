// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "destination.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "net/sockets.hpp"

namespace pqc_tunnel
{
namespace
{

// Refusals within this time count as one trouble.
constexpr Duration refusal_memory = std::chrono::seconds(5);

}  // namespace

Destination::Destination(HostPort where, std::string parameter)
: where_(std::move(where)), parameter_(std::move(parameter))
{
  if (is_given() && is_numeric(where_.host)) {
    if (const auto found = resolve(where_); found) {
      address_ = found->front();
    }
  }
}

void Destination::start(std::function<void()> answered)
{
  if (is_given() && address_.family == AddressFamily::none) {
    resolver_ = std::make_unique<Resolver>(where_, std::move(answered));
  }
}

void Destination::ask()
{
  if (resolver_) {
    resolver_->ask();
  }
}

bool Destination::take_answers(SocketFamily family)
{
  const Endpoint before = address_;
  for (auto & answer :
       resolver_ ? resolver_->take_answers() : std::vector<Result<std::vector<Endpoint>>>())
  {
    const std::string name = where_.host + " (" + parameter_ + ")";
    if (!answer) {
      unknown_ =
        "no IP address is known for " + name + ": name misspelled, or no name server answers";
      continue;
    }
    const auto reachable = reachable_from(std::move(*answer), family);
    if (reachable.empty()) {
      unknown_ = "no address of " + name +
                 " can be reached from plaintext_bind_address: one is IPv4, the other IPv6";
    } else if (std::ranges::find(reachable, address_) == reachable.end()) {
      address_ = reachable.front();
    }
  }
  return address_ != before;
}

std::string Destination::trouble(Instant now)
{
  if (const int error = std::exchange(refusal_, 0); error != 0) {
    last_refusal_ = error;
    refused_at_ = now;
  }
  if (address_.family == AddressFamily::none) {
    return unknown_;
  }
  if (last_refusal_ == 0 || now - refused_at_ > refusal_memory) {
    return "";
  }
  return "this machine refuses to send to " + to_string(address_) +
         (is_given() ? " (" + parameter_ + "): " : ": ") + error_text(last_refusal_) +
         (last_refusal_ == EINVAL ? "; plaintext_bind_address is not of that network" : "");
}

}  // namespace pqc_tunnel
