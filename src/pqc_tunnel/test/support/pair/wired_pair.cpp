// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/pair/wired_pair.hpp"

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
    throw std::logic_error("an event's text is no sentence for a person: " + text);
  }
}

}  // namespace

void set_time(JobResult & result, Duration time)
{
  if (auto * issued = std::get_if<IssuedPrekey>(&result)) {
    issued->timing.keygen = issued->timing.sign = time / 2;
  } else if (auto * made = std::get_if<PrekeyPair>(&result)) {
    made->keygen = made->sign = time / 2;
  }
}

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

Endpoint WiredPair::address_of(Side side, std::uint8_t link)
{
  Endpoint endpoint = ipv4(side == Side::drone ? 1 : 2);
  endpoint.address[2] = static_cast<std::uint8_t>(endpoint.address[2] + link);
  endpoint.link = link;
  return endpoint;
}

std::optional<std::uint8_t> WiredPair::link_to(Side side, const Endpoint & address) const
{
  for (std::uint8_t link = 0; link < links(); ++link) {
    if (this->address(side, link) == address) {
      return link;
    }
  }
  return std::nullopt;
}

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
    gcs_ = std::make_unique<Tunnel>(Tunnel::create(std::move(config), random_, now(side)).value());
    return;
  }
  DroneIdentity identity = identities_.drone_part();
  if (options_.alter_drone) {
    options_.alter_drone(identity);
  }
  std::vector<Endpoint> ground;
  for (std::uint8_t link = 0; link < links(); ++link) {
    ground.push_back(address_of(Side::gcs, link));
  }
  Tunnel::DroneConfig config{options_.settings, std::move(identity), std::move(ground)};
  drone_ = std::make_unique<Tunnel>(Tunnel::create(std::move(config), random_, now(side)).value());
}

void WiredPair::restart(Side side)
{
  ++incarnation_[side];
  make(side);
  received_[side].clear();
}

void WiredPair::schedule(Duration delay, std::function<void()> action)
{
  pending_.emplace(now_ + delay, std::move(action));
}

Instant WiredPair::next_due()
{
  Instant next = Instant::max();
  for (const Side side : both_sides) {
    next = std::min(next, timeout_of(side));
    for (std::uint8_t link = 0; link < links(); ++link) {
      next = std::min(next, at_pair(side, end(side).next_transmit(link)));
    }
  }
  if (!pending_.empty()) {
    next = std::min(next, pending_.begin()->first);
  }
  return std::max(next, now_);
}

void WiredPair::run_for(Duration duration)
{
  run_until([] { return false; }, duration);
}

bool WiredPair::run_next_pending()
{
  if (pending_.empty() || pending_.begin()->first > now_) {
    return false;
  }
  pending_.extract(pending_.begin()).mapped()();
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
      pump(side);
      if (tunnel.next_timeout() > standing(side).due) {
        throw std::logic_error("a time-out would be handled late");
      }
      if (timeout_of(side) > now_) {
        continue;
      }
      tunnel.handle_timeout(now(side));
      pump();
      tell_watcher();
      if (timeout_of(side) <= now_) {
        throw std::logic_error("a time-out was handled but is still due: the loop would spin");
      }
    }
  }
  return true;
}

bool WiredPair::agreed()
{
  const auto [drone, gcs] = standings();
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
  transmit(side);
  while (auto output = end(side).poll_output()) {
    handle(side, std::move(*output));
  }
}

void WiredPair::transmit(Side side)
{
  if (stands_still(side)) {
    return;
  }
  for (std::uint8_t link = 0; link < links(); ++link) {
    while (const auto frame = end(side).poll_transmit(link, now(side))) {
      check_nonce(side, frame->bytes);
      travel(side, frame->to, {frame->bytes.begin(), frame->bytes.end()});
    }
  }
  frames_[side].clear();
}

void WiredPair::handle(Side side, Output output)
{
  const auto alive = [this, side, born = incarnation_[side]] { return incarnation_[side] == born; };
  if (std::holds_alternative<ProbeGround>(output)) {
    ++probes_;
  } else if (auto * job = std::get_if<StartJob>(&output)) {
    start_job(side, std::move(*job), alive);
  } else if (auto * outcome = std::get_if<RekeyReply>(&output)) {
    check_text(outcome->message);
    outcomes_[side].push_back(std::move(*outcome));
  } else if (auto * event = std::get_if<Event>(&output)) {
    check_text(event->text);
    events_[side].push_back(std::move(*event));
  } else if (auto * arrived = std::get_if<NoticeArrived>(&output)) {
    notices_[side].push_back(arrived->notice);
  } else if (auto * echo = std::get_if<EchoArrived>(&output)) {
    echoes_[side].push_back(*echo);
  }
}

