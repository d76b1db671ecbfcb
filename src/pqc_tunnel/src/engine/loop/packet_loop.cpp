// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "packet_loop.hpp"

#include <algorithm>
#include <utility>

#include "net/address.hpp"
#include "os/clock.hpp"
#include "os/machine_load.hpp"
#include "os/process.hpp"
#include "os/thread.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration news_spacing = std::chrono::milliseconds(5);
constexpr Duration event_delay = std::chrono::milliseconds(10);
constexpr std::size_t handshake_workers = 1;  // threads for public-key cryptography
constexpr int handshake_niceness = 5;
constexpr int preparation_niceness = 10;

// Bytes of a received frame: peers may have a larger MTU than this end.
constexpr std::size_t max_frame = 9216;

}  // namespace

Expiries expiries_of(const DroneRecord & record)
{
  return {
    record.expires_unix_s,
    record.former ? std::optional(record.former->until_unix_s) : std::nullopt};
}

PacketLoop::PacketLoop(
  const EngineConfig & config, EngineSockets sockets, Tunnel tunnel, Mailbox & mailbox)
: config_(config),
  mailbox_(mailbox),
  tunnel_(std::move(tunnel)),
  links_(std::move(sockets.links)),
  max_age_(config.settings.max_age),
  hello_budget_(monotonic_now()),
  probe_(poller_),
  punctuality_(look_interval_ * 3 / 2, monotonic_now()),
  from_plaintext_(
    Tunnel::frame_headroom, config.settings.longest_received(), Tunnel::frame_tailroom),
  from_link_(0, max_frame, 0),
  workers_(handshake_workers, handshake_niceness, [&mailbox] { mailbox.wake_up().notify(); }),
  preparers_(config.role == Role::gcs ? 1 : 0, preparation_niceness, [&mailbox] {
    mailbox.wake_up().notify();
  })
{
  poller_.add(mailbox_.wake_up().fd(), {Source::wake_up}, EPOLLIN);
  if (network_.fd() >= 0) {
    poller_.add(network_.fd(), {Source::network}, EPOLLIN);
  }
  link_sides_.resize(links_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    LinkSide & side = link_sides_[i];
    side.open = !links_[i].is_serial() && !links_[i].is_closed();
    if (side.open) {
      poller_.add(links_[i].socket().fd.get(), {Source::link, i}, EPOLLIN);
    } else {
      tunnel_.handle_change(
        LinkChange{static_cast<std::uint8_t>(i), LinkState::down}, monotonic_now());
    }
    if (config_.role == Role::drone) {
      side.resolved = ground_addresses(config_, i);
      const HostPort & gcs = links_[i].port().gcs;
      if (!links_[i].is_serial() && !is_numeric(gcs.host)) {
        side.resolver = std::make_unique<Resolver>(gcs, [&mailbox] { mailbox.wake_up().notify(); });
      }
    }
  }
  for (std::size_t i = 0; i < sockets.plaintexts.size(); ++i) {
    add_side(std::move(sockets.plaintexts[i]));
    if (i < sockets.expiries.size()) {
      sides_[i].expires = sockets.expiries[i];
    }
  }
  hellos_.reserve(batch_size);
  look_around(monotonic_now());
  note_news(std::nullopt);
  publish(monotonic_now());
}

[[gnu::hot]] void PacketLoop::run()
{
  use_privileges();
  tunnel_.handle_timeout(monotonic_now());
  look_after_links(monotonic_now());
  Instant deadline = next_deadline();
  punctuality_.handle_look(monotonic_now());
  while (!stopping_) {
    const Instant idle_from = shares_time_ ? monotonic_now() : Instant{};
    const auto ready = poller_.wait(deadline);
    const Instant now = monotonic_now();
    if (shares_time_) {
      uncharged_ += now - idle_from;
      work_.note_idle(idle_from, now);
    }
    if (ready.empty()) [[unlikely]] {
      continue;  // interrupted, as by the end of a standstill
    }
    note_punctuality(now);
    for (const epoll_event & event : ready) {
      dispatch(event, now);
    }
    deadline = next_deadline();
    if (std::min(deadline, next_look_) <= now) [[unlikely]] {
      handle_timeout(now);
      deadline = next_deadline();
    }
  }
}

