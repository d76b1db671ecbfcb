// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "tunnel.hpp"

#include <algorithm>
#include <utility>

#include "outbound.hpp"
#include "peer_budget.hpp"
#include "protocol/drone/drone_end.hpp"
#include "protocol/ground/gcs_end.hpp"
#include "protocol/handshake/suite_objection.hpp"
#include "protocol/peer/peer.hpp"

namespace pqc_tunnel
{
namespace
{

std::optional<Error> check(const TunnelSettings & settings)
{
  if (settings.replay_window < 64) {
    return Error{ErrorCode::invalid_argument, "the replay window must hold at least 64 packets"};
  }
  if (settings.suites.allowed().empty()) {
    return Error{ErrorCode::invalid_argument, "the configuration allows no suite at all"};
  }
  return std::nullopt;
}

std::optional<Error> check(const Tunnel::DroneConfig & config)
{
  if (auto error = check(config.settings)) {
    return error;
  }
  const Suite * suite = config.settings.initial_suite;
  if (suite == nullptr) {
    return Error{ErrorCode::invalid_argument, "a drone needs an initial suite"};
  }
  if (std::string objection = suite_objection(*suite, config.settings, config.identity);
      !objection.empty())
  {
    return Error{ErrorCode::unavailable, std::move(objection)};
  }
  if (config.settings.anchor == AnchorUse::required && !config.identity.anchor) {
    return Error{
      ErrorCode::unavailable,
      "anchor is required, but the identity holds no key of the ground station's anchor: make it "
      "with pqc identity anchor"};
  }
  return std::nullopt;
}

std::optional<Error> check(const Tunnel::GcsConfig & config)
{
  if (auto error = check(config.settings)) {
    return error;
  }
  if (config.drones.empty()) {
    return Error{ErrorCode::invalid_argument, "the ground station knows no drone"};
  }
  for (auto drone = config.drones.begin(); drone != config.drones.end(); ++drone) {
    const auto twin = std::find_if(config.drones.begin(), drone, [&](const DroneRecord & other) {
      return other.id == drone->id;
    });
    if (twin != drone) {
      return Error{
        ErrorCode::invalid_argument,
        "drones " + twin->name + " and " + drone->name + " have the same id"};
    }
  }
  return std::nullopt;
}

}  // namespace

class Tunnel::Impl
{
public:
  Impl(DroneConfig config, RandomSource & random, Instant now)
  : settings_(std::move(config.settings)), budget_(1)
  {
    Peer & peer = peers_.emplace_back(
      PeerIndex{0}, "the ground station", Role::drone, settings_, random, outbox_);
    drone_.emplace(
      settings_, std::move(config.identity), std::move(config.gcs_addresses), random, outbox_, peer,
      now);
    outbound_.emplace(settings_, peers_);
  }

  Impl(GcsConfig config, RandomSource & random, Instant)
  : settings_(std::move(config.settings)), budget_(config.drones.size())
  {
    peers_.reserve(config.drones.size());
    for (const DroneRecord & record : config.drones) {
      const PeerIndex index{static_cast<std::uint32_t>(peers_.size())};
      peers_.emplace_back(index, record.name, Role::gcs, settings_, random, outbox_);
    }
    gcs_.emplace(
      settings_, std::move(config.identity), std::move(config.drones), random, outbox_, peers_);
    outbound_.emplace(settings_, peers_);
  }

  Peer & peer(PeerIndex index) { return peers_[static_cast<std::size_t>(index)]; }

  // Every call that may bring the next time-out forward goes through here.
  Impl & changed()
  {
    timeout_.reset();
    return *this;
  }

  // Returns the next peer with such keys, counted from the sender of the last datagram and not before `first`; the
  // number of peers if there is none. A peer that has used up its time counts a drop and is skipped.
  std::size_t next_holder(FrameKeyId id, std::size_t first)
  {
    for (std::size_t at = first; at < peers_.size(); ++at) {
      const std::size_t index = (last_found_ + at) % peers_.size();
      if (!peers_[index].holds(id)) {
        continue;
      }
      if (budget_.allows(index)) {
        return at;
      }
      peers_[index].traffic().count(Drop::queue_full);
      passed_over_ = true;
    }
    return peers_.size();
  }

