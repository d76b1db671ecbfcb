// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__CONSTANTS_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__CONSTANTS_HPP_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/time.hpp"

namespace pqc_tunnel
{

// --- Protocol constants: both ends must agree (docs/protocol.md) ---

inline constexpr std::uint8_t protocol_version = 4;

/// Sizes in bytes.
inline constexpr std::size_t frame_header_size = 6;
inline constexpr std::size_t send_time_size = 2;  ///< before the last byte of a frame's plaintext
inline constexpr std::size_t kind_size = 1;       ///< the last byte
inline constexpr std::size_t tag_size = 16;
inline constexpr std::size_t frame_overhead =
  frame_header_size + send_time_size + kind_size + tag_size;
inline constexpr std::size_t mac_size = 32;
inline constexpr std::size_t digest_size = 64;  ///< SHA-512
inline constexpr std::size_t x25519_size = 32;

/// The time in a frame counts in these units, modulo 1,024 s.
inline constexpr Duration send_time_unit{1'000'000'000 / 64};

/// Packets under one key after which a rekey is requested.
inline constexpr std::uint64_t rekey_asked_packets = std::uint64_t{1} << 23;
/// A key seals and opens no packet with this sequence number or a higher one.
inline constexpr std::uint64_t max_packets_per_key = std::uint64_t{1} << 28;
/// Failed tags under one key after which it is no longer used.
inline constexpr std::uint64_t max_failures_per_key = std::uint64_t{1} << 36;

/// Signature inputs begin with these labels, including the terminating NUL: Falcon and SPHINCS+ take no
/// context string.
inline constexpr std::string_view prekey_label{"PQM3 prekey\0", 12};
inline constexpr std::string_view drone_auth_label{"PQM3 drone auth\0", 16};
inline constexpr std::string_view schedule_label_prefix{"pqm3 "};

/// A challenge is valid for the rest of its bucket and for the next two: for a round trip of the slowest link.
inline constexpr Duration challenge_bucket = std::chrono::seconds(10);
inline constexpr std::uint64_t challenge_buckets = 3;
/// At the longest: of a challenge made when its bucket began.
inline constexpr Duration challenge_validity = challenge_buckets * challenge_bucket;

// --- Implementation constants: each end may have others ---

inline constexpr Duration prekey_lifetime = std::chrono::hours(1);
/// That the ground station keeps for one drone, the newest ones; a drone that held more would use one that is forgotten.
inline constexpr std::size_t max_prekeys = 8;
inline constexpr Duration refill_retry =
  std::chrono::minutes(1);  ///< after keys could not be made ahead
inline constexpr Duration hello_retry_first = std::chrono::milliseconds(250);
inline constexpr Duration hello_retry_max = std::chrono::seconds(2);
/// For any answer to a hello, beside the round trip as far as it is known.
inline constexpr Duration answer_patience = std::chrono::seconds(4);
/// Of the slowest link over which a session begins.
inline constexpr Duration longest_round_trip = std::chrono::seconds(20);
inline constexpr std::size_t max_challenges =
  8;  ///< that a drone answers in one attempt at a session
inline constexpr Duration progress_patience =
  std::chrono::seconds(15);  ///< for the next step of an attempt
inline constexpr Duration new_session_patience =
  std::chrono::seconds(30);  ///< of a rekey that needs a new session
inline constexpr Duration control_retry_first = std::chrono::milliseconds(250);
inline constexpr Duration control_retry_max = std::chrono::seconds(4);
/// Answers that a rekey waits for are asked for again after a little more than a round trip, or after half of one on a
/// link that loses much, at first; then ever later.
inline constexpr Duration exchange_retry_least = std::chrono::milliseconds(20);
inline constexpr Duration lossy_retry_least = std::chrono::milliseconds(10);
inline constexpr double lossy_link = 0.05;  ///< from this share of lost packets on
inline constexpr Duration exchange_retry_max = std::chrono::seconds(2);
inline constexpr int exchange_steady_tries = 40;
inline constexpr int max_confirms = 60;  ///< CONFIRM is repeated so often: for 20 s at the least
inline constexpr Duration min_overlap =
  std::chrono::seconds(2);  ///< old keys live at least this long
inline constexpr Duration max_overlap = std::chrono::seconds(10);  ///< and at most this long
inline constexpr Duration reconnect_first = std::chrono::milliseconds(200);
inline constexpr Duration reconnect_max = std::chrono::seconds(5);
inline constexpr Duration datagram_patience =
  std::chrono::seconds(2);  ///< after a handshake, until missing datagrams are a fault
inline constexpr Duration prepare_deadline = std::chrono::seconds(120);
inline constexpr std::size_t remembered_key_ids = 1024;
/// A drone's new sessions take so many one-time keys of the anchor at once, and one more in each interval; others take the
/// last-resort key. Somebody who breaks sessions off while they begin uses up no more.
inline constexpr double session_one_time_keys = 4;
inline constexpr double one_time_key_interval_s = 30 * 60;

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__CONSTANTS_HPP_
