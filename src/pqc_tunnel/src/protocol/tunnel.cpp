// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "tunnel.hpp"

#include <algorithm>
#include <utility>

#include "drone_end.hpp"
#include "gcs_end.hpp"
#include "peer.hpp"
#include "peer_budget.hpp"
#include "suite_objection.hpp"

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
  }

  Impl(GcsConfig config, RandomSource & random)
  : settings_(std::move(config.settings)), budget_(config.drones.size())
  {
    peers_.reserve(config.drones.size());
    for (const DroneRecord & record : config.drones) {
      const PeerIndex index{static_cast<std::uint32_t>(peers_.size())};
      peers_.emplace_back(index, record.name, Role::gcs, settings_, random, outbox_);
    }
    gcs_.emplace(
      settings_, std::move(config.identity), std::move(config.drones), random, outbox_, peers_);
  }

  Peer & peer(PeerIndex index) { return peers_[static_cast<std::size_t>(index)]; }

  // For whatever may bring the next time-out forward.
  Impl & changed()
  {
    timeout_.reset();
    return *this;
  }

  // Counted from the sender of the datagram before; the number of peers if there is none from `first` on. A peer that has
  // used up its time is passed over, and counts a drop.
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

  // Tries every peer with such keys, first the sender of the datagram before: most come from the same one.
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
    // Bytes that a serial line has lost or changed look like a forged frame.
    if (drop == Drop::auth_fail && settings_.paths.is_serial(from.link)) {
      drop = Drop::malformed;
    }
    // Copies by several links are meant; the link's figures count them as duplicates.
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
    return {sender.index(),  received.plaintext, received.forward,
            received.bundle, received.assembled, received.stale};
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

  Instant exact_timeout()
  {
    Instant next = on_end([](const auto & end) { return end.next_timeout(); });
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
  PeerBudget budget_;
  bool passed_over_ = false;  // a peer with the keys of the frame at hand
  TrafficCounters unassigned_;
  std::size_t last_found_ = 0;
  std::optional<Instant> timeout_;  // none: to be looked up
};

Result<Tunnel> Tunnel::create(DroneConfig config, RandomSource & random, Instant now)
{
  if (auto error = check(config)) {
    return tl::make_unexpected(std::move(*error));
  }
  return Tunnel(std::make_unique<Impl>(std::move(config), random, now));
}

Result<Tunnel> Tunnel::create(GcsConfig config, RandomSource & random, Instant)
{
  if (auto error = check(config)) {
    return tl::make_unexpected(std::move(*error));
  }
  return Tunnel(std::make_unique<Impl>(std::move(config), random));
}

Tunnel::Tunnel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tunnel::Tunnel(Tunnel &&) noexcept = default;
Tunnel & Tunnel::operator=(Tunnel &&) noexcept = default;
Tunnel::~Tunnel() = default;

bool Tunnel::seal(PeerIndex peer, MutableBytes frame, Instant now, std::size_t datagrams)
{
  const FrameKind kind = datagrams > 1 ? FrameKind::bundle : FrameKind::data;
  return impl_->peer(peer).seal(kind, datagrams, frame, now);
}

bool Tunnel::seal(PeerIndex peer, const ShapedFrame & shaped, Shaper & shaper, Instant now)
{
  if (shaped.kind == ShapedFrame::Kind::sealed) {
    return true;
  }
  if (shaped.kind != ShapedFrame::Kind::fragment) {
    const bool is_bundle = shaped.kind == ShapedFrame::Kind::bundle;
    return impl_->peer(peer).seal(
      is_bundle ? FrameKind::bundle : FrameKind::data, shaped.datagrams, shaped.frame, now);
  }
  switch (impl_->peer(peer).seal_fragment(shaped.frame, shaped.place, *shaped.origin, now)) {
    case SealedFragment::sealed:
      return true;
    case SealedFragment::begin_again:
      shaper.begin_again();
      break;
    case SealedFragment::refused:
      shaper.abandon();
      break;
  }
  return false;
}

bool Tunnel::seal_in_fragments(
  PeerIndex peer, ByteView datagram, std::size_t frame_size, Bytes & frames, Instant now)
{
  return impl_->peer(peer).seal_in_fragments(datagram, frame_size, frames, now);
}

Routes Tunnel::routes(PeerIndex peer, TrafficClass traffic, std::size_t bytes, Instant now)
{
  if (impl_->settings_.paths.links.size() > 1) {
    impl_->changed();  // traffic has paths watched
  }
  return impl_->peer(peer).routes(traffic, bytes, now);
}

std::optional<Endpoint> Tunnel::take_copy(
  PeerIndex peer, std::uint8_t link, std::size_t bytes, Instant now)
{
  return impl_->peer(peer).paths().take_copy(link, bytes, now);
}

void Tunnel::count_sent(PeerIndex peer, const Endpoint & to, std::size_t bytes, Instant now)
{
  impl_->peer(peer).paths().handle_sent(to, bytes, now);
}

void Tunnel::handle_stream_queue(
  PeerIndex peer, std::uint8_t link, std::size_t waiting, Instant now)
{
  if (impl_->peer(peer).handle_stream_queue(link, waiting, now)) {
    impl_->changed();
  }
}