// Detects a standstill of this thread. After one longer than max_age_s all waiting frames are dropped as too old, so
// that it must not count as silence of a peer.
[[gnu::hot]] void PacketLoop::note_punctuality(Instant now)
{
  stood_still_ = punctuality_.handle_look(now);
  if (stood_still_ <= max_age_ / 2) [[likely]] {
    return;
  }
  punctuality_.handle_standstill(stood_still_, processor_wait(), now);
  machine_trouble_ = punctuality_.trouble(now);
  tunnel_.note_trouble(MachineTrouble{machine_trouble_});
  if (stood_still_ <= max_age_) {
    return;  // frames that came meanwhile may still be young enough
  }
  tunnel_.handle_standstill(stood_still_, now);
  if (punctuality_.take_report(now)) {
    carry_out(Event{
      EventKind::link_changed, now, std::nullopt, nullptr, Epoch{},
      punctuality_.trouble(now) + "; what arrived meanwhile is too old", EventSeverity::warning});
  }
}

void PacketLoop::handle_timeout(Instant now)
{
  if (tunnel_.next_timeout() <= now) {
    tunnel_.handle_timeout(now);
    carry_out_outputs(now);
  }
  look_after_links(now);
  if (next_address_look_ <= now) {
    for (Side & side : sides_) {
      if (side.plaintext) {
        side.plaintext->ask_for_addresses();
        if (network_.fd() < 0) {
          side.plaintext->look_at_network();
        }
      }
    }
    next_address_look_ = now + config_.address_look_interval;
  }
  if (next_look_ <= now) {
    look_around(now);
  }
  if (next_announcement_ <= now) {
    publish(now);
  }
}

void PacketLoop::warn(const std::string & text)
{
  carry_out(Event{EventKind::refused, monotonic_now(), std::nullopt, nullptr, Epoch{}, text});
}

// Takes the configured privileges. Logs each one that the system refuses, and continues without it.
void PacketLoop::use_privileges()
{
  if (config_.packet_thread.priority > 0 && !use_real_time_priority(config_.packet_thread.priority))
  {
    warn(
      "The system doesn't allow packet_thread.priority; the packet thread has ordinary priority.");
  }
  if (keys_may_be_swapped()) {
    warn("The system locks no memory for keys (4 MiB, RLIMIT_MEMLOCK); they may be swapped out.");
  }
  if (config_.packet_thread.lock_memory && !lock_memory()) {
    warn("The system doesn't allow packet_thread.lock_memory; memory in use may be swapped out.");
  }
}

[[gnu::hot]] Instant PacketLoop::next_deadline() const
{
  Instant next = std::min(
    {tunnel_.next_timeout(), next_look_ + look_interval_ / 4, next_announcement_,
     next_address_look_});
  for (std::size_t i = 0; i < links_.size(); ++i) {
    next = std::min(next, links_[i].next_look());
    if (links_[i].is_free()) {
      next = std::min(next, tunnel_.next_transmit(static_cast<std::uint8_t>(i)));
    }
  }
  return next;
}

[[gnu::hot]] void PacketLoop::dispatch(const epoll_event & event, Instant now)
{
  const ReadyTag tag = ReadyTag::unpack(event.data.u64);
  switch (tag.source) {
    case Source::plaintext:
    case Source::application:
      if (auto & plaintext = sides_[static_cast<std::size_t>(tag.number)].plaintext) {
        seal_from(*plaintext, tag.source == Source::application, now);
      }
      break;
    case Source::link:
      open_from(static_cast<std::size_t>(tag.number), event.events, now);
      break;
    case Source::peer_socket:
      hellos_.clear();
      open_datagrams(tag.link(), links_[tag.link()].peer_socket(tag.peer()), now);
      break;
    case Source::network:
      network_.clear();
      network_changed_ = true;  // the next look connects the sockets of peers again
      std::ranges::for_each(links_, &Link::look_soon);
      look_after_links(now);
      break;
    case Source::wake_up:
      take_mail(now);
      break;
    case Source::probe:
      tunnel_.note_trouble(probe_.handle_ready());
      break;
    case Source::timer:
      return;
  }
  carry_out_outputs(now);
}

