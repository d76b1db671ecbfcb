// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__PAIR__FLEET_HPP_
#define SUPPORT__PAIR__FLEET_HPP_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/session/epoch_keys.hpp"
#include "support/pair/packet_thread.hpp"
#include "support/pair/session_secrets.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Drones and a ground station that pass everything on within the same millisecond, if nobody says otherwise. Jobs of the
// ground station take their time on one worker, one after the other; keys are made ahead on a second one.
class Fleet
{
public:
  // The delays with which copies of a datagram arrive; none: it is lost. Changes stick.
  using Channel = std::function<std::vector<Duration>(Side from, Bytes & datagram)>;
  // Sees each datagram that an application gets, and when.
  using Arrivals = std::function<void(Side to, std::size_t drone, ByteView datagram, Instant now)>;

  // `served`: how many the ground station knows at first.
  explicit Fleet(
    std::uint8_t size, std::uint8_t wrong_psk = 0, Duration job_time = {}, std::uint64_t seed = 3,
    std::uint8_t served = 255)
  : wrong_psk_(wrong_psk), job_time_(job_time), random_(seed)
  {
    settings_.initial_suite = &suite("cs-mlkem512-aesgcm-mldsa44");
    std::vector<DroneRecord> records;
    for (std::uint8_t n = 1; n <= size; ++n) {
      if (n <= served) {
        records.push_back(ids_.record(n));
      }
      drones_.push_back(make_drone(n));
    }
    gcs_ = std::make_unique<Tunnel>(
      Tunnel::create(
        Tunnel::GcsConfig{settings_, ids_.gcs_part(), std::move(records)}, random_, now_)
        .value());
    received_.resize(size);
    heard_.resize(size);
  }

  static PeerIndex index(std::size_t i) { return PeerIndex{static_cast<std::uint32_t>(i)}; }
  Tunnel & gcs() { return *gcs_; }
  Tunnel & drone(std::size_t i) { return *drones_[i]; }
  Instant now() const { return now_; }
  // The ground station can be behind with its work.
  Instant ground_time() const { return thread_ ? std::max(now_, thread_->now()) : now_; }
  PeerSnapshot at_gcs(std::size_t i) { return gcs_->snapshot(index(i), ground_time()); }
  PeerSnapshot at_drone(std::size_t i) { return drones_[i]->snapshot(PeerIndex{0}, now_); }
  PeerStanding standing(Side side, std::size_t i)
  {
    return side == Side::drone ? drones_[i]->standing(PeerIndex{0}, now_)
                               : gcs_->standing(index(i), ground_time());
  }
  bool agreed(std::size_t i)
  {
    const PeerStanding gcs = standing(Side::gcs, i);
    const PeerStanding drone = standing(Side::drone, i);
    return gcs.state == PeerState::established && drone.state == PeerState::established &&
           gcs.epoch == drone.epoch && gcs.session == drone.session;
  }
  void silence(std::size_t i, bool silent = true) { silent_[i] = silent; }
  // A crash, and a start with nothing remembered.
  void restart(std::size_t i) { drones_[i] = make_drone(static_cast<std::uint8_t>(i + 1)); }
  void restart(std::size_t i, DroneIdentity identity)
  {
    drones_[i] = std::make_unique<Tunnel>(
      Tunnel::create(
        Tunnel::DroneConfig{settings_, std::move(identity), {gcs_address}}, random_, now_)
        .value());
  }
  // Of drones that are restarted.
  TunnelSettings & settings() { return settings_; }
  void change(Tunnel & end, Change change)
  {
    end.handle_change(std::move(change), now_);
    pump();
  }
  std::vector<Bytes> & received_from(std::size_t i) { return received_[i]; }
  std::vector<Bytes> & heard_by(std::size_t i) { return heard_[i]; }
  std::size_t jobs_of_gcs() const { return jobs_of_gcs_; }
  // The ground station's record of a drone, as it is at first.
  DroneRecord record(std::size_t i) const { return ids_.record(static_cast<std::uint8_t>(i + 1)); }
  DroneIdentity identity(std::size_t i) const
  {
    return ids_.drone_part(static_cast<std::uint8_t>(i + 1));
  }
  GcsIdentity gcs_identity() const { return ids_.gcs_part(); }
  // From now on the ground station serves the drone by this record; none: no longer.
  void serve(std::size_t i, std::optional<DroneRecord> record)
  {
    gcs_->handle_change(DroneChange{index(i), std::move(record)}, ground_time());
    pump();
  }
  // Drones send under keys with this id from their next sessions on.
  void use_key_id(FrameKeyId id) { key_id_ = id; }

