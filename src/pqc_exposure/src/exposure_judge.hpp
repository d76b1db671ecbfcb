// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__EXPOSURE_JUDGE_HPP_
#define PQC_EXPOSURE__EXPOSURE_JUDGE_HPP_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exposure.hpp"

namespace pqc_tunnel::exposure
{

// A process with its sockets, or the sockets of all hidden processes of a user.
struct SocketOwner
{
  const Process * process = nullptr;  // null: hidden
  std::uint32_t user = 0;
  std::vector<SocketRow> rows = {};

  Middleware middleware() const
  {
    return process != nullptr ? process->libraries.middleware : Middleware::none;
  }
};

// The reason for reporting a socket that reaches beyond the loopback interface.
struct ExposureCause
{
  ExposureKind kind;
  Severity severity;
  std::string program;  // of a hidden process: the program that it probably is, if known
  std::string mend;
};

// Judges the sockets of one owner; the judgement of each depends on all of them.
class ExposureJudge
{
public:
  ExposureJudge(
    const SocketOwner & owner, const MachineSockets & machine, const ExposureOptions & options);

  // Returns nothing if the socket is not known to carry readable MAVLink, DDS or Zenoh.
  std::optional<ExposureCause> judge(const SocketRow & row) const;

  // Returns whether the options declare the socket closed or encrypted.
  bool is_vouched_for(const SocketRow & row) const;

private:
  std::optional<ExposureCause> judge_by_port(const SocketRow & row) const;
  std::optional<ExposureCause> judge_by_program(const SocketRow & row) const;
  bool is_allowed(const SocketRow & row) const;
  bool is_encrypted(const SocketRow & row) const;
  bool is_participant_port(const SocketRow & row) const;
  void find_senders();

  const SocketOwner & owner_;
  const MachineSockets & machine_;
  const ExposureOptions & options_;
  std::string tunnel_;        // the tunnel program that the owner is or may be; empty: none
  std::string mavlink_name_;  // the MAVLink program that the owner is or may be; empty: none
  MavlinkProgram mavlink_;
  std::set<int> rtps_domains_;
  bool reached_as_participant_ = false;
  std::set<std::uint64_t> senders_;  // inodes
};

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__EXPOSURE_JUDGE_HPP_
