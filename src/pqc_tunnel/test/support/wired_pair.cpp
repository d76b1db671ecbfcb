// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/wired_pair.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace pqc_tunnel::test
{
namespace
{

Endpoint ipv4(std::uint8_t last)
{
  Endpoint endpoint;
  endpoint.family = AddressFamily::ipv4;
  endpoint.address = {192, 0, 2, last};
  endpoint.port = 4600;
  return endpoint;
}

// Events are for people, and hold no bytes of keys or of what a stranger sent.
void check_text(const std::string & text)
{
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (text.empty() || text.size() > 250 || !std::ranges::all_of(text, printable)) {
    throw std::logic_error("an event's text is no sentence for a person");
  }
}

}  // namespace

WiredPair::WiredPair() : WiredPair(Options{}) {}

WiredPair::WiredPair(Options options) : options_(std::move(options)), random_(options_.seed)
{
  if (options_.settings.initial_suite == nullptr) {
    options_.settings.initial_suite = &suite(options_.suite);
  }
  auto signatures = options_.identities;
  signatures.push_back(options_.settings.initial_suite->signature);
  identities_ = Identities::for_signatures(signatures);
  addresses_ = {{Side::drone, address_of(Side::drone)}, {Side::gcs, address_of(Side::gcs)}};
  make(Side::gcs);
  make(Side::drone);
}

WiredPair::~WiredPair() = default;

Endpoint WiredPair::address_of(Side side) { return ipv4(side == Side::drone ? 1 : 2); }

Endpoint WiredPair::stranger(std::uint8_t number) { return ipv4(number); }

void WiredPair::make(Side side)
{
  if (side == Side::gcs) {
    GcsIdentity identity = identities_.gcs_part();
    DroneRecord record = identities_.record();
    if (options_.alter_gcs) {
      options_.alter_gcs(identity, record);
    }
    std::vector<DroneRecord> drones;
    drones.push_back(std::move(record));
    Tunnel::GcsConfig config{
      options_.gcs_settings.value_or(options_.settings), std::move(identity), std::move(drones)};
    gcs_ = std::make_unique<Tunnel>(Tunnel::create(std::move(config), random_, now_).value());
    return;
  }
  DroneIdentity identity = identities_.drone_part();
  if (options_.alter_drone) {
    options_.alter_drone(identity);
  }
  Tunnel::DroneConfig config{
    options_.settings, std::move(identity), address_of(Side::gcs), address_of(Side::gcs)};
  drone_ = std::make_unique<Tunnel>(Tunnel::create(std::move(config), random_, now_).value());
}

void WiredPair::restart(Side side)
{
  ++incarnation_[side];
  // The network closes the crashed end's connections.
  const auto connections = side == Side::drone ? to_gcs_ : to_drone_;
  for (const auto & [from, to] : connections) {
    hang_up(side, ConnectionId{from});
  }
  make(side);
  received_[side].clear();
}

void WiredPair::cut_connections()
{
  for (const auto & [from, to] : std::map(to_gcs_)) {
    schedule(Duration{}, [this, from = from, to = to] {
      to_gcs_.erase(from);
      to_drone_.erase(to);
      drone_->handle_closed(
        ConnectionId{from}, {ConnectionEnd::Kind::closed, "connection reset"}, now_);
      gcs_->handle_closed(
        ConnectionId{to}, {ConnectionEnd::Kind::closed, "connection reset"}, now_);
    });
  }
}

void WiredPair::schedule(Duration delay, std::function<void()> action)
{
  pending_.push_back({now_ + delay, order_++, std::move(action)});
}

Instant WiredPair::next_due() const
{
  Instant next = std::min(drone_->next_timeout(), gcs_->next_timeout());
  for (const Pending & pending : pending_) {
    next = std::min(next, pending.due);
  }
  return std::max(next, now_);
}

void WiredPair::run_for(Duration duration)
{
  run_until([] { return false; }, duration);
}

bool WiredPair::run_next_pending()
{
  const auto sooner = [](const Pending & a, const Pending & b) {
    return std::pair(a.due, a.order) < std::pair(b.due, b.order);
  };
  const auto first = std::ranges::min_element(pending_, sooner);
  if (first == pending_.end() || first->due > now_) {
    return false;
  }
  const auto action = std::move(first->action);
  pending_.erase(first);
  action();
  pump();
  tell_watcher();
  return true;
}

bool WiredPair::run_until(const std::function<bool()> & condition, Duration limit)
{
  const Instant end = now_ + limit;
  pump();
  while (!condition()) {
    const Instant due = next_due();
    if (due > end) {
      now_ = end;
      return condition();
    }
    now_ = due;
    while (run_next_pending()) {
    }
    for (const Side side : both_sides) {
      Tunnel & tunnel = this->end(side);
      if (tunnel.next_timeout() > now_) {
        continue;
      }
      tunnel.handle_timeout(now_);
      pump();
      tell_watcher();
      if (tunnel.next_timeout() <= now_) {
        throw std::logic_error("a time-out was handled but is still due: the loop would spin");
      }
    }
  }
  return true;
}

bool WiredPair::agreed()
{
  const auto drone = snapshot(Side::drone);
  const auto gcs = snapshot(Side::gcs);
  return drone.state == PeerState::established && gcs.state == PeerState::established &&
         drone.session == gcs.session && drone.epoch == gcs.epoch;
}

bool WiredPair::establish()
{
  return run_until([this] { return agreed(); });
}

void WiredPair::pump()
{
  pump(Side::drone);
  pump(Side::gcs);
}

void WiredPair::pump(Side side)
{
  while (auto output = end(side).poll_output()) {
    handle(side, std::move(*output));
  }
}

void WiredPair::handle(Side side, Output output)
{
  const auto alive = [this, side, born = incarnation_[side]] { return incarnation_[side] == born; };
  if (auto * datagram = std::get_if<SendDatagram>(&output)) {
    check_nonce(side, datagram->bytes);
    if (datagram->to == addresses_[other(side)]) {
      transmit(side, std::move(datagram->bytes));
    }
  } else if (auto * open = std::get_if<OpenConnection>(&output)) {
    open_connection(open->connection, alive);
  } else if (auto * send = std::get_if<SendStream>(&output)) {
    stream(side, send->connection, std::move(send->bytes));
  } else if (auto * close = std::get_if<CloseConnection>(&output)) {
    if (side == Side::gcs && stranger_is_connected(close->connection)) {
      strangers_.at(number(close->connection)).connected = false;
      return;
    }
    const Duration delay = stream_delay(side, close->connection, Duration{});
    schedule(delay, [this, alive, side, id = close->connection] {
      if (alive()) {
        hang_up(side, id);
      }
    });
  } else if (auto * job = std::get_if<StartJob>(&output)) {
    start_job(side, std::move(*job), alive);
  } else if (auto * outcome = std::get_if<RekeyReply>(&output)) {
    check_text(outcome->message);
    outcomes_[side].push_back(std::move(*outcome));
  } else if (auto * event = std::get_if<Event>(&output)) {
    check_text(event->text);
    events_[side].push_back(std::move(*event));
  }
}

void WiredPair::open_connection(ConnectionId id, std::function<bool()> alive)
{
  if (tcp_ == Tcp::silent) {
    return;
  }
  if (tcp_ == Tcp::refused) {
    schedule(options_.latency, [this, alive, id] {
      if (alive()) {
        drone_->handle_closed(id, {ConnectionEnd::Kind::refused, "connection refused"}, now_);
      }
    });
    return;
  }
  const ConnectionId accepted{++last_accepted_};
  schedule(options_.latency, [this, alive, id, accepted] {
    if (!alive()) {
      return;
    }
    if (!gcs_->handle_accepted(accepted, addresses_[Side::drone], now_)) {
      drone_->handle_closed(id, {ConnectionEnd::Kind::closed, "connection closed"}, now_);
      return;
    }
    to_gcs_[number(id)] = number(accepted);
    to_drone_[number(accepted)] = number(id);
    drone_->handle_connected(id, now_);
  });
}

void WiredPair::start_job(Side side, StartJob start, std::function<bool()> alive)
{
  ++jobs_run_[side];
  const Duration time = options_.time_of_job ? options_.time_of_job(start.job) : options_.job_time;
  auto given = job_filter_ ? job_filter_(side, start.job) : std::nullopt;
  auto result =
    std::make_shared<JobResult>(given ? std::move(*given) : run_job(std::move(start.job), random_));
  schedule(time, [this, alive, side, id = start.id, result] {
    if (alive()) {
      end(side).handle_job_result(id, std::move(*result), now_);
    }
  });
}

bool WiredPair::send(Side from, ByteView plaintext)
{
  Bytes frame(plaintext.size() + Tunnel::frame_overhead);
  std::ranges::copy(plaintext, frame.begin() + Tunnel::frame_headroom);
  if (!end(from).seal(PeerIndex{0}, frame, now_)) {
    return false;
  }
  check_nonce(from, frame);
  if (end(from).destination(PeerIndex{0}) == addresses_[other(from)]) {
    transmit(from, std::move(frame));
  }
  return true;
}

void WiredPair::check_nonce(Side from, ByteView datagram)
{
  if (!nonces_[from].emplace(datagram.begin() + 5, datagram.begin() + 22).second) {
    throw std::logic_error("two datagrams under one session, epoch and sequence number");
  }
}

void WiredPair::transmit(Side from, Bytes datagram)
{
  datagrams_[from].push_back(datagram);
  if (datagram_filter_ && !datagram_filter_(from, datagram)) {
    return;
  }
  const auto delays = channel_ ? channel_(from, datagram) : std::vector<Duration>{Duration{}};
  for (const Duration delay : delays) {
    schedule(options_.latency + delay, [this, from, datagram, address = addresses_[from]] {
      deliver(other(from), datagram, address);
    });
  }
}

void WiredPair::deliver(Side to, Bytes datagram, const Endpoint & from)
{
  const Bytes as_it_came = arrivals_ ? datagram : Bytes{};
  const Opened opened = end(to).open(datagram, from, now_);
  if (arrivals_) {
    arrivals_(to, as_it_came, opened);
  }
  if (opened.forward) {
    received_[to].emplace_back(opened.plaintext.begin(), opened.plaintext.end());
  }
}

Opened WiredPair::inject(Side to, ByteView datagram, const Endpoint & from)
{
  Bytes copy(datagram.begin(), datagram.end());
  Opened opened = end(to).open(copy, from, now_);
  opened.plaintext = {};
  pump();
  return opened;
}

void WiredPair::stream(Side from, ConnectionId connection, Bytes bytes)
{
  if (from == Side::gcs && stranger_is_connected(connection)) {
    Bytes & heard = strangers_.at(number(connection)).heard;
    heard.insert(heard.end(), bytes.begin(), bytes.end());
    return;
  }
  streamed_.emplace_back(from, bytes);
  if (stream_filter_ && !stream_filter_(from, bytes)) {
    return;
  }
  const auto pieces = stream_channel_ ? stream_channel_(from, bytes)
                                      : std::vector<StreamPiece>{{bytes.size(), Duration{}}};
  std::size_t done = 0;
  for (const auto & [size, extra] : pieces) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(done);
    done += size;
    Bytes piece(begin, bytes.begin() + static_cast<std::ptrdiff_t>(done));
    const Duration delay = stream_delay(from, connection, extra);
    schedule(delay, [this, from, connection, piece = std::move(piece)] {
      const auto & links = from == Side::drone ? to_gcs_ : to_drone_;
      const auto link = links.find(number(connection));
      if (link != links.end()) {
        end(other(from)).handle_stream(ConnectionId{link->second}, piece, now_);
      }
    });
  }
}