  void set_channel(std::size_t i, Channel channel) { channels_[i] = std::move(channel); }
  void watch_arrivals(Arrivals watcher) { arrivals_ = std::move(watcher); }
  // Sees what the ground station reports.
  void watch_events(std::function<void(const Event &)> watcher) { events_ = std::move(watcher); }
  // … and the answers of all ends to requests for rekeys.
  void watch_replies(std::function<void(const RekeyReply &)> watcher)
  {
    replies_ = std::move(watcher);
  }
  // From now on what the ground station does takes time, most of all for this drone.
  PacketThread & use_packet_thread(std::size_t hostile)
  {
    return thread_.emplace(
      *gcs_, index(hostile), [this] { return carry_out_gcs(); },
      [this](const Opened & opened) { arrived_at_gcs(opened); }, now_);
  }

  void run_for(Duration duration)
  {
    for (const Instant end = now_ + duration; now_ < end; now_ += std::chrono::milliseconds(1)) {
      step();
    }
  }
  bool run_until(const std::function<bool()> & condition, Duration limit)
  {
    const Instant end = now_ + limit;
    while (!condition() && now_ < end) {
      run_for(std::chrono::milliseconds(1));
    }
    return condition();
  }
  bool send_up(std::size_t i, const Bytes & text)
  {
    return send_sealed(i, Side::drone, *drones_[i], PeerIndex{0}, text, now_);
  }
  bool send_down(std::size_t i, const Bytes & text)
  {
    return send_sealed(i, Side::gcs, *gcs_, index(i), text, ground_time());
  }
  // A frame of that end, as it is. It passes the channel.
  void send_raw(std::size_t i, Side from, Bytes frame)
  {
    send_raw(i, from, std::move(frame), from == Side::gcs ? ground_time() : now_);
  }
  // A frame that somebody else has in the end's hands after a time.
  void deliver_later(
    std::size_t i, Side to, Bytes frame, const Endpoint & from, Duration delay = {})
  {
    later_.emplace(now_ + delay, [this, i, to, from, bytes = std::move(frame)]() mutable {
      deliver(i, to, std::move(bytes), from);
    });
  }

  // One end's keys of a session that was made here; null if it was not.
  std::unique_ptr<EpochKeys> keys_of(const SessionId & session, Role role)
  {
    const auto found = made_.find(session);
    if (found == made_.end()) {
      return nullptr;
    }
    const Made & made = found->second;
    return std::make_unique<EpochKeys>(
      EpochName{made.suite, made.secrets.session, Epoch{0}}, role, copy_of(made.secrets), settings_,
      now_, std::make_shared<PeerClock>());
  }
  // A drone's keys of its first session, far ahead in sequence: with them a test sends what no drone would.
  std::unique_ptr<EpochKeys> stolen_keys(std::size_t i)
  {
    auto keys = keys_of(at_gcs(i).session, Role::drone);
    Bytes frame(frame_overhead);
    for (int n = 0; n < 1'000'000; ++n) {
      keys->seal(FrameKind::data, frame, now_);
    }
    return keys;
  }
  void say(std::size_t i, EpochKeys & keys, ByteView control)
  {
    Bytes frame(control.size() + frame_overhead);
    std::ranges::copy(control, frame.begin() + frame_header_size);
    keys.seal(FrameKind::control, frame, now_);
    send_raw(i, Side::drone, std::move(frame));
  }

private:
  struct Worker
  {
    std::deque<StartJob> waiting;
    Instant done;
  };
  struct Made
  {
    const Suite * suite;
    EpochSecrets secrets;
  };

