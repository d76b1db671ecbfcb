// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <chrono>
#include <diagnostic_msgs/msg/diagnostic_status.hpp>

#include "crypto/suites/suite.hpp"
#include "node/diagnosis/diagnosis.hpp"
#include "protocol/wire/constants.hpp"

namespace pqc_tunnel
{
namespace
{

using Level = Diagnosis::Level;
using diagnostic_msgs::msg::DiagnosticStatus;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

static_assert(static_cast<int>(Level::ok) == DiagnosticStatus::OK);
static_assert(static_cast<int>(Level::warning) == DiagnosticStatus::WARN);
static_assert(static_cast<int>(Level::error) == DiagnosticStatus::ERROR);

DiagnosisInput healthy()
{
  DiagnosisInput input;
  input.now = Instant{hours(10)};
  input.max_key_age = hours(1);
  input.peer.name = "ground";
  input.peer.state = PeerState::established;
  input.peer.suite = registry().find("cs-mlkem768-aesgcm-mldsa65");
  input.peer.key_installed = input.now - minutes(5);
  input.peer.last_heard = input.now - milliseconds(10);
  input.before = input.peer;
  return input;
}

std::string value_of(const Diagnosis & diagnosis, const std::string & key)
{
  for (const auto & [name, value] : diagnosis.values) {
    if (name == key) {
      return value;
    }
  }
  return "(none)";
}

TEST(Diagnosis, the_level_is_ok_while_traffic_is_encrypted_and_the_peer_answers)
{
  const auto diagnosis = diagnose(healthy());
  EXPECT_EQ(diagnosis.level, Level::ok);
  EXPECT_EQ(diagnosis.text, "Encrypted with cs-mlkem768-aesgcm-mldsa65.");
  EXPECT_EQ(value_of(diagnosis, "encrypted"), "yes");
  EXPECT_EQ(value_of(diagnosis, "key age (s)"), "300");
}

TEST(Diagnosis, a_rekey_under_way_is_no_reason_to_worry)
{
  auto input = healthy();
  input.peer.state = PeerState::rekeying;
  EXPECT_EQ(diagnose(input).level, Level::ok);
}

TEST(Diagnosis, it_is_an_error_to_have_no_keys)
{
  DiagnosisInput input;
  input.peer.name = "ground";
  const auto diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::error);
  EXPECT_EQ(diagnosis.text, "No keys with ground: no MAVLink passes.");
  EXPECT_EQ(value_of(diagnosis, "suite"), "(none)");
}

TEST(Diagnosis, the_likely_cause_follows_the_state_that_it_explains)
{
  DiagnosisInput input;
  input.peer.name = "ground";
  input.peer.likely_cause = "no ground station answers";
  const auto diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::error);
  EXPECT_EQ(
    diagnosis.text,
    "No keys with ground: no MAVLink passes. Likely cause: no ground station answers.");
  EXPECT_EQ(value_of(diagnosis, "likely cause"), "no ground station answers");
}

TEST(Diagnosis, a_ground_station_warns_of_a_drone_whose_policy_is_silent)
{
  auto input = healthy();
  input.peer.policy_silent = true;
  EXPECT_EQ(diagnose(input).level, Level::ok) << "a drone has it among its companions";
  input.role = Role::gcs;
  const auto diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(diagnosis.text, "The policy of ground is silent: nothing adapts the suite.");
}

TEST(Diagnosis, a_likely_cause_while_the_tunnel_is_up_is_a_warning)
{
  auto input = healthy();
  input.peer.likely_cause = "the drone receives nothing of what this end sends";
  EXPECT_EQ(diagnose(input).level, Level::warning);
}

TEST(Diagnosis, making_the_first_keys_is_a_warning)
{
  DiagnosisInput input;
  input.peer.state = PeerState::handshaking;
  EXPECT_EQ(diagnose(input).level, Level::warning);
}

TEST(Diagnosis, a_silent_peer_is_an_error_with_the_length_of_the_silence)
{
  auto input = healthy();
  input.peer.state = PeerState::lost;
  input.peer.last_heard = input.now - milliseconds(4200);
  const auto diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::error);
  EXPECT_EQ(diagnosis.text, "No answer from ground; the last fresh datagram came 4.2 s ago.");
  EXPECT_EQ(value_of(diagnosis, "encrypted"), "no");
}

