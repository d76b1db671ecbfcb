// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

constexpr Duration clone_memory = std::chrono::minutes(1);  // and the time between two reports

}  // namespace

Peer::Peer(
  PeerIndex index, std::string name, Role own_role, const TunnelSettings & settings,
  RandomSource & random, Outbox & outbox, KeyIndex * keys)
: index_(index),
  name_(std::move(name)),
  own_role_(own_role),
  settings_(settings),
  random_(random),
  outbox_(outbox),
  keys_(own_role, settings, {keys, index}),
  link_(index, own_role, settings, random, outbox),
  streams_(settings)
{
}

// --- Keys ---

void Peer::start_boot(const Suite & suite, EpochSecrets secrets, const Endpoint & to, Instant now)
{
  link_.note_alive(now);  // a hello has proved the PSK
  keys_.start_boot(suite, std::move(secrets), to, now).copy_to(to);
}

void Peer::offer_boot(
  const Suite & suite, EpochSecrets secrets, const Endpoint & to,
  const std::vector<Endpoint> & copies_to, std::size_t max_message, Instant now)
{
  link_.note_alive(now);  // a HelloRetry has proved the PSK
  BootChannel & boot = keys_.offer_boot(suite, std::move(secrets), to, now);
  boot.set_copies(copies_to);
  boot.streams().in.expect(StreamLane::foreground, max_message);
}

void Peer::end_boot(Instant now) { keys_.end_boot(now + max_overlap + link_.allowance()); }

void Peer::redirect_boot(const Endpoint & to)
{
  if (has_boot()) {
    keys_.boot()->redirect(to);
  }
}

void Peer::copy_boot_to(const Endpoint & address)
{
  if (has_boot()) {
    keys_.boot()->copy_to(address);
  }
}

void Peer::wipe()
{
  keys_.clear();
  protection_.clear();
  streams_.clear();
  link_.end_reports();
}

Instant Peer::wipe_at() const
{
  return keys_.slots().empty() || settings_.wipe_after == Duration{}
           ? Instant::max()
           : link_.last_alive() + settings_.wipe_after;
}

void Peer::handle_clone(Instant now)
{
  cloned_until_ = now + clone_memory;
  if (now >= next_clone_report_) {
    next_clone_report_ = cloned_until_;
    report(EventKind::superseded, now, identity_cloned);
  }
}

// --- Time ---

void Peer::handle_timeout(Instant now)
{
  keys_.handle_timeout(now);
  streams_.reassembly().handle_timeout(link_.traffic(), now);
  pump(Channel::boot, now);
  if (has_boot() && keys_.boot()->take_question(now)) {
    ask_for_time(now, Channel::boot);
  }
  probe_boot(now);
  const EpochKeys * live = keys_.slots().sending();
  if (live == nullptr) {
    return;
  }
  paths().handle_timeout(now);
  pump(Channel::session, now);
  pump_notices(now);
  if (const auto report = link_.take_report(live->clock()->answered(), now)) {
    if (!report->question) {
      ask_for_time(now);
    }
    send_control({0, *report}, now);
  }
  if (link_.is_idle(now)) {
    send_control({0, Keepalive{}}, now);
  }
  probe_paths(now);  // last, because sending may have made probes due
}

Instant Peer::next_timeout() const
{
  Instant next = keys_.next_timeout();
  if (const BootChannel * boot = keys_.boot()) {
    next = std::min(
      {next, streams_.next_timeout(boot->streams()), boot->next_timeout(link_.allowance())});
  }
  if (keys_.slots().sending() != nullptr) {
    next = std::min(
      {next, streams_.next_timeout(streams_.session()), streams_.notices().next_timeout(),
       link_.next_timeout()});
  }
  return next;
}

// --- Status ---

PeerFacts Peer::facts(Instant now) const
{
  PeerFacts facts;
  facts.role = own_role_;
  facts.has_keys = keys_.slots().sending() != nullptr;
  facts.cloned = now < cloned_until_;
  link_.tell(facts, now);
  return facts;
}

void Peer::describe(PeerSnapshot & snapshot, Instant now) const
{
  snapshot.name = name_;
  if (const EpochKeys * keys = keys_.slots().sending()) {
    snapshot.key_installed = keys->installed();
    snapshot.packets_under_key = keys->sent();
    snapshot.receive_id = keys->receive_id();
    snapshot.layers = keys->layers();
  }
  snapshot.exchange_bytes = key_traffic_.exchange;
  snapshot.fetch_bytes = key_traffic_.fetch;
  link_.describe(snapshot, now);
}

void Peer::report(
  EventKind kind, Instant now, std::string text, const Suite * suite, Epoch epoch,
  std::optional<EventSeverity> severity)
{
  outbox_.push(Event{kind, now, index_, suite, epoch, std::move(text), severity});
}

void Peer::report_protection(Instant now)
{
  const EpochKeys & keys = *keys_.slots().sending();
  const std::vector<Problem> before = std::exchange(protection_, problems_of(keys.layers()));
  if (protection_ == before) {
    return;
  }
  const bool fallen = !std::ranges::includes(protection_, before);
  report(
    EventKind::protection, now,
    (fallen ? "less protection than before, by " : "protected by ") +
      protection_text(keys.layers()),
    &keys.suite(), keys.epoch(), fallen ? EventSeverity::warning : EventSeverity::info);
}

void Peer::reply(
  RekeyId id, bool success, const std::string & message, const HandshakeTiming & timing)
{
  const EpochKeys * keys = keys_.slots().sending();
  outbox_.push(RekeyReply{
    id, success, message, keys != nullptr ? &keys->suite() : nullptr,
    keys != nullptr ? keys->epoch() : Epoch{}, timing});
}

void Peer::refuse_rekey(
  const RekeyCommand & command, const std::string & problem, const Suite * suite,
  const HandshakeTiming & timing, Instant now)
{
  if (const auto more = refusals_.take(now)) {
    report(EventKind::refused, now, "rekey refused: " + problem + *more, suite);
  }
  reply(command.id, false, problem, timing);
}

}  // namespace pqc_tunnel
