// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__EXPOSURE__EXPOSURE_HPP_
#define PQC_TUNNEL__EXPOSURE__EXPOSURE_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exposure_options.hpp"
#include "process_sockets.hpp"

namespace pqc_tunnel
{

// The exposure check: which sockets of this machine carry or take readable MAVLink, DDS or Zenoh
// beyond the loopback interface. The tunnel protects nothing that has such a way around it.
//
// What a socket carries follows from its program's name, from the libraries that its process has
// mapped, and from its port; the check sends nothing. It doesn't know firewalls: sockets that one
// closes are named in the options.
//
// tunnel_node has encrypted sockets beside those of its ROS middleware. The encrypted ones are told
// apart by their ports: those of the options, else those of the shipped parameter files. A port of
// an RTPS participant or of MAVLink is judged as such, and what remains is reported as unclear, not
// as exposed.

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
  unclear,  // may carry readable data, which can't be told from outside
  exposed,
};

const char * to_string(Severity severity);  // "unclear", "exposed"

// Sockets of one process that are open for one reason.
struct Finding
{
  std::string process;  // empty: this user can't see whose they are
  int pid = 0;          // 0: likewise
  ExposureKind kind = ExposureKind::unknown;
  Severity severity = Severity::unclear;
  std::vector<SocketRow> sockets = {};
  std::string problem;  // both together are one sentence
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
  std::vector<Finding> findings;  // what is exposed first
  // Sockets open to the network that belong to programs which this user can't see, and that no port
  // gives away.
  std::size_t unseen_sockets = 0;
  bool processes_hidden = false;

  Verdict verdict() const;
};

ExposureReport judge_exposure(const MachineSockets & machine, const ExposureOptions & options);

// The sentence of a report without findings.
extern const char * const nothing_exposed;
// What this user could not see; empty if that is nothing.
std::string unseen_sentence(const ExposureReport & report);

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__EXPOSURE__EXPOSURE_HPP_
