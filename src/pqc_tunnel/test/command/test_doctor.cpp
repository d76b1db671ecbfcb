// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// What the doctor says of each fault, and that it says nothing without the fault.

#include <gtest/gtest.h>
#include <linux/capability.h>

#include "command/check/live.hpp"
#include "command/check/machine.hpp"
#include "machine_folder.hpp"

namespace pqc_tunnel::cli
{
namespace
{

using std::chrono::milliseconds;

// "problem: SENTENCE -> MEND", a line for each finding but the notes.
std::string faults(const Findings & findings)
{
  std::string lines;
  for (const Finding & one : findings.all()) {
    if (one.weight != Weight::note) {
      lines += std::string(to_string(one.weight)) + ": " + one.sentence + " -> " + one.mend + "\n";
    }
  }
  return lines;
}

std::string notes(const Findings & findings)
{
  std::string lines;
  for (const Finding & one : findings.all()) {
    lines += one.weight == Weight::note ? one.sentence + "\n" : "";
  }
  return lines;
}

class Doctor : public ::testing::Test
{
protected:
  MachineRoots roots() const { return {machine_.proc(), machine_.sys()}; }

  MachineFolder machine_;
};

// --- Clock ---

const ClockState good_clock{
  std::chrono::sys_days{std::chrono::year{2026} / 11 / 27}, milliseconds(0), true, "tsc"};

Findings of_clock(const ClockState & state)
{
  Findings findings;
  check_clock(state, findings);
  return findings;
}

TEST_F(Doctor, a_clock_that_is_set_and_kept_is_good)
{
  EXPECT_TRUE(of_clock(good_clock).all().empty());
  ClockState slewed = good_clock;
  slewed.stepped = milliseconds(-50);
  EXPECT_TRUE(of_clock(slewed).all().empty());
}

TEST_F(Doctor, a_clock_that_is_not_set_will_step)
{
  ClockState state = good_clock;
  state.now = std::chrono::sys_days{std::chrono::year{1970} / 1 / 1};
  EXPECT_EQ(
    faults(of_clock(state)),
    "warning: The clock of this machine is not set, and will step in flight: logs and ROS jump, "
    "the tunnel's own times do not. -> sudo timedatectl set-ntp true\n");
}

TEST_F(Doctor, a_clock_that_steps_is_noticed_in_both_directions)
{
  for (const int by : {-51, 51, 3600000}) {
    ClockState state = good_clock;
    state.stepped = milliseconds(by);
    EXPECT_EQ(
      faults(of_clock(state)), "warning: The clock of this machine was set by " +
                                 std::to_string(by) +
                                 " ms just now: something sets it in steps. -> timedatectl "
                                 "timesync-status; chronyc tracking\n");
  }
}

TEST_F(Doctor, a_clock_that_nobody_keeps_is_worth_a_note)
{
  ClockState state = good_clock;
  state.synchronised = false;
  EXPECT_EQ(faults(of_clock(state)), "");
  EXPECT_EQ(
    notes(of_clock(state)),
    "Nothing keeps the clock of this machine right, so that it will step once something does.\n");
}

TEST_F(Doctor, a_clock_that_counts_ticks_is_coarse)
{
  machine_.write_sys("devices/system/clocksource/clocksource0/current_clocksource", "jiffies\n");
  EXPECT_NE(
    faults(of_clock(ClockWatch().look(roots()))).find("counts time by jiffies"), std::string::npos);
  machine_.write_sys(
    "devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n");
  EXPECT_EQ(faults(of_clock(ClockWatch().look(roots()))), "");
}

// --- Rights ---

Findings of_rights(const MachineRoots & roots, const PacketThreadConfig & wanted)
{
  Findings findings;
  auto rights = read_rights(roots, 0);
  EXPECT_TRUE(rights);
  rights->user = "pilot";
  check_rights(*rights, wanted, findings);
  return findings;
}

TEST_F(Doctor, rights_that_suffice_are_good)
{
  EXPECT_TRUE(of_rights(roots(), {99, false}).all().empty());
  machine_.set_limits("unlimited", "0");
  EXPECT_TRUE(of_rights(roots(), {0, true}).all().empty());
}

TEST_F(Doctor, a_real_time_priority_needs_a_right)
{
  machine_.set_limits("67108864", "49");
  EXPECT_EQ(
    faults(of_rights(roots(), {50, false})),
    "warning: packet_thread.priority is 50, but this user may use at most 49: other load then "
    "delays packets. -> echo 'pilot - rtprio 50' | sudo tee -a /etc/security/limits.d/pqc.conf, "
    "then log in again\n");
  EXPECT_EQ(faults(of_rights(roots(), {49, false})), "");
}

TEST_F(Doctor, keys_need_locked_memory)
{
  machine_.set_limits("4194303", "0");
  EXPECT_EQ(
    faults(of_rights(roots(), {})),
    "warning: this user may lock only 4095 KiB of memory, so that keys may be swapped out. -> echo "
    "'pilot - memlock 4096' | sudo tee -a /etc/security/limits.d/pqc.conf, then log in again\n");
  machine_.set_limits("4194304", "0");
  EXPECT_EQ(faults(of_rights(roots(), {})), "");
  EXPECT_EQ(
    faults(of_rights(roots(), {0, true})),
    "warning: packet_thread.lock_memory is true, but this user may lock only a part of its "
    "memory. -> echo 'pilot - memlock unlimited' | sudo tee -a /etc/security/limits.d/pqc.conf, "
    "then log in again\n");
}

TEST_F(Doctor, a_capability_replaces_a_limit)
{
  machine_.set_limits("0", "0");
  machine_.write_proc("sys/net/core/rmem_max", "212992\n");
  const auto with = [this](const std::string & capabilities) {
    machine_.write_proc("self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t" + capabilities + "\n");
    return of_rights(roots(), {50, true});
  };
  ASSERT_EQ(CAP_NET_ADMIN, 12);
  ASSERT_EQ(CAP_IPC_LOCK, 14);
  ASSERT_EQ(CAP_SYS_NICE, 23);
  EXPECT_EQ(with("0000000000805000").all().size(), 0u);
  EXPECT_EQ(with("0000000000005000").all().size(), 1u);  // the priority
  EXPECT_EQ(with("0000000000801000").all().size(), 1u);  // the memory
  EXPECT_EQ(
    notes(with("0000000000804000")),
    "Receive buffers are at most 208 KiB: a flood fills them sooner.\n");
}

TEST_F(Doctor, the_rights_are_those_of_the_running_tunnel)
{
  machine_.add_process(77, "pqc_tunneld", "/dev/null");
  EXPECT_FALSE(read_rights(roots(), 77)) << "hidden";
  machine_.write_proc("77/limits", "Max realtime priority     7                    7\n");
  const auto rights = read_rights(roots(), 77);
  ASSERT_TRUE(rights);
  EXPECT_EQ(rights->program, "pqc_tunneld (pid 77)");
  EXPECT_EQ(rights->priority, 7u);
}

// --- Packet size ---

TEST_F(Doctor, packets_longer_than_the_way_takes_are_lost)
{
  Findings findings;
  check_mtu("192.0.2.1:46011", 1500, 1500, findings);
  EXPECT_TRUE(findings.all().empty());
  check_mtu("192.0.2.1:46011", 1500, 1420, findings);
  EXPECT_EQ(
    faults(findings),
    "problem: link_mtu_bytes is 1500, but what leaves for 192.0.2.1:46011 may have only 1420 "
    "bytes: longer packets are lost. -> link_mtu_bytes: 1420 in the parameters of both ends\n");
}

TEST_F(Doctor, packets_must_fit_the_interface_and_the_route)
{
  End end;
  end.values["link_mtu_bytes"] = std::int64_t{1500};
  end.config.links[0].interface = "wwan0";
  end.config.links[0].gcs = {"127.0.0.1", 46011};
  machine_.write_sys("class/net/wwan0/mtu", "1500\n");
  Findings good;
  check_mtu(end, roots(), good);
  EXPECT_TRUE(good.all().empty());
  machine_.write_sys("class/net/wwan0/mtu", "1428\n");
  Findings narrow;
  check_mtu(end, roots(), narrow);
  EXPECT_NE(faults(narrow).find("what leaves for wwan0 may have only 1428"), std::string::npos);
  end.values["link_mtu_bytes"] = std::int64_t{1} << 20;  // more than the loopback carries
  end.config.links[0].interface = "";
  Findings route;
  check_mtu(end, roots(), route);
  EXPECT_NE(faults(route).find("what leaves for 127.0.0.1:46011 may have only"), std::string::npos);
}

// --- Serial devices ---

class DoctorOfSerialDevices : public Doctor
{
protected:
  DoctorOfSerialDevices()
  {
    config_.settings.paths.links[0].name = "radio";
    config_.links[0].device = device_.string();
  }

