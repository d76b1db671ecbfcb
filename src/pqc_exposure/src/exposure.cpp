// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "exposure_advice.hpp"
#include "exposure_judge.hpp"
#include "pqc_tunnel/os/processes.hpp"

namespace pqc_tunnel::exposure
{

namespace
{

// A socket shared by several processes is attributed to the most specific one.
bool says_more(const Process & one, const Process & other)
{
  const auto weight = [](const Process & process) {
    return mavlink_program(process.name) != MavlinkProgram::none || is_tunnel(process.name) ? 2
           : process.libraries.middleware != Middleware::none || process.libraries.mavlink  ? 1
                                                                                            : 0;
  };
  return weight(one) > weight(other);
}

std::vector<SocketOwner> group_by_owner(const MachineSockets & machine)
{
  std::map<std::uint64_t, const Process *> holders;
  for (const Process & process : machine.processes) {
    for (const std::uint64_t inode : process.inodes) {
      const Process *& holder = holders[inode];
      if (holder == nullptr || says_more(process, *holder)) {
        holder = &process;
      }
    }
  }
  std::map<const Process *, SocketOwner> seen;
  std::map<std::uint32_t, SocketOwner> unseen;
  for (const SocketRow & row : machine.rows) {
    const auto holder = holders.find(row.inode);
    SocketOwner & owner = holder != holders.end() ? seen[holder->second] : unseen[row.user];
    owner.process = holder != holders.end() ? holder->second : nullptr;
    owner.user = row.user;
    owner.rows.push_back(row);
  }
  std::vector<SocketOwner> owners;
  for (const Process & process : machine.processes) {
    if (const auto found = seen.find(&process); found != seen.end()) {
      owners.push_back(std::move(found->second));
    }
  }
  for (auto & [user, owner] : unseen) {
    owners.push_back(std::move(owner));
  }
  return owners;
}

std::string who_holds(const SocketOwner & owner, const std::string & suspect)
{
  if (owner.process != nullptr) {
    return who(owner.process->name, owner.process->pid);
  }
  const std::string user = owner.user == 0 ? "root" : "user " + std::to_string(owner.user);
  return "A program of " + user + " that this user cannot inspect" +
         (suspect.empty() ? "" : " (probably " + suspect + ")");
}

bool have_one_cause(const Finding & finding, const ExposureCause & cause, SocketState state)
{
  return finding.kind == cause.kind && finding.severity == cause.severity &&
         finding.mend == cause.mend && finding.sockets.front().state == state;
}

// Reports the sockets of an owner that reach beyond the loopback interface, one finding per cause.
std::vector<Finding> find(
  const SocketOwner & owner, const MachineSockets & machine, const ExposureOptions & options,
  std::size_t & unseen_sockets)
{
  const ExposureJudge judge(owner, machine, options);
  std::vector<Finding> findings;
  std::vector<std::string> suspects;
  for (const SocketRow & row : owner.rows) {
    if (!reaches_beyond_loopback(row, machine.groups)) {
      continue;
    }
    const auto cause = judge.judge(row);
    if (!cause) {
      const bool unseen = owner.process == nullptr && row.state != SocketState::connected;
      unseen_sockets += unseen && !judge.is_vouched_for(row) ? 1 : 0;
      continue;
    }
    auto found = std::ranges::find_if(findings, [&](const Finding & finding) {
      return have_one_cause(finding, *cause, row.state);
    });
    if (found == findings.end()) {
      Finding finding;
      finding.process = owner.process != nullptr ? owner.process->name : std::string();
      finding.pid = owner.process != nullptr ? owner.process->pid : 0;
      finding.kind = cause->kind;
      finding.severity = cause->severity;
      finding.mend = cause->mend;
      suspects.push_back(cause->program);
      found = findings.insert(findings.end(), std::move(finding));
    }
    found->sockets.push_back(row);
  }
  for (std::size_t i = 0; i < findings.size(); ++i) {
    auto & sockets = findings[i].sockets;
    std::ranges::stable_sort(
      sockets, {}, [](const SocketRow & row) { return std::pair(row.transport, row.local.port); });
    findings[i].problem =
      describe_problem(who_holds(owner, suspects[i]), findings[i].kind, sockets);
  }
  return findings;
}

bool is_allowed_by_name(const Process & process, const ExposureOptions & options)
{
  return std::ranges::any_of(options.allowed, [&process](const AllowedSocket & allowed) {
    return allowed.program == process.name && !allowed.port;
  });
}

// Adds MAVLink programs whose sockets cannot be seen.
void add_unseen_programs(
  const MachineSockets & machine, const ExposureOptions & options,
  const std::set<std::uint32_t> & users, ExposureReport & report)
{
  for (const Process & process : machine.processes) {
    if (
      mavlink_program(process.name) == MavlinkProgram::none || is_allowed_by_name(process, options))
    {
      continue;
    }
    Finding finding;
    finding.process = process.name;
    finding.pid = process.pid;
    finding.kind = ExposureKind::mavlink;
    if (!process.same_network) {
      finding.problem = who(process.name, process.pid) +
                        " is in a network namespace of its own, which this check did not examine";
      finding.mend = "run this check there, too";
    } else if (!process.readable && users.contains(process.user)) {
      finding.problem = who(process.name, process.pid) +
                        " may have sockets open to the network that this user cannot see";
      finding.mend = "run this check as root";
    } else {
      continue;
    }
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace

const char * to_string(ExposureKind kind)
{
  switch (kind) {
    case ExposureKind::mavlink:
      return "mavlink";
    case ExposureKind::dds:
      return "dds";
    case ExposureKind::zenoh:
      return "zenoh";
    case ExposureKind::unknown:
      break;
  }
  return "unknown";
}

const char * to_string(Severity severity)
{
  return severity == Severity::exposed ? "exposed" : "unclear";
}

const char * to_string(Verdict verdict)
{
  switch (verdict) {
    case Verdict::closed:
      return "closed";
    case Verdict::unclear:
      return "unclear";
    case Verdict::exposed:
      break;
  }
  return "exposed";
}

std::string sentence(const Finding & finding)
{
  return finding.problem + ": " + finding.mend + ".";
}

Verdict ExposureReport::verdict() const
{
  if (!findings.empty()) {
    return findings.front().severity == Severity::exposed ? Verdict::exposed : Verdict::unclear;
  }
  return processes_hidden && unseen_sockets > 0 ? Verdict::unclear : Verdict::closed;
}

ExposureReport judge_exposure(const MachineSockets & machine, const ExposureOptions & options)
{
  ExposureReport report;
  report.processes_hidden = machine.processes_hidden;
  std::set<std::uint32_t> users_with_unseen_sockets;
  for (const SocketOwner & owner : group_by_owner(machine)) {
    const std::size_t before = report.unseen_sockets;
    auto findings = find(owner, machine, options, report.unseen_sockets);
    std::ranges::move(findings, std::back_inserter(report.findings));
    if (report.unseen_sockets > before) {
      users_with_unseen_sockets.insert(owner.user);
    }
  }
  add_unseen_programs(machine, options, users_with_unseen_sockets, report);
  std::ranges::stable_sort(report.findings, [](const Finding & one, const Finding & other) {
    return one.severity > other.severity;
  });
  return report;
}

const char * const nothing_exposed = "No MAVLink or DDS is reachable from outside this machine.";

std::string unseen_sentence(const ExposureReport & report)
{
  const std::size_t count = report.unseen_sockets;
  if (count == 0) {
    return {};
  }
  return (count == 1 ? "One other socket is" : std::to_string(count) + " other sockets are") +
         " open to the network whose program this user cannot see: " +
         (report.processes_hidden ? "the system hides the processes of other users; " : "") +
         "only root, outside of containers, sees every program.";
}

}  // namespace pqc_tunnel::exposure
