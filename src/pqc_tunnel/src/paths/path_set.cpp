// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "path_set.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/contract.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr double probe_share = 0.01;  // of a link's rate
// While the failure of the path would cost data that another path could carry.
constexpr double watch_share = 0.1;
constexpr Duration carrying_time = std::chrono::seconds(3);
constexpr Duration candidate_patience = std::chrono::seconds(3);
constexpr Duration return_interval = std::chrono::seconds(10);
constexpr std::size_t max_changes = 64;  // unfetched ones

// Between probes, so that so many frames in each direction take no more than this share of the rate.
Duration least_interval(const LinkSettings & link, int frames, double share)
{
  if (!link.is_thin()) {
    return {};
  }
  const double bytes = static_cast<double>(link.line_bytes(probe_frame)) * frames;
  const std::chrono::duration<double> interval(bytes / (share * link.bytes_per_s()));
  return std::chrono::duration_cast<Duration>(interval);
}

bool is_urgent(TrafficClass traffic)
{
  return traffic == TrafficClass::control || traffic == TrafficClass::command;
}

}  // namespace

PathSet::PathSet(const PathSettings & settings, RandomSource & random)
: settings_(settings), random_(random), links_(settings.links.size())
{
  require(
    !links_.empty() && links_.size() <= PathSettings::max_links,
    "a set of paths has one to four links");
  for (std::size_t i = 0; i < links_.size(); ++i) {
    links_[i].settings = &settings.links[i];
  }
}

PathSet::Path PathSet::make_path(const Link & link, const Endpoint & remote, Instant now) const
{
  const bool probed = links_.size() > 1 || link.path;
  PathHealth::Settings health{probed, settings_.failover, {}, {}};
  // A probe of each end and the answer to that of the other.
  health.least_interval = least_interval(*link.settings, 2, probe_share);
  // One end at a time asks so often: its questions tell the other one that the path delivers.
  health.least_watch_interval = least_interval(*link.settings, 1, watch_share);
  Path path{remote, PathHealth(health, now), now};
  if (!link.present) {
    path.health.handle_link_down();
  }
  return path;
}

PathSet::Link * PathSet::find(std::uint8_t link)
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
  link->path.reset();
  link->path = make_path(*link, remote, now);
}

void PathSet::handle_frame(
  const Endpoint & from, const FrameOrder & order, std::size_t bytes, Instant now)
{
  Link * link = find(from.link);
  if (link == nullptr || !link->present) {
    return;
  }
  ++link->frames_in;
  link->bytes_in += bytes;
  const bool newest = link->newest < order || !link->path || !link->path->health.heard();
  if (newest) {
    link->newest = order;
  }
  if (link->path && link->path->remote == from) {
    link->path->health.handle_frame(now);
  } else if (link->candidate && link->candidate->remote == from && link->candidate->health.heard())
  {
    link->candidate->health.handle_frame(now);
  } else if (newest && !link->path) {
    link->path = make_path(*link, from, now);
    link->path->health.handle_frame(now);
  } else if (newest) {
    link->candidate = make_path(*link, from, now);
    link->candidate->health.handle_frame(now);
  }
  note_state(*link);
}

void PathSet::handle_stream_part(std::uint8_t index, std::size_t bytes, Instant now)
{
  if (Link * link = find(index)) {
    link->arrival_rate.handle_part(bytes, now);
  }
}

void PathSet::set_found_rate(std::uint8_t index, std::optional<double> bytes_per_s)
{
  if (Link * link = find(index)) {
    link->found_rate = bytes_per_s;
  }
}

bool PathSet::handle_answer(std::uint64_t nonce, std::uint8_t index, Instant now)
{
  Link * link = find(index);
  if (link == nullptr) {
    return false;
  }
  if (link->candidate && link->candidate->health.handle_answer(nonce, now)) {
    use_candidate(*link, now);
    return true;
  }
  const bool known = link->path && link->path->health.handle_answer(nonce, now);
  note_state(*link);
  return known;
}

void PathSet::use_candidate(Link & link, Instant now)
{
  link.path = std::exchange(link.candidate, std::nullopt);
  if (links_.size() == 1) {
    const Endpoint remote = link.path->remote;
    link.path.reset();
    link.path = make_path(link, remote, now);
    link.path->health.handle_frame(now);
  }
  if (changes_.size() < max_changes) {
    const auto index = static_cast<std::uint8_t>(&link - links_.data());
    changes_.push_back({PathChange::Kind::moved, index, link.path->remote});
  }
  note_state(link);
}

void PathSet::handle_link_down(std::uint8_t index)
{
  Link * link = find(index);
  if (link == nullptr) {
    return;
  }
  link->present = false;
  link->candidate.reset();
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

void PathSet::note_trouble(std::uint8_t index, const std::string & trouble)
{
  if (Link * link = find(index)) {
    link->trouble = trouble;
  }
}

std::vector<std::string> PathSet::troubles() const
{
  std::vector<std::string> troubles;
  for (const Link & link : links_) {
    troubles.push_back(link.trouble);
  }
  return troubles;
}

// --- What is sent ---

void PathSet::handle_sent(const Endpoint & to, std::size_t bytes, Instant now)
{
  if (Link * link = find(to.link)) {
    ++link->frames_out;
    link->bytes_out += bytes;
    link->sent = now;
  }
}

std::optional<int> PathSet::rank(const Link & link, TrafficClass traffic, std::size_t bytes)
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

// The first link in order that is up; if none is, the one that was heard last.
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
  const bool usable =
    rank(link, traffic, bytes) == 0 && link.path->health.state() != PathState::down;
  return usable &&
         (settings_.schedule == Schedule::redundant || link.settings->carry == Carry::priority);
}