void PacketLoop::take_mail(Instant now)
{
  mailbox_.wake_up().clear();
  stopping_ = mailbox_.stop_asked();
  for (WorkerPool * pool : {&workers_, &preparers_}) {
    for (FinishedJob & job : pool->take_finished()) {
      tunnel_.handle_job_result(job.id, std::move(job.result), now);
      carry_out_outputs(now);
    }
  }
  for (std::size_t link = 0; link < links_.size(); ++link) {
    if (const auto & resolver = link_sides_[link].resolver) {
      for (auto & addresses : resolver->take_answers()) {
        use_gcs_addresses(link, std::move(addresses), now);
        carry_out_outputs(now);
      }
    }
  }
  for (Side & side : sides_) {
    if (side.plaintext) {
      side.plaintext->take_answers();
    }
  }
  for (ChangeCommand & command : mailbox_.take_changes()) {
    if (auto * drone = std::get_if<DroneIdentity>(&command.own)) {
      tunnel_.handle_change(std::move(*drone), now);
    } else if (auto * gcs = std::get_if<GcsIdentity>(&command.own)) {
      tunnel_.handle_change(std::move(*gcs), now);
    }
    carry_out_outputs(now);
    for (PeerChange & change : command.changes) {
      handle_change(std::move(change), now);
    }
    expire_keys(now);
    publish(now);
    command.done.set_value(true);
  }
  for (const RekeyCommand & command : mailbox_.take_commands()) {
    tunnel_.request_rekey(command, now);
    carry_out_outputs(now);
  }
  for (const NoticeCommand & command : mailbox_.take_notice_commands()) {
    if (config_.role == Role::drone) {
      note_policy(command.peer, command.notice, now);
    }
    tunnel_.send_message(command.peer, command.notice, now);
    carry_out_outputs(now);
  }
  for (EchoCommand & command : mailbox_.take_echoes()) {
    ask_for_echo(std::move(command), now);
    carry_out_outputs(now);
  }
  for (WipeCommand & wipe : mailbox_.take_wipes()) {
    tunnel_.wipe(wipe.peer, "on request", now);
    wipe.done.set_value(true);
    carry_out_outputs(now);
  }
  if (mailbox_.snapshot_asked()) {
    note_news(std::nullopt);
    publish(now);
  }
}

void PacketLoop::add_side(std::optional<PlaintextSide> plaintext)
{
  const PeerIndex peer{static_cast<std::uint32_t>(sides_.size())};
  Side & side = sides_.emplace_back(
    Side{std::move(plaintext), std::vector<DropWatch>(links_.size()), {}, {}, PolicyWatch(peer)});
  shares_time_ = sides_.size() > 1;
  snapshots_.add();
  if (side.plaintext) {
    watch(*side.plaintext);
  }
}

void PacketLoop::watch(PlaintextSide & plaintext)
{
  poller_.add(
    plaintext.socket().fd.get(), {Source::plaintext, static_cast<std::uint64_t>(plaintext.peer())},
    EPOLLIN);
  plaintext.start_look_ups([this] { mailbox_.wake_up().notify(); });
}

void PacketLoop::handle_change(PeerChange change, Instant now)
{
  const auto index = static_cast<std::size_t>(change.peer);
  while (sides_.size() <= index) {
    add_side(std::nullopt);
  }
  Side & side = sides_[index];
  if (change.closes_plaintext) {
    side.plaintext.reset();
  }
  if (change.plaintext) {
    side.plaintext = std::move(change.plaintext);
    watch(*side.plaintext);
  }
  if (change.record || !change.serves) {
    side.expires = change.record ? expiries_of(*change.record) : Expiries{};
    tunnel_.handle_change(DroneChange{change.peer, std::move(change.record)}, now);
    carry_out_outputs(now);
  }
  side.serves = change.serves;
  note_news(change.peer);
}

// Uses newly resolved addresses. Without an answer of the name server the old ones stay.
void PacketLoop::use_gcs_addresses(
  std::size_t link, Result<std::vector<Endpoint>> addresses, Instant now)
{
  if (!addresses) {
    tunnel_.note_trouble(GroundTrouble::unknown_name);
    return;
  }
  auto reachable = reachable_from(std::move(*addresses), links_[link].socket().family);
  tunnel_.note_trouble(reachable.empty() ? GroundTrouble::other_family : GroundTrouble::none);
  for (Endpoint & address : reachable) {
    address.link = static_cast<std::uint8_t>(link);
  }
  link_sides_[link].resolved = std::move(reachable);
  std::vector<Endpoint> all;
  for (const LinkSide & side : link_sides_) {
    all.insert(all.end(), side.resolved.begin(), side.resolved.end());
  }
  tunnel_.handle_change(GcsAddresses{std::move(all)}, now);
}

