// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__PEER__OUTPUT_HPP_
#define PQC_TUNNEL__PROTOCOL__PEER__OUTPUT_HPP_

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/bytes.hpp"
#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "link/mavlink/traffic_class.hpp"
#include "protocol/handshake/handshake_crypto.hpp"
#include "protocol/rekey/rekey_command.hpp"
#include "protocol/session/event.hpp"
#include "protocol/wire/control_frame.hpp"
#include "protocol/wire/notice.hpp"

namespace pqc_tunnel
{

// Asks the peer to answer.
struct Echo
{
  std::uint32_t number = 0;     // counts up
  std::size_t frame_bytes = 0;  // of the frame; fewer than possible: as short as possible
};
// What the owner sends to the peer beside the datagrams.
using ToPeer = std::variant<Notice, Echo>;

struct SendDatagram  // a sealed control or stream frame, or a hello
{
  PeerIndex peer;
  Endpoint to;
  Bytes bytes;
  TrafficClass traffic = TrafficClass::control;
};

// --- Requests and results of the tunnel; call poll_output() until there is none. ---

// Drone: asks whether the network can reach a ground station that has not answered for a while (GroundTrouble).
struct ProbeGround
{
  Endpoint to;
};

struct StartJob  // run it with run_job() on a worker thread, then call handle_job_result()
{
  JobId id;
  Job job;
};

// Returns the text of the event of a completed handshake.
std::string completed_text(const std::optional<AnchorKind> & anchor);

struct NoticeArrived  // authentic, from the peer's programs
{
  PeerIndex peer;
  Notice notice;
  Instant time;
};

struct EchoArrived  // the peer has answered
{
  PeerIndex peer;
  std::uint32_t number = 0;
  EchoResponse response;
  Instant time;
};

using Output = std::variant<ProbeGround, StartJob, RekeyReply, Event, NoticeArrived, EchoArrived>;

// Queues outputs until they are polled. It numbers jobs, so that a result finds its requester: the lower half of a JobId
// is the peer that the job was started for.
class Outbox
{
public:
  void push(Output output) { queue_.push_back(std::move(output)); }
  // Adds a frame for the links, which the tunnel takes out by itself.
  void push(SendDatagram frame) { frames_.push_back(std::move(frame)); }

  JobId start(Job job, PeerIndex peer = {});
  static PeerIndex requester(JobId id)
  {
    return PeerIndex{static_cast<std::uint32_t>(static_cast<std::uint64_t>(id))};
  }
  std::optional<Output> pop();
  bool has_frame() const { return !frames_.empty(); }
  SendDatagram pop_frame();

private:
  std::deque<Output> queue_;
  std::deque<SendDatagram> frames_;
  std::uint32_t last_job_ = 0;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__PEER__OUTPUT_HPP_
