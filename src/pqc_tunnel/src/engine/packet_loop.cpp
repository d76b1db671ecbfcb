// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "packet_loop.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "pqc_tunnel/net/address.hpp"
#include "pqc_tunnel/os/process.hpp"
#include "pqc_tunnel/os/thread.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr Duration snapshot_interval = std::chrono::milliseconds(100);
constexpr Duration news_spacing = std::chrono::milliseconds(5);
constexpr Duration event_delay = std::chrono::milliseconds(10);
constexpr int handshake_niceness = 5;
constexpr int preparation_niceness = 10;

// Frames of a peer with a larger MTU than ours must come through, too.
constexpr std::size_t max_frame = 9216;

}  // namespace

PacketLoop::PacketLoop(
  const EngineConfig & config, EngineSockets sockets, Tunnel tunnel, Mailbox & mailbox)
: config_(config),
  mailbox_(mailbox),
  tunnel_(std::move(tunnel)),
  link_(std::move(sockets.link)),
  plaintexts_(std::move(sockets.plaintexts)),
  from_plaintext_(Tunnel::frame_headroom, config.settings.max_datagram, Tunnel::frame_tailroom),
  from_link_(0, max_frame, 0),
  hello_budget_(monotonic_now()),
  probe_(poller_),
  workers_(config.worker_threads, handshake_niceness, [&mailbox] { mailbox.wake_up().notify(); }),
  preparers_(config.role == Role::gcs ? 1 : 0, preparation_niceness, [&mailbox] {
    mailbox.wake_up().notify();
  })
{
  poller_.add(mailbox_.wake_up().fd(), {Source::wake_up}, EPOLLIN);
  poller_.add(link_.fd.get(), {Source::link}, EPOLLIN);
  for (const PlaintextSide & side : plaintexts_) {
    poller_.add(
      side.socket().fd.get(), {Source::plaintext, static_cast<std::uint64_t>(side.peer())},
      EPOLLIN);
  }
  hellos_.reserve(batch_size);
  if (config_.role == Role::drone && !is_numeric(config_.gcs.host)) {
    resolver_.emplace(config_.gcs, [&mailbox] { mailbox.wake_up().notify(); });
  }
  publish(monotonic_now());
}

void PacketLoop::run()
{
  use_privileges();
  tunnel_.handle_timeout(monotonic_now());
  carry_out_outputs();
  Instant deadline = next_deadline();
  while (!stopping_) {
    for (const epoll_event & event : poller_.wait(deadline)) {
      dispatch(event);
    }
    deadline = next_deadline();
    if (const Instant now = monotonic_now(); deadline <= now) {
      handle_timeout(now);
      deadline = next_deadline();
    }
  }
}

void PacketLoop::handle_timeout(Instant now)
{
  if (tunnel_.next_timeout() <= now) {
    tunnel_.handle_timeout(now);
    carry_out_outputs();
  }
  if (std::min(next_publication_, next_announcement_) <= now) {
    publish(now);
  }
}

// Logs each right that the system refuses and continues without it.
void PacketLoop::use_privileges()
{
  const auto log = [this](const char * text) {
    carry_out(Event{EventKind::refused, monotonic_now(), std::nullopt, nullptr, Epoch{}, text});
  };
  if (config_.packet_thread.priority > 0 && !use_real_time_priority(config_.packet_thread.priority))
  {
    log(
      "The system doesn't allow packet_thread.priority; the packet thread runs at ordinary "
      "priority.");
  }
  if (config_.packet_thread.cpu >= 0 && !stay_on_cpu(config_.packet_thread.cpu)) {
    log("The system doesn't allow packet_thread.cpu; the packet thread runs on any processor.");
  }
  if (keys_may_be_swapped()) {
    log(
      "The system doesn't allow locking memory for keys (4 MiB, RLIMIT_MEMLOCK); they may be "
      "swapped out.");
  }
  if (config_.packet_thread.lock_memory && !lock_memory()) {
    log("The system doesn't allow packet_thread.lock_memory; memory in use may be swapped out.");
  }
}

Instant PacketLoop::next_deadline() const
{
  return std::min({tunnel_.next_timeout(), next_publication_, next_announcement_});
}

void PacketLoop::dispatch(const epoll_event & event)
{
  const ReadyTag tag = ReadyTag::unpack(event.data.u64);
  switch (tag.source) {
    case Source::plaintext:
      seal_from(plaintexts_[tag.number]);
      break;
    case Source::link:
      open_from_link();
      break;
    case Source::wake_up:
      take_mail();
      break;
    case Source::probe:
      tunnel_.note_ground_trouble(probe_.handle_ready());
      break;
    case Source::timer:
      return;
  }
  carry_out_outputs();
}

