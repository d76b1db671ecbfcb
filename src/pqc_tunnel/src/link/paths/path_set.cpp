// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "path_set.hpp"

#include <algorithm>
#include <tuple>

#include "base/contract.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr double probe_share = 0.01;  // share of the rate of a link
// The same for a path that is watched closely.
constexpr double watch_share = 0.1;
constexpr Duration return_interval = std::chrono::seconds(10);
constexpr Duration crowded_interval = std::chrono::minutes(1);

// Returns the interval between probes at which `frames` in each direction take this share of the rate.
Duration least_interval(const LinkSettings & link, int frames, double share)
{
  if (!link.is_thin()) {
    return {};
  }
  const double bytes = static_cast<double>(link.line_bytes(probe_frame)) * frames;
  return from_seconds(bytes / (share * link.bytes_per_s()));
}

bool is_urgent(TrafficClass traffic)
{
  return traffic == TrafficClass::control || traffic == TrafficClass::command;
}

}  // namespace

PathSet::PathSet(const PathSettings & settings, RandomSource & random)
: settings_(settings), random_(random)
{
  require(
    !settings.links.empty() && settings.links.size() <= PathSettings::max_links,
    "a set of paths has one to four links");
  links_.reserve(settings.links.size());
  for (const LinkSettings & link : settings.links) {
    links_.emplace_back(link);
  }
}

PathHealth::Settings PathSet::health_settings(const Link & link) const
{
  PathHealth::Settings health{links_.size() > 1, PathSettings::failover, {}, {}};
  // Both ends probe and answer.
  health.least_interval = least_interval(*link.settings, 2, probe_share);
  // Only one end probes so often, because its probes show the other end that the path delivers.
  health.least_watch_interval = least_interval(*link.settings, 1, watch_share);
  return health;
}

void PathSet::make_path(Link & link, const Endpoint & remote, Instant now) const
{
  link.path.reset();
  link.path = Path{remote, PathHealth(health_settings(link), now)};
  if (!link.present) {
    link.path->health.handle_link_down();
  }
}

[[gnu::hot]] PathSet::Link * PathSet::find(std::uint8_t link)
{
  return link < links_.size() ? &links_[link] : nullptr;
}

// --- What arrives ---

void PathSet::set_remote(const Endpoint & remote, Instant now)
{
  Link * link = find(remote.link);
  if (link == nullptr) {
    return;
  }
  link->configured = remote;
  if (link->path && (link->path->remote == remote || link->path->health.heard())) {
    return;
  }
  make_path(*link, remote, now);
}

void PathSet::use(const Endpoint & remote, Instant now)
{
  Link * link = find(remote.link);
  if (link == nullptr || !link->present) [[unlikely]] {
    return;
  }
  const bool moved = link->path && link->path->remote != remote;
  if (!link->path || moved) {
    make_path(*link, remote, now);
  }
  link->path->health.handle_frame(now);
  if (moved) {
    note_change(*link, PathChange::Kind::moved);
  }
  note_state(*link);
}

[[gnu::hot]] void PathSet::handle_frame(
  const Endpoint & from, const FrameOrder & order, std::size_t bytes, Instant now)
{
  Link * link = find(from.link);
  if (link == nullptr || !link->present) [[unlikely]] {
    return;
  }
  ++link->frames_in;
  link->bytes_in += bytes;
  const bool newest = link->newest < order || !link->path || !link->path->health.heard();
  if (newest) {
    link->newest = order;
  }
  if (newest && !link->path && from.family == AddressFamily::serial) {
    make_path(*link, from, now);  // a serial line has only one other end
  }
  if (link->path && link->path->remote == from) {
    link->path->health.handle_frame(now);
  } else if (newest || link->candidates.contains(from)) {
    link->candidates.add(from, bytes, now);
  }
  note_state(*link);
}

void PathSet::handle_stream_part(
  std::uint8_t index, std::size_t bytes, Duration round_trip, Instant now)
{
  if (Link * link = find(index)) {
    link->arrival_rate.handle_part(bytes, round_trip, now);
  }
}

void PathSet::set_found_rate(std::uint8_t index, std::optional<double> bytes_per_s)
{
  if (Link * link = find(index)) {
    link->found_rate = bytes_per_s;
  }
}

