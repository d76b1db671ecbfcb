// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure_diagnosis.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pqc_tunnel/base/shown_text.hpp"
#include "pqc_tunnel/os/processes.hpp"

namespace pqc_tunnel::exposure
{

using diagnostic_msgs::msg::DiagnosticStatus;

namespace
{

constexpr std::size_t told_findings = 3;

// Returns the findings in the order of the report, those about `own` processes first.
std::vector<Finding> relevant_findings(const ExposureReport & report, const std::set<int> & own)
{
  auto findings = report.findings;
  std::erase_if(findings, [&own](const Finding & finding) {
    return is_tunnel(finding.process) && !own.contains(finding.pid) &&
           finding.severity == Severity::unclear;
  });
  std::stable_partition(findings.begin(), findings.end(), [&own](const Finding & finding) {
    return own.contains(finding.pid);
  });
  return findings;
}

// Joins the sentences of this severity, up to a limited number.
std::string join_sentences(const std::vector<Finding> & findings, Severity severity)
{
  std::string text;
  std::size_t count = 0;
  for (const Finding & finding : findings) {
    if (finding.severity == severity && ++count <= told_findings) {
      text += (text.empty() ? "" : " ") + sentence(finding);
    }
  }
  if (count > told_findings) {
    text += " And " + std::to_string(count - told_findings) + " more, which `pqc exposure` lists.";
  }
  return text;
}

}  // namespace

std::set<int> tunnels_with(const TunnelPorts & ports, const MachineSockets & machine)
{
  std::set<std::uint64_t> inodes;
  for (const SocketRow & row : machine.rows) {
    if (ports.datagram.contains(row.local.port) || ports.plaintext.contains(row.local.port)) {
      inodes.insert(row.inode);
    }
  }
  std::set<int> tunnels;
  for (const Process & process : machine.processes) {
    if (is_tunnel(process.name) && std::ranges::any_of(process.inodes, [&inodes](auto inode) {
          return inodes.contains(inode);
        }))
    {
      tunnels.insert(process.pid);
    }
  }
  return tunnels;
}

DiagnosticStatus diagnose_exposure(const Result<ExposureReport> & report, const std::set<int> & own)
{
  DiagnosticStatus diagnosis;
  if (!report) {
    diagnosis.level = DiagnosticStatus::WARN;
    diagnosis.message = report.error().message;
    return diagnosis;
  }
  const auto findings = relevant_findings(*report, own);
  const bool exposed = std::ranges::any_of(
    findings, [](const Finding & finding) { return finding.severity == Severity::exposed; });
  if (!findings.empty()) {
    diagnosis.level = exposed ? DiagnosticStatus::ERROR : DiagnosticStatus::WARN;
    diagnosis.message = join_sentences(findings, exposed ? Severity::exposed : Severity::unclear);
  } else if (report->processes_hidden && report->unseen_sockets > 0) {
    diagnosis.level = DiagnosticStatus::WARN;
    diagnosis.message = unseen_sentence(*report);
  } else {
    diagnosis.message = nothing_exposed;
  }
  const auto add = [&diagnosis](const std::string & key, const std::string & value) {
    auto & added = diagnosis.values.emplace_back();
    added.key = key;
    added.value = shown(value);
  };
  add("findings", std::to_string(findings.size()));
  add("unseen sockets", std::to_string(report->unseen_sockets));
  for (const Finding & finding : findings) {
    add(
      std::string(to_string(finding.severity)) + " " + to_string(finding.kind), sentence(finding));
  }
  diagnosis.message = shown(diagnosis.message);
  return diagnosis;
}

std::string exposure_fingerprint(const Result<ExposureReport> & report, const std::set<int> & own)
{
  if (!report) {
    return report.error().message;
  }
  std::set<std::string> programs;
  for (const Finding & finding : relevant_findings(*report, own)) {
    programs.insert(
      finding.process + " " + to_string(finding.kind) + " " + to_string(finding.severity));
  }
  std::string text = report->processes_hidden && report->unseen_sockets > 0 ? "hidden" : "";
  for (const auto & program : programs) {
    text += "\n" + program;
  }
  return text;
}

}  // namespace pqc_tunnel::exposure
