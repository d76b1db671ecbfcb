// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__SESSION__SETTINGS_HPP_
#define PQC_TUNNEL__PROTOCOL__SESSION__SETTINGS_HPP_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "crypto/suites/suite.hpp"
#include "link/paths/link_settings.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{

enum class Role : std::uint8_t
{
  drone,
  gcs,
};

// Options of the key agreement beside the suite. Both ends need the same; the policy hash includes them.
struct HandshakeMode
{
  bool hybrid_x25519 = false;    // mixes in an X25519 secret after the post-quantum one
  bool drone_signature = false;  // the drone signs too, in case its PSK leaks

  std::uint8_t to_wire() const;
  static HandshakeMode from_wire(std::uint8_t mode);
  friend bool operator==(const HandshakeMode &, const HandshakeMode &) = default;
};

// Says when sessions use the anchor, the long-lived Classic McEliece keys of the ground station.
enum class AnchorUse : std::uint8_t
{
  off,
  automatic,  // if the drone has a key of it
  required,
};

const char * to_string(AnchorUse use);
std::optional<AnchorUse> parse_anchor_use(std::string_view text);

// The suites that may be used. No request of anybody selects another suite.
class SuitePolicy
{
public:
  // Allows every suite of at least level `floor`, experimental ones only with `allow_experimental`. `floor_of`: the
  // suite that gave the floor, for messages.
  SuitePolicy(SecurityLevel floor, bool allow_experimental, const Suite * floor_of = nullptr);
  // Allows exactly these suites; the floor is the lowest of their levels.
  explicit SuitePolicy(std::vector<const Suite *> allowed);

  bool allows(const Suite & suite) const;
  // Returns why the policy does not allow the suite, by the names of the parameters; empty if it does.
  std::string objection(const Suite & suite) const;
  // Returns its parameters and their values, for messages.
  std::string description() const;
  const std::vector<const Suite *> & allowed() const { return allowed_; }
  // Returns the SHA-256 of mode, floor and sorted wire ids, which both ends compare before a handshake.
  PolicyHash hash(HandshakeMode mode) const;
  // Returns the policy with this hash, if it is one without a list of suites.
  static std::optional<SuitePolicy> with_hash(const PolicyHash & hash, HandshakeMode mode);

private:
  std::string floor_text() const;

  SecurityLevel floor_;
  const Suite * floor_of_ = nullptr;
  bool experimental_ = true;
  bool is_list_ = false;
  std::vector<const Suite *> allowed_;  // sorted by wire id
};

// Returns mode and suites, by the names of the parameters, for messages.
std::string description(const SuitePolicy & suites, HandshakeMode mode);
// Returns how the other end's parameters differ from ours. `theirs`: none if it has a list of suites or another
// version.
std::string difference(
  const std::optional<SuitePolicy> & theirs, HandshakeMode their_mode, const SuitePolicy & ours,
  HandshakeMode our_mode);

// Limits of the protocol; tests lower them.
struct PacketLimits
{
  std::uint64_t ask_rekey = rekey_asked_packets;
  std::uint64_t refuse = max_packets_per_key;
  std::uint64_t failures = max_failures_per_key;
};

// GCS only: prekeys made in advance of key exchanges.
struct PrekeyPoolSettings
{
  std::size_t max_bytes = std::size_t{16}
                          << 20;       // of keys and signatures; 0: none are made in advance
  Duration max_age = prekey_lifetime;  // older prekeys are wiped
  std::vector<const Suite *> suites;   // in addition to those in use and their neighbours
};

// The configured address of the ground station, for messages.
struct GroundAddress
{
  std::string name = "gcs_address";  // host and port as configured; drone only
  std::uint16_t port = 0;            // UDP; 0 if unknown
};

struct TunnelSettings
{
  HandshakeMode mode;
  AnchorUse anchor = AnchorUse::automatic;
  SuitePolicy suites{SecurityLevel::l1, true};
  const Suite * initial_suite = nullptr;         // drone only: the suite of the first session
  std::size_t replay_window = 4096;              // packets, at least 64; a second at 4,000 a second
  std::size_t max_datagram = 1449;               // bytes of plaintext that fit the MTU of the link
  PacketLimits packet_limits;                    // under one key, in one direction
  Duration max_key_age = std::chrono::hours(1);  // the drone rekeys at this age; 0: never
  std::uint32_t max_ratchets = 60;               // in a row; then the drone makes a full rekey
  Duration peer_timeout = std::chrono::seconds(3);  // silence before a drone starts a new session
  Duration keepalive_interval = std::chrono::seconds(1);
  Duration report_interval = std::chrono::milliseconds(500);
  Duration max_age = std::chrono::seconds(1);  // of a packet, beside its usual delay
  bool erase_on_request = false;  // drone: the ground station may have all its keys erased
  Duration wipe_after = std::chrono::seconds(600);        // without an authentic packet; 0: never
  std::size_t prefetch_max_bytes = std::size_t{4} << 20;  // drone only: size of its prekeys
  double prefetch_airtime = 0.02;  // drone only: share of a link of known rate for fetches
  bool find_rate = true;  // measures a single UDP link without a configured rate while it is full
  PrekeyPoolSettings prekey_pool;
  GroundAddress ground;
  PathSettings paths{{{.name = "udp", .mtu = 9216}}};  // one link with a large MTU

  // Returns the bytes of the longest datagram accepted from the application, so that it can be split.
  std::size_t longest_received() const { return std::max(max_datagram, std::size_t{1500}); }
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__SESSION__SETTINGS_HPP_
