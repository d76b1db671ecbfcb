// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The packet thread looks here at what changes without an event, and publishes snapshots.

#include <algorithm>
#include <utility>

#include "os/clock.hpp"
#include "os/machine_load.hpp"
#include "packet_loop.hpp"

namespace pqc_tunnel
{
namespace
{

// A fleet shares the link's socket: before Linux 6.13 the system searches all sockets of a port for each datagram, and the
// datagrams of a fleet then need no call each.
constexpr std::size_t most_connected = 8;
// Peers that carry no data are looked at this far apart: any number of them costs the same.
constexpr Duration idle_look_spacing = std::chrono::milliseconds(25);

// Sets the likely cause, unless an earlier one is known.
void note_cause(PeerSnapshot & peer, const std::string & cause)
{
  if (peer.likely_cause.empty()) {
    peer.likely_cause = cause;
  }
}

}  // namespace

void PacketLoop::note_load(Instant now)
{
  if (turn_ == 0) {
    punctuality_.note_load(processor_wait(), processor_pressure());
  }
  if (std::string trouble = punctuality_.trouble(now); trouble != machine_trouble_) {
    machine_trouble_ = std::move(trouble);
    tunnel_.note_trouble(MachineTrouble{machine_trouble_});
  }
}

// Keys that have expired once stay so until they are read anew, wherever the clock is set. A session goes on: no clock ends
// a flight.
void PacketLoop::expire_keys(Instant now)
{
  const std::int64_t date = unix_seconds();
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    for (const KeyAge keys : {KeyAge::present, KeyAge::former}) {
      auto & expires = sides_[i].expires[static_cast<std::size_t>(keys)];
      if (expires && date >= *expires) {
        expires.reset();
        tunnel_.handle_change(KeysExpired{PeerIndex{static_cast<std::uint32_t>(i)}, keys}, now);
        carry_out_outputs(now);
      }
    }
  }
}

// Looks after what changes without an event. Each peer with data has its turn once a second, since a look costs as much as
// several datagrams.
void PacketLoop::look_around(Instant now)
{
  note_troubles(now);
  note_load(now);
  expire_keys(now);
  std::ranges::for_each(
    event_limit_.take_counts(now), [this](Event & count) { add_event(std::move(count)); });
  const auto looks_a_second = static_cast<std::size_t>(std::chrono::seconds(1) / look_interval_);
  const std::size_t step = network_changed_ ? 1 : looks_a_second;
  const Duration idle_interval = sides_.size() * idle_look_spacing;
  for (std::size_t peer = network_changed_ ? 0 : turn_; peer < sides_.size(); peer += step) {
    Side & side = sides_[peer];
    if (network_changed_ && side.plaintext) {
      side.plaintext->look_at_network();
    }
    if (network_changed_ || side.carried || now >= side.looked + idle_interval) {
      look_at(peer, now);
    }
  }
  turn_ = (turn_ + 1) % looks_a_second;
  network_changed_ = false;
  next_look_ = now + look_interval_;
}

void PacketLoop::note_news(std::optional<PeerIndex> of)
{
  for (std::size_t i = 0; !of && i < sides_.size(); ++i) {
    note_news(PeerIndex{static_cast<std::uint32_t>(i)});
  }
  if (of && !std::exchange(side(*of).has_news, true)) {
    news_of_.push_back(static_cast<std::size_t>(*of));
  }
}