  // Tries every peer with such keys, first the sender of the last datagram, because it is the most likely one.
  Opened open(MutableBytes datagram, const Endpoint & from, Instant now)
  {
    const auto header = decode_frame_header(datagram);
    // A drone has one peer, so it counts malformed and unknown datagrams there.
    TrafficCounters & nobody = drone_ ? peers_[0].traffic() : unassigned_;
    if (!header) {
      nobody.count(Drop::malformed);
      return {};
    }
    passed_over_ = false;
    std::size_t candidate = next_holder(header->key_id, 0);
    if (candidate == peers_.size()) {
      if (!passed_over_) {
        nobody.count(Drop::unknown);
      }
      return {};
    }
    Drop drop = Drop::unknown;
    std::size_t last_tried = 0;
    while (candidate < peers_.size()) {
      const std::size_t next = next_holder(header->key_id, candidate + 1);
      last_tried = (last_found_ + candidate) % peers_.size();
      Peer & peer = peers_[last_tried];
      auto received = peer.open(*header, datagram, from, next < peers_.size(), now);
      if (!received.drop) {
        last_found_ = last_tried;
        return received.outdated ? Opened{} : take(peer, received, now);
      }
      drop = *received.drop;
      candidate = next;
    }
    // A frame that a serial line has damaged looks like a forged one.
    if (drop == Drop::auth_fail && settings_.paths.is_serial(from.link)) {
      drop = Drop::malformed;
    }
    // Copies over several links are intended. The link estimator counts them as duplicates.
    if (drop != Drop::replay || !settings_.paths.sends_copies()) {
      peers_[last_tried].traffic().count(drop);
    }
    return {};
  }

  Opened take(const Peer & sender, Peer::Received & received, Instant now)
  {
    if (drone_) {
      drone_->handle_received(received, now);
    } else {
      gcs_->handle_received(sender.index(), received, now);
    }
    const bool only_data = received.forward && !received.proved;
    if (!only_data || settings_.paths.links.size() > 1 || sender.paths().has_candidates()) {
      changed();
    }
    if (!only_data) {
      outbound_->adapt(now);
    }
    return {sender.index(),  received.plaintext, received.forward,
            received.bundle, received.assembled, received.stale};
  }

  void count_stale(ByteView datagram)
  {
    const auto header = decode_frame_header(datagram);
    const auto sender = std::ranges::find_if(
      peers_, [&](const Peer & peer) { return header && peer.holds(header->key_id); });
    TrafficCounters & counters = sender != peers_.end() ? sender->traffic()
                                 : drone_               ? peers_[0].traffic()
                                                        : unassigned_;
    counters.count(Drop::stale);
  }

  // Passes frames of the tunnel itself to the links.
  void send_own_frames(Instant now)
  {
    while (outbox_.has_frame()) {
      outbound_->send_own(outbox_.pop_frame(), now);
    }
  }

  bool report_streams(std::uint8_t link, Instant now)
  {
    const bool sent = outbound_->report_streams(link, now);
    timeout_ = sent ? std::nullopt : timeout_;
    return sent;
  }

  // Frames of streams that have left may make room for others.
  std::optional<Transmit> poll_transmit(std::uint8_t link, Instant now)
  {
    do {
      send_own_frames(now);
      if (auto frame = outbound_->poll(link, now)) {
        return frame;
      }
    } while (report_streams(link, now));
    return std::nullopt;
  }

  // Calls `function` with the drone's or the ground station's end.
  template <class Function>
  auto on_end(Function && function)
  {
    return drone_ ? function(*drone_) : function(*gcs_);
  }

  Instant next_timeout()
  {
    if (!timeout_) {
      timeout_ = exact_timeout();
    }
    return *timeout_;
  }

  Instant next_timeout_of_end() const
  {
    return drone_ ? drone_->next_timeout() : gcs_->next_timeout();
  }

  Instant exact_timeout() const
  {
    Instant next = next_timeout_of_end();
    for (const Peer & peer : peers_) {
      next = std::min(next, peer.next_timeout());
    }
    return next;
  }