Endpoint Tunnel::address_on(PeerIndex peer, std::uint8_t link) const
{
  return impl_->peer(peer).paths().remote(link);
}

bool Tunnel::is_down(PeerIndex peer, std::uint8_t link) const
{
  return impl_->peer(peer).paths().is_down(link);
}

bool Tunnel::has_keys(PeerIndex peer) const
{
  return impl_->peer(peer).keys().sending() != nullptr;
}

Endpoint Tunnel::destination(PeerIndex peer) const { return impl_->peer(peer).address(); }

Opened Tunnel::open(MutableBytes datagram, const Endpoint & from, Instant now)
{
  return impl_->open(datagram, from, now);
}

void Tunnel::share_time(Duration time) { impl_->budget_.share(time); }

void Tunnel::spend(PeerIndex peer, Duration time)
{
  impl_->budget_.spend(static_cast<std::size_t>(peer), time);
}

void Tunnel::count_drop(PeerIndex peer, Drop drop, std::uint64_t packets)
{
  impl_->peer(peer).traffic().drops[static_cast<std::size_t>(drop)] += packets;
}

void Tunnel::count_stale(ByteView datagram)
{
  const auto header = decode_frame_header(datagram);
  const auto sender = std::ranges::find_if(
    impl_->peers_, [&](const Peer & peer) { return header && peer.holds(header->key_id); });
  TrafficCounters & counters = sender != impl_->peers_.end() ? sender->traffic()
                               : impl_->drone_               ? impl_->peers_[0].traffic()
                                                             : impl_->unassigned_;
  counters.count(Drop::stale);
}

void Tunnel::handle_hello(ByteView frame, const Endpoint & from, Instant now)
{
  impl_->changed().on_end([&](auto & end) { end.handle_hello(frame, from, now); });
}

void Tunnel::handle_job_result(JobId id, JobResult result, Instant now)
{
  impl_->changed().on_end([&](auto & end) { end.handle_job_result(id, std::move(result), now); });
}

void Tunnel::handle_timeout(Instant now)
{
  // The end first: what it sends, or wipes, changes what is due at a peer.
  impl_->changed().on_end([&](auto & end) { end.handle_timeout(now); });
  for (Peer & peer : impl_->peers_) {
    peer.handle_timeout(now);
  }
}

Instant Tunnel::next_timeout() const { return impl_->next_timeout(); }

Instant Tunnel::exact_timeout() const { return impl_->exact_timeout(); }

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

void Tunnel::note_ground_trouble(GroundTrouble trouble)
{
  if (impl_->changed().drone_) {
    impl_->drone_->note_ground_trouble(trouble);
  }
}

void Tunnel::handle_link_down(std::uint8_t link, Instant now)
{
  for (Peer & peer : impl_->changed().peers_) {
    peer.paths().handle_link_down(link);
    peer.report_changes(now);
  }
}

void Tunnel::handle_link_up(std::uint8_t link, Instant now)
{
  for (Peer & peer : impl_->changed().peers_) {
    peer.paths().handle_link_up(link, now);
  }
}

void Tunnel::note_link_trouble(std::uint8_t link, const std::string & trouble)
{
  for (Peer & peer : impl_->peers_) {
    peer.paths().note_trouble(link, trouble);
  }
}

void Tunnel::handle_standstill(Duration stood, Instant now)
{
  for (Peer & peer : impl_->changed().peers_) {
    peer.handle_standstill(stood, now);
  }
}

void Tunnel::note_machine_trouble(const std::string & trouble)
{
  for (Peer & peer : impl_->peers_) {
    peer.note_machine_trouble(trouble);
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

bool Tunnel::is_crowded(PeerIndex peer, Instant now) const
{
  return impl_->peers_.at(static_cast<std::size_t>(peer)).is_crowded(now);
}

bool Tunnel::makes_way(PeerIndex peer) const
{
  return impl_->peers_.at(static_cast<std::size_t>(peer)).makes_way();
}

std::optional<double> Tunnel::found_rate(PeerIndex peer) const
{
  return impl_->peers_.at(static_cast<std::size_t>(peer)).found_rate();
}

bool Tunnel::send_notice(PeerIndex peer, const Notice & notice, Instant now)
{
  return impl_->changed().peers_.at(static_cast<std::size_t>(peer)).send_notice(notice, now);
}

std::size_t Tunnel::peer_count() const { return impl_->peers_.size(); }

PeerSnapshot Tunnel::snapshot(PeerIndex peer, Instant now) const
{
  PeerSnapshot snapshot;
  if (impl_->drone_) {
    impl_->drone_->describe(snapshot, now);
  } else {
    impl_->gcs_->describe(snapshot, peer, now);
  }
  return snapshot;
}

std::vector<InstalledKeys> Tunnel::installed_keys(PeerIndex peer) const
{
  return impl_->peer(peer).keys().installed();
}

std::vector<BlacklistEntry> Tunnel::blacklist(PeerIndex, Instant now) const
{
  return impl_->drone_ ? impl_->drone_->blacklist(now) : std::vector<BlacklistEntry>{};
}

const TrafficCounters & Tunnel::unassigned() const { return impl_->unassigned_; }

StrangerCounters Tunnel::strangers() const
{
  return impl_->gcs_ ? impl_->gcs_->strangers() : StrangerCounters{};
}

}  // namespace pqc_tunnel