// What follows on a connection never overtakes what went before.
Duration WiredPair::stream_delay(Side from, ConnectionId connection, Duration delay)
{
  Instant & due = stream_due_[{from, number(connection)}];
  due = std::max(due, now_ + options_.latency + delay);
  return due - now_;
}

void WiredPair::hang_up(Side from, ConnectionId connection)
{
  auto & mine = from == Side::drone ? to_gcs_ : to_drone_;
  auto & theirs = from == Side::drone ? to_drone_ : to_gcs_;
  const auto link = mine.find(number(connection));
  if (link == mine.end()) {
    return;
  }
  const ConnectionId remote{link->second};
  theirs.erase(link->second);
  mine.erase(link);
  end(other(from)).handle_closed(remote, {ConnectionEnd::Kind::closed, "connection closed"}, now_);
}

std::optional<ConnectionId> WiredPair::connect_stranger(const Endpoint & from)
{
  const ConnectionId accepted{++last_accepted_};
  if (!gcs_->handle_accepted(accepted, from, now_)) {
    pump();
    return std::nullopt;
  }
  strangers_[number(accepted)].connected = true;
  pump();
  return accepted;
}

void WiredPair::stranger_sends(ConnectionId connection, ByteView bytes)
{
  if (stranger_is_connected(connection)) {
    gcs_->handle_stream(connection, bytes, now_);
    pump();
  }
}

bool WiredPair::stranger_is_connected(ConnectionId connection) const
{
  const auto found = strangers_.find(number(connection));
  return found != strangers_.end() && found->second.connected;
}

}  // namespace pqc_tunnel::test
