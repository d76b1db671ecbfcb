// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "exposure_diagnosis.hpp"
#include "machine_builder.hpp"

namespace pqc_tunnel::exposure
{
namespace
{

using Level = diagnostic_msgs::msg::DiagnosticStatus;

constexpr int own_pid = 20;
const std::set<int> ours{7777, own_pid};

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
  const auto diagnosis = diagnose_exposure(report({}), ours);
  EXPECT_EQ(diagnosis.level, Level::OK);
  EXPECT_EQ(diagnosis.message, "No MAVLink or DDS is reachable from outside this machine.");
}

TEST(ExposureDiagnosis, an_exposed_socket_is_an_error_whichever_process_has_it)
{
  const auto of_own =
    report({finding("tunnel_node", own_pid, Severity::exposed, ExposureKind::dds)});
  EXPECT_EQ(diagnose_exposure(of_own, ours).level, Level::ERROR);
  const auto other = diagnose_exposure(report({finding("mavros_node", 7)}), ours);
  EXPECT_EQ(other.level, Level::ERROR);
  EXPECT_EQ(other.message, "mavros_node is open: close it.");
}

TEST(ExposureDiagnosis, an_unclear_socket_is_a_warning)
{
  const auto unclear = report({finding("rosbridge", 7, Severity::unclear)});
  EXPECT_EQ(diagnose_exposure(unclear, ours).level, Level::WARN);
}

TEST(ExposureDiagnosis, the_text_has_only_the_most_serious_findings_and_the_values_have_all)
{
  const auto diagnosis = diagnose_exposure(
    report({finding("a", 1), finding("tunnel_node", own_pid, Severity::unclear)}), ours);
  EXPECT_EQ(diagnosis.message, "a is open: close it.");
  EXPECT_EQ(diagnosis.values.size(), 4u);
}

TEST(ExposureDiagnosis, this_process_comes_first_and_the_rest_is_counted)
{
  const auto diagnosis = diagnose_exposure(
    report(
      {finding("a", 1), finding("b", 2), finding("tunnel_node", own_pid), finding("c", 3),
       finding("d", 4)}),
    ours);
  EXPECT_EQ(
    diagnosis.message,
    "tunnel_node is open: close it. a is open: close it. b is open: close it. And 2 more, which "
    "`pqc exposure` lists.");
  const auto & values = diagnosis.values;
  EXPECT_EQ(
    std::ranges::count(values, std::string("exposed mavlink"), [](auto & v) { return v.key; }), 5);
}

TEST(ExposureDiagnosis, unclear_ports_of_another_tunnel_are_left_to_that_tunnel)
{
  const auto others = report({finding("tunnel_node", 99, Severity::unclear)});
  EXPECT_EQ(diagnose_exposure(others, ours).level, Level::OK);
  const auto of_own = report({finding("tunnel_node", own_pid, Severity::unclear)});
  EXPECT_EQ(diagnose_exposure(of_own, ours).level, Level::WARN);
  const auto exposed = report({finding("tunnel_node", 99)});
  EXPECT_EQ(diagnose_exposure(exposed, ours).level, Level::ERROR);
}

TEST(ExposureDiagnosis, the_tunnel_of_this_node_is_known_by_its_ports)
{
  const auto machine = MachineBuilder()
                         .process("tunnel_node", 20)
                         .udp(any, 50001)
                         .process("pqc_tunneld", 21)
                         .udp(loopback, 50002)
                         .process("tunnel_node", 22)
                         .udp(any, 50003)
                         .process("mavros_node", 23)
                         .udp(any, 50001);
  EXPECT_EQ(tunnels_with({{50001}, {50002}}, machine), (std::set<int>{20, 21}));
  EXPECT_TRUE(tunnels_with({}, machine).empty());
}

TEST(ExposureDiagnosis, a_machine_that_cant_be_looked_at_is_a_warning_with_the_reason)
{
  const Result<ExposureReport> failed =
    fail(ErrorCode::unavailable, "The list of sockets can't be read.");
  const auto diagnosis = diagnose_exposure(failed, ours);
  EXPECT_EQ(diagnosis.level, Level::WARN);
  EXPECT_EQ(diagnosis.message, "The list of sockets can't be read.");
}

TEST(ExposureDiagnosis, unseen_sockets_are_a_warning_only_where_processes_are_hidden)
{
  auto unseen = report({});
  unseen->unseen_sockets = 2;
  EXPECT_EQ(diagnose_exposure(unseen, ours).level, Level::OK);
  unseen->processes_hidden = true;
  const auto diagnosis = diagnose_exposure(unseen, ours);
  EXPECT_EQ(diagnosis.level, Level::WARN);
  EXPECT_EQ(diagnosis.message, unseen_sentence(*unseen));
}

TEST(ExposureDiagnosis, the_fingerprint_changes_with_programs_and_not_with_their_pids)
{
  const auto print = [](const Result<ExposureReport> & of) {
    return exposure_fingerprint(of, ours);
  };
  EXPECT_EQ(print(report({})), "");
  EXPECT_EQ(print(report({finding("a", 1)})), print(report({finding("a", 2), finding("a", 3)})));
  EXPECT_NE(print(report({finding("a", 1)})), print(report({finding("b", 1)})));
  EXPECT_NE(print(report({finding("a", 1)})), print(report({finding("a", 1, Severity::unclear)})));
  EXPECT_NE(print(report({finding("a", 1)})), print(report({})));
  EXPECT_NE(print(fail(ErrorCode::unavailable, "No.")), print(report({})));
}

}  // namespace
}  // namespace pqc_tunnel::exposure
