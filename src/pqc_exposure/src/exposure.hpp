// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_EXPOSURE__EXPOSURE_HPP_
#define PQC_EXPOSURE__EXPOSURE_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exposure_options.hpp"
#include "process_sockets.hpp"

namespace pqc_tunnel::exposure
{

// The exposure check finds sockets of this machine that carry or accept readable MAVLink, DDS or Zenoh beyond the
// loopback interface. Such sockets bypass the tunnel.
//
// It judges a socket by its program's name, by the libraries that its process has mapped, and by its port; it sends
// nothing. It does not know firewalls: the options name sockets that a firewall closes.
//
// tunnel_node has encrypted sockets beside those of its ROS middleware. The check recognizes them by their ports: those of
// the options, otherwise those of the shipped parameter files. It judges ports of RTPS participants or MAVLink as such,
// and reports the remaining sockets as unclear, not as exposed.

enum class ExposureKind : std::uint8_t
{
  mavlink,
  dds,
  zenoh,
  unknown,
};

const char * to_string(ExposureKind kind);  // "mavlink", "dds", "zenoh", "unknown"

enum class Severity : std::uint8_t
{
  unclear,  // may carry readable data
  exposed,
};

const char * to_string(Severity severity);  // "unclear", "exposed"

// Sockets of one process that are open for one reason.
struct Finding
{
  std::string process;  // empty: this user cannot see the process
  int pid = 0;          // 0: this user cannot see the process
  ExposureKind kind = ExposureKind::unknown;
  Severity severity = Severity::unclear;
  std::vector<SocketRow> sockets = {};
  std::string problem;  // problem and mend form one sentence
  std::string mend;
};

std::string sentence(const Finding & finding);

enum class Verdict : std::uint8_t
{
  closed,
  unclear,
  exposed,
};

const char * to_string(Verdict verdict);  // "closed", "unclear", "exposed"

struct ExposureReport
{
  std::vector<Finding> findings;  // exposed ones first
  // Open sockets of hidden programs that no port identifies.
  std::size_t unseen_sockets = 0;
  bool processes_hidden = false;

  Verdict verdict() const;
};

ExposureReport judge_exposure(const MachineSockets & machine, const ExposureOptions & options);

// The sentence of a report without findings.
extern const char * const nothing_exposed;
// Returns a sentence about sockets and processes that this user cannot see; empty: there are none.
std::string unseen_sentence(const ExposureReport & report);

}  // namespace pqc_tunnel::exposure

#endif  // PQC_EXPOSURE__EXPOSURE_HPP_