void WiredPair::start_job(Side side, StartJob start, std::function<bool()> alive)
{
  ++jobs_run_[side];
  const Duration time = options_.time_of_job ? options_.time_of_job(start.job) : options_.job_time;
  auto given = job_filter_ ? job_filter_(side, start.job) : std::nullopt;
  auto result =
    std::make_shared<JobResult>(given ? std::move(*given) : run_job(std::move(start.job), random_));
  set_time(*result, time);
  const auto deliver_result = [this, alive, side, id = start.id, result] {
    if (alive()) {
      end(side).handle_job_result(id, std::move(*result), now(side));
    }
  };
  if (holds_jobs_[side]) {
    held_jobs_[side].emplace_back(deliver_result);
  } else {
    schedule(time, deliver_result);
  }
}

void WiredPair::hold_jobs(Side side, bool hold)
{
  holds_jobs_[side] = hold;
  if (!hold) {
    for (auto & result : std::exchange(held_jobs_[side], {})) {
      schedule(options_.job_time, std::move(result));
    }
  }
}

bool WiredPair::send(Side from, ByteView plaintext)
{
  const bool taken = offer(from, plaintext);
  transmit(from);
  return taken;
}

bool WiredPair::offer(Side from, ByteView plaintext)
{
  Bytes & frame = frames_[from].emplace_back(plaintext.size() + Tunnel::frame_overhead);
  std::ranges::copy(plaintext, frame.begin() + Tunnel::frame_headroom);
  return end(from).handle_plaintext(PeerIndex{0}, frame, {}, now(from));
}

void WiredPair::check_nonce(Side from, ByteView datagram)
{
  const auto header = decode_frame_header(datagram);
  if (!header) {
    return;
  }
  // Keys of different sessions may share an id; boot keys are known by nothing else.
  const auto held = standing(from).keys;
  const auto keys = std::ranges::find(held, header->key_id, &InstalledKeys::send_id);
  KeyTag name = {};
  if (keys != held.end()) {
    name = keys->transcript_tag;
  } else {
    std::copy_n(datagram.begin(), 3, name.begin());
  }
  const auto [sealed, first] =
    nonces_[from].try_emplace(std::pair(name, header->sequence), datagram.begin(), datagram.end());
  if (!first && !std::ranges::equal(sealed->second, datagram)) {
    throw std::logic_error("two datagrams under one key and sequence number");
  }
}

void WiredPair::travel(Side from, const Endpoint & to, Bytes datagram)
{
  const auto reached = link_to(other(from), to);
  if (!reached) {
    if (elsewhere_watcher_) {
      elsewhere_watcher_(from, datagram);
    }
    elsewhere_[from].emplace_back(to, std::move(datagram));
    return;
  }
  const std::uint8_t link = *reached;
  datagrams_[from].push_back(datagram);
  if (datagram_filter_ && !datagram_filter_(from, datagram)) {
    return;
  }
  const auto longer = link_weather_ ? link_weather_(from, link) : Duration{};
  if (!longer) {
    return;
  }
  const auto delays = channel_ ? channel_(from, datagram) : std::vector<Duration>{Duration{}};
  for (const Duration delay : delays) {
    schedule(
      options_.latency + *longer + delay, [this, from, datagram, source = address(from, link)] {
        deliver(other(from), datagram, source);
      });
  }
}

void WiredPair::stand_still(Side side, Duration time)
{
  standstills_.at(side).until = now_ + time;
  schedule(time, [this, side, time] { go_on(side, time); });
}

void WiredPair::go_on(Side side, Duration stood)
{
  const TunnelSettings & settings = options_.settings;
  if (stood > settings.max_age) {
    end(side).handle_standstill(stood, now(side));
  }
  for (auto & [at, datagram, from] : std::exchange(standstills_.at(side).arrivals, {})) {
    deliver(
      side, std::move(datagram), from, settings.paths.is_serial(from.link) ? stood : now_ - at);
  }
}

void WiredPair::deliver(Side to, Bytes datagram, const Endpoint & from, Duration waited)
{
  if (stands_still(to)) {
    standstills_.at(to).arrivals.push_back({now_, std::move(datagram), from});
    return;
  }
  const Opened opened = arrive(to, datagram, from, waited);
  if (opened.forward && opened.bundle) {
    MutableBytes rest = opened.plaintext;
    while (const auto one = take_from_bundle(rest)) {
      received_[to].emplace_back(one->begin(), one->end());
    }
  } else if (opened.forward) {
    received_[to].emplace_back(opened.plaintext.begin(), opened.plaintext.end());
  }
}

void WiredPair::deliver_later(Side to, Bytes datagram, const Endpoint & from, Duration delay)
{
  schedule(delay, [this, to, from, bytes = std::move(datagram)] { deliver(to, bytes, from); });
}

Opened WiredPair::arrive(Side to, Bytes & datagram, const Endpoint & from, Duration waited)
{
  const Bytes as_it_came = arrivals_ ? datagram : Bytes{};
  const Opened opened = end(to).handle_datagram(datagram, from, now(to), waited);
  if (arrivals_) {
    arrivals_(to, from, as_it_came, opened);
  }
  return opened;
}

Opened WiredPair::inject(Side to, ByteView datagram, const Endpoint & from)
{
  Bytes copy(datagram.begin(), datagram.end());
  Opened opened = arrive(to, copy, from, {});
  opened.plaintext = {};
  pump();
  return opened;
}

}  // namespace pqc_tunnel::test
