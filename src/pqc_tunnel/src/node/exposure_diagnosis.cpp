// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "exposure_diagnosis.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t told_findings = 3;

// Findings about this process first, then in the order of the report.
std::vector<Finding> relevant_findings(const ExposureReport & report, int own_pid)
{
  auto findings = report.findings;
  std::erase_if(findings, [own_pid](const Finding & finding) {
    return is_tunnel(finding.process) && finding.pid != own_pid &&
           finding.severity == Severity::unclear;
  });
  std::stable_partition(findings.begin(), findings.end(), [own_pid](const Finding & finding) {
    return finding.pid == own_pid;
  });
  return findings;
}

// Only the most serious ones, and a limited number of them.
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

Diagnosis diagnose_exposure(const Result<ExposureReport> & report, int own_pid)
{
  Diagnosis diagnosis;
  if (!report) {
    diagnosis.level = Diagnosis::Level::warning;
    diagnosis.text = report.error().message;
    return diagnosis;
  }
  const auto findings = relevant_findings(*report, own_pid);
  const bool exposed = std::ranges::any_of(
    findings, [](const Finding & finding) { return finding.severity == Severity::exposed; });
  if (!findings.empty()) {
    diagnosis.level = exposed ? Diagnosis::Level::error : Diagnosis::Level::warning;
    diagnosis.text = join_sentences(findings, exposed ? Severity::exposed : Severity::unclear);
  } else if (report->processes_hidden && report->unseen_sockets > 0) {
    diagnosis.level = Diagnosis::Level::warning;
    diagnosis.text = unseen_sentence(*report);
  } else {
    diagnosis.text = nothing_exposed;
  }
  diagnosis.values.emplace_back("findings", std::to_string(findings.size()));
  diagnosis.values.emplace_back("unseen sockets", std::to_string(report->unseen_sockets));
  for (const Finding & finding : findings) {
    diagnosis.values.emplace_back(
      std::string(to_string(finding.severity)) + " " + to_string(finding.kind), sentence(finding));
  }
  return diagnosis;
}

std::string exposure_fingerprint(const Result<ExposureReport> & report, int own_pid)
{
  if (!report) {
    return report.error().message;
  }
  std::set<std::string> programs;
  for (const Finding & finding : relevant_findings(*report, own_pid)) {
    programs.insert(
      finding.process + " " + to_string(finding.kind) + " " + to_string(finding.severity));
  }
  std::string text = report->processes_hidden && report->unseen_sockets > 0 ? "hidden" : "";
  for (const auto & program : programs) {
    text += "\n" + program;
  }
  return text;
}

}  // namespace pqc_tunnel