  Findings look(bool running = false)
  {
    Findings findings;
    check_serial(config_, running, read_serial_devices(roots()), roots(), findings);
    return findings;
  }

  ScratchDir scratch_;
  std::filesystem::path device_ = scratch_.write("ttyUSB0", "");
  EngineConfig config_;
};

TEST_F(DoctorOfSerialDevices, one_that_is_there_and_free_is_good_and_is_never_written_to)
{
  EXPECT_EQ(look().all().size(), 0u);
  EXPECT_EQ(std::filesystem::file_size(device_), 0u);
}

TEST_F(DoctorOfSerialDevices, one_that_is_missing_is_a_problem_that_names_those_there)
{
  machine_.add_serial_device("ttyACM0", "cdc_acm");
  machine_.add_serial_device("ttyUSB1", "ftdi_sio");
  std::filesystem::remove(device_);
  EXPECT_EQ(
    faults(look()), "problem: Parameter link.radio.device is " + device_.string() +
                      ", which is not there; this machine has ttyACM0, ttyUSB1. -> ls -l "
                      "/dev/serial/by-id\n");
}

TEST_F(DoctorOfSerialDevices, one_that_another_program_reads_is_a_problem)
{
  machine_.add_process(41, "mavlink-routerd", device_.string());
  EXPECT_EQ(
    faults(look()), "problem: " + device_.string() +
                      " (link.radio.device) is in use by mavlink-routerd (pid 41), which takes a "
                      "part of what arrives. -> sudo kill 41\n");
}

TEST_F(DoctorOfSerialDevices, the_running_tunnel_may_have_it)
{
  machine_.add_process(42, "pqc_tunneld", device_.string());
  EXPECT_EQ(faults(look(true)), "");
  EXPECT_NE(faults(look(false)), "");
  machine_.add_process(43, "mavproxy", device_.string());
  EXPECT_NE(faults(look(true)).find("mavproxy (pid 43)"), std::string::npos);
}

TEST_F(DoctorOfSerialDevices, a_program_that_opens_every_adapter_is_warned_of)
{
  machine_.add_process(44, "ModemManager", "/dev/null");
  EXPECT_EQ(
    faults(look()),
    "warning: ModemManager (pid 44) opens every serial adapter that is plugged in. -> sudo "
    "systemctl disable --now ModemManager\n");
  config_.links[0].device = "";
  EXPECT_EQ(faults(look()), "") << "no serial link";
}

TEST_F(DoctorOfSerialDevices, others_are_listed_with_who_has_them)
{
  machine_.add_serial_device("ttyACM0", "cdc_acm");
  machine_.add_serial_device("ttyS0", "serial8250");
  machine_.write_sys("class/tty/ttyS0/type", "4\n");
  machine_.add_serial_device("ttyS1", "serial8250");
  machine_.write_sys("class/tty/ttyS1/type", "0\n");  // nothing is connected
  std::filesystem::create_directories(machine_.sys() / "class/tty/tty1");
  machine_.add_process(45, "px4", "/dev/ttyACM0");
  EXPECT_EQ(
    notes(look()),
    "/dev/ttyACM0 (cdc_acm) is in use by px4 (pid 45).\n"
    "/dev/ttyS0 (serial8250) is free, as far as this user can see.\n");
}

// --- Processor ---

Findings of_power(const MachineRoots & roots)
{
  Findings findings;
  check_power(read_governors(roots), findings);
  return findings;
}

TEST_F(Doctor, a_governor_that_follows_the_load_is_good)
{
  EXPECT_TRUE(of_power(roots()).all().empty());
  machine_.set_governor("powersave", "intel_pstate");
  EXPECT_TRUE(of_power(roots()).all().empty()) << "this driver follows the load by itself";
}

TEST_F(Doctor, a_governor_that_keeps_the_processor_slow_is_warned_of)
{
  machine_.set_governor("powersave", "cpufreq-dt");
  EXPECT_EQ(
    faults(of_power(roots())),
    "warning: 2 processors have the governor powersave, which keeps them at their lowest "
    "frequency. -> echo ondemand | sudo tee "
    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor\n");
}

// --- A running tunnel ---

YAML::Node status(const std::string & changes = "")
{
  YAML::Node node =
    YAML::Load(R"({"version": ")" PQC_TUNNEL_VERSION R"(", "role": "drone", "other_versions": 0,
        "wrong_keys": 0, "unknown_drones": 0, "links": [{"name": "radio", "trouble": "",
        "shaped": {"telemetry": {"offered": 100, "conflated": 5, "full": 0, "stale": 0}}}],
        "peers": [{"name": "gcs", "encrypted": true, "likely_cause": "",
        "traffic": {"plain_in_packets": 300, "plain_in_bytes": 9000}}]})");
  const YAML::Node other = YAML::Load("{" + changes + "}");
  for (const auto & entry : other) {
    node[entry.first.as<std::string>()] = entry.second;
  }
  return node;
}

Findings of_versions(const YAML::Node & node)
{
  Findings findings;
  check_versions("drone", node, findings);
  return findings;
}

TEST_F(Doctor, a_tunnel_of_this_version_is_good)
{
  EXPECT_TRUE(of_versions(status()).all().empty());
}

TEST_F(Doctor, a_tunnel_that_was_not_restarted_after_an_update_is_warned_of)
{
  EXPECT_EQ(
    faults(of_versions(status(R"("version": "0.0.9")"))),
    std::string("warning: The tunnel drone still runs version 0.0.9, but ") + PQC_TUNNEL_VERSION +
      " is installed. -> pqc down drone; pqc up drone\n");
}

TEST_F(Doctor, hellos_of_another_version_are_warned_of)
{
  EXPECT_NE(
    faults(of_versions(status(R"("other_versions": 3)"))).find("Hellos of another version"),
    std::string::npos);
}

Findings of_peers(const YAML::Node & node)
{
  Findings findings;
  check_peers("drone", node, findings);
  return findings;
}

TEST_F(Doctor, a_peer_under_encryption_is_good) { EXPECT_TRUE(of_peers(status()).all().empty()); }

TEST_F(Doctor, a_peer_without_a_session_is_a_problem_with_its_likely_cause)
{
  EXPECT_EQ(
    faults(of_peers(status(
      R"("peers": [{"name": "gcs", "encrypted": false, "likely_cause": "no answer from x"}])"))),
    "problem: There is no encrypted session with gcs: no answer from x. -> pqc show drone\n");
}

TEST_F(Doctor, trouble_of_a_link_is_a_problem)
{
  EXPECT_EQ(
    faults(of_peers(status(R"("links": [{"name": "radio", "trouble": "it is unplugged"}])"))),
    "problem: Link radio: it is unplugged. -> ip -s link\n");
}

TEST_F(Doctor, strangers_with_other_keys_are_warned_of)
{
  EXPECT_EQ(
    faults(of_peers(status(R"("wrong_keys": 2, "unknown_drones": 1)"))),
    "warning: 3 hellos came with keys or of drones that this end does not know. -> pqc identity "
    "inspect, with the folders of both ends\n");
}

Findings of_streams(const YAML::Node & before, const YAML::Node & after)
{
  Findings findings;
  check_streams(before, after, 2.0, findings);
  return findings;
}

const char * const later =
  R"("peers": [{"name": "gcs", "traffic": {"plain_in_packets": 400, "plain_in_bytes": 13000}}])";

TEST_F(Doctor, the_rate_of_the_streams_is_told)
{
  const Findings findings = of_streams(status(), status(later));
  EXPECT_EQ(faults(findings), "");
  EXPECT_EQ(notes(findings), "The vehicle sends 50 datagrams and 2000 bytes a second.\n");
}

TEST_F(Doctor, a_vehicle_or_a_ground_program_that_sends_nothing_is_warned_of)
{
  EXPECT_EQ(
    faults(of_streams(status(), status())),
    "warning: The vehicle sends nothing to plaintext_port. -> sudo ss -unap, and the outputs of "
    "its router or of MAVROS\n");
  const std::string gcs = R"("role": "gcs")";
  EXPECT_NE(
    faults(of_streams(status(gcs), status(gcs))).find("The ground program sends nothing"),
    std::string::npos);
}

TEST_F(Doctor, streams_that_a_thin_link_leaves_out_are_warned_of)
{
  const auto shaped = [](int offered, int conflated, int full, int stale) {
    return status(
      std::string(later) + R"(, "links": [{"name": "radio", "shaped": {"telemetry": {"offered": )" +
      std::to_string(offered) + ", \"conflated\": " + std::to_string(conflated) +
      ", \"full\": " + std::to_string(full) + ", \"stale\": " + std::to_string(stale) + "}}}]");
  };
  EXPECT_EQ(faults(of_streams(status(), shaped(200, 10, 0, 0))), "") << "5 % are left out";
  for (const auto & after : {shaped(200, 35, 0, 0), shaped(200, 5, 30, 0), shaped(200, 5, 0, 30)}) {
    EXPECT_EQ(
      faults(of_streams(status(), after)),
      "warning: The link radio is too thin: it leaves out 30 % of class telemetry. -> lower the "
      "stream rates: SR1_* in ArduPilot, MAV_1_RATE in PX4\n");
  }
}

Echoes good_echoes()
{
  Echoes echoes;
  echoes.peer = "gcs";
  echoes.version = PQC_TUNNEL_VERSION;
  echoes.sent = 3;
  echoes.round_trips_s = {0.011, 0.012, 0.019};
  echoes.configured_bytes = 1500;
  echoes.path_mtu = 1500;
  return echoes;
}

Findings of_echoes(const Echoes & echoes)
{
  Findings findings;
  check_echoes(echoes, findings);
  return findings;
}

TEST_F(Doctor, a_peer_that_answers_is_good)
{
  EXPECT_EQ(faults(of_echoes(good_echoes())), "");
  EXPECT_EQ(
    notes(of_echoes(good_echoes())),
    std::string("gcs answers after 12 ms, with version ") + PQC_TUNNEL_VERSION +
      "; an encrypted session shows that suites and modes are configured alike.\n");
  Echoes thin = good_echoes();
  thin.path_mtu.reset();
  EXPECT_EQ(faults(of_echoes(thin)), "") << "not looked for";
}

TEST_F(Doctor, a_peer_that_does_not_answer_is_a_problem)
{
  Echoes echoes = good_echoes();
  echoes.round_trips_s.clear();
  EXPECT_EQ(
    faults(of_echoes(echoes)),
    "problem: gcs does not answer at the moment, although there is a session. -> pqc ping; pqc "
    "show\n");
}

TEST_F(Doctor, a_peer_of_another_version_is_warned_of)
{
  Echoes echoes = good_echoes();
  echoes.version = "0.1.9";
  EXPECT_EQ(
    faults(of_echoes(echoes)), std::string("warning: gcs runs version 0.1.9, this end ") +
                                 PQC_TUNNEL_VERSION + ": update the older one. -> pqc --version\n");
}

TEST_F(Doctor, a_way_that_carries_shorter_packets_than_configured_is_a_problem)
{
  Echoes echoes = good_echoes();
  echoes.path_mtu = 1428;
  EXPECT_EQ(
    faults(of_echoes(echoes)),
    "problem: Packets have up to 1500 bytes, but the way to gcs carries only those of 1428. -> "
    "link_mtu_bytes: 1428 in the parameters of both ends\n");
}

TEST_F(Doctor, a_class_that_is_new_to_a_link_counts_from_nothing)
{
  const YAML::Node after = status(std::string(later) + R"(, "links": [{"name": "radio", "shaped": {
      "ordered": {"offered": 10, "conflated": 0, "full": 4, "stale": 0},
      "command": {"offered": 0, "conflated": 0, "full": 1, "stale": 0}}}])");
  EXPECT_EQ(
    faults(of_streams(status(), after)),
    "warning: The link radio is too thin: it leaves out 40 % of class ordered. -> lower the stream "
    "rates: SR1_* in ArduPilot, MAV_1_RATE in PX4\n");
}

