// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "peer_link.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pqc_tunnel
{
namespace
{

constexpr int report_groups = 8;
constexpr Duration deaf_patience = std::chrono::seconds(2);
constexpr Duration stretched_memory = std::chrono::seconds(4);
constexpr Duration stretch_report_interval = std::chrono::seconds(10);
// Limits the reports if two addresses alternate with each datagram.
constexpr Duration roaming_report_interval = std::chrono::seconds(10);

}  // namespace

// --- Presence of the peer ---

void PeerLink::start_listening(Instant now)
{
  last_arrival_ = now;
  last_heard_ = now;
  last_answered_ = now;
  estimator_.start(now);
  if (!next_report_) {
    next_report_ = now;
  }
}

void PeerLink::handle_standstill(Duration stood, Instant now)
{
  for (Instant * silent_since : {&last_arrival_, &last_heard_, &last_answered_}) {
    *silent_since = std::min(*silent_since + stood, now);
  }
  deaf_since_ = deaf_since_ ? std::optional(std::min(*deaf_since_ + stood, now)) : std::nullopt;
}

[[gnu::hot]] void PeerLink::note_arrival(bool stale, Instant now)
{
  last_arrival_ = now;
  if (!stale) {
    last_heard_ = now;
  }
}

void PeerLink::handle_answer(const TimeResponse & response, const EpochKeys * keys, Instant now)
{
  const Instant asked{Duration(response.t1)};
  clock_.handle_sample(
    {response.t1, response.t2, response.t3, now.time_since_epoch().count()}, now);
  for (Instant * last : {&last_answered_, &last_alive_, &last_heard_}) {
    *last = std::max(*last, asked);
  }
  // The delay of the question alone, by the clocks of both ends: the answer does not wait behind what this end sends.
  if (response.t2 >= 0) {
    rate_search_.handle_delay(Duration(response.t2 - response.t1), now);
    use_found_rate(keys, now);
  }
}

Instant PeerLink::lost_from() const
{
  return std::min(
    last_heard_ + settings_.peer_timeout + allowance_,
    last_answered_ + 2 * settings_.peer_timeout + allowance_);
}

bool PeerLink::is_deaf(Instant now) const
{
  return deaf_since_ && now >= *deaf_since_ + deaf_patience + allowance_ &&
         now < remote_->received + settings_.peer_timeout + allowance_;
}

void PeerLink::tell(PeerFacts & facts, Instant now) const
{
  facts.settings = &settings_;
  facts.arrives = now < last_arrival_ + settings_.peer_timeout + allowance_;
  facts.deaf_peer = is_deaf(now);
  facts.stretched = is_stretched(now);
  facts.machine_trouble = machine_trouble_;
  facts.link_troubles = paths_.troubles();
}

void PeerLink::describe(PeerSnapshot & snapshot, Instant now) const
{
  snapshot.address = paths_.preferred();
  snapshot.paths = paths_.report(now);
  snapshot.last_heard = last_heard_;
  snapshot.traffic = traffic_;
  snapshot.link = estimator_.view(now);
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

// --- Times ---

void PeerLink::use_round_trip(Duration round_trip)
{
  const Duration usual = settings_.peer_timeout / 2;
  allowance_ = std::clamp<Duration>(round_trip - usual, Duration{}, longest_round_trip);
  paths_.set_allowance(allowance_);
}

bool PeerLink::repeats_densely(Instant now) const
{
  if (settings_.paths.links[paths_.preferred().link].is_thin() || found_rate()) {
    return false;
  }
  return std::max(estimator_.view(now).loss, remote_ ? remote_->view.loss : 0) >= lossy_link;
}

Duration PeerLink::retry_time(Instant now) const
{
  if (!clock_.valid()) {
    return std::min<Duration>(hello_retry_first + allowance_, hello_retry_max);
  }
  return repeats_densely(now)
           ? std::clamp(clock_.rtt() / 2, lossy_retry_least, hello_retry_max)
           : std::clamp(clock_.rtt() * 5 / 4, exchange_retry_least, hello_retry_max);
}

void PeerLink::note_stretched(std::string_view what, Instant now)
{
  stretched_until_ = now + stretched_memory;
  if (now >= next_stretch_report_) {
    next_stretch_report_ = now + stretch_report_interval;
    report(
      EventKind::link_stretched, now,
      (machine_trouble_.empty() ? "" : machine_trouble_ + "; ") + std::string(what) +
        " later than max_age_s allows: something holds them back");
  }
}

// --- Reports to the peer ---

Duration PeerLink::rest_of(Role role, const TunnelSettings & settings)
{
  const Duration usual = settings.report_interval;
  const Duration longest =
    std::max(usual, std::min({2 * usual, settings.keepalive_interval, settings.peer_timeout / 3}));
  return role == Role::drone ? longest : std::max(usual, longest * 3 / 4);
}

std::uint64_t PeerLink::flow() const
{
  return traffic_.plain_in_packets + traffic_.plain_out_packets + traffic_.stream_in_packets +
         traffic_.stream_out_packets;
}

// True if all frames arrive, and soon.
bool PeerLink::is_calm(const LinkView & view, Instant now) const
{
  const bool hears = last_heard_ > reported_ && asked_ <= last_answered_;
  const bool lossless = view.loss == 0 && remote_ && remote_->view.loss == 0;
  return hears && lossless && !is_stretched(now) && rate_search_.rests(now);
}

// Reports and asks more often if an answer is overdue, because only answers prove that the peer is present and how old its
// frames are.
LinkReport PeerLink::make_report(bool answered, Instant now)
{
  LinkReport report{estimator_.view(now)};
  const Instant waits_from = std::max(last_answered_, asked_ - settings_.report_interval);
  const bool overdue =
    asked_ > last_answered_ && now >= waits_from + settings_.peer_timeout / 2 + allowance_;
  const bool often = !answered || overdue || rate_search_.saturation().wants_delays();
  const bool calm = !often && is_calm(report.view, now);
  rests_ = calm && flow() == reported_flow_;
  // On a thin link a command would wait behind the longer frame.
  joins_ = rests_ || (calm && !settings_.paths.links[paths_.preferred().link].is_thin());
  const Duration usual = settings_.report_interval;
  const Duration beside_data = joins_ && !leads_ ? usual * 9 / 8 : usual;
  interval_ = often ? usual / 4 : rests_ ? rest_ : beside_data;
  next_report_ = now + interval_;
  if (joins_ && leads_) {  // the reports to all such drones leave in few groups
    *next_report_ -= next_report_->time_since_epoch() % (interval_ / report_groups);
  }
  reported_ = now;
  reported_data_ = traffic_.plain_in_packets;
  reported_flow_ = flow();
  return report;
}

std::optional<LinkReport> PeerLink::take_report(bool answered, Instant now)
{
  if (now < next_report()) {
    return std::nullopt;
  }
  LinkReport report = make_report(answered, now);
  asked_ = asked_ > last_answered_ ? asked_ : now;
  if (joins_) {
    report.question = TimeRequest{now.time_since_epoch().count()};
  }
  return report;
}

// At rest this end asks once in peer_timeout, since the peer asks with each report.
std::optional<LinkReport> PeerLink::take_reply(
  const TimeResponse & answer, bool answered, Instant now)
{
  if (!joins_ || now + interval_ / 2 < next_report()) {
    return std::nullopt;
  }
  LinkReport report = make_report(answered, now);
  report.answer = answer;
  if (!rests_ || now + rest_ / 2 >= last_answered_ + settings_.peer_timeout) {
    report.question = TimeRequest{now.time_since_epoch().count()};
    asked_ = asked_ > last_answered_ ? asked_ : now;
  }
  return report;
}

Instant PeerLink::next_report() const
{
  const Instant next = next_report_.value_or(Instant::max());
  return rests_ && flow() != reported_flow_ ? std::min(next, reported_ + settings_.report_interval)
                                            : next;
}

Instant PeerLink::next_timeout() const
{
  return std::min(
    {last_sent_ + settings_.keepalive_interval, paths_.next_timeout(), next_report()});
}

// --- Reports of the peer ---

// Compares the counts with the previous report, to see whether anything reaches the peer.
void PeerLink::handle_report(
  const LinkView & view, const FrameOrder & order, const EpochKeys * keys, Instant now)
{
  if (order < remote_order_) {
    return;  // a newer report has overtaken it
  }
  if (view.packets != (remote_ ? remote_->view.packets : 0)) {
    deaf_since_.reset();
  } else if (!deaf_since_) {
    deaf_since_ = now;
  }
  remote_ = PeerLinkReport{view, now};
  remote_order_ = order;
  rate_search_.handle_report(view, traffic_, paths_.stream_rate(), now);
  use_found_rate(keys, now);
}

void PeerLink::note_exchange(Instant now)
{
  // A report is useful only if data may delay the frames of the exchange.
  if (rate_search_.note_exchange(now) && traffic_.plain_in_packets > reported_data_) {
    next_report_ = now;
  }
}

void PeerLink::use_found_rate(const EpochKeys * keys, Instant now)
{
  paths_.set_found_rate(0, found_rate());
  const bool saturated = rate_search_.saturation().limits();
  if (told_saturated_ == saturated || keys == nullptr) {
    return;
  }
  told_saturated_ = saturated;
  report(
    EventKind::link_changed, now,
    saturated ? "the link is saturated: it is limited to what it delivers"
              : "the link is no longer saturated",
    keys, EventSeverity::info);
}

// --- Paths ---

[[gnu::hot]] void PeerLink::report_changes(const EpochKeys * keys, Instant now)
{
  while (const auto change = paths_.take_change()) {
    const LinkSettings & link = settings_.paths.links[change->link];
    if (change->kind == PathChange::Kind::moved) {
      report_moved(keys, now);
    } else if (change->kind == PathChange::Kind::crowded) {
      report(
        EventKind::refused, now,
        "link " + link.name +
          ": frames of the peer come from addresses that do not answer, which get no more than " +
          std::to_string(std::lround(Candidates::rate(link))) +
          " bytes per second (somebody repeats the frames)");
    } else if (settings_.paths.links.size() > 1 && keys != nullptr) {
      const bool up = change->kind == PathChange::Kind::up;
      report(
        EventKind::link_changed, now, "link " + link.name + (up ? " is up" : " is down"), keys,
        up ? EventSeverity::info : EventSeverity::warning);
    }
  }
}

void PeerLink::report_moved(const EpochKeys * keys, Instant now)
{
  ++roamings_;
  if (now < next_roaming_report_ || keys == nullptr) {
    return;
  }
  next_roaming_report_ = now + roaming_report_interval;
  std::string text = "the peer answers at another address";
  if (roamings_ > 1) {
    text += " (it has changed " + std::to_string(roamings_) + " times since the last report)";
  }
  roamings_ = 0;
  report(EventKind::roamed, now, text, keys);
}

void PeerLink::report(
  EventKind kind, Instant now, std::string text, const EpochKeys * keys,
  std::optional<EventSeverity> severity)
{
  outbox_.push(Event{
    kind, now, index_, keys != nullptr ? &keys->suite() : nullptr,
    keys != nullptr ? keys->epoch() : Epoch{}, std::move(text), severity});
}

}  // namespace pqc_tunnel
