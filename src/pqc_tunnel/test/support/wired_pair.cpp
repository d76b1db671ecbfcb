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
  for (std::uint8_t link = 0; options_.shaped && link < links(); ++link) {
    const LinkSettings & settings = options_.settings.paths.links[link];
    for (const Side side : both_sides) {
      if (settings.is_thin()) {
        shapers_.try_emplace({side, link}, settings, 1);
      } else if (links() == 1) {
        adaptive_.try_emplace(side, settings, 1);
      }
    }
  }
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
  pending_.push_back({now_ + delay, order_++, std::move(action)});
}

Instant WiredPair::next_due() const
{
  Instant next = std::min(timeout_of(Side::drone), timeout_of(Side::gcs));
  for (const Pending & pending : pending_) {
    next = std::min(next, pending.due);
  }
  for (const auto & [where, shaper] : shapers_) {
    next = std::min(next, std::max(shaper.next_timeout(), standstills_.at(where.first).until));
  }
  for (const auto & [where, queue] : adaptive_) {
    next = std::min(next, std::max(queue.shaper().next_timeout(), standstills_.at(where).until));
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
      if (const auto queue = adaptive_.find(side); queue != adaptive_.end()) {
        const PeerIndex peer{0};
        queue->second.use(
          tunnel.found_rate(peer), tunnel.makes_way(peer), tunnel.is_crowded(peer, now(side)));
      }
      pump_shapers(side);
      if (tunnel.next_timeout() > tunnel.exact_timeout()) {
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
    transmit_or_queue(side, datagram->to, {datagram->traffic, {}}, std::move(datagram->bytes));
  } else if (std::holds_alternative<ProbeGround>(output)) {
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
  Bytes frame(plaintext.size() + Tunnel::frame_overhead);
  std::ranges::copy(plaintext, frame.begin() + Tunnel::frame_headroom);
  if (!end(from).seal(PeerIndex{0}, frame, now(from))) {
    return false;
  }
  check_nonce(from, frame);
  const Routes routes =
    end(from).routes(PeerIndex{0}, TrafficClass::other, frame.size(), now(from));
  for (const Endpoint & to : routes) {
    transmit(from, to, frame);
    send_copy(from, to.link, frame);
  }
  return true;
}

void WiredPair::offer(Side from, ByteView plaintext)
{
  Tunnel & end = this->end(from);
  const DatagramClass kind = classify(plaintext);
  const Routes routes = end.routes(PeerIndex{0}, kind.traffic, 0, now(from));
  if (routes.size() == 1 && end.has_keys(PeerIndex{0})) {
    if (SharedShaper * queue = shaper(from, routes.begin()->link)) {
      queue->of(0).offer(plaintext, now_);
      return;
    }
  }
  Bytes frame(plaintext.size() + Tunnel::frame_overhead);
  std::size_t longest_frame = frame.size();
  for (const Endpoint & to : routes) {
    longest_frame = std::min(longest_frame, options_.settings.paths.links[to.link].mtu);
  }
  if (longest_frame < frame.size() && plaintext.size() <= longest_fragmented) {
    offer_in_fragments(from, plaintext, longest_frame, routes);
    return;
  }
  std::ranges::copy(plaintext, frame.begin() + Tunnel::frame_headroom);
  if (!end.seal(PeerIndex{0}, frame, now(from))) {
    return;
  }
  check_nonce(from, frame);
  for (const Endpoint & to : routes) {
    transmit_or_queue(from, to, kind, frame);
    send_copy(from, to.link, frame);
  }
}

bool WiredPair::send_in_fragments(Side from, ByteView plaintext, std::size_t frame_size)
{
  return offer_in_fragments(
    from, plaintext, frame_size,
    end(from).routes(PeerIndex{0}, TrafficClass::other, frame_size, now(from)));
}

bool WiredPair::offer_in_fragments(
  Side from, ByteView plaintext, std::size_t frame_size, const Routes & routes)
{
  Bytes frames;
  if (!end(from).seal_in_fragments(PeerIndex{0}, plaintext, frame_size, frames, now(from))) {
    return false;
  }
  for (const Endpoint & to : routes) {
    SharedShaper * queue = shaper(from, to.link);
    if (queue != nullptr) {
      queue->of(0).offer_sealed(classify(plaintext), frames, to, now_, frame_size);
    }
    for (ByteView rest = frames; !rest.empty();) {
      const ByteView frame = rest.first(std::min(frame_size, rest.size()));
      rest = rest.subspan(frame.size());
      check_nonce(from, frame);
      if (queue == nullptr) {
        transmit(from, to, {frame.begin(), frame.end()});
      }
      send_copy(from, to.link, {frame.begin(), frame.end()});
    }
  }
  return true;
}

void WiredPair::send_copy(Side from, std::uint8_t link, const Bytes & frame)
{
  if (const auto to = end(from).take_copy(PeerIndex{0}, link, frame.size(), now(from))) {
    transmit_or_queue(from, *to, {TrafficClass::unproved, {}}, frame);
  }
}

SharedShaper * WiredPair::shaper(Side side, std::uint8_t link)
{
  if (const auto one = adaptive_.find(side); one != adaptive_.end() && one->second.is_active()) {
    return &one->second.shaper();
  }
  const auto found = shapers_.find({side, link});
  return found != shapers_.end() ? &found->second : nullptr;
}

void WiredPair::transmit_or_queue(
  Side from, const Endpoint & to, const DatagramClass & kind, Bytes datagram)
{
  if (SharedShaper * queue = shaper(from, to.link)) {
    queue->of(0).offer_sealed(kind, datagram, to, now_);
  } else {
    transmit(from, to, std::move(datagram));
  }
}

void WiredPair::pump_shapers(Side side)
{
  if (stands_still(side)) {
    return;
  }
  for (std::uint8_t link = 0; link < links(); ++link) {
    SharedShaper * queue = shaper(side, link);
    while (queue != nullptr) {
      const auto turn = queue->next_frame(now_);
      if (!turn) {
        break;
      }
      const ShapedFrame & shaped = turn->shaped;
      const bool sealed = shaped.kind == ShapedFrame::Kind::sealed;
      if (!sealed) {
        if (!end(side).seal(PeerIndex{0}, shaped, queue->of(0), now(side))) {
          continue;
        }
        check_nonce(side, shaped.frame);
      }
      const Endpoint to = sealed ? shaped.to : end(side).address_on(PeerIndex{0}, link);
      const Bytes frame(shaped.frame.begin(), shaped.frame.end());
      transmit(side, to, frame);
      if (!sealed) {
        send_copy(side, link, frame);
      }
    }
    if (queue != nullptr && options_.settings.paths.links[link].is_thin()) {
      const auto waiting = queue->of(0).counts(TrafficClass::stream).waiting();
      end(side).handle_stream_queue(PeerIndex{0}, link, waiting, now(side));
      pump(side);
    }
  }
}

void WiredPair::check_nonce(Side from, ByteView datagram)
{
  const auto header = decode_frame_header(datagram);
  if (!header) {
    return;
  }
  // Keys of different sessions may share an id; boot keys are known by nothing else.
  const auto held = end(from).installed_keys(PeerIndex{0});
  const auto keys = std::ranges::find(held, header->key_id, &InstalledKeys::send_id);
  Bytes name(datagram.begin(), datagram.begin() + 3);
  if (keys != held.end()) {
    name.assign(keys->transcript_tag.begin(), keys->transcript_tag.end());
  }
  const auto [sealed, first] = nonces_[from].try_emplace(
    std::pair(std::move(name), header->sequence), datagram.begin(), datagram.end());
  if (!first && !std::ranges::equal(sealed->second, datagram)) {
    throw std::logic_error("two datagrams under one key and sequence number");
  }
}

void WiredPair::transmit(Side from, const Endpoint & to, Bytes datagram)
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
    if ((settings.paths.is_serial(from.link) ? stood : now_ - at) > settings.max_age) {
      end(side).count_stale(datagram);
    } else {
      deliver(side, std::move(datagram), from);
    }
  }
}

void WiredPair::deliver(Side to, Bytes datagram, const Endpoint & from)
{
  if (stands_still(to)) {
    standstills_.at(to).arrivals.push_back({now_, std::move(datagram), from});
    return;
  }
  const Bytes as_it_came = arrivals_ ? datagram : Bytes{};
  Opened opened;
  if (is_hello(datagram)) {
    end(to).handle_hello(datagram, from, now(to));
  } else {
    const std::size_t size = datagram.size();
    opened = end(to).open(datagram, from, now(to));
    if (SharedShaper * queue = shaper(to, from.link); queue != nullptr && opened.peer) {
      queue->handle_arrival(size);
    }
  }
  if (arrivals_) {
    arrivals_(to, from, as_it_came, opened);
  }
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

Opened WiredPair::inject(Side to, ByteView datagram, const Endpoint & from)
{
  Bytes copy(datagram.begin(), datagram.end());
  Opened opened;
  if (is_hello(copy)) {
    end(to).handle_hello(copy, from, now(to));
  } else {
    opened = end(to).open(copy, from, now(to));
  }
  if (arrivals_) {
    arrivals_(to, from, datagram, opened);
  }
  opened.plaintext = {};
  pump();
  return opened;
}

}  // namespace pqc_tunnel::test
