// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "mirror.hpp"

#include <chrono>
#include <utility>

namespace pqc_tunnel
{
namespace
{

// After so many datagrams, and so long, trouble() reports that no MAVLink is recognized.
constexpr std::uint64_t enough_unrecognized = 20;
constexpr Duration patience = std::chrono::seconds(1);

}  // namespace

Result<Mirror> Mirror::open(const PlaintextConfig & config)
{
  Mirror mirror;
  mirror.address_ = Destination(config.mirror, "mirror_address");
  mirror.filter_ = MavlinkFilter(config.mirror_messages);
  if (const auto used = mirror.use_address(); !used) {
    return tl::make_unexpected(used.error());
  }
  return mirror;
}

Result<void> Mirror::use_address()
{
  if (address_.address().family == AddressFamily::none) {
    return {};
  }
  auto sender = open_sender(address_.address());
  if (!sender) {
    return tl::make_unexpected(sender.error());
  }
  socket_ = std::move(*sender);
  allow_broadcast(socket_);
  out_ = std::make_unique<SendBatch>();
  return {};
}

void Mirror::take_answers()
{
  if (address_.take_answers(SocketFamily::both)) {
    flush();
    (void)use_address();  // on failure the old address stays
  }
}

// A mirror of everything gets unchanged datagrams, unless they cut frames.
[[gnu::hot]] void Mirror::copy(ByteView datagram, const Endpoint & sender)
{
  if (!is_open()) {
    return;
  }
  const bool as_it_is = filter_.passes_all() && !stream_.cuts();
  bool recognized = false;
  const bool short_lived = stream_.push(datagram, sender, [&](ByteView bytes, bool is_mavlink) {
    recognized = recognized || is_mavlink;
    if (is_mavlink && !as_it_is) {
      filter_.pick(bytes, [this](ByteView frames) { add(frames); });
    }
  });
  if (as_it_is) {
    add(datagram);
  } else if (short_lived) {
    flush();
  }
  unrecognized_ = recognized ? 0 : unrecognized_ + 1;
}

void Mirror::add(ByteView bytes)
{
  if (out_->full()) {
    flush();
  }
  out_->add(bytes, address_.address(), socket_.family);
}

[[gnu::hot]] void Mirror::flush()
{
  if (is_open()) {
    out_->flush(socket_.fd.get(), [](std::size_t, bool) {});
    address_.note_refusal(out_->refusal());
  }
}

std::string Mirror::trouble(Instant now)
{
  if (unrecognized_ < enough_unrecognized || filter_.passes_all()) {
    recognized_ = now;
  }
  const std::string of_address = address_.trouble(now);
  return of_address.empty() && now - recognized_ > patience
           ? "no MAVLink is recognized in what the vehicle sends: the mirror gets nothing of it"
           : of_address;
}

}  // namespace pqc_tunnel