TEST(Diagnosis, keys_older_than_twice_their_limit_are_a_warning)
{
  auto input = healthy();
  input.peer.key_installed = input.now - minutes(119);
  EXPECT_EQ(diagnose(input).level, Level::ok);
  input.peer.key_installed = input.now - minutes(121);
  EXPECT_EQ(diagnose(input).level, Level::warning);
}

TEST(Diagnosis, keys_without_an_age_limit_never_grow_too_old)
{
  auto input = healthy();
  input.max_key_age = {};
  input.peer.key_installed = input.now - hours(9);
  EXPECT_EQ(diagnose(input).level, Level::ok);
}

TEST(Diagnosis, keys_near_their_packet_limit_are_an_error)
{
  auto input = healthy();
  input.peer.packets_under_key = max_packets_per_key / 2 + 1;
  EXPECT_EQ(diagnose(input).level, Level::error);
}

TEST(Diagnosis, loss_is_reported_for_each_direction)
{
  auto input = healthy();
  input.peer.link.loss = 0.125;
  EXPECT_EQ(diagnose(input).text, "12.5 % of the peer's datagrams are lost.");
  input.peer.link.loss = 0;
  input.peer.remote = PeerLinkReport{};
  input.peer.remote->view.loss = 0.5;
  const auto diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(diagnosis.text, "50.0 % of the datagrams sent from here are lost.");
}

TEST(Diagnosis, a_rollback_and_its_blacklisted_suite_are_warnings)
{
  auto input = healthy();
  input.peer.rollbacks = 1;
  input.blacklisted = 1;
  const auto diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(
    diagnosis.text, "A rekey has just been rolled back. 1 suite is blacklisted after a failure.");
}

TEST(Diagnosis, forged_datagrams_are_a_warning_only_while_they_come)
{
  auto input = healthy();
  input.peer.traffic.drops[static_cast<std::size_t>(Drop::auth_fail)] = 3;
  EXPECT_EQ(diagnose(input).text, "3 datagrams failed authentication just now.");
  input.before = input.peer;
  EXPECT_EQ(diagnose(input).level, Level::ok);
  EXPECT_EQ(value_of(diagnose(input), "drops"), "3");
}

TEST(Diagnosis, full_sockets_and_oversize_datagrams_are_warnings)
{
  auto input = healthy();
  input.peer.traffic.drops[static_cast<std::size_t>(Drop::queue_full)] = 1;
  EXPECT_EQ(
    diagnose(input).text,
    "1 datagram dropped just now at a socket: it was full, or the destination is unknown.");
  input = healthy();
  input.peer.traffic.drops[static_cast<std::size_t>(Drop::oversize)] = 2;
  EXPECT_EQ(
    diagnose(input).text, "2 datagrams dropped just now: longer than the link takes in fragments.");
  input = healthy();
  input.peer.traffic.drops[static_cast<std::size_t>(Drop::incomplete)] = 1;
  EXPECT_EQ(
    diagnose(input).text, "1 datagram dropped just now: the link lost some of the fragments.");
}

TEST(Diagnosis, stale_and_foreign_datagrams_are_warnings_that_name_the_parameters)
{
  auto input = healthy();
  input.peer.traffic.drops[static_cast<std::size_t>(Drop::stale)] = 4;
  auto diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(
    diagnosis.text,
    "4 datagrams dropped just now: older than max_age_s, on the way or in a buffer.");
  input = healthy();
  input.peer.traffic.drops[static_cast<std::size_t>(Drop::foreign)] = 1;
  diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(
    diagnosis.text,
    "1 datagram dropped just now at plaintext_port: not from plaintext_peer_address and "
    "plaintext_peer_port.");
}

TEST(Diagnosis, a_link_that_is_stretched_in_time_is_an_error)
{
  auto input = healthy();
  input.peer.stretched = true;
  const auto diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::error);
  EXPECT_EQ(
    diagnosis.text,
    "Datagrams come later than max_age_s allows, and their receiver drops them: something holds "
    "them back, or the link is that slow.");
}

