// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <fnmatch.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <map>
#include <sstream>

#include "command/pqc_fixture.hpp"
#include "support/serial_wire.hpp"

// The systemd unit permits enough for every kind of link, and the daemon needs no more. systemd does not run here.

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

constexpr uid_t nobody = 65534;
constexpr gid_t serial_group = 65533;

std::multimap<std::string, std::string> unit()
{
  const auto folder = fs::read_symlink("/proc/self/exe").parent_path();
  std::ifstream file(folder / "pqc@.service");
  std::multimap<std::string, std::string> settings;
  for (std::string line; std::getline(file, line);) {
    if (const auto equals = line.find('='); equals != std::string::npos && line.front() != '#') {
      settings.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
  }
  return settings;
}

std::string setting(const std::string & name)
{
  const auto settings = unit();
  const auto found = settings.find(name);
  return found == settings.end() ? "" : found->second;
}

// Returns true if a device of a driver may be opened; `class_name` as in /proc/devices.
bool is_allowed(const std::string & class_name, const std::string & major)
{
  const auto settings = unit();
  const auto [first, last] = settings.equal_range("DeviceAllow");
  return std::any_of(first, last, [&](const auto & entry) {
    const std::string pattern = entry.second.substr(0, entry.second.find(' '));
    return entry.second.ends_with(" rw") &&
           (pattern == "char-" + major ||
            ::fnmatch(pattern.c_str(), ("char-" + class_name).c_str(), 0) == 0);
  });
}

TEST(Unit, permits_the_serial_devices_of_every_usual_board)
{
  EXPECT_EQ(setting("PrivateDevices"), "") << "it leaves no serial device";
  EXPECT_EQ(setting("DevicePolicy"), "closed");
  std::ifstream users(PQC_TUNNEL_TEST_VECTORS "/../../systemd/pqc.sysusers");
  const std::string text((std::istreambuf_iterator<char>(users)), {});
  EXPECT_NE(text.find("\nm pqc dialout\n"), std::string::npos);
  for (const char * name : {"ttyS", "ttyAMA", "ttyTHS", "ttymxc", "ttyPS"}) {
    EXPECT_TRUE(is_allowed(name, "")) << name;
  }
  // The drivers of USB adapters are loaded when the first one is plugged in: /proc/devices does not name them before.
  EXPECT_TRUE(is_allowed("", "188")) << "ttyUSB";
  EXPECT_TRUE(is_allowed("", "166")) << "ttyACM";
  EXPECT_FALSE(is_allowed("input", "13"));
}

class UnitRights : public PqcFixture
{
protected:
  void SetUp() override
  {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root";
    }
    fs::permissions(scratch_.path(), fs::perms(0755));
    fs::permissions(config_, fs::perms(0755));
    fs::copy(identities() / "alpha", keys_, fs::copy_options::recursive);
    give(keys_, nobody, nobody);
    for (const auto & entry : fs::directory_iterator(keys_)) {
      give(entry.path(), nobody, nobody);
    }
    const fs::path device = fs::canonical(wire_.device(1));
    give(device, 0, serial_group);
    fs::permissions(device, fs::perms(0660));
    file_ = configure(
      "drone", with(
                 drone_settings(), {{"identity_dir", keys_.string()},
                                    {"links", "[lte, bound, radio]"},
                                    {"link.lte.datagram_port", free_port()},
                                    {"link.bound.datagram_port", free_port()},
                                    {"link.bound.interface", "lo"},
                                    {"link.radio.type", "serial"},
                                    {"link.radio.device", device.string()}}));
  }
  static void give(const fs::path & path, uid_t user, gid_t group)
  {
    ASSERT_EQ(::chown(path.c_str(), user, group), 0) << path;
  }

  // Returns the daemon's output under the user and capabilities of the unit, until its first handshake begins.
  std::string log_with(const std::string & groups) const
  {
    std::string capabilities = "-all";
    std::istringstream names(setting("AmbientCapabilities"));
    for (std::string name; names >> name;) {
      capabilities += ",+" + name.substr(4);
    }
    std::ranges::transform(capabilities, capabilities.begin(), ::tolower);
    std::vector<std::string> words{
      "--reuid=65534",
      "--regid=65534",
      groups,
      "--inh-caps=" + capabilities,
      "--ambient-caps=" + capabilities,
      "--bounding-set=" + capabilities,
      "--no-new-privs"};
    const auto daemon = Program::words_of("pqc_tunneld");
    words.insert(words.end(), daemon.begin(), daemon.end());
    words.insert(words.end(), {"--config", file_});
    Program program("/usr/bin/setpriv", words);
    EXPECT_TRUE(eventually([&] {
      const std::string log = program.errors() + program.output();
      return std::ranges::any_of(
        std::array{"handshake started", "setpriv: ", "pqc_tunneld: "},
        [&](const char * part) { return log.find('\n', log.find(part)) != std::string::npos; });
    }));
    program.send_signal(SIGTERM);
    program.wait();
    return program.errors() + program.output();
  }

  test::SerialWire wire_;
  const fs::path keys_ = scratch_ / "keys";
  std::string file_;
};

TEST_F(UnitRights, suffice_for_every_kind_of_link)
{
  EXPECT_EQ(setting("User"), "pqc");
  EXPECT_EQ(setting("CapabilityBoundingSet"), setting("AmbientCapabilities"));
  const std::string log = log_with("--groups=" + std::to_string(serial_group));
  if (log.starts_with("setpriv: ")) {
    GTEST_SKIP() << log;
  }
  EXPECT_NE(log.find("INFO The tunnel runs."), std::string::npos) << log;
  EXPECT_EQ(log.find("WARN link"), std::string::npos) << log;
}

TEST_F(UnitRights, do_not_open_keys_of_root_and_the_log_says_whose_they_must_be)
{
  give(keys_ / "drone.identity", 0, 0);
  const std::string log = log_with("--clear-groups");
  if (log.starts_with("setpriv: ")) {
    GTEST_SKIP() << log;
  }
  EXPECT_NE(
    log.find("drone.identity can't be opened: Permission denied; it must belong to "),
    std::string::npos)
    << log;
}

TEST_F(UnitRights, to_a_serial_device_are_those_of_its_group)
{
  const std::string log = log_with("--clear-groups");
  if (log.starts_with("setpriv: ")) {
    GTEST_SKIP() << log;
  }
  EXPECT_NE(
    log.find("doesn't open: Permission denied; its users are in a group, usually dialout"),
    std::string::npos)
    << log;
}

}  // namespace
}  // namespace pqc_tunnel