// --- Exposure ---

Findings of_exposure(const std::string & report)
{
  Findings findings;
  check_exposure(report, findings);
  return findings;
}

TEST_F(Doctor, a_closed_machine_is_good)
{
  EXPECT_TRUE(
    of_exposure(R"({"verdict": "closed", "findings": [], "unseen_sockets": 0})").all().empty());
}

TEST_F(Doctor, exposed_sockets_are_problems_and_unclear_ones_warnings)
{
  EXPECT_EQ(
    faults(of_exposure(
      R"({"verdict": "exposed", "unseen_sockets": 0, "findings": [
          {"severity": "exposed", "sentence": "px4 is open."},
          {"severity": "unclear", "sentence": "What has 14550 is unknown."}]})")),
    "problem: px4 is open. -> sudo pqc exposure\n"
    "warning: What has 14550 is unknown. -> sudo pqc exposure\n");
  EXPECT_EQ(
    notes(of_exposure(R"({"verdict": "closed", "findings": [], "unseen_sockets": 4})")),
    "Some sockets belong to programs that this user cannot see.\n");
}

TEST_F(Doctor, a_report_of_exposure_that_cant_be_read_is_a_problem)
{
  for (const char * report : {"", "[", "{}"}) {
    EXPECT_EQ(
      faults(of_exposure(report)), "problem: The check of exposure failed. -> sudo pqc exposure\n");
  }
}

}  // namespace
}  // namespace pqc_tunnel::cli
