// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <yaml-cpp/yaml.h>

#include "machine_folder.hpp"
#include "os/file_descriptor.hpp"
#include "pqc_fixture.hpp"

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

class PqcDoctor : public PqcFixture
{
protected:
  PqcDoctor()
  {
    ::setenv("PATH", ((scratch_ / "bin").string() + ":" + std::getenv("PATH")).c_str(), 1);
    fs::create_directory(scratch_ / "bin");
    set_exposure(R"({"verdict": "closed", "findings": [], "unseen_sockets": 0})");
    configure("drone", drone_settings());
  }

  // The program of another package, as far as the doctor uses it.
  void set_exposure(const std::string & report, int code = 0) const
  {
    const auto program = scratch_.write(
      "bin/pqc-exposure", "#!/bin/sh\necho '" + report + "'\nexit " + std::to_string(code) + "\n");
    fs::permissions(program, fs::perms::owner_all);
  }

  Outcome doctor(std::vector<std::string> words = {}) const
  {
    words.insert(
      words.begin(),
      {"doctor", "--proc-root", machine_.proc().string(), "--sys-root", machine_.sys().string()});
    return outcome(words);
  }

  void expect(int code, const std::vector<std::string> & parts) const
  {
    const Outcome result = doctor();
    EXPECT_EQ(result.code, code) << result.output << result.errors;
    for (const std::string & part : parts) {
      EXPECT_NE(result.output.find(part), std::string::npos) << part << "\n" << result.output;
    }
  }

  MachineFolder machine_;
};

TEST_F(PqcDoctor, finds_nothing_where_nothing_is_wrong)
{
  expect(
    0,
    {"  parameters good\n", "  keys       good\n", "  ports      good\n", "  serial     good\n",
     "  mtu        good\n", "  rights     good\n", "  exposure   good\n", "  power      good\n",
     "  clock      good\n", "  versions   good\n", "  peer       note: The tunnel does not run"});
}

TEST_F(PqcDoctor, tells_each_fault_with_what_mends_it)
{
  const Application other;
  const fs::path keys = scratch_ / "keys";
  fs::copy(identities() / "alpha", keys, fs::copy_options::recursive);
  fs::permissions(keys, fs::perms::owner_all);
  fs::permissions(keys / "drone.identity", fs::perms::others_read, fs::perm_options::add);
  configure(
    "drone", with(
               drone_settings(), {{"identity_dir", keys.string()},
                                  {"plaintext_port", std::to_string(other.port())},
                                  {"datagram_prot", "1"},
                                  {"packet_thread.priority", "50"},
                                  {"plaintext_peer_address", "192.0.2.255"},
                                  {"plaintext_peer_port", "14591"}}));
  machine_.set_governor("powersave", "cpufreq-dt");
  machine_.set_limits("67108864", "0");
  set_exposure(
    R"({"verdict": "exposed", "unseen_sockets": 0,
        "findings": [{"severity": "exposed", "sentence": "px4 is open."}]})",
    1);
  expect(
    1, {"  parameters problem: Parameter datagram_prot is unknown",
        "  keys       problem: ", "-> chmod -R u=rwX,go= " + keys.string() + "\n",
        "  ports      problem: ", " (pid " + std::to_string(::getpid()) + ").\n",
        "-> sudo kill " + std::to_string(::getpid()) + "\n",
        "  rights     warning: packet_thread.priority is 50",
        "  exposure   problem: ", "  exposure   problem: px4 is open.\n",
        "  power      warning: 2 processors have the governor powersave"});
}

TEST_F(PqcDoctor, says_so_where_the_check_of_exposure_is_not_installed)
{
  fs::remove(scratch_ / "bin/pqc-exposure");
  ::setenv("PATH", (scratch_ / "bin").c_str(), 1);
  expect(0, {"  exposure   note: Sockets of other programs are not looked at"});
}

