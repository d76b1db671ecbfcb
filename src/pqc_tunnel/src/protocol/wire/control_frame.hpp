// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__WIRE__CONTROL_FRAME_HPP_
#define PQC_TUNNEL__PROTOCOL__WIRE__CONTROL_FRAME_HPP_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "crypto/suites/suite.hpp"
#include "key_schedule.hpp"
#include "link/estimate/link_estimator.hpp"
#include "notice.hpp"
#include "software_version.hpp"
#include "stream_lane.hpp"

namespace pqc_tunnel
{

// Control messages, carried in frames of kind control: "type 1 | transaction 4 | body". Handling one twice does no harm.

struct Want  // drone: send a prekey for this suite
{
  SuiteWireId suite = {};
  StreamLane lane = StreamLane::first;  // of the background
  std::uint32_t bytes_per_s =
    0;  // on the line, of the whole background from now on; 0: what data leaves
};
struct Later  // GCS: the prekey is being made; it takes about this long
{
  std::uint32_t estimate_ms = 0;
};
struct Confirm  // GCS: the new keys are installed
{
  Mac mac = {};
};

enum class AbortReason : std::uint8_t
{
  suite_refused = 1,  // not allowed or not available here
  in_progress = 2,    // another rekey is under way
  failed = 3,
  unknown_prekey = 4,
  unknown_anchor = 5,   // its key, of a new session or a ratchet
  unusable_anchor = 6,  // the keys can't be read or erased
};
struct Abort
{
  AbortReason reason = AbortReason::failed;
};

struct TimeRequest  // nanoseconds of the sender's clock
{
  std::int64_t t1 = 0;
};
struct TimeResponse
{
  std::int64_t t1 = 0;
  std::int64_t t2 = 0;
  std::int64_t t3 = 0;
};
struct LinkReport
{
  LinkView view;
  std::optional<TimeRequest> question{};
  std::optional<TimeResponse> answer{};  // to the newest question of the receiver
};
struct Keepalive
{
};
struct RekeyRequest  // GCS: please rekey
{
  SuiteWireId suite = {};
  bool ratchet = false;
  bool one_time_key = false;  // a ratchet with one
};
struct Ratchet  // drone
{
  Epoch next_epoch{};
  Random32 random = {};
  Mac mac = {};
  Bytes anchor = {};  // before the MAC: id and ciphertext of a one-time key; empty without one
};
struct RatchetOk  // GCS
{
  Random32 random = {};
  Mac mac = {};
};

struct StreamRange
{
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};
struct StreamAck
{
  static constexpr std::size_t max_ranges = 16;

  std::uint8_t id = 0;
  std::uint16_t newest =
    0;  // the newest part that is here; an acknowledgement thus names what was sent, not only what
  std::uint16_t waited_us = 0;                      // since that part came
  std::uint32_t through = 0;                        // everything before this offset is here
  std::array<StreamRange, max_ranges> ranges = {};  // and these parts beyond
  std::size_t range_count = 0;
};

struct PathRequest
{
  std::uint64_t nonce = 0;
};
struct PathResponse
{
  std::uint64_t nonce = 0;
};
struct Superseded  // GCS: somebody still uses a session that this one has replaced
{
};
struct Wiped  // GCS: it holds no keys of this session any more
{
};
// Padding makes a frame as long as a path may have to carry; a frame of it is never cut.
struct EchoRequest
{
  std::uint16_t padding = 0;  // zeros
};
struct EchoResponse  // as long as the request, unless no link of its sender carries that
{
  static constexpr std::size_t fields = 7;

  std::uint32_t arrived = 0;  // which of the 32 requests before this one have: see EchoWindow
  SoftwareVersion version = {};
  std::uint16_t padding = 0;
};
struct Erase  // GCS: please erase all your keys
{
  Mac mac = {};  // see erase_mac()
};
enum class Erasure : std::uint8_t
{
  done = 1,
  not_allowed = 2,  // by the drone's configuration
  failed = 3,       // some could not be erased; it uses none any more all the same
};
struct Erased  // drone
{
  Erasure outcome = Erasure::done;
};

using ControlBody = std::variant<
  Want, Later, Confirm, Abort, TimeRequest, TimeResponse, LinkReport, Keepalive, RekeyRequest,
  Ratchet, RatchetOk, StreamAck, PathRequest, PathResponse, Superseded, Notice, Wiped, EchoRequest,
  EchoResponse, Erase, Erased>;

struct ControlFrame
{
  std::uint32_t transaction = 0;
  ControlBody body;
};

Bytes encode(const ControlFrame & frame);
// Nothing for an unknown type, a body of another length than its type has, an unknown reason, kind or lane, and a transaction
// where there is none.
std::optional<ControlFrame> decode_control(ByteView bytes);

// The transaction of answers to a ClientHello or a Rekey: the first bytes of its random value.
std::uint32_t transaction_of(const Random32 & client_random);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__WIRE__CONTROL_FRAME_HPP_