bool PathSet::handle_answer(std::uint64_t nonce, const Endpoint & from, Instant now)
{
  Link * link = find(from.link);
  if (link == nullptr || !link->present) [[unlikely]] {
    return false;
  }
  if (auto proved = link->candidates.handle_answer(nonce, from, now)) {
    make_path(*link, from, now);
    if (links_.size() > 1) {
      link->path->health = *proved;
      link->path->health.use(health_settings(*link));
    } else {
      link->path->health.handle_frame(now);
    }
    note_change(*link, PathChange::Kind::moved);
    note_state(*link);
    return true;
  }
  const bool known =
    link->path && link->path->remote == from && link->path->health.handle_answer(nonce, now);
  note_state(*link);
  return known;
}

void PathSet::handle_link_down(std::uint8_t index)
{
  Link * link = find(index);
  if (link == nullptr) {
    return;
  }
  link->present = false;
  link->candidates.clear();
  if (link->path) {
    link->path->health.handle_link_down();
  }
  note_state(*link);
}

void PathSet::handle_link_up(std::uint8_t index, Instant now)
{
  Link * link = find(index);
  if (link == nullptr) {
    return;
  }
  link->present = true;
  if (link->path) {
    link->path->health.handle_link_up(now);
  }
}

// --- What is sent ---

[[gnu::hot]] void PathSet::handle_sent(const Endpoint & to, std::size_t bytes, Instant now)
{
  if (Link * link = find(to.link)) {
    ++link->frames_out;
    link->bytes_out += bytes;
    link->sent = now;
  }
}

[[gnu::hot]] std::optional<int> PathSet::rank(
  const Link & link, TrafficClass traffic, std::size_t bytes)
{
  if (!link.present || !link.path || bytes > link.settings->mtu) {
    return std::nullopt;
  }
  switch (link.settings->carry) {
    case Carry::all:
      return 0;
    case Carry::standby:
      return 1;
    case Carry::priority:
      break;
  }
  if (is_urgent(traffic)) {
    return 0;
  }
  const bool flows = traffic == TrafficClass::telemetry || traffic == TrafficClass::other;
  return flows ? std::nullopt : std::optional(2);
}

// Returns the first link in order that is up; if none is, the link that was heard last.
const PathSet::Link * PathSet::best(TrafficClass traffic, std::size_t bytes) const
{
  const Link * chosen = nullptr;
  std::tuple<bool, int, Duration> least;
  for (const Link & link : links_) {
    const auto preference = rank(link, traffic, bytes);
    if (!preference) {
      continue;
    }
    const PathHealth & health = link.path->health;
    const bool up = health.state() == PathState::up;
    const Duration heard = health.heard().value_or(Instant{}).time_since_epoch();
    const std::tuple cost(!up, up ? *preference : 0, up ? Duration{} : -heard);
    if (chosen == nullptr || cost < least) {
      chosen = &link;
      least = cost;
    }
  }
  return chosen;
}

bool PathSet::gets_copy(const Link & link, TrafficClass traffic, std::size_t bytes) const
{
  const bool usable = traffic != TrafficClass::background && rank(link, traffic, bytes) == 0 &&
                      link.path->health.state() != PathState::down;
  return usable &&
         (settings_.schedule == Schedule::redundant || link.settings->carry == Carry::priority);
}

[[gnu::hot]] Routes PathSet::routes(TrafficClass traffic, std::size_t bytes, Instant now)
{
  Routes routes;
  if (links_.size() == 1) {  // no choice, and no watch
    Link & only = links_[0];
    if (rank(only, traffic, bytes)) {
      only.carried = traffic == TrafficClass::control ? only.carried : now;
      routes.add(only.path->remote);
    }
    return routes;
  }
  handle_timeout(now);
  const Link * first = best(traffic, bytes);
  if (first == nullptr) {
    return routes;
  }
  if (traffic != TrafficClass::control) {
    links_[static_cast<std::size_t>(first - links_.data())].carried = now;
    update_watches(now);
  }
  for (Link & link : links_) {
    if (&link != first && !gets_copy(link, traffic, bytes)) {
      continue;
    }
    routes.add(link.path->remote);
  }
  return routes;
}

[[gnu::hot]] std::optional<Endpoint> PathSet::take_copy(
  std::uint8_t index, std::size_t bytes, Instant now)
{
  Link * link = find(index);
  return link != nullptr && link->present ? link->candidates.take_copy(bytes, now) : std::nullopt;
}

std::optional<TrafficClass> PathSet::take_answer(
  const Endpoint & to, std::size_t bytes, Instant now)
{
  Link * link = find(to.link);
  if (is_known(to)) {
    return TrafficClass::control;
  }
  return link != nullptr && link->candidates.spend(to, bytes, now)
           ? std::optional(TrafficClass::unproved)
           : std::nullopt;
}