TEST_F(PqcDoctor, compares_both_ends)
{
  configure("gcs", gcs_settings());
  EXPECT_EQ(doctor({"drone", "--peer", "gcs"}).code, 0);
  configure("gcs", with(gcs_settings(), {{"hybrid_x25519", "true"}}));
  const Outcome result = doctor({"drone", "--peer", "gcs"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.output.find("  both ends  problem: hybrid_x25519 is false"), std::string::npos)
    << result.output;
  EXPECT_NE(
    doctor({"drone", "--peer", "nowhere"}).output.find("There is no tunnel"), std::string::npos);
}

TEST_F(PqcDoctor, prints_json)
{
  const auto subjects = [&] {
    const YAML::Node json = YAML::Load(doctor({"drone", "--json"}).output);
    std::map<std::string, YAML::Node> by_name{{"", json}};
    for (const YAML::Node & one : json["subjects"]) {
      by_name[one["subject"].as<std::string>()] = one;
    }
    return by_name;
  };
  EXPECT_TRUE(subjects()[""]["good"].as<bool>());
  machine_.set_governor("powersave", "cpufreq-dt");
  const auto after = subjects();
  EXPECT_FALSE(after.at("")["good"].as<bool>());
  EXPECT_TRUE(after.at("clock")["good"].as<bool>());
  const YAML::Node power = after.at("power");
  EXPECT_FALSE(power["good"].as<bool>());
  EXPECT_EQ(power["findings"][0]["weight"].as<std::string>(), "warning");
  EXPECT_EQ(power["findings"][0]["mend"].as<std::string>().substr(0, 5), "echo ");
}

TEST_F(PqcDoctor, neither_writes_to_a_serial_device_nor_sets_its_line)
{
  const FileDescriptor autopilot(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_EQ(::grantpt(autopilot.get()) | ::unlockpt(autopilot.get()), 0);
  std::array<char, 64> name{};
  ASSERT_EQ(::ptsname_r(autopilot.get(), name.data(), name.size()), 0);
  const FileDescriptor line(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios before{};
  ASSERT_EQ(::tcgetattr(line.get(), &before), 0);
  configure(
    "drone",
    with(
      drone_settings(),
      {{"links", "[radio]"}, {"link.radio.type", "serial"}, {"link.radio.device", name.data()}}));
  expect(0, {"  serial     good\n", "  ports      good\n"});
  termios after{};
  ASSERT_EQ(::tcgetattr(line.get(), &after), 0);
  EXPECT_EQ(after.c_cflag, before.c_cflag);
  EXPECT_EQ(after.c_lflag, before.c_lflag);
  int waiting = -1;
  ASSERT_EQ(::ioctl(autopilot.get(), FIONREAD, &waiting), 0);
  EXPECT_EQ(waiting, 0);
  configure(
    "drone", with(
               drone_settings(), {{"links", "[radio]"},
                                  {"link.radio.type", "serial"},
                                  {"link.radio.device", "/dev/no-such-radio"}}));
  expect(1, {"  serial     problem: Parameter link.radio.device is /dev/no-such-radio"});
}

TEST_F(PqcDoctor, looks_at_the_running_tunnel_and_its_peer)
{
  ASSERT_EQ(outcome({"up", "drone"}).code, 0);
  expect(
    1, {"  ports      good\n", "The ports are in use by the running tunnel drone.",
        "  peer       problem: There is no encrypted session with ",
        "  streams    warning: The vehicle sends nothing to plaintext_port.\n"});
  configure("gcs", gcs_settings());
  ASSERT_EQ(outcome({"up", "gcs"}).code, 0);
  ASSERT_TRUE(eventually([] { return outcome({"show"}).code == 0; }));
  const Outcome both = doctor({"drone"});
  EXPECT_NE(both.output.find("  peer       good\n"), std::string::npos) << both.output;
  outcome({"down", "drone"});
  outcome({"down", "gcs"});
}

TEST_F(PqcDoctor, needs_a_name_only_where_there_is_a_choice)
{
  configure("gcs", gcs_settings());
  expect_failure({"doctor"}, 2, "Several tunnels are configured: name one.");
  fs::remove(config_ / "gcs.yaml");
  fs::remove(config_ / "drone.yaml");
  expect_failure({"doctor"}, 2, "No tunnel is configured: name a parameter file.");
  expect_failure(
    {"doctor", "drone"}, 1,
    "There is no tunnel \"drone\": " + (config_ / "drone.yaml").string() + " would configure one.");
}

}  // namespace
}  // namespace pqc_tunnel
