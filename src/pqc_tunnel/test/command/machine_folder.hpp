// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef COMMAND__MACHINE_FOLDER_HPP_
#define COMMAND__MACHINE_FOLDER_HPP_

#include <filesystem>
#include <fstream>
#include <string>

#include "support/scratch_dir.hpp"

namespace pqc_tunnel
{

// Folders in the form of /proc and /sys: a machine on which nothing is wrong, until a test changes it.
class MachineFolder
{
public:
  MachineFolder()
  {
    set_limits("67108864", "99");
    write_proc(
      "self/status", "Name:\tpqc\nUid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\n");
    write_proc("sys/net/core/rmem_max", "4194304\n");
    for (const char * table : {"udp", "udp6", "tcp", "tcp6"}) {
      write_proc(std::string("net/") + table, "  sl  local_address rem_address   st\n");
    }
    set_governor("schedutil", "cpufreq-dt");
    write_sys("devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  }

  std::filesystem::path proc() const { return scratch_ / "proc"; }
  std::filesystem::path sys() const { return scratch_ / "sys"; }

  void write_proc(const std::string & name, const std::string & text) const
  {
    write(proc() / name, text);
  }
  void write_sys(const std::string & name, const std::string & text) const
  {
    write(sys() / name, text);
  }

  // In bytes and as a priority.
  void set_limits(const std::string & lock, const std::string & priority) const
  {
    const auto padded = [](std::string text) { return text.append(21 - text.size(), ' '); };
    write_proc(
      "self/limits",
      "Limit                     Soft Limit           Hard Limit           Units\n"
      "Max locked memory         " +
        padded(lock) + padded(lock) + "bytes\nMax realtime priority     " + padded(priority) +
        padded(priority) + "\n");
  }
  void set_governor(const std::string & governor, const std::string & driver) const
  {
    for (const char * processor : {"cpu0", "cpu1"}) {
      const std::string scaling = "devices/system/cpu/" + std::string(processor) + "/cpufreq/";
      write_sys(scaling + "scaling_governor", governor + "\n");
      write_sys(scaling + "scaling_driver", driver + "\n");
      write_sys(scaling + "scaling_available_governors", "conservative ondemand powersave\n");
    }
  }
  void add_serial_device(const std::string & name, const std::string & driver) const
  {
    const auto device = sys() / "class/tty" / name / "device";
    std::filesystem::create_directories(device);
    std::filesystem::create_symlink("/bus/drivers/" + driver, device / "driver");
  }
  // `open`: the file that it has open.
  void add_process(int pid, const std::string & name, const std::string & open) const
  {
    const std::string folder = std::to_string(pid) + "/";
    write_proc(folder + "comm", name + "\n");
    write_proc(folder + "cmdline", name + '\0');
    write_proc(folder + "status", "Uid:\t1000\t1000\t1000\t1000\n");
    std::filesystem::create_directories(proc() / folder / "fd");
    std::filesystem::create_symlink(open, proc() / folder / "fd" / "3");
  }

private:
  static void write(const std::filesystem::path & file, const std::string & text)
  {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  ScratchDir scratch_;
};

}  // namespace pqc_tunnel

#endif  // COMMAND__MACHINE_FOLDER_HPP_