void PacketLoop::take_mail()
{
  mailbox_.wake_up().clear();
  stopping_ = mailbox_.stop_asked();
  const Instant now = monotonic_now();
  for (WorkerPool * pool : {&workers_, &preparers_}) {
    for (FinishedJob & job : pool->take_finished()) {
      tunnel_.handle_job_result(job.id, std::move(job.result), now);
      carry_out_outputs();
    }
  }
  if (resolver_) {
    for (auto & addresses : resolver_->take_answers()) {
      use_gcs_addresses(std::move(addresses), now);
      carry_out_outputs();
    }
  }
  for (const RekeyCommand & command : mailbox_.take_commands()) {
    tunnel_.request_rekey(command, now);
    carry_out_outputs();
  }
  for (WipeCommand & wipe : mailbox_.take_wipes()) {
    tunnel_.wipe(wipe.peer, "on request", now);
    wipe.done.set_value(true);
    carry_out_outputs();
  }
}

// Without an answer of the name server the addresses stay as they were.
void PacketLoop::use_gcs_addresses(Result<std::vector<Endpoint>> addresses, Instant now)
{
  if (!addresses) {
    tunnel_.note_ground_trouble(GroundTrouble::unknown_name);
    return;
  }
  auto reachable = reachable_from(std::move(*addresses), link_.family);
  tunnel_.note_ground_trouble(
    reachable.empty() ? GroundTrouble::other_family : GroundTrouble::none);
  tunnel_.set_gcs_addresses(std::move(reachable), now);
}

void PacketLoop::carry_out_outputs()
{
  while (auto output = tunnel_.poll_output()) {
    std::visit([this](auto & one) { carry_out(std::move(one)); }, *output);
  }
}

void PacketLoop::carry_out(SendDatagram output)
{
  const auto peer = static_cast<std::size_t>(output.peer);
  if (to_link_.add(output.bytes, output.to, link_.family, peer)) {
    flush_link();
  } else {
    tunnel_.count_drop(output.peer, Drop::queue_full);
  }
}

void PacketLoop::carry_out(ProbeGround output)
{
  if (const GroundTrouble trouble = probe_.send(output.to); trouble != GroundTrouble::none) {
    tunnel_.note_ground_trouble(trouble);
  }
}

void PacketLoop::carry_out(StartJob output)
{
  WorkerPool & pool = std::holds_alternative<MakePrekey>(output.job) ? preparers_ : workers_;
  pool.submit(output.id, std::move(output.job));
}

void PacketLoop::carry_out(RekeyReply output)
{
  mailbox_.add_reply(std::move(output));
  announce_soon();
}

void PacketLoop::carry_out(Event output)
{
  if (resolver_ && output.kind == EventKind::handshake_started) {
    resolver_->ask();
  }
  // Events of a quick handshake are published after it: their subscribers need the processor, too.
  announce_by(output.time + event_delay);
  mailbox_.add_event(std::move(output));
}

// At once after a quiet time; a storm of events is published in groups.
void PacketLoop::announce_soon() { announce_by(last_publication_ + news_spacing); }

void PacketLoop::announce_by(Instant when)
{
  next_announcement_ = std::min(next_announcement_, when);
}

void PacketLoop::publish(Instant now)
{
  auto snapshot = std::make_shared<EngineSnapshot>();
  snapshot->time = now;
  for (std::size_t i = 0; i < tunnel_.peer_count(); ++i) {
    const PeerIndex peer{static_cast<std::uint32_t>(i)};
    snapshot->peers.push_back(tunnel_.snapshot(peer, now));
    snapshot->blacklists.push_back(tunnel_.blacklist(peer, now));
  }
  snapshot->unassigned = tunnel_.unassigned();
  snapshot->strangers = tunnel_.strangers();
  snapshot->hellos_discarded = hellos_discarded_;
  snapshot->jobs_run = workers_.jobs_started() + preparers_.jobs_started();
  mailbox_.publish(std::move(snapshot));
  last_publication_ = now;
  next_publication_ = now + snapshot_interval;
  if (next_announcement_ <= now) {
    next_announcement_ = Instant::max();
    mailbox_.announce();
  }
}

}  // namespace pqc_tunnel
