// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "tunnel.hpp"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include "outbound.hpp"
#include "peer_agenda.hpp"
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
  : settings_(std::move(config.settings)), agenda_(1), looks_(1), budget_(1)
  {
    Peer & peer = peers_.emplace_back(
      PeerIndex{0}, "the ground station", Role::drone, settings_, random, outbox_, &keys_);
    drone_.emplace(
      settings_, std::move(config.identity), std::move(config.gcs_addresses), random, outbox_, peer,
      now);
    outbound_.emplace(settings_, peers_);
  }

  Impl(GcsConfig config, RandomSource & random, Instant now)
  : settings_(std::move(config.settings)), random_(&random), agenda_(0), budget_(0)
  {
    gcs_.emplace(settings_, std::move(config.identity), random, outbox_);
    outbound_.emplace(settings_, peers_);
    for (DroneRecord & record : config.drones) {
      const PeerIndex index{static_cast<std::uint32_t>(peers_.size())};
      handle_change(DroneChange{index, std::move(record)}, now);
    }
  }

  void handle_change(LinkChange change, Instant now)
  {
    for (Peer & peer : changed().peers_) {
      if (change.state == LinkState::up) {
        peer.paths().handle_link_up(change.link, now);
      } else {
        peer.paths().handle_link_down(change.link);
        peer.report_changes(now);
      }
    }
    if (change.state == LinkState::down) {
      outbound_->handle_link_down(change.link, now);
    }
  }

  void handle_change(GcsAddresses change, Instant now)
  {
    if (changed().drone_) {
      drone_->set_gcs_addresses(std::move(change.all), now);
    }
  }

  void handle_change(KeysExpired change, Instant now)
  {
    if (gcs_ && static_cast<std::size_t>(change.peer) < peers_.size()) {
      changed(change.peer).gcs_->expire(change.peer, change.keys, now);
    }
  }

  void handle_change(GcsIdentity identity, Instant)
  {
    if (gcs_) {
      changed().gcs_->replace_identity(std::move(identity));
    }
  }

  void handle_change(DroneIdentity identity, Instant now)
  {
    if (drone_) {
      changed().drone_->replace_identity(std::move(identity), now);
    }
  }

  void handle_change(DroneChange change, Instant now)
  {
    const auto at = static_cast<std::size_t>(change.peer);
    const bool is_new = at == peers_.size();
    if (!gcs_ || at > peers_.size() || (is_new && !change.record)) {
      return;
    }
    if (is_new) {
      Peer & peer = peers_.emplace_back(
        change.peer, change.record->name, Role::gcs, settings_, *random_, outbox_, &keys_);
      looks_.push_back(0);
      agenda_.add();
      budget_.add();
      outbound_->add_peer();
      gcs_->add(peer, std::move(*change.record));
    } else if (change.record) {
      gcs_->replace(change.peer, std::move(*change.record), now);
    } else {
      gcs_->remove(change.peer, now);
    }
    changed(change.peer);
  }

  Peer & peer(PeerIndex index)
  {
    ++looks_[static_cast<std::size_t>(index)];
    return peers_[static_cast<std::size_t>(index)];
  }

  // Every call that may bring a time-out forward goes through one of these: of all peers, or of one.
  Impl & changed()
  {
    agenda_.note_all();
    common_timeout_.reset();
    return *this;
  }
  Impl & changed(std::optional<PeerIndex> peer)
  {
    if (peer) {
      agenda_.note(static_cast<std::size_t>(*peer));
    }
    common_timeout_.reset();
    return *this;
  }

  using Holders = std::span<const KeyIndex::Holder>;

  // Returns the holders from the first one on that has time left. One that has used up its time counts a drop.
  Holders with_time(Holders holders)
  {
    while (!holders.empty() && !budget_.allows(static_cast<std::size_t>(holders[0].peer))) {
      peer(holders[0].peer).traffic().count(Drop::queue_full);
      holders = holders.subspan(1);
    }
    return holders;
  }

  // Tries every peer with such keys.
  [[gnu::hot]] Opened open(MutableBytes datagram, const Endpoint & from, Instant now)
  {
    const auto header = decode_frame_header(datagram);
    // A drone has one peer, so it counts malformed and unknown datagrams there.
    TrafficCounters & nobody = drone_ ? peers_[0].traffic() : unassigned_;
    if (!header) [[unlikely]] {
      nobody.count(Drop::malformed);
      return {};
    }
    Holders holders = keys_.find(header->key_id);
    if (holders.empty()) [[unlikely]] {
      nobody.count(Drop::unknown);
      return {};
    }
    Drop drop = Drop::unknown;
    Peer * tried = nullptr;
    for (holders = with_time(holders); !holders.empty();) {
      tried = &peer(holders[0].peer);
      holders = with_time(holders.subspan(1));
      auto received = tried->open(*header, datagram, from, !holders.empty(), now);
      if (!received.drop) [[likely]] {
        return received.outdated ? Opened{} : take(*tried, received, now);
      }
      drop = *received.drop;
    }
    if (tried == nullptr) {
      return {};
    }
    // A frame that a serial line has damaged looks like a forged one.
    if (drop == Drop::auth_fail && settings_.paths.is_serial(from.link)) {
      drop = Drop::malformed;
    }
    // Copies over several links are intended. The link estimator counts them as duplicates.
    if (drop != Drop::replay || !settings_.paths.sends_copies()) {
      tried->traffic().count(drop);
    }
    return {};
  }

  [[gnu::hot]] Opened take(Peer & sender, Peer::Received & received, Instant now)
  {
    if (drone_) {
      drone_->handle_received(received, now);
    } else {
      gcs_->handle_received(sender.index(), received, now);
    }
    const bool only_data = received.forward && !received.proved;
    if (!only_data || settings_.paths.links.size() > 1 || sender.paths().has_candidates()) {
      changed(sender.index());
    }
    note_flow(sender);
    if (!only_data) [[unlikely]] {
      outbound_->adapt(sender, now);
    }
    return {sender.index(),  received.plaintext, received.forward,
            received.bundle, received.assembled, received.stale};
  }

  void count_stale(ByteView datagram)
  {
    const auto header = decode_frame_header(datagram);
    const Holders holders = header ? keys_.find(header->key_id) : Holders();
    TrafficCounters & counters = !holders.empty() ? peer(holders[0].peer).traffic()
                                 : drone_         ? peers_[0].traffic()
                                                  : unassigned_;
    counters.count(Drop::stale);
  }

  // Something flowed for the peer, which may bring its next report forward.
  void note_flow(const Peer & peer)
  {
    if (peer.link().rests()) {
      agenda_.bring_forward(static_cast<std::size_t>(peer.index()), peer.link().next_report());
    }
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
    return outbound_->report_streams(link, now, [this](PeerIndex sent) { changed(sent); });
  }

  // Frames of streams that have left may make room for others.
  std::optional<Transmit> poll_transmit(std::uint8_t link, Instant now)
  {
    do {
      send_own_frames(now);
      if (auto frame = outbound_->poll(link, now)) {
        note_flow(peers_[static_cast<std::size_t>(frame->peer)]);
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

  void handle_hello(ByteView frame, const Endpoint & from, Instant now)
  {
    if (drone_) {
      changed().drone_->handle_hello(frame, from, now);
    } else {
      changed(gcs_->handle_hello(frame, from, now));
    }
  }

  void handle_job_result(JobId id, JobResult result, Instant now)
  {
    if (drone_) {
      changed().drone_->handle_job_result(id, std::move(result), now);
    } else {
      changed(gcs_->handle_job_result(id, std::move(result), now));
    }
  }

  Instant next_timeout()
  {
    settle();
    if (!common_timeout_) {
      common_timeout_ = next_common_timeout();
    }
    return std::min(*common_timeout_, agenda_.next());
  }

  // Computes anew what depends on the peers that something happened to.
  void settle()
  {
    agenda_.settle([this](std::size_t at) {
      const PeerIndex index{static_cast<std::uint32_t>(at)};
      if (gcs_) {
        gcs_->take_account(index);
      }
      return next_timeout_of(peer(index));
    });
  }

  void handle_timeout(Instant now)
  {
    if (drone_) {
      changed().drone_->handle_timeout(now);
      handle_timeout(peers_[0], now);
      return;
    }
    changed(std::nullopt).gcs_->handle_timeout(now);
    if (peers_.size() == 1) {  // what was found of the only link may be due without a time-out
      agenda_.note_all();
      handle_timeout_of_drone(peers_[0], now);
      return;
    }
    settle();
    for (const std::size_t at : agenda_.take_due(now)) {
      handle_timeout_of_drone(peer(PeerIndex{static_cast<std::uint32_t>(at)}), now);
    }
  }

  // The end is first, because what it sends or wipes changes what is due at a peer.
  void handle_timeout_of_drone(Peer & peer, Instant now)
  {
    gcs_->handle_timeout(peer.index(), now);
    handle_timeout(peer, now);
  }

  void handle_timeout(Peer & peer, Instant now)
  {
    peer.handle_timeout(now);
    outbound_->adapt(peer, now);
  }

  Instant next_timeout_of(const Peer & peer) const
  {
    return std::min(
      drone_ ? drone_->next_timeout() : gcs_->next_timeout(peer.index()), peer.next_timeout());
  }
  Instant next_common_timeout() const { return gcs_ ? gcs_->next_timeout() : Instant::max(); }

  TunnelSettings settings_;
  Outbox outbox_;
  KeyIndex keys_;
  RandomSource * random_ = nullptr;  // GCS
  std::deque<Peer> peers_;           // their places stay
  std::optional<DroneEnd> drone_;    // exactly one of the two
  std::optional<GcsEnd> gcs_;
  std::optional<Outbound> outbound_;
  PeerAgenda agenda_;
  std::vector<std::uint64_t> looks_;  // by peer
  PeerBudget budget_;
  Duration charged_{};  // to peers since the budget was shared last
  TrafficCounters unassigned_;
  std::optional<Instant> common_timeout_;  // of no single peer; none: must be computed
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

[[gnu::hot]] bool Tunnel::handle_plaintext(
  PeerIndex peer, MutableBytes frame, const Endpoint & source, Instant now)
{
  if (impl_->settings_.paths.links.size() > 1) {
    impl_->changed(peer);  // traffic may make paths closely watched
  }
  impl_->send_own_frames(now);
  return impl_->outbound_->send(impl_->peer(peer), frame, source, now);
}

[[gnu::hot]] Opened Tunnel::handle_datagram(
  MutableBytes datagram, const Endpoint & from, Instant now, Duration waited)
{
  if (is_hello(datagram)) {
    impl_->handle_hello(datagram, from, now);
    return {};
  }
  if (waited > impl_->settings_.max_age) [[unlikely]] {
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

[[gnu::hot]] std::optional<Transmit> Tunnel::poll_transmit(std::uint8_t link, Instant now)
{
  return impl_->poll_transmit(link, now);
}

[[gnu::hot]] Instant Tunnel::next_transmit(std::uint8_t link) const
{
  const bool at_once = impl_->outbox_.has_frame() || impl_->outbound_->has_streams_to_tell(link);
  return at_once ? Instant{} : impl_->outbound_->next_transmit(link);
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
  impl_->handle_job_result(id, std::move(result), now);
}

void Tunnel::handle_timeout(Instant now) { impl_->handle_timeout(now); }

[[gnu::hot]] Instant Tunnel::next_timeout() const { return impl_->next_timeout(); }

[[gnu::hot]] std::optional<Output> Tunnel::poll_output() { return impl_->outbox_.pop(); }

void Tunnel::request_rekey(const RekeyCommand & command, Instant now)
{
  if (static_cast<std::size_t>(command.peer) >= impl_->peers_.size()) {
    impl_->outbox_.push(
      RekeyReply{command.id, false, "there is no such drone", nullptr, Epoch{}, {}});
    return;
  }
  impl_->changed(command.peer).on_end([&](auto & end) { end.request_rekey(command, now); });
}

void Tunnel::handle_change(Change change, Instant now)
{
  std::visit([&](auto & of_kind) { impl_->handle_change(std::move(of_kind), now); }, change);
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
  if (impl_->changed(peer).drone_) {
    impl_->drone_->wipe(reason, now);
  } else {
    impl_->gcs_->wipe(peer, reason, true, now);
  }
}

bool Tunnel::send_message(PeerIndex peer, const ToPeer & message, Instant now)
{
  Peer & to = impl_->changed(peer).peer(peer);
  const auto * const notice = std::get_if<Notice>(&message);
  return notice != nullptr ? to.send_notice(*notice, now)
                           : to.send_echo(std::get<Echo>(message), now);
}

PeerSnapshot Tunnel::snapshot(PeerIndex peer, Instant now) const
{
  PeerSnapshot snapshot;
  static_cast<PeerStanding &>(snapshot) = standing(peer, now);
  snapshot.looks = impl_->looks_[static_cast<std::size_t>(peer)];
  if (impl_->drone_) {
    impl_->drone_->describe(snapshot, now);
  } else {
    impl_->gcs_->describe(snapshot, peer, now);
  }
  impl_->outbound_->describe(snapshot, peer, now);
  return snapshot;
}

PeerStanding Tunnel::standing(PeerIndex peer, Instant now) const
{
  impl_->settle();
  PeerStanding standing;
  if (impl_->drone_) {
    standing.state = impl_->drone_->state();
    standing.blacklist = impl_->drone_->blacklist(now);
  } else {
    standing.state = impl_->gcs_->state(peer);
  }
  const Peer & of = impl_->peers_[static_cast<std::size_t>(peer)];
  if (const EpochKeys * keys = of.keys().sending()) {
    standing.suite = &keys->suite();
    standing.session = keys->id();
    standing.epoch = keys->epoch();
  }
  standing.keys = of.keys().installed();
  standing.due = std::min(impl_->next_common_timeout(), impl_->next_timeout_of(of));
  return standing;
}

StrangerCounters Tunnel::strangers() const
{
  StrangerCounters strangers = impl_->gcs_ ? impl_->gcs_->strangers() : StrangerCounters{};
  strangers.unassigned = impl_->unassigned_;
  return strangers;
}

}  // namespace pqc_tunnel
