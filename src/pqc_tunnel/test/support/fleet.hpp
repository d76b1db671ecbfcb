// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__FLEET_HPP_
#define SUPPORT__FLEET_HPP_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "protocol/epoch_keys.hpp"
#include "support/session_secrets.hpp"
#include "support/wired_pair.hpp"

namespace pqc_tunnel::test
{

// Drones and a ground station that pass everything on within the same millisecond. Jobs of the ground station take their
// time on one worker, one after the other; keys are made ahead on a second one.
class Fleet
{
public:
  explicit Fleet(std::uint8_t size, std::uint8_t wrong_psk = 0, Duration job_time = {})
  : wrong_psk_(wrong_psk), job_time_(job_time), random_(3)
  {
    settings_.initial_suite = &suite("cs-mlkem512-aesgcm-mldsa44");
    std::vector<DroneRecord> records;
    for (std::uint8_t n = 1; n <= size; ++n) {
      records.push_back(ids_.record(n));
      drones_.push_back(make_drone(n));
    }
    gcs_ = std::make_unique<Tunnel>(
      Tunnel::create(
        Tunnel::GcsConfig{settings_, ids_.gcs_part(), std::move(records)}, random_, now_)
        .value());
    received_.resize(size);
    heard_.resize(size);
  }

  Tunnel & gcs() { return *gcs_; }
  Tunnel & drone(std::size_t i) { return *drones_[i]; }
  Instant now() const { return now_; }
  PeerSnapshot at_gcs(std::size_t i) { return gcs_->snapshot(index(i), now_); }
  PeerSnapshot at_drone(std::size_t i) { return drones_[i]->snapshot(PeerIndex{0}, now_); }
  bool agreed(std::size_t i)
  {
    return at_gcs(i).state == PeerState::established &&
           at_drone(i).state == PeerState::established && at_gcs(i).epoch == at_drone(i).epoch &&
           at_gcs(i).session == at_drone(i).session;
  }
  void silence(std::size_t i, bool silent = true) { silent_[i] = silent; }
  // A crash, and a start with nothing remembered.
  void restart(std::size_t i) { drones_[i] = make_drone(static_cast<std::uint8_t>(i + 1)); }
  std::vector<Bytes> & received_from(std::size_t i) { return received_[i]; }
  std::vector<Bytes> & heard_by(std::size_t i) { return heard_[i]; }
  std::size_t jobs_of_gcs() const { return jobs_of_gcs_; }

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
  void send_up(std::size_t i, const Bytes & text)
  {
    to_gcs(i, sealed(*drones_[i], PeerIndex{0}, text));
  }
  void send_down(std::size_t i, const Bytes & text) { to_drone(i, sealed(*gcs_, index(i), text)); }

  // A drone's keys of its first session, far ahead in sequence: with them a test sends what no drone would.
  std::unique_ptr<EpochKeys> stolen_keys(std::size_t i)
  {
    const Made & made = made_.at(at_gcs(i).session);
    auto keys = std::make_unique<EpochKeys>(
      EpochName{made.suite, made.secrets.session, Epoch{0}}, Role::drone, copy_of(made.secrets),
      settings_, now_, std::make_shared<PeerClock>());
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
    to_gcs(i, std::move(frame));
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

  static PeerIndex index(std::size_t i) { return PeerIndex{static_cast<std::uint32_t>(i)}; }
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
  Bytes sealed(Tunnel & tunnel, PeerIndex peer, const Bytes & text)
  {
    Bytes frame(text.size() + frame_overhead);
    std::ranges::copy(text, frame.begin() + frame_header_size);
    return tunnel.seal(peer, frame, now_) ? frame : Bytes{};
  }
  void to_gcs(std::size_t i, Bytes frame)
  {
    if (is_hello(frame)) {
      if (!silent_[i]) {
        gcs_->handle_hello(frame, address(i), now_);
      }
      return;
    }
    const Opened opened = silent_[i] ? Opened{} : gcs_->open(frame, address(i), now_);
    if (opened.forward) {
      received_[static_cast<std::size_t>(*opened.peer)].emplace_back(
        opened.plaintext.begin(), opened.plaintext.end());
    }
  }
  void to_drone(std::size_t i, Bytes frame)
  {
    if (is_hello(frame)) {
      if (!silent_[i]) {
        drones_[i]->handle_hello(frame, gcs_address, now_);
      }
      return;
    }
    const Opened opened = silent_[i] ? Opened{} : drones_[i]->open(frame, gcs_address, now_);
    if (opened.forward) {
      heard_[i].emplace_back(opened.plaintext.begin(), opened.plaintext.end());
    }
  }

  void step()
  {
    work(worker_);
    work(preparer_);
    gcs_->handle_timeout(now_);
    for (auto & drone : drones_) {
      drone->handle_timeout(now_);
    }
    while (pump()) {
    }
  }
  bool pump()
  {
    bool busy = false;
    for (std::size_t i = 0; i < drones_.size(); ++i) {
      while (auto output = drones_[i]->poll_output()) {
        busy = true;
        of_drone(i, std::move(*output));
      }
    }
    while (auto output = gcs_->poll_output()) {
      busy = true;
      of_gcs(std::move(*output));
    }
    return busy;
  }
  void of_drone(std::size_t i, Output output)
  {
    Tunnel & drone = *drones_[i];
    if (auto * datagram = std::get_if<SendDatagram>(&output)) {
      to_gcs(i, std::move(datagram->bytes));
    } else if (auto * job = std::get_if<StartJob>(&output)) {
      drone.handle_job_result(job->id, run_job(std::move(job->job), random_), now_);
    }
  }
  void of_gcs(Output output)
  {
    if (auto * datagram = std::get_if<SendDatagram>(&output)) {
      to_drone(static_cast<std::size_t>(datagram->peer), std::move(datagram->bytes));
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
  void work(Worker & worker)
  {
    if (!worker.waiting.empty() && now_ >= worker.done) {
      StartJob job = std::move(worker.waiting.front());
      worker.waiting.pop_front();
      worker.done = now_ + job_time_;
      finish(std::move(job));
    }
  }
  void finish(StartJob start)
  {
    const auto * complete = std::get_if<CompleteFinish>(&start.job);
    const Suite * suite = complete != nullptr ? complete->suite : nullptr;
    JobResult result = run_job(std::move(start.job), random_);
    if (const auto * done = std::get_if<FinishCompleted>(&result)) {
      made_.try_emplace(done->secrets.session, Made{suite, copy_of(done->secrets)});
    }
    gcs_->handle_job_result(start.id, std::move(result), now_);
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
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__FLEET_HPP_