  TunnelSettings settings_;
  Outbox outbox_;
  std::vector<Peer> peers_;
  std::optional<DroneEnd> drone_;  // exactly one of the two
  std::optional<GcsEnd> gcs_;
  std::optional<Outbound> outbound_;
  PeerBudget budget_;
  Duration charged_{};        // to peers since the budget was shared last
  bool passed_over_ = false;  // a peer with the keys of the present frame was skipped
  TrafficCounters unassigned_;
  std::size_t last_found_ = 0;
  std::optional<Instant> timeout_;  // none: must be computed
};

Result<Tunnel> Tunnel::create(Config config, RandomSource & random, Instant now)
{
  return std::visit(
    [&](auto & of_role) -> Result<Tunnel> {
      if (auto error = check(of_role)) {
        return tl::make_unexpected(std::move(*error));
      }
      return Tunnel(std::make_unique<Impl>(std::move(of_role), random, now));
    },
    config);
}

Tunnel::Tunnel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tunnel::Tunnel(Tunnel &&) noexcept = default;
Tunnel & Tunnel::operator=(Tunnel &&) noexcept = default;
Tunnel::~Tunnel() = default;

bool Tunnel::handle_plaintext(
  PeerIndex peer, MutableBytes frame, const Endpoint & source, Instant now)
{
  if (impl_->settings_.paths.links.size() > 1) {
    impl_->changed();  // traffic may make paths closely watched
  }
  impl_->send_own_frames(now);
  return impl_->outbound_->send(impl_->peer(peer), frame, source, now);
}

Opened Tunnel::handle_datagram(
  MutableBytes datagram, const Endpoint & from, Instant now, Duration waited)
{
  if (is_hello(datagram)) {
    impl_->changed().on_end([&](auto & end) { end.handle_hello(datagram, from, now); });
    return {};
  }
  if (waited > impl_->settings_.max_age) {
    impl_->count_stale(datagram);
    return {};
  }
  const std::size_t size = datagram.size();
  const Opened opened = impl_->open(datagram, from, now);
  if (opened.peer) {
    impl_->outbound_->handle_arrival(from.link, size);
  }
  return opened;
}

std::optional<Transmit> Tunnel::poll_transmit(std::uint8_t link, Instant now)
{
  return impl_->poll_transmit(link, now);
}

Instant Tunnel::next_transmit(std::uint8_t link) const
{
  return impl_->outbound_->next_transmit(link);
}

void Tunnel::charge(std::optional<PeerIndex> peer, Duration time)
{
  impl_->charged_ += time;
  if (peer) {
    impl_->budget_.spend(static_cast<std::size_t>(*peer), time);
  } else {
    impl_->budget_.share(std::exchange(impl_->charged_, {}));
  }
}

void Tunnel::count_drop(PeerIndex peer, Drop drop, std::uint64_t packets)
{
  impl_->peer(peer).traffic().drops[static_cast<std::size_t>(drop)] += packets;
}

void Tunnel::handle_job_result(JobId id, JobResult result, Instant now)
{
  impl_->changed().on_end([&](auto & end) { end.handle_job_result(id, std::move(result), now); });
}

void Tunnel::handle_timeout(Instant now)
{
  // The end is first, because what it sends or wipes changes what is due at a peer.
  impl_->changed().on_end([&](auto & end) { end.handle_timeout(now); });
  for (Peer & peer : impl_->peers_) {
    peer.handle_timeout(now);
  }
  impl_->outbound_->adapt(now);
}

Instant Tunnel::next_timeout() const { return impl_->next_timeout(); }

std::optional<Output> Tunnel::poll_output() { return impl_->outbox_.pop(); }

void Tunnel::request_rekey(const RekeyCommand & command, Instant now)
{
  if (static_cast<std::size_t>(command.peer) >= impl_->peers_.size()) {
    impl_->outbox_.push(
      RekeyReply{command.id, false, "there is no such drone", nullptr, Epoch{}, {}});
    return;
  }
  impl_->changed().on_end([&](auto & end) { end.request_rekey(command, now); });
}

void Tunnel::set_gcs_addresses(std::vector<Endpoint> addresses, Instant now)
{
  if (impl_->changed().drone_) {
    impl_->drone_->set_gcs_addresses(std::move(addresses), now);
  }
}

void Tunnel::handle_link(std::uint8_t link, LinkState state, Instant now)
{
  for (Peer & peer : impl_->changed().peers_) {
    if (state == LinkState::up) {
      peer.paths().handle_link_up(link, now);
    } else {
      peer.paths().handle_link_down(link);
      peer.report_changes(now);
    }
  }
  if (state == LinkState::down) {
    impl_->outbound_->handle_link_down(link, now);
  }
}

void Tunnel::note_trouble(const Trouble & trouble)
{
  if (const auto * ground = std::get_if<GroundTrouble>(&trouble)) {
    if (impl_->changed().drone_) {
      impl_->drone_->note_ground_trouble(*ground);
    }
    return;
  }
  for (Peer & peer : impl_->peers_) {
    if (const auto * link = std::get_if<LinkTrouble>(&trouble)) {
      peer.paths().note_trouble(link->link, link->text);
    } else {
      peer.note_machine_trouble(std::get<MachineTrouble>(trouble).text);
    }
  }
}

void Tunnel::handle_standstill(Duration stood, Instant now)
{
  for (Peer & peer : impl_->changed().peers_) {
    peer.handle_standstill(stood, now);
  }
}

void Tunnel::wipe(PeerIndex peer, const std::string & reason, Instant now)
{
  if (impl_->changed().drone_) {
    impl_->drone_->wipe(reason, now);
  } else {
    impl_->gcs_->wipe(peer, reason, true, now);
  }
}

bool Tunnel::send_notice(PeerIndex peer, const Notice & notice, Instant now)
{
  return impl_->changed().peers_.at(static_cast<std::size_t>(peer)).send_notice(notice, now);
}

PeerSnapshot Tunnel::snapshot(PeerIndex peer, Instant now) const
{
  PeerSnapshot snapshot;
  if (impl_->drone_) {
    impl_->drone_->describe(snapshot, now);
    snapshot.blacklist = impl_->drone_->blacklist(now);
  } else {
    impl_->gcs_->describe(snapshot, peer, now);
  }
  snapshot.keys = impl_->peer(peer).keys().installed();
  snapshot.due = std::min(impl_->next_timeout_of_end(), impl_->peer(peer).next_timeout());
  impl_->outbound_->describe(snapshot, peer, now);
  return snapshot;
}

StrangerCounters Tunnel::strangers() const
{
  StrangerCounters strangers = impl_->gcs_ ? impl_->gcs_->strangers() : StrangerCounters{};
  strangers.unassigned = impl_->unassigned_;
  return strangers;
}

}  // namespace pqc_tunnel