  static Endpoint address(std::size_t i)
  {
    return WiredPair::stranger(static_cast<std::uint8_t>(10 + i));
  }
  std::unique_ptr<Tunnel> make_drone(std::uint8_t number)
  {
    DroneIdentity identity = ids_.drone_part(number);
    if (number == wrong_psk_) {
      identity.psk = Psk(std::array<std::uint8_t, 32>{});
    }
    return std::make_unique<Tunnel>(
      Tunnel::create(
        Tunnel::DroneConfig{settings_, std::move(identity), {gcs_address}}, random_, now_)
        .value());
  }
  bool send_sealed(
    std::size_t i, Side from, Tunnel & tunnel, PeerIndex peer, const Bytes & text, Instant at)
  {
    Bytes frame(text.size() + frame_overhead);
    std::ranges::copy(text, frame.begin() + frame_header_size);
    if (!tunnel.handle_plaintext(peer, frame, {}, at)) {
      return false;
    }
    from == Side::drone ? transmit_drone(i) : transmit_gcs();
    return true;
  }
  void send_raw(std::size_t i, Side from, Bytes frame, Instant at)
  {
    if (silent_[i]) {
      return;
    }
    const Endpoint source = from == Side::drone ? address(i) : gcs_address;
    const auto channel = channels_.find(i);
    if (channel == channels_.end() && at <= now_) {
      deliver(i, other(from), std::move(frame), source);
      return;
    }
    const auto delays =
      channel != channels_.end() ? channel->second(from, frame) : std::vector<Duration>{{}};
    for (const Duration delay : delays) {
      deliver_later(i, other(from), frame, source, at - now_ + delay);
    }
  }
  void deliver(std::size_t i, Side to, Bytes frame, const Endpoint & from)
  {
    Tunnel & end = to == Side::drone ? *drones_[i] : *gcs_;
    if (to == Side::drone) {
      if (const Opened opened = end.handle_datagram(frame, from, now_); opened.forward) {
        note_arrivals(Side::drone, i, opened, heard_[i]);
      }
    } else if (thread_ && !is_hello(frame)) {
      thread_->arrive(std::move(frame), from);
    } else if (const Opened opened = end.handle_datagram(frame, from, ground_time());
               opened.forward) {
      arrived_at_gcs(opened);
    }
  }
  void arrived_at_gcs(const Opened & opened)
  {
    const auto i = static_cast<std::size_t>(*opened.peer);
    note_arrivals(Side::gcs, i, opened, received_[i]);
  }
  void note_arrivals(Side to, std::size_t i, const Opened & opened, std::vector<Bytes> & all)
  {
    if (!opened.bundle) {
      note_arrival(to, i, opened.plaintext, all);
      return;
    }
    MutableBytes rest = opened.plaintext;
    for (std::size_t taken = 0; taken < max_bundled; ++taken) {
      if (const auto datagram = take_from_bundle(rest)) {
        note_arrival(to, i, *datagram, all);
      }
    }
  }
  void note_arrival(Side to, std::size_t i, ByteView plaintext, std::vector<Bytes> & all)
  {
    if (arrivals_) {
      arrivals_(to, i, plaintext, to == Side::gcs ? ground_time() : now_);
    } else {
      all.emplace_back(plaintext.begin(), plaintext.end());
    }
  }
  void step()
  {
    while (!later_.empty() && later_.begin()->first <= now_) {
      later_.extract(later_.begin()).mapped()();
    }
    work(worker_);
    work(preparer_);
    gcs_->handle_timeout(ground_time());
    for (auto & drone : drones_) {
      if (drone->next_timeout() <= now_) {
        drone->handle_timeout(now_);
      }
    }
    while (pump()) {
    }
    if (thread_) {
      thread_->run_until(now_ + std::chrono::milliseconds(1));
    }
  }
  bool pump()
  {
    bool busy = false;
    for (std::size_t i = 0; i < drones_.size(); ++i) {
      busy = transmit_drone(i) > 0 || busy;
      while (auto output = drones_[i]->poll_output()) {
        busy = true;
        of_drone(i, std::move(*output));
      }
    }
    return carry_out_gcs() > 0 || busy;
  }
  std::size_t carry_out_gcs()
  {
    std::size_t outputs = transmit_gcs();
    for (; auto output = gcs_->poll_output(); ++outputs) {
      of_gcs(std::move(*output));
    }
    return outputs;
  }
  std::size_t transmit_drone(std::size_t i)
  {
    std::size_t frames = 0;
    for (; const auto frame = drones_[i]->poll_transmit(0, now_); ++frames) {
      send_raw(i, Side::drone, {frame->bytes.begin(), frame->bytes.end()});
    }
    return frames;
  }
  std::size_t transmit_gcs()
  {
    std::size_t frames = 0;
    for (; const auto frame = gcs_->poll_transmit(0, ground_time()); ++frames) {
      const auto i = static_cast<std::size_t>(frame->peer);
      if (frame->to == address(i)) {
        send_raw(i, Side::gcs, {frame->bytes.begin(), frame->bytes.end()});
      }
    }
    return frames;
  }
  void of_drone(std::size_t i, Output output)
  {
    Tunnel & drone = *drones_[i];
    if (auto * job = std::get_if<StartJob>(&output)) {
      drone.handle_job_result(job->id, run(std::move(job->job)), now_);
    } else if (const auto * reply = std::get_if<RekeyReply>(&output)) {
      note_reply(*reply);
    }
  }
  void of_gcs(Output output)
  {
    if (const auto * reply = std::get_if<RekeyReply>(&output)) {
      note_reply(*reply);
    } else if (const auto * event = std::get_if<Event>(&output)) {
      if (events_) {
        events_(*event);
      }
    } else if (auto * job = std::get_if<StartJob>(&output)) {
      ++jobs_of_gcs_;
      Worker & worker = std::holds_alternative<MakePrekey>(job->job) ? preparer_ : worker_;
      if (job_time_ == Duration{}) {
        finish(std::move(*job));
        return;
      }
      if (worker.waiting.empty()) {
        worker.done = now_ + job_time_;
      }
      worker.waiting.push_back(std::move(*job));
    }
  }
  void note_reply(const RekeyReply & reply)
  {
    if (replies_) {
      replies_(reply);
    }
  }
  void work(Worker & worker)
  {
    if (!worker.waiting.empty() && now_ >= worker.done) {
      StartJob job = std::move(worker.waiting.front());
      worker.waiting.pop_front();
      worker.done = now_ + job_time_;
      finish(std::move(job));
    }
  }
  JobResult run(Job job)
  {
    JobResult result = run_job(std::move(job), random_);
    if (key_id_) {
      set_key_id(result, *key_id_);
    }
    return result;
  }
  void finish(StartJob start)
  {
    const auto * complete = std::get_if<CompleteFinish>(&start.job);
    const Suite * suite = complete != nullptr ? complete->suite : nullptr;
    JobResult result = run(std::move(start.job));
    set_time(result, job_time_);
    if (const auto * done = std::get_if<FinishCompleted>(&result)) {
      made_.try_emplace(done->secrets.session, Made{suite, copy_of(done->secrets)});
    }
    gcs_->handle_job_result(start.id, std::move(result), ground_time());
  }

  const Endpoint gcs_address = WiredPair::address_of(Side::gcs);
  const Identities & ids_ = Identities::for_signature(SignatureAlgorithm::ml_dsa_44);
  const std::uint8_t wrong_psk_;
  const Duration job_time_;
  TunnelSettings settings_;
  SeededRandom random_;
  Instant now_{std::chrono::seconds(1000)};
  std::vector<std::unique_ptr<Tunnel>> drones_;
  std::unique_ptr<Tunnel> gcs_;
  Worker worker_;
  Worker preparer_;
  std::size_t jobs_of_gcs_ = 0;
  std::map<SessionId, Made> made_;
  std::vector<std::vector<Bytes>> received_;
  std::vector<std::vector<Bytes>> heard_;
  std::map<std::size_t, bool> silent_;
  std::map<std::size_t, Channel> channels_;
  std::multimap<Instant, std::function<void()>> later_;
  std::optional<PacketThread> thread_;
  Arrivals arrivals_;
  std::function<void(const Event &)> events_;
  std::function<void(const RekeyReply &)> replies_;
  std::optional<FrameKeyId> key_id_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__PAIR__FLEET_HPP_