Routes PathSet::routes(TrafficClass traffic, std::size_t bytes, Instant now)
{
  Routes routes;
  if (links_.size() == 1) {  // nothing to choose, nothing to watch
    Link & only = links_[0];
    if (rank(only, traffic, bytes)) {
      only.carried = traffic == TrafficClass::control ? only.carried : now;
      add_addresses(routes, only);
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
    add_addresses(routes, link);
  }
  return routes;
}

void PathSet::add_addresses(Routes & routes, const Link & link)
{
  routes.add(link.path->remote);
  if (link.candidate) {
    routes.add(link.candidate->remote);
  }
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

// --- Time ---

// A path is watched closely while its failure would cost data that another path could carry.
void PathSet::update_watches(Instant now)
{
  if (settings_.schedule == Schedule::redundant) {
    return;
  }
  const auto usable = std::ranges::count_if(
    links_, [](const Link & link) { return link.present && link.path.has_value(); });
  for (Link & link : links_) {
    if (link.path) {
      const bool carries = link.carried && now < *link.carried + carrying_time;
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
    if (link.candidate) {
      link.candidate->health.handle_timeout(now);
    }
    if (link.candidate && now >= candidate_ends(link)) {
      link.candidate.reset();
    }
    if (has_strayed(link) && now >= link.next_return) {
      link.candidate = make_path(link, link.configured, now);
      link.next_return = now + return_interval;
    }
  }
}

Instant PathSet::candidate_ends(const Link & link) const
{
  return link.candidate->begun + candidate_patience + allowance_;
}

// Who forwarded frames from an address of his own, and even the answers to probes, forwards no more.
bool PathSet::has_strayed(const Link & link)
{
  return link.path && !link.candidate && link.present &&
         link.path->health.state() == PathState::down &&
         link.configured.family != AddressFamily::none && link.configured != link.path->remote;
}

void PathSet::note_state(Link & link)
{
  const bool up = link.path && link.path->health.state() == PathState::up;
  const bool told =
    up == link.was_up || (link.path && link.path->health.state() == PathState::probing);
  if (told) {
    return;
  }
  link.was_up = up;
  if (changes_.size() < max_changes) {
    const auto index = static_cast<std::uint8_t>(&link - links_.data());
    changes_.push_back(
      {up ? PathChange::Kind::up : PathChange::Kind::down, index,
       link.path ? link.path->remote : Endpoint{}});
  }
}

std::optional<PathProbe> PathSet::take_probe(Instant now)
{
  for (Link & link : links_) {
    for (auto * path : {&link.candidate, &link.path}) {
      if (!*path || !link.present) {
        continue;
      }
      if (const auto nonce = (*path)->health.take_probe(random_, now)) {
        return PathProbe{(*path)->remote, *nonce};
      }
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
    if (link.candidate) {
      next = std::min({next, link.candidate->health.next_timeout(), candidate_ends(link)});
    }
    if (has_strayed(link)) {
      next = std::min(next, link.next_return);
    }
  }
  return next;
}

std::optional<PathChange> PathSet::take_change()
{
  if (changes_.empty()) {
    return std::nullopt;
  }
  const PathChange change = changes_.front();
  changes_.pop_front();
  return change;
}

std::vector<PathReport> PathSet::report(Instant now) const
{
  std::vector<PathReport> reports;
  for (const Link & link : links_) {
    PathReport & report = reports.emplace_back();
    report.link = static_cast<std::uint8_t>(reports.size() - 1);
    report.trouble = link.trouble;
    report.name = link.settings->name;
    report.type = link.settings->type;
    report.rate_bytes_s = link.rate().value_or(0.0);
    report.rate_source = link.rate_source();
    report.carries = link.carried && now < *link.carried + carrying_time;
    report.sent = link.sent;
    report.frames_in = link.frames_in;
    report.bytes_in = link.bytes_in;
    report.frames_out = link.frames_out;
    report.bytes_out = link.bytes_out;
    if (link.path) {
      const PathHealth & health = link.path->health;
      report.remote = link.path->remote;
      report.state = health.state();
      report.heard = health.heard();
      report.rtt = health.rtt();
      report.loss = health.loss(now);
    }
    if (link.candidate) {
      report.candidate = link.candidate->remote;
    }
  }
  return reports;
}

const char * to_string(PathState state)
{
  switch (state) {
    case PathState::probing:
      return "probing";
    case PathState::up:
      return "up";
    case PathState::down:
      return "down";
  }
  return "";
}

const char * to_string(LinkType type) { return type == LinkType::serial ? "serial" : "udp"; }

const char * to_string(RateSource source)
{
  switch (source) {
    case RateSource::unknown:
      return "unknown";
    case RateSource::configured:
      return "configured";
    case RateSource::saturation:
      return "saturation";
    case RateSource::streams:
      return "streams";
  }
  return "";
}

}  // namespace pqc_tunnel