TEST(Diagnosis, one_of_several_links_that_is_down_is_a_warning)
{
  DiagnosisInput input = healthy();
  PathReport lte;
  lte.name = "lte";
  lte.state = PathState::down;
  input.peer.paths = {lte};
  EXPECT_EQ(diagnose(input).level, Level::ok);
  PathReport radio;
  radio.name = "radio";
  radio.state = PathState::up;
  radio.carries = true;
  radio.rate_bytes_s = 5760;
  radio.rate_source = RateSource::saturation;
  radio.shaped[static_cast<std::size_t>(TrafficClass::telemetry)] = {20, 7, 6, 1, 2, 3};
  input.peer.paths = {lte, radio};
  const Diagnosis diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(diagnosis.text, "Link lte is down.");
  EXPECT_EQ(value_of(diagnosis, "link lte"), "down");
  EXPECT_EQ(value_of(diagnosis, "link lte carries data"), "no");
  EXPECT_EQ(value_of(diagnosis, "link radio carries data"), "yes");
  EXPECT_EQ(value_of(diagnosis, "link radio rate (bytes/s)"), "5760");
  EXPECT_EQ(value_of(diagnosis, "link radio rate from"), "saturation");
  EXPECT_EQ(value_of(diagnosis, "link radio telemetry left out for newer"), "6");
  EXPECT_EQ(value_of(diagnosis, "link radio telemetry dropped"), "6");
}

TEST(Diagnosis, what_is_wrong_with_a_link_is_told)
{
  auto input = healthy();
  PathReport radio;
  radio.name = "radio";
  radio.trouble = "the serial device /dev/ttyUSB0 is in use by ModemManager (pid 7)";
  input.peer.paths = {radio};
  const auto diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::warning);
  EXPECT_EQ(diagnosis.text, "Link radio: " + radio.trouble + ".");
  EXPECT_EQ(value_of(diagnosis, "link radio trouble"), radio.trouble);
}

TEST(Diagnosis, ratchets_and_prekeys_are_counted)
{
  auto input = healthy();
  input.peer.ratchets = 12;
  input.peer.prekeys = 3;
  EXPECT_EQ(value_of(diagnose(input), "ratchets"), "12");
  EXPECT_EQ(value_of(diagnose(input), "prekeys"), "3");
}

TEST(Diagnosis, the_text_has_only_the_most_serious_findings)
{
  auto input = healthy();
  input.peer.state = PeerState::lost;
  input.blacklisted = 2;
  const auto diagnosis = diagnose(input);
  EXPECT_EQ(diagnosis.level, Level::error);
  EXPECT_EQ(diagnosis.text.find("blacklisted"), std::string::npos);
  EXPECT_EQ(value_of(diagnosis, "blacklisted suites"), "2");
}

TEST(Diagnosis, packets_of_strangers_are_counted_and_are_no_fault)
{
  TrafficCounters unassigned;
  unassigned.drops[static_cast<std::size_t>(Drop::malformed)] = 5;
  unassigned.drops[static_cast<std::size_t>(Drop::unknown)] = 7;
  StrangerCounters hellos;
  hellos.malformed = 4;
  hellos.wrong_key = 1;
  hellos.repeated = 2;
  hellos.over_limit = 3;
  auto diagnosis = diagnose_strangers(unassigned, hellos, 90);
  EXPECT_EQ(diagnosis.level, Level::ok);
  EXPECT_EQ(
    diagnosis.text,
    "12 datagrams of strangers dropped, 10 hellos turned away. 1 hello with a drone's id had a "
    "different key.");
  EXPECT_EQ(value_of(diagnosis, "malformed"), "5");
  EXPECT_EQ(value_of(diagnosis, "unknown"), "7");
  EXPECT_EQ(value_of(diagnosis, "malformed hellos"), "4");
  EXPECT_EQ(value_of(diagnosis, "repeated hellos"), "2");
  EXPECT_EQ(value_of(diagnosis, "hellos over the limit"), "3");
  EXPECT_EQ(value_of(diagnosis, "discarded hellos"), "90");
  EXPECT_EQ(value_of(diagnosis, "wrong keys"), "1");
  EXPECT_EQ(value_of(diagnosis, "unknown drones"), "0");
  hellos.unknown_drone = 5;
  diagnosis = diagnose_strangers(unassigned, hellos);
  EXPECT_EQ(diagnosis.level, Level::ok);
  EXPECT_TRUE(diagnosis.text.ends_with(" 5 hellos had the id of no known drone."));
  hellos = {};
  hellos.other_version = 2;
  EXPECT_TRUE(diagnose_strangers(unassigned, hellos).text.ends_with("update both ends."));
}

}  // namespace
}  // namespace pqc_tunnel