[[gnu::hot]] void PacketLoop::carry_out_outputs(Instant now)
{
  transmit(now);
  while (auto output = tunnel_.poll_output()) {
    std::visit([this](auto & one) { carry_out(std::move(one)); }, *output);
    transmit(now);
  }
}

void PacketLoop::carry_out(ProbeGround output)
{
  if (output.to.family == AddressFamily::serial) {
    return;
  }
  if (const GroundTrouble trouble = probe_.send(output.to); trouble != GroundTrouble::none) {
    tunnel_.note_trouble(trouble);
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
  if (output.kind == EventKind::handshake_completed && output.peer && config_.role == Role::gcs) {
    side(*output.peer).policy_watch.forget();
  }
  if (output.kind == EventKind::protection && config_.announce_decisions) {
    const Layers layers = tunnel_.snapshot(*output.peer, output.time).layers;
    show(
      *output.peer,
      severity(output) == EventSeverity::warning ? MavlinkSeverity::warning : MavlinkSeverity::info,
      "PQC: " + families_text(layers));
  }
  for (const LinkSide & side : link_sides_) {
    if (side.resolver && output.kind == EventKind::handshake_started) {
      side.resolver->ask();
    }
  }
  if (event_limit_.passes(output)) {
    add_event(std::move(output));
  }
}

// Delays the publication of events until a quick handshake has ended, because subscribers need the processor too.
void PacketLoop::add_event(Event event)
{
  announce_by(event.time + event_delay);
  note_news(event.peer);
  mailbox_.add_event(std::move(event));
}

void PacketLoop::carry_out(NoticeArrived output)
{
  if (config_.role == Role::gcs) {  // a drone takes no reports on a policy from its peer
    show_line(output.peer, output.notice, output.time);
    note_policy(output.peer, output.notice, output.time);
  }
  note_news(output.peer);
  mailbox_.add_notice(output);
  announce_by(output.time);
}

void PacketLoop::ask_for_echo(EchoCommand command, Instant now)
{
  constexpr std::size_t most = 64;
  if (!tunnel_.send_message(command.peer, command.echo, now)) {
    command.reply.set_value({});
    return;
  }
  if (echoes_.size() == most) {
    echoes_.pop_front();
  }
  echoes_.push_back({std::move(command), now});
}

void PacketLoop::carry_out(const EchoArrived & output)
{
  const auto asked = std::ranges::find_if(echoes_, [&](const AskedEcho & one) {
    return one.command.peer == output.peer && one.command.echo.number == output.number;
  });
  if (asked != echoes_.end()) {
    asked->command.reply.set_value(
      {true, output.time - asked->time,
       Tunnel::frame_overhead + encode({output.number, output.response}).size(), output.response});
    echoes_.erase(asked);
  }
}

void PacketLoop::show(PeerIndex peer, MavlinkSeverity severity, std::string_view text)
{
  if (auto & plaintext = side(peer).plaintext) {
    plaintext->show(severity, text);
  }
}

void PacketLoop::show_line(PeerIndex peer, const Notice & notice, Instant now)
{
  const auto line = side(peer).lines.handle(notice);
  if (!line) {
    return;
  }
  if (config_.announce_decisions) {
    show(peer, line->severity, line->text);
  }
  Event event{EventKind::said, now, peer, nullptr, {}, line->text};
  if (line->severity == MavlinkSeverity::warning) {
    event.severity = EventSeverity::warning;
  }
  carry_out(std::move(event));
}

// Notes whether a policy is silent. The drone's end learns it from its own programs, the ground's from the drone.
void PacketLoop::note_policy(PeerIndex peer, const Notice & notice, Instant now)
{
  PolicyWatch & watch = side(peer).policy_watch;
  std::optional<Event> change;
  if (const auto policy = policy_notice(notice)) {
    change = watch.handle(*policy, now);
  } else if (notice.kind == NoticeKind::decision) {
    change = watch.handle_decision(now);
  }
  if (!change) {
    return;
  }
  if (config_.announce_decisions) {
    const bool silent = watch.silent();
    show(
      peer, silent ? MavlinkSeverity::warning : MavlinkSeverity::info,
      silent ? "PQC policy silent" : "PQC policy decides again");
  }
  carry_out(std::move(*change));
}

// Tells the owner at once after a quiet time. Many events are published in groups.
void PacketLoop::announce_soon() { announce_by(last_publication_ + news_spacing); }

void PacketLoop::announce_by(Instant when)
{
  next_announcement_ = std::min(next_announcement_, when);
}

}  // namespace pqc_tunnel
