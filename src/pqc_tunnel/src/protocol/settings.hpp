// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SETTINGS_HPP_
#define PQC_TUNNEL__PROTOCOL__SETTINGS_HPP_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/crypto/suite.hpp"
#include "pqc_tunnel/protocol/constants.hpp"

namespace pqc_tunnel
{

enum class Role : std::uint8_t
{
  drone,
  gcs,
};

// How keys are agreed beyond the suite. Both ends must be configured alike; it is part of the policy hash.
struct HandshakeMode
{
  bool hybrid_x25519 = false;    // mix an X25519 secret in after the post-quantum one
  bool drone_signature = false;  // the drone signs too, so that a leaked PSK doesn't impersonate it

  std::uint8_t to_wire() const;
  friend bool operator==(const HandshakeMode &, const HandshakeMode &) = default;
};

// Which suites may ever be used. The suite in use never falls outside, whoever asks.
class SuitePolicy
{
public:
  // Allows every suite of at least `floor`; experimental ones only if asked for.
  SuitePolicy(SecurityLevel floor, bool allow_experimental);
  // Allows exactly these suites; the floor is the lowest of their levels.
  explicit SuitePolicy(std::vector<const Suite *> allowed);

  bool allows(const Suite & suite) const;
  const std::vector<const Suite *> & allowed() const { return allowed_; }
  // SHA-256 over mode, floor and the sorted wire ids: what both ends compare before a handshake.
  PolicyHash hash(HandshakeMode mode) const;

private:
  SecurityLevel floor_;
  std::vector<const Suite *> allowed_;  // sorted by wire id
};

// Key generation may take tens of seconds on a small board.
inline bool is_slow(KemAlgorithm algorithm)
{
  return family(algorithm) == KemFamily::classic_mceliece;
}

// The protocol's, unless a test wants to reach them within its lifetime.
struct PacketLimits
{
  std::uint64_t ask_rekey = rekey_asked_packets;
  std::uint64_t refuse = max_packets_per_key;
};

// GCS only: what is made ahead of handshakes that may come.
struct HelloPoolSettings
{
  std::size_t depth = 1;                          // hellos in stock, of each KEM and signature
  std::size_t max_bytes = std::size_t{16} << 20;  // of keys and signatures; 0: nothing ahead
  Duration max_age = hello_lifetime;              // then they are wiped
  std::vector<const Suite *> suites;              // wanted beside those in use and their neighbours
};

struct TunnelSettings
{
  HandshakeMode mode;
  SuitePolicy suites{SecurityLevel::l1, true};
  const Suite * initial_suite = nullptr;  // drone only: the suite of the first handshake
  std::size_t replay_window = 1024;       // packets, at least 64
  std::size_t max_datagram = 1434;        // bytes of plaintext that fit the link's MTU
  PacketLimits packet_limits;             // under one key, in one direction
  Duration max_key_age =
    std::chrono::hours(1);  // the drone rekeys by itself at this age; 0 = never
  Duration blacklist_ttl = std::chrono::seconds(1800);
  Duration peer_timeout = std::chrono::seconds(3);  // silence after which a drone handshakes afresh
  Duration keepalive_interval = std::chrono::seconds(1);
  Duration report_interval = std::chrono::milliseconds(500);
  Duration handshake_timeout = std::chrono::seconds(15);
  HelloPoolSettings hello_pool;
  Duration slow_handshake_timeout = std::chrono::seconds(45);  // Classic McEliece
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SETTINGS_HPP_