Endpoint PathSet::remote(std::uint8_t link) const
{
  return link < links_.size() && links_[link].path ? links_[link].path->remote : Endpoint{};
}

Endpoint PathSet::preferred() const
{
  const Link * link = best(TrafficClass::telemetry, 0);
  return link != nullptr ? link->path->remote : Endpoint{};
}

std::optional<double> PathSet::stream_rate() const
{
  const Link * link = best(TrafficClass::stream, 0);
  return link != nullptr ? link->rate() : std::nullopt;
}

bool PathSet::is_stream_rate_sure(Instant now) const
{
  const Link * link = best(TrafficClass::stream, 0);
  return link != nullptr &&
         (link->settings->is_thin() || link->found_rate || link->arrival_rate.is_sure(now));
}

bool PathSet::was_stream_rate_sure() const
{
  const Link * link = best(TrafficClass::stream, 0);
  return link != nullptr &&
         (link->settings->is_thin() || link->found_rate || link->arrival_rate.has_filled());
}

const LinkSettings & PathSet::stream_link() const
{
  const Link * link = best(TrafficClass::stream, 0);
  return link != nullptr ? *link->settings : settings_.links.front();
}

std::optional<PathSet::RatedLink> PathSet::slowest(TrafficClass traffic) const
{
  std::optional<RatedLink> found;
  const Link * first = best(traffic, 0);
  for (const Link & link : links_) {
    const auto rate = link.rate();
    const bool used = &link == first || (first != nullptr && gets_copy(link, traffic, 0));
    if (used && rate && *rate > 0 && (!found || *rate < found->rate)) {
      found = RatedLink{link.settings, *rate};
    }
  }
  return found;
}

bool PathSet::is_down(std::uint8_t link) const
{
  return link < links_.size() && links_[link].path &&
         links_[link].path->health.state() == PathState::down;
}

bool PathSet::is_known(const Endpoint & remote) const
{
  return std::ranges::any_of(
    links_, [&remote](const Link & link) { return link.path && link.path->remote == remote; });
}

// --- Time ---

// Watches a path closely while its failure would cost data that another path could carry.
void PathSet::update_watches(Instant now)
{
  if (settings_.schedule == Schedule::redundant) {
    return;
  }
  const auto usable = std::ranges::count_if(
    links_, [](const Link & link) { return link.present && link.path.has_value(); });
  for (Link & link : links_) {
    if (link.path) {
      const bool carries = link.carries(now);
      link.path->health.watch_closely(carries && usable > 1, now);
    }
  }
}

void PathSet::handle_timeout(Instant now)
{
  update_watches(now);
  for (Link & link : links_) {
    if (link.path) {
      link.path->health.handle_timeout(now);
      note_state(link);
    }
    link.candidates.handle_timeout(allowance_, now);
    if (link.candidates.take_excess() && now >= link.next_crowded) {
      link.next_crowded = now + crowded_interval;
      note_change(link, PathChange::Kind::crowded);
    }
    if (has_strayed(link) && now >= link.next_return) {
      link.candidates.add_configured(link.configured, now);
      link.next_return = now + return_interval;
    }
  }
}

// True if an attacker seems to have relayed frames, and answers to probes, from his own address and has stopped.
bool PathSet::has_strayed(const Link & link)
{
  return link.path && !link.candidates.contains(link.configured) && link.present &&
         link.path->health.state() == PathState::down &&
         link.configured.family != AddressFamily::none && link.configured != link.path->remote;
}

[[gnu::hot]] std::optional<PathProbe> PathSet::take_probe(Instant now)
{
  for (Link & link : links_) {
    if (!link.present) {
      continue;
    }
    if (const auto probe = link.candidates.take_probe(random_, now)) {
      return probe;
    }
    const auto nonce = link.path ? link.path->health.take_probe(random_, now) : std::nullopt;
    if (nonce) {
      return PathProbe{link.path->remote, *nonce};
    }
  }
  return std::nullopt;
}

Instant PathSet::next_timeout() const
{
  Instant next = Instant::max();
  for (const Link & link : links_) {
    if (link.path) {
      next = std::min(next, link.path->health.next_timeout());
    }
    next = std::min(next, link.candidates.next_timeout(allowance_));
    if (has_strayed(link)) {
      next = std::min(next, link.next_return);
    }
  }
  return next;
}

}  // namespace pqc_tunnel
