// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <linux/capability.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <utility>

#include "machine.hpp"
#include "net/address.hpp"
#include "net/sockets.hpp"

namespace pqc_tunnel::cli
{

namespace
{

namespace fs = std::filesystem;

constexpr const char * set_by_network = "sudo timedatectl set-ntp true";

bool has(const Rights & rights, int capability)
{
  return ((rights.capabilities >> static_cast<unsigned>(capability)) & 1U) != 0;
}

std::string limit_line(const Rights & rights, const std::string & limit)
{
  return "echo '" + rights.user + " - " + limit +
         "' | sudo tee -a /etc/security/limits.d/pqc.conf, then log in again";
}

// Returns the longest IP packet that leaves for this address by the routes of now. Sends nothing.
std::optional<std::int64_t> carried_to(const Endpoint & to)
{
  const auto socket = open_sender(to);
  const bool is_ipv4 = to.family == AddressFamily::ipv4;
  const SocketAddress address =
    to_socket_address(to, is_ipv4 ? SocketFamily::ipv4 : SocketFamily::ipv6);
  int mtu = 0;
  socklen_t size = sizeof(mtu);
  if (
    !socket || ::connect(socket->fd.get(), address.data(), address.length) != 0 ||
    ::getsockopt(
      socket->fd.get(), is_ipv4 ? IPPROTO_IP : IPPROTO_IPV6, is_ipv4 ? IP_MTU : IPV6_MTU, &mtu,
      &size) != 0)
  {
    return std::nullopt;
  }
  return mtu;
}

std::optional<std::int64_t> carried_by(const std::string & interface, const MachineRoots & roots)
{
  std::int64_t mtu = 0;
  return std::ifstream(roots.sys / "class/net" / interface / "mtu") >> mtu ? std::optional(mtu)
                                                                           : std::nullopt;
}

std::string names_of(const std::vector<SerialDevice> & devices)
{
  std::string names;
  for (const SerialDevice & device : devices) {
    names += (names.empty() ? "" : ", ") + device.name;
  }
  return names.empty() ? "no serial device" : names;
}

std::string described(const SerialDevice & device)
{
  return "/dev/" + device.name + (device.driver.empty() ? "" : " (" + device.driver + ")");
}

std::string end_command(const RunningProgram & program)
{
  return program.name == "ModemManager" ? "sudo systemctl disable --now ModemManager"
                                        : "sudo kill " + std::to_string(program.pid);
}

void check_device(
  const std::string & parameter, const std::string & device, bool running,
  const std::vector<SerialDevice> & devices, const MachineRoots & roots, Findings & findings)
{
  std::error_code ignored;
  if (!fs::exists(device, ignored)) {
    findings.add_problem(
      "Parameter " + parameter + " is " + device + ", which is not there; this machine has " +
        names_of(devices) + ".",
      "ls -l /dev/serial/by-id");
    return;
  }
  if (!running && ::access(device.c_str(), R_OK | W_OK) != 0) {
    findings.add_problem(
      "This user may not use " + device + " (" + parameter + ").",
      "sudo usermod -aG dialout " + user_name(::geteuid()) + ", then log in again");
  }
  const std::string in_use = device + " (" + parameter + ") is in use by ";
  for (const RunningProgram & holder : holders_of(device, roots.proc)) {
    if (!running || !is_tunnel(holder.name)) {
      std::string sentence = in_use;
      sentence.append(to_string(holder)).append(", which takes a part of what arrives.");
      findings.add_problem(std::move(sentence), end_command(holder));
    }
  }
}

}  // namespace

void check_clock(const ClockState & state, Findings & findings)
{
  using std::chrono::days;
  // Before the first release of this program no clock was right.
  constexpr std::chrono::sys_days first_release{std::chrono::year{2026} / 1 / 1};
  constexpr std::chrono::milliseconds tolerance{50};
  if (state.now < first_release) {
    findings.add_warning(
      "The clock of this machine is not set, and will step in flight: logs and ROS jump, the "
      "tunnel's own times do not.",
      set_by_network);
  } else if (std::chrono::abs(state.stepped) > tolerance) {
    findings.add_warning(
      "The clock of this machine was set by " + std::to_string(state.stepped.count()) +
        " ms just now: something sets it in steps.",
      "timedatectl timesync-status; chronyc tracking");
  } else if (!state.synchronised) {
    findings.add_note(
      "Nothing keeps the clock of this machine right, so that it will step once something does.",
      set_by_network);
  }
  if (state.source.ends_with("jiffies")) {
    findings.add_warning(
      "This machine counts time by " + state.source +
        ", in steps of milliseconds: round trips and ages are as coarse.",
      "cat /sys/devices/system/clocksource/clocksource0/available_clocksource");
  }
}

void check_rights(const Rights & rights, const PacketThreadConfig & wanted, Findings & findings)
{
  constexpr std::uint64_t for_keys = 4U << 20U;
  const bool any_lock = !rights.lock_bytes || has(rights, CAP_IPC_LOCK);
  if (
    wanted.priority > 0 && rights.priority < static_cast<std::uint64_t>(wanted.priority) &&
    !has(rights, CAP_SYS_NICE))
  {
    findings.add_warning(
      "packet_thread.priority is " + std::to_string(wanted.priority) + ", but " + rights.program +
        " may use at most " + std::to_string(rights.priority) + ": other load then delays packets.",
      limit_line(rights, "rtprio " + std::to_string(wanted.priority)));
  }
  if (wanted.lock_memory && !any_lock) {
    findings.add_warning(
      "packet_thread.lock_memory is true, but " + rights.program +
        " may lock only a part of its memory.",
      limit_line(rights, "memlock unlimited"));
  } else if (!any_lock && *rights.lock_bytes < for_keys) {
    findings.add_warning(
      rights.program + " may lock only " + std::to_string(*rights.lock_bytes >> 10U) +
        " KiB of memory, so that keys may be swapped out.",
      limit_line(rights, "memlock 4096"));
  }
  if (
    rights.buffer_bytes && *rights.buffer_bytes < usual_receive_buffer &&
    !has(rights, CAP_NET_ADMIN))
  {
    findings.add_note(
      "Receive buffers are at most " + std::to_string(*rights.buffer_bytes >> 10U) +
        " KiB: a flood fills them sooner.",
      "sudo sysctl -w net.core.rmem_max=" + std::to_string(usual_receive_buffer));
  }
}

void check_mtu(
  const std::string & where, std::int64_t configured, std::int64_t carried, Findings & findings)
{
  if (carried < configured) {
    findings.add_problem(
      "link_mtu_bytes is " + std::to_string(configured) + ", but what leaves for " + where +
        " may have only " + std::to_string(carried) + " bytes: longer packets are lost.",
      "link_mtu_bytes: " + std::to_string(carried) + " in the parameters of both ends");
  }
}

void check_mtu(const End & end, const MachineRoots & roots, Findings & findings)
{
  const std::int64_t configured = std::get<std::int64_t>(end.values.at("link_mtu_bytes"));
  std::set<std::string> looked_at;
  for (const LinkPort & link : end.config.links) {
    if (!link.interface.empty() && looked_at.insert(link.interface).second) {
      if (const auto carried = carried_by(link.interface, roots)) {
        check_mtu(link.interface, configured, *carried, findings);
      }
    }
    const auto addresses = link.gcs.host.empty()
                             ? std::vector<Endpoint>()
                             : resolve(link.gcs).value_or(std::vector<Endpoint>());
    for (const Endpoint & address : addresses) {
      const std::string shown = to_string(address);
      const auto carried = looked_at.insert(shown).second ? carried_to(address) : std::nullopt;
      if (carried) {
        check_mtu(shown, configured, *carried, findings);
      }
    }
  }
}

void check_serial(
  const EngineConfig & config, bool running, const std::vector<SerialDevice> & devices,
  const MachineRoots & roots, Findings & findings)
{
  std::set<std::string> own;
  for (std::size_t i = 0; i < config.links.size(); ++i) {
    const std::string & device = config.links[i].device;
    if (!device.empty()) {
      const std::string parameter = "link." + config.settings.paths.links[i].name + ".device";
      check_device(parameter, device, running, devices, roots, findings);
      std::error_code ignored;
      own.insert(fs::weakly_canonical(device, ignored).filename());
    }
  }
  for (const SerialDevice & device : devices) {
    if (!own.contains(device.name)) {
      findings.add_note(
        described(device) + (device.holders.empty()
                               ? " is free, as far as this user can see."
                               : " is in use by " + to_string(device.holders.front()) + "."));
    }
  }
  const auto managers =
    own.empty() ? std::vector<RunningProgram>()
                : programs_named([](auto name) { return name == "ModemManager"; }, roots.proc);
  if (!managers.empty()) {
    findings.add_warning(
      to_string(managers.front()) + " opens every serial adapter that is plugged in.",
      end_command(managers.front()));
  }
}

void check_power(const std::vector<Governor> & governors, Findings & findings)
{
  for (const Governor & governor : governors) {
    // These drivers choose the frequency by themselves, whatever the governor.
    const bool by_itself = governor.driver == "intel_pstate" ||
                           governor.driver.starts_with("amd-pstate-epp") ||
                           governor.driver.starts_with("amd_pstate_epp");
    if (governor.name != "powersave" || by_itself) {
      continue;
    }
    const auto offers = [&](const char * name) {
      return (" " + governor.available + " ").find(std::string(" ") + name + " ") !=
             std::string::npos;
    };
    const std::string better = offers("schedutil")  ? "schedutil"
                               : offers("ondemand") ? "ondemand"
                                                    : "performance";
    findings.add_warning(
      std::to_string(governor.processors) +
        " processors have the governor powersave, which keeps them at their lowest frequency.",
      "echo " + better + " | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
  }
}

}  // namespace pqc_tunnel::cli
