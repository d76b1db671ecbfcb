// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer.hpp"

#include <algorithm>
#include <utility>

#include "likely_cause.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration deaf_patience = std::chrono::seconds(2);
constexpr Duration clone_memory = std::chrono::minutes(1);  // and between two reports

}  // namespace

Peer::Peer(
  PeerIndex index, std::string name, Role own_role, const TunnelSettings & settings,
  RandomSource & random, Outbox & outbox)
: index_(index),
  name_(std::move(name)),
  own_role_(own_role),
  settings_(settings),
  random_(random),
  outbox_(outbox),
  session_streams_(std::make_unique<Streams>(max_part())),
  reassembly_(settings.max_age),
  paths_(settings.paths, random),
  saturation_(settings.least_found_rate_kbit * 1000 / 8)
{
}

// --- The end of keys ---

void Peer::wipe()
{
  keys_.clear();
  notices_.clear();
  boot_.reset();
  offered_boots_.clear();
  former_boot_.reset();
  former_boot_until_ = Instant::max();
  reset_session_streams();
  reassembly_.clear();
  next_report_.reset();
}

Instant Peer::wipe_at() const
{
  return keys_.empty() || settings_.wipe_after == Duration{} ? Instant::max()
                                                             : last_alive_ + settings_.wipe_after;
}

void Peer::start_listening(Instant now)
{
  last_arrival_ = now;
  last_heard_ = now;
  last_answered_ = now;
  link_.start(now);
  if (!next_report_) {
    next_report_ = now;
  }
}

void Peer::handle_standstill(Duration stood, Instant now)
{
  for (Instant * silent_since : {&last_arrival_, &last_heard_, &last_answered_}) {
    *silent_since = std::min(*silent_since + stood, now);
  }
  deaf_since_ = deaf_since_ ? std::optional(std::min(*deaf_since_ + stood, now)) : std::nullopt;
}

// --- Time ---

bool Peer::repeats_densely(Instant now) const
{
  if (settings_.paths.links[address().link].is_thin() || found_rate()) {
    return false;
  }
  return std::max(link_.view(now).loss, remote_ ? remote_->view.loss : 0) >= lossy_link;
}

Duration Peer::retry_time(Instant now) const
{
  if (!clock_.valid()) {
    return std::min<Duration>(hello_retry_first + allowance_, hello_retry_max);
  }
  return repeats_densely(now)
           ? std::clamp(clock_.rtt() / 2, lossy_retry_least, hello_retry_max)
           : std::clamp(clock_.rtt() * 5 / 4, exchange_retry_least, hello_retry_max);
}

void Peer::use_round_trip(Duration round_trip)
{
  const Duration usual = settings_.peer_timeout / 2;
  allowance_ = std::clamp<Duration>(round_trip - usual, Duration{}, longest_round_trip);
  paths_.set_allowance(allowance_);
}

bool Peer::is_deaf(Instant now) const
{
  return deaf_since_ && now >= *deaf_since_ + deaf_patience + allowance_ &&
         now < remote_->received + settings_.peer_timeout + allowance_;
}

void Peer::handle_clone(Instant now)
{
  cloned_until_ = now + clone_memory;
  if (now >= next_clone_report_) {
    next_clone_report_ = cloned_until_;
    report(EventKind::superseded, now, identity_cloned);
  }
}

// An answer that is overdue is asked for more often: it alone proves that the peer is there now, and how young its frames
// are.
Duration Peer::report_interval(Instant now) const
{
  return !keys_.sending()->clock()->answered() ||
             now >= last_answered_ + settings_.peer_timeout / 2 + allowance_ ||
             saturation_.wants_delays()
           ? settings_.report_interval / 4
           : settings_.report_interval;
}

void Peer::handle_timeout(Instant now)
{
  keys_.handle_timeout(now);
  reassembly_.handle_timeout(traffic_, now);
  if (now >= former_boot_until_) {
    former_boot_.reset();
    former_boot_until_ = Instant::max();
  }
  pump(Channel::boot, now);
  if (boot_ && !boot_->keys.clock()->answered() && now >= boot_->next_question) {
    boot_->next_question = now + std::exchange(boot_->pause, 2 * boot_->pause);
    ask_for_time(now, Channel::boot);
  }
  probe_boot(now);
  if (keys_.sending() == nullptr) {
    return;
  }
  paths_.handle_timeout(now);
  pump(Channel::session, now);
  pump_notices(now);
  if (next_report_ && now >= *next_report_) {
    next_report_ = now + report_interval(now);
    reported_data_ = traffic_.plain_in_packets;
    ask_for_time(now);
    send_control({0, LinkReport{link_.view(now)}}, now);
  }
  if (now >= last_sent_ + settings_.keepalive_interval) {
    send_control({0, Keepalive{}}, now);
    last_sent_ = now;
  }
  probe_paths(now);  // last: what was sent may have made probes due
}

Instant Peer::next_timeout() const
{
  Instant next = std::min(keys_.next_timeout(), former_boot_until_);
  const auto next_of = [this](const Streams & both) {
    return has_stream_room() ? std::min(both.out.next_timeout(), both.in.next_timeout())
                             : Instant::max();
  };
  if (boot_) {
    next = std::min(next, next_of(boot_->streams));
    if (!boot_->keys.clock()->answered()) {
      next = std::min(next, boot_->next_question);
    }
    for (const Candidates & candidates : boot_->candidates) {
      next = std::min(next, candidates.next_timeout(allowance_));
    }
  }
  if (keys_.sending() != nullptr) {
    next = std::min(
      {next, last_sent_ + settings_.keepalive_interval, next_of(*session_streams_),
       paths_.next_timeout(), notices_.next_timeout()});
    if (next_report_) {
      next = std::min(next, *next_report_);
    }
  }
  return next;
}

void Peer::describe(PeerSnapshot & snapshot, Instant now) const
{
  snapshot.name = name_;
  if (const EpochKeys * keys = keys_.sending()) {
    snapshot.suite = &keys->suite();
    snapshot.session = keys->id();
    snapshot.epoch = keys->epoch();
    snapshot.key_installed = keys->installed();
    snapshot.packets_under_key = keys->sent();
    snapshot.receive_id = keys->receive_id();
  }
  snapshot.address = address();
  snapshot.paths = paths_.report(now);
  snapshot.last_heard = last_heard_;
  snapshot.traffic = traffic_;
  snapshot.link = link_.view(now);
  snapshot.remote = remote_;
  snapshot.stretched = is_stretched(now);
  snapshot.clock_valid = clock_.valid();
  if (snapshot.clock_valid) {
    snapshot.rtt = clock_.rtt();
    snapshot.clock_offset = clock_.offset(now);
    snapshot.clock_error = clock_.error_bound(now);
    snapshot.clock_drift_ppm = clock_.drift_ppm();
    snapshot.delay_to_peer = clock_.delay_to_peer();
    snapshot.delay_from_peer = clock_.delay_from_peer();
  }
}

void Peer::report(
  EventKind kind, Instant now, std::string text, const Suite * suite, Epoch epoch,
  std::optional<EventSeverity> severity)
{
  outbox_.push(Event{kind, now, index_, suite, epoch, std::move(text), severity});
}

void Peer::reply(
  RekeyId id, bool success, const std::string & message, const HandshakeTiming & timing)
{
  const EpochKeys * keys = keys_.sending();
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
