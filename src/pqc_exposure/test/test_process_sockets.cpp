// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "exposure.hpp"
#include "pqc_tunnel/os/file_descriptor.hpp"
#include "proc_root.hpp"
#include "process_sockets.hpp"
#include "support/application.hpp"

namespace pqc_tunnel::exposure
{
namespace
{

namespace fs = std::filesystem;

constexpr const char * fast_dds_maps =
  "55d0c8000000-55d0c8001000 r--p 00000000 08:01 1234 /opt/ros/lib/mavros/mavros_node\n"
  "7f0000000000-7f0000001000 r-xp 00000000 08:01 1235 /usr/lib/libc.so.6\n"
  "7f0000002000-7f0000003000 r-xp 00000000 08:01 1236 /opt/ros/lib/libfastcdr.so.2\n"
  "7f0000004000-7f0000005000 r-xp 00000000 08:01 1237 /opt/ros/lib/libfastdds.so.3.2.2\n"
  "7ffd00000000-7ffd00001000 rw-p 00000000 00:00 0 [stack]\n";

const Process * find(const MachineSockets & machine, int pid)
{
  const auto found = std::ranges::find(machine.processes, pid, &Process::pid);
  return found == machine.processes.end() ? nullptr : &*found;
}

MachineSockets read(const ProcRoot & root)
{
  auto machine = read_machine_sockets(root.path());
  EXPECT_TRUE(machine) << machine.error().message;
  return machine.value_or(MachineSockets());
}

// Folders of a user that this one may not look into; root may look into everything.
class OtherUser
{
public:
  explicit OtherUser(const ProcRoot & root) : is_root_(::geteuid() == 0)
  {
    fs::permissions(root.path(), fs::perms(0755));
    if (is_root_) {
      check(::seteuid(65534) == 0, "seteuid");
    }
  }
  ~OtherUser()
  {
    if (is_root_) {
      ::seteuid(0);
    }
  }
  OtherUser(const OtherUser &) = delete;
  OtherUser & operator=(const OtherUser &) = delete;

private:
  bool is_root_;
};

TEST(ProcessSockets, a_socket_is_found_with_its_process_its_name_and_its_middleware)
{
  ProcRoot root;
  root.add_socket("udp", "00000000:38DB", "00000000:0000", "07", 1000, 501);
  root.add_process(
    123, "mavros_node", {"/opt/ros/lib/mavros/mavros_node", "--ros-args"}, {501}, fast_dds_maps);
  const auto machine = read(root);
  ASSERT_EQ(machine.rows.size(), 1u);
  const Process * process = find(machine, 123);
  ASSERT_NE(process, nullptr);
  EXPECT_EQ(process->name, "mavros_node");
  EXPECT_TRUE(process->readable);
  EXPECT_EQ(process->inodes, (std::set<std::uint64_t>{501}));
  EXPECT_EQ(process->libraries.middleware, Middleware::fast_dds);
  EXPECT_FALSE(machine.processes_hidden);
}

TEST(ProcessSockets, the_four_tables_are_read_and_those_of_ipv6_may_be_missing)
{
  ProcRoot root;
  root.add_socket("udp", "00000000:0001", "00000000:0000", "07", 0, 1);
  root.add_socket("tcp", "00000000:0001", "00000000:0000", "0A", 0, 2);
  const std::string any(32, '0');
  root.add_socket("udp6", any + ":0001", any + ":0000", "07", 0, 3);
  root.add_socket("tcp6", any + ":0001", any + ":0000", "0A", 0, 4);
  EXPECT_EQ(read(root).rows.size(), 4u);
  fs::remove(root.net() / "udp6");
  fs::remove(root.net() / "tcp6");
  EXPECT_EQ(read(root).rows.size(), 2u);
}

TEST(ProcessSockets, without_the_lists_of_sockets_there_is_an_error)
{
  ProcRoot root;
  fs::remove(root.net() / "udp");
  const auto machine = read_machine_sockets(root.path());
  ASSERT_FALSE(machine);
  EXPECT_EQ(
    machine.error().message, "The list of sockets " + (root.net() / "udp").string() +
                               " can't be read: No such file or directory.");
  EXPECT_FALSE(read_machine_sockets(root.path() / "nowhere"));
}

TEST(ProcessSockets, a_process_without_sockets_is_omitted)
{
  ProcRoot root;
  root.add_process(7, "bash", {"-bash"});
  EXPECT_EQ(find(read(root), 7), nullptr);
}

TEST(ProcessSockets, a_process_that_may_not_be_looked_into_is_listed_with_its_user)
{
  ProcRoot root;
  root.add_socket("udp", "00000000:38DB", "00000000:0000", "07", 42, 501);
  root.add_process(9, "mavlink-routerd", {"/usr/bin/mavlink-routerd"}, {501}, "", 42);
  fs::permissions(root.process(9) / "fd", fs::perms::none);
  {
    const OtherUser nobody(root);
    const auto machine = read(root);
    const Process * process = find(machine, 9);
    ASSERT_NE(process, nullptr);
    EXPECT_FALSE(process->readable);
    EXPECT_EQ(process->name, "mavlink-routerd");
    EXPECT_EQ(process->user, 42u);
  }
  fs::permissions(root.process(9) / "fd", fs::perms::owner_all);
}

TEST(ProcessSockets, hidden_processes_are_noticed_by_the_absence_of_the_first)
{
  ProcRoot root;
  fs::remove_all(root.process(1));
  EXPECT_TRUE(read(root).processes_hidden);
}

TEST(ProcessSockets, hidden_processes_are_noticed_by_their_missing_names)
{
  ProcRoot root;
  fs::permissions(root.process(1), fs::perms::none);
  {
    const OtherUser nobody(root);
    EXPECT_TRUE(read(root).processes_hidden);
  }
  fs::permissions(root.process(1), fs::perms::owner_all);
  EXPECT_FALSE(read(root).processes_hidden);
}

TEST(ProcessSockets, a_process_in_another_network_namespace_is_marked)
{
  ProcRoot root;
  root.set_network("self", "net:[4026531840]");
  root.add_process(11, "mavlink-routerd", {"/usr/bin/mavlink-routerd"});
  root.set_network("11", "net:[4026532000]");
  const auto machine = read(root);
  const Process * process = find(machine, 11);
  ASSERT_NE(process, nullptr);
  EXPECT_FALSE(process->same_network);
}

TEST(ProcessSockets, odd_names_and_broken_files_do_no_harm)
{
  ProcRoot root;
  root.add_socket("udp", "00000000:38DB", "00000000:0000", "07", 0, 501);
  fs::create_directories(root.path() / "12x" / "fd");
  fs::create_directories(root.path() / "99999999999999999999" / "fd");
  fs::create_directories(root.path() / "13");  // a process that has just ended
  root.add_process(14, "", {});
  for (const char * link : {"socket:[", "socket:[]", "socket:[x]", "socket:[501", "pipe:[501]"}) {
    fs::create_symlink(link, root.process(14) / "fd" / link);
  }
  fs::remove(root.process(14) / "comm");
  const auto machine = read(root);
  EXPECT_EQ(machine.rows.size(), 1u);
  EXPECT_TRUE(machine.processes.empty());
}

// As when a process ends between the two.
TEST(ProcessSockets, files_that_open_and_cannot_be_read_do_no_harm)
{
  ProcRoot root;
  root.add_process(4711, "ended", {"ended"}, {91});
  for (const char * name : {"cmdline", "comm", "maps", "status"}) {
    fs::remove(root.process(4711) / name);
    fs::create_directory(root.process(4711) / name);
  }
  EXPECT_TRUE(read_machine_sockets(root.path()));
}

TEST(ProcessSockets, the_libraries_identify_the_middleware)
{
  const auto middleware = [](const std::string & library) {
    return mapped_libraries("7f00-7f01 r-xp 00000000 08:01 1 /opt/ros/lib/" + library + "\n")
      .middleware;
  };
  EXPECT_EQ(middleware("libfastdds.so.3.2.2"), Middleware::fast_dds);
  EXPECT_EQ(middleware("libfastrtps.so.2.14"), Middleware::fast_dds_2);
  EXPECT_EQ(middleware("libddsc.so.0"), Middleware::cyclone_dds);
  EXPECT_EQ(middleware("librmw_cyclonedds_cpp.so"), Middleware::cyclone_dds);
  EXPECT_EQ(middleware("librmw_zenoh_cpp.so"), Middleware::zenoh);
  EXPECT_EQ(middleware("libzenohc.so"), Middleware::zenoh);
  EXPECT_EQ(middleware("librmw_connextdds.so"), Middleware::connext);
  EXPECT_EQ(middleware("libfastcdr.so.2"), Middleware::none);
  EXPECT_EQ(middleware("librosidl_typesupport_fastrtps_cpp.so"), Middleware::none);
  EXPECT_TRUE(mapped_libraries("1-2 r-xp 0 08:01 1 /opt/ros/lib/libmavconn.so").mavlink);
  EXPECT_EQ(mapped_libraries("").middleware, Middleware::none);
  EXPECT_EQ(mapped_libraries("\n/\nlib\n").middleware, Middleware::none);
}

TEST(ProcessSockets, libraries_of_the_rmw_implementation_take_precedence)
{
  const auto found = mapped_libraries(
    "1-2 r-xp 0 08:01 1 /opt/ros/lib/libfastdds.so.3.2.2\n"
    "1-2 r-xp 0 08:01 1 /opt/ros/lib/librmw_cyclonedds_cpp.so\n"
    "1-2 r-xp 0 08:01 1 /opt/ros/lib/libddsc.so.0\n");
  EXPECT_EQ(found.middleware, Middleware::cyclone_dds);
}

TEST(ProcessSockets, programs_of_mavlink_are_known_by_their_names)
{
  for (const char * name :
       {"mavros_node", "mavlink-routerd", "mavproxy.py", "MAVProxy", "mavsdk_server", "px4",
        "arducopter", "QGroundControl", "QGroundControl-x86_64.AppImage"})
  {
    EXPECT_NE(mavlink_program(name), MavlinkProgram::none) << name;
  }
  for (const char * name : {"", "sshd", "tunnel_node", "px4_msgs_bridge", "mavlink"}) {
    EXPECT_EQ(mavlink_program(name), MavlinkProgram::none) << name;
  }
}

// A UDP socket of this process, at a free port that MAVLink programs use.
class OwnSocket
{
public:
  explicit OwnSocket(std::uint32_t address) : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
  {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(address);
    for (port_ = 14560; port_ < 14600; ++port_) {
      to.sin_port = htons(port_);
      if (::bind(fd_.get(), reinterpret_cast<const sockaddr *>(&to), sizeof(to)) == 0) {
        return;
      }
    }
    check(false, "bind");
  }
  std::uint16_t port() const { return port_; }

private:
  FileDescriptor fd_;
  std::uint16_t port_ = 0;
};

// The finding about a port of this process.
std::vector<Finding> findings_of_own(std::uint16_t port)
{
  const auto machine = read_machine_sockets("/proc");
  EXPECT_TRUE(machine) << machine.error().message;
  auto findings = judge_exposure(machine.value_or(MachineSockets()), {}).findings;
  std::erase_if(findings, [port](const Finding & finding) {
    return finding.pid != ::getpid() ||
           std::ranges::none_of(
             finding.sockets, [port](const SocketRow & row) { return row.local.port == port; });
  });
  return findings;
}

TEST(ProcessSockets, a_socket_of_this_process_bound_to_every_address_is_found)
{
  const OwnSocket socket(INADDR_ANY);
  const auto findings = findings_of_own(socket.port());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, ExposureKind::mavlink);
  EXPECT_EQ(findings[0].severity, Severity::exposed);
  EXPECT_EQ(findings[0].process, "test_process_sockets");
}

TEST(ProcessSockets, a_socket_of_this_process_bound_to_the_loopback_is_not)
{
  const OwnSocket socket(INADDR_LOOPBACK);
  EXPECT_TRUE(findings_of_own(socket.port()).empty());
}

}  // namespace
}  // namespace pqc_tunnel::exposure
