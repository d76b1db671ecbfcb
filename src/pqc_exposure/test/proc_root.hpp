// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PROC_ROOT_HPP_
#define PROC_ROOT_HPP_

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/scratch_dir.hpp"

namespace pqc_tunnel::exposure
{

// A folder in the form of /proc, with the processes and sockets that a test gives it.
class ProcRoot
{
public:
  ProcRoot()
  {
    std::filesystem::create_directories(net());
    for (const char * table : {"udp", "udp6", "tcp", "tcp6"}) {
      write(net() / table, "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n");
    }
    add_process(1, "systemd", {"/sbin/init"});
  }

  const std::filesystem::path & path() const { return scratch_.path(); }
  std::filesystem::path net() const { return path() / "net"; }
  std::filesystem::path process(int pid) const { return path() / std::to_string(pid); }

  // Values in the kernel's format, such as "00000000:38DB", "00000000:0000", "07".
  void add_socket(
    const std::string & table, const std::string & local, const std::string & remote,
    const std::string & state, std::uint32_t user, std::uint64_t inode)
  {
    std::ofstream(net() / table, std::ios::app)
      << "  635: " << local << " " << remote << " " << state
      << " 00000000:00000000 00:00000000 00000000  " << user << "        0 " << inode
      << " 2 00000000ddb9fdd9 0\n";
  }

  void add_process(
    int pid, const std::string & short_name, const std::vector<std::string> & words,
    const std::vector<std::uint64_t> & inodes = {}, const std::string & maps = "",
    std::uint32_t user = 1000)
  {
    const auto folder = process(pid);
    std::filesystem::create_directories(folder / "fd");
    write(folder / "comm", short_name + "\n");
    std::string command_line;
    for (const auto & word : words) {
      command_line += word + '\0';
    }
    write(folder / "cmdline", command_line);
    write(folder / "maps", maps);
    const std::string id = std::to_string(user);
    write(
      folder / "status", "Name:\t" + short_name + "\nUmask:\t0022\nState:\tS (sleeping)\nUid:\t" +
                           id + "\t" + id + "\t" + id + "\t" + id + "\nGid:\t1\t1\t1\t1\n");
    std::filesystem::create_symlink("/dev/null", folder / "fd" / "0");
    for (std::size_t i = 0; i < inodes.size(); ++i) {
      std::filesystem::create_symlink(
        "socket:[" + std::to_string(inodes[i]) + "]", folder / "fd" / std::to_string(i + 3));
    }
  }

  void set_network(const std::string & process, const std::string & network)
  {
    const auto folder = path() / process / "ns";
    std::filesystem::create_directories(folder);
    std::filesystem::create_symlink(network, folder / "net");
  }

  static void write(const std::filesystem::path & file, const std::string & text)
  {
    std::ofstream(file) << text;
  }

private:
  ScratchDir scratch_;
};

}  // namespace pqc_tunnel::exposure

#endif  // PROC_ROOT_HPP_
