// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "path_report.hpp"

#include "path_set.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr std::size_t max_changes = 64;  // that nobody has fetched

}  // namespace

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

[[gnu::hot]] void PathSet::note_state(Link & link)
{
  const bool up = link.path && link.path->health.state() == PathState::up;
  const bool told =
    up == link.was_up || (link.path && link.path->health.state() == PathState::probing);
  if (told) {
    return;
  }
  link.was_up = up;
  note_change(link, up ? PathChange::Kind::up : PathChange::Kind::down);
}

void PathSet::note_change(const Link & link, PathChange::Kind kind)
{
  if (changes_.size() < max_changes) {
    const auto index = static_cast<std::uint8_t>(&link - links_.data());
    changes_.push_back({kind, index, link.path ? link.path->remote : Endpoint{}});
  }
}

[[gnu::hot]] std::optional<PathChange> PathSet::take_change()
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
  reports.reserve(links_.size());
  for (const Link & link : links_) {
    PathReport & report = reports.emplace_back();
    report.link = static_cast<std::uint8_t>(reports.size() - 1);
    report.trouble = link.trouble;
    report.name = link.settings->name;
    report.type = link.settings->type;
    report.rate_bytes_s = link.rate().value_or(0.0);
    report.rate_source = link.rate_source();
    report.mtu = link.settings->mtu;
    report.carries = link.carries(now);
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
    report.candidate = link.candidates.newest();
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