// Takes the snapshot of a peer, and does what follows from it.
void PacketLoop::look_at(std::size_t index, Instant now)
{
  Side & side = sides_[index];
  side.carried = false;
  side.looked = now;
  if (auto news = side.plaintext ? side.plaintext->news(now) : std::nullopt) {
    carry_out(std::move(*news));
  }
  PeerSnapshot peer = tunnel_.snapshot(PeerIndex{static_cast<std::uint32_t>(index)}, now);
  peer.served = side.serves;
  peer.policy_silent = side.policy_watch.silent();
  peer.said = side.lines.newest();
  connect_links(peer, index);
  if (
    const auto fd =
      side.plaintext ? side.plaintext->connect(may_connect(), network_changed_) : std::nullopt)
  {
    poller_.add(*fd, {Source::application, index}, EPOLLIN);
  }
  if (!side.serves) {
    peer.paths.clear();
  }
  if (side.plaintext) {
    peer.plaintext_port = side.plaintext->socket().port;
    note_cause(peer, side.plaintext->trouble());
  }
  for (const PathReport & path : snapshots_[index].paths) {
    count_live_address(path.remote, -1);
    for (std::size_t c = 0; c < traffic_classes; ++c) {
      link_sides_[path.link].shaped[c] -= path.shaped[c];
    }
  }
  for (const PathReport & path : peer.paths) {
    count_live_address(path.remote, 1);
    for (std::size_t c = 0; c < traffic_classes; ++c) {
      link_sides_[path.link].shaped[c] += path.shaped[c];
    }
    if (!path.load) {
      continue;
    }
    note_cause(
      peer, side.drop_watches[path.link].look(links_[path.link].settings(), path.shaped, now));
    // RADIO_STATUS tells the vehicle how much airtime of a thin link it asks for in vain.
    if (
      config_.radio_status && path.link == peer.address.link && side.plaintext &&
      peer.address.family != AddressFamily::none)
    {
      side.plaintext->report_load(*path.load, now);
    }
  }
  if (side.fragment_watch.is_recent(
        peer.traffic.drops[static_cast<std::size_t>(Drop::incomplete)], now))
  {
    note_cause(peer, fragments_lost);
  }
  snapshots_.set(index, std::move(peer));
}

// A connected socket keeps the route and the own address of its moment: it needs news of the network.
bool PacketLoop::may_connect() const
{
  return network_.fd() >= 0 && sides_.size() <= most_connected;
}

// Gives each link of a session a socket that is connected to the peer, who must answer.
void PacketLoop::connect_links(const PeerSnapshot & peer, std::size_t index)
{
  const bool connects = is_encrypted(peer) && may_connect();
  for (const PathReport & path : peer.paths) {
    Link & link = links_[path.link];
    if (!connects) {
      link.disconnect(index);
    } else if (const auto fd = link.connect(index, path.remote, network_changed_)) {
      poller_.add(*fd, ReadyTag::of_peer(path.link, index), EPOLLIN);
    }
  }
}

// Logs the troubles of links. One that comes and goes is logged once a minute.
void PacketLoop::note_troubles(Instant now)
{
  constexpr Duration same_again = std::chrono::minutes(1);
  for (std::size_t index = 0; index < links_.size(); ++index) {
    ToldTrouble & trouble = link_sides_[index].trouble;
    std::string text = links_[index].trouble();
    if (text == trouble.present) {
      continue;
    }
    tunnel_.note_trouble(LinkTrouble{static_cast<std::uint8_t>(index), text});
    trouble.present = std::move(text);
    if (
      !trouble.present.empty() &&
      (trouble.present != trouble.told || now >= trouble.told_at + same_again))
    {
      trouble.told = trouble.present;
      trouble.told_at = now;
      carry_out(Event{
        EventKind::link_changed, now, std::nullopt, nullptr, Epoch{},
        "link " + links_[index].settings().name + ": " + trouble.present, EventSeverity::warning});
    }
  }
}

void PacketLoop::count_live_address(const Endpoint & address, int change)
{
  const auto counted = live_addresses_.try_emplace(address, 0).first;
  counted->second += change;
  if (counted->second == 0) {
    live_addresses_.erase(counted);
  }
}

// Publishes a snapshot in which the peers with news are new.
void PacketLoop::publish(Instant now)
{
  const bool complete = news_of_.size() == sides_.size();
  for (std::size_t i = 0; i < news_of_.size(); ++i) {  // a look may make news
    sides_[news_of_[i]].has_news = false;
    look_at(news_of_[i], now);
  }
  news_of_.clear();
  auto snapshot = std::make_shared<EngineSnapshot>();
  snapshot->time = now;
  snapshot->oldest = oldest_look_ = complete ? now : oldest_look_;
  snapshot->peers = snapshots_;
  for (const Link & link : links_) {
    snapshot->links.push_back(link.status());
    snapshot->links.back().shaped = link_sides_[snapshot->links.size() - 1].shaped;
  }
  snapshot->strangers = tunnel_.strangers();
  snapshot->hellos_discarded = hellos_discarded_;
  snapshot->jobs_run = workers_.jobs_started() + preparers_.jobs_started();
  mailbox_.publish(std::move(snapshot), complete);
  last_publication_ = now;
  if (next_announcement_ <= now) {
    next_announcement_ = Instant::max();
    mailbox_.announce();
  }
}

}  // namespace pqc_tunnel
