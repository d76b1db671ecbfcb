// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "node/exposure_diagnosis.hpp"

namespace pqc_tunnel
{
namespace
{

using Level = Diagnosis::Level;

constexpr int own_pid = 20;

Finding finding(
  const std::string & process, int pid, Severity severity = Severity::exposed,
  ExposureKind kind = ExposureKind::mavlink)
{
  Finding found;
  found.process = process;
  found.pid = pid;
  found.kind = kind;
  found.severity = severity;
  found.problem = process + " is open";
  found.mend = "close it";
  return found;
}

Result<ExposureReport> report(std::vector<Finding> findings)
{
  ExposureReport report;
  report.findings = std::move(findings);
  return report;
}

TEST(ExposureDiagnosis, a_closed_machine_is_ok)
{
  const auto diagnosis = diagnose_exposure(report({}), own_pid);
  EXPECT_EQ(diagnosis.level, Level::ok);
  EXPECT_EQ(diagnosis.text, "No MAVLink or DDS is reachable from outside this machine.");
}

TEST(ExposureDiagnosis, an_exposed_socket_is_an_error_whichever_process_has_it)
{
  const auto own = report({finding("tunnel_node", own_pid, Severity::exposed, ExposureKind::dds)});
  EXPECT_EQ(diagnose_exposure(own, own_pid).level, Level::error);
  const auto other = diagnose_exposure(report({finding("mavros_node", 7)}), own_pid);
  EXPECT_EQ(other.level, Level::error);
  EXPECT_EQ(other.text, "mavros_node is open: close it.");
}

TEST(ExposureDiagnosis, an_unclear_socket_is_a_warning)
{
  const auto unclear = report({finding("rosbridge", 7, Severity::unclear)});
  EXPECT_EQ(diagnose_exposure(unclear, own_pid).level, Level::warning);
}

TEST(ExposureDiagnosis, the_text_has_only_the_most_serious_findings_and_the_values_have_all)
{
  const auto diagnosis = diagnose_exposure(
    report({finding("a", 1), finding("tunnel_node", own_pid, Severity::unclear)}), own_pid);
  EXPECT_EQ(diagnosis.text, "a is open: close it.");
  EXPECT_EQ(diagnosis.values.size(), 4u);
}

TEST(ExposureDiagnosis, this_process_comes_first_and_the_rest_is_counted)
{
  const auto diagnosis = diagnose_exposure(
    report(
      {finding("a", 1), finding("b", 2), finding("tunnel_node", own_pid), finding("c", 3),
       finding("d", 4)}),
    own_pid);
  EXPECT_EQ(
    diagnosis.text,
    "tunnel_node is open: close it. a is open: close it. b is open: close it. And 2 more, which "
    "`pqc exposure` lists.");
  const auto & values = diagnosis.values;
  EXPECT_EQ(
    std::ranges::count(values, std::string("exposed mavlink"), [](auto & v) { return v.first; }),
    5);
}

TEST(ExposureDiagnosis, unclear_ports_of_another_tunnel_are_left_to_that_tunnel)
{
  const auto others = report({finding("tunnel_node", 99, Severity::unclear)});
  EXPECT_EQ(diagnose_exposure(others, own_pid).level, Level::ok);
  const auto own = report({finding("tunnel_node", own_pid, Severity::unclear)});
  EXPECT_EQ(diagnose_exposure(own, own_pid).level, Level::warning);
  const auto exposed = report({finding("tunnel_node", 99)});
  EXPECT_EQ(diagnose_exposure(exposed, own_pid).level, Level::error);
}

TEST(ExposureDiagnosis, a_machine_that_cant_be_looked_at_is_a_warning_with_the_reason)
{
  const Result<ExposureReport> failed =
    fail(ErrorCode::unavailable, "The list of sockets can't be read.");
  const auto diagnosis = diagnose_exposure(failed, own_pid);
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(diagnosis.text, "The list of sockets can't be read.");
}

TEST(ExposureDiagnosis, unseen_sockets_are_a_warning_only_where_processes_are_hidden)
{
  auto unseen = report({});
  unseen->unseen_sockets = 2;
  EXPECT_EQ(diagnose_exposure(unseen, own_pid).level, Level::ok);
  unseen->processes_hidden = true;
  const auto diagnosis = diagnose_exposure(unseen, own_pid);
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(diagnosis.text, unseen_sentence(*unseen));
}

TEST(ExposureDiagnosis, the_fingerprint_changes_with_programs_and_not_with_their_pids)
{
  const auto print = [](const Result<ExposureReport> & of) {
    return exposure_fingerprint(of, own_pid);
  };
  EXPECT_EQ(print(report({})), "");
  EXPECT_EQ(print(report({finding("a", 1)})), print(report({finding("a", 2), finding("a", 3)})));
  EXPECT_NE(print(report({finding("a", 1)})), print(report({finding("b", 1)})));
  EXPECT_NE(print(report({finding("a", 1)})), print(report({finding("a", 1, Severity::unclear)})));
  EXPECT_NE(print(report({finding("a", 1)})), print(report({})));
  EXPECT_NE(print(fail(ErrorCode::unavailable, "No.")), print(report({})));
}

}  // namespace
}  // namespace pqc_tunnel
