// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__WIRED_PAIR_HPP_
#define SUPPORT__WIRED_PAIR_HPP_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "pqc_tunnel/core/tunnel.hpp"

namespace pqc_tunnel::test
{

// Repeatable randomness; fit for tests and nothing else.
class SeededRandom final : public RandomSource
{
public:
  explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
  void fill(MutableBytes out) override
  {
    for (auto & byte : out) {
      byte = static_cast<std::uint8_t>(engine_());
    }
  }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(engine_); }

private:
  std::mt19937_64 engine_;
};

const Suite & suite(std::string_view id);

// Key pairs for a GCS and its drones, as pqc_identity would make them, for the signature algorithms of some suites.
struct Identities
{
  GcsIdentity gcs;
  PublicKeys gcs_keys;
  SigningKeys drone_signing_keys;  // one set for all drones is enough here
  PublicKeys drone_keys;

  static const Identities & for_signature(SignatureAlgorithm algorithm);
  // A copy of the GCS's part, a drone's part, and the GCS's record of that drone; `number` tells drones apart.
  GcsIdentity gcs_part() const;
  DroneIdentity drone_part(std::uint8_t number = 1) const;
  DroneRecord record(std::uint8_t number = 1) const;
};

enum class Side
{
  drone,
  gcs,
};

// A drone's and a GCS's tunnel in one thread, wired by channels that the test controls, under a virtual clock.
class WiredPair
{
public:
  struct Options
  {
    std::string suite = "cs-mlkem768-aesgcm-mldsa65";
    TunnelSettings settings;
    std::uint64_t seed = 1;
    Duration latency = std::chrono::milliseconds(10);
    Duration job_time = std::chrono::milliseconds(1);
    SignatureAlgorithm identity = SignatureAlgorithm::ml_dsa_65;
  };

  // Filters see each encrypted datagram before it travels; false drops it, changes stick.
  using DatagramFilter = std::function<bool(Side from, Bytes & datagram)>;
  using StreamFilter = std::function<bool(Side from, Bytes & bytes)>;

  WiredPair();
  explicit WiredPair(Options options);
  ~WiredPair();

  Instant now() const { return now_; }
  Tunnel & drone() { return *drone_; }
  Tunnel & gcs() { return *gcs_; }
  Tunnel & end(Side side) { return side == Side::drone ? *drone_ : *gcs_; }
  SeededRandom & random() { return random_; }

  // Lets virtual time pass; everything due happens in order.
  void run_for(Duration duration);
  // Until the condition holds; false if it doesn't within `limit` of virtual time.
  bool run_until(const std::function<bool()> & condition, Duration limit = std::chrono::seconds(60));
  bool establish();  // runs until both ends send under the same keys

  // Sends one plaintext datagram into an end; it arrives in received() of the other.
  bool send(Side from, ByteView plaintext);
  std::deque<Bytes> & received(Side at) { return received_[at]; }
  // Hands a raw datagram to an end, as from a stranger's address or the peer's.
  Opened inject(Side to, ByteView datagram, const Endpoint & from);
  static Endpoint address_of(Side side);

  void set_datagram_filter(DatagramFilter filter) { datagram_filter_ = std::move(filter); }
  void set_stream_filter(StreamFilter filter) { stream_filter_ = std::move(filter); }
  void set_tcp_refused(bool refused) { tcp_refused_ = refused; }
  void restart(Side side);  // crash and start again, with nothing remembered

  std::vector<Event> & events(Side side) { return events_[side]; }
  bool saw(Side side, EventKind kind) const;
  std::vector<RekeyOutcome> & outcomes(Side side) { return outcomes_[side]; }
  std::vector<Bytes> & datagrams_sent(Side side) { return datagrams_[side]; }
  std::size_t jobs_run(Side side) const { return jobs_run_.at(side); }
  PeerSnapshot snapshot(Side side) { return end(side).snapshot(PeerIndex{0}, now_); }
  // Drains the outputs of both ends after a direct call to one of them.
  void pump();

private:
  struct Pending
  {
    Instant due;
    std::uint64_t order;
    std::function<void()> action;
  };

  void make(Side side);
  void schedule(Duration delay, std::function<void()> action);
  void pump(Side side);
  void handle(Side side, Output output);
  void transmit(Side from, Bytes datagram);
  void deliver(Side to, Bytes datagram, const Endpoint & from);
  void stream(Side from, ConnectionId connection, Bytes bytes);
  void hang_up(Side from, ConnectionId connection);
  Instant next_due() const;
  bool end_due(Side side);

  Options options_;
  SeededRandom random_;
  Instant now_{std::chrono::seconds(1000)};
  std::unique_ptr<Tunnel> drone_;
  std::unique_ptr<Tunnel> gcs_;
  std::vector<Pending> pending_;
  std::uint64_t order_ = 0;
  std::map<Side, std::uint64_t> incarnation_;
  std::map<Side, std::deque<Bytes>> received_;
  std::map<Side, std::vector<Event>> events_;
  std::map<Side, std::vector<RekeyOutcome>> outcomes_;
  std::map<Side, std::vector<Bytes>> datagrams_;
  std::map<Side, std::size_t> jobs_run_{{Side::drone, 0}, {Side::gcs, 0}};
  std::map<std::uint64_t, std::uint64_t> to_gcs_;  // drone's connection → GCS's
  std::map<std::uint64_t, std::uint64_t> to_drone_;
  std::uint64_t last_accepted_ = 0;
  DatagramFilter datagram_filter_;
  StreamFilter stream_filter_;
  bool tcp_refused_ = false;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__WIRED_PAIR_HPP_
