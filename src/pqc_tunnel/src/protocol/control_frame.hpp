// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__CONTROL_FRAME_HPP_
#define PQC_TUNNEL__PROTOCOL__CONTROL_FRAME_HPP_

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include "link_estimator.hpp"
#include "pqc_tunnel/base/bytes.hpp"
#include "pqc_tunnel/base/ids.hpp"
#include "pqc_tunnel/base/time.hpp"
#include "pqc_tunnel/crypto/suite.hpp"

namespace pqc_tunnel
{

// Control messages, carried as frames of type 1 inside the tunnel:
// "type 1 | flags 1 | transaction 4 | length 2 | body". Handling one twice does no harm.

struct Prepare  // drone: make keys for this suite and epoch ready
{
  Epoch epoch{};
  SuiteWireId suite = {};
};
struct Ready  // GCS: connect now
{
  std::uint32_t estimate_ms = 0;
};
struct Busy  // GCS: the keys are being made; ask again in about this time
{
  std::uint32_t estimate_ms = 0;
};
struct Commit  // drone, under the new keys
{
  SessionId session;
  Epoch epoch{};
  std::array<std::uint8_t, 16> transcript_tag = {};
};
struct CommitAck
{
};

enum class AbortReason : std::uint8_t
{
  suite_refused = 1,  // not allowed or not available here
  in_progress = 2,    // another rekey is under way
  failed = 3,
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
};
struct Keepalive
{
};
struct RekeyRequest  // GCS: please rekey
{
  SuiteWireId suite = {};
};

using ControlBody = std::variant<
  Prepare, Ready, Busy, Commit, CommitAck, Abort, TimeRequest, TimeResponse, LinkReport, Keepalive,
  RekeyRequest>;

struct ControlFrame
{
  std::uint32_t transaction = 0;
  ControlBody body;
};

Bytes encode(const ControlFrame & frame);
// Nothing for an unknown type or a body of another length than its type has.
std::optional<ControlFrame> decode_control(ByteView bytes);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__CONTROL_FRAME_HPP_
