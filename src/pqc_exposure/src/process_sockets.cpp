// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "process_sockets.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "parse_number.hpp"
#include "pqc_tunnel/net/sockets.hpp"
#include "pqc_tunnel/os/processes.hpp"

namespace pqc_tunnel::exposure
{

namespace
{

namespace fs = std::filesystem;

// Returns the text, or errno if the file cannot be opened. A process may end meanwhile: then the text is empty.
tl::expected<std::string, int> read_text(const fs::path & path)
{
  std::ifstream file(path);
  if (!file) {
    return tl::make_unexpected(errno);
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string text_or_nothing(const fs::path & path)
{
  return read_text(path).value_or(std::string());
}

Result<void> read_rows(const fs::path & net, std::vector<SocketRow> & into)
{
  using Table = std::pair<const char *, Transport>;
  for (const auto & [name, transport] :
       {Table{"udp", Transport::udp}, Table{"tcp", Transport::tcp}, Table{"udp6", Transport::udp},
        Table{"tcp6", Transport::tcp}})
  {
    const auto text = read_text(net / name);
    const bool without_ipv6 =
      std::string_view(name).ends_with('6') && !text && text.error() == ENOENT;
    if (without_ipv6) {
      continue;
    }
    if (!text) {
      return fail(
        ErrorCode::unavailable, "The list of sockets " + (net / name).string() +
                                  " can't be read: " + error_text(text.error()) + ".");
    }
    const auto rows = parse_socket_table(transport, *text);
    into.insert(into.end(), rows.begin(), rows.end());
  }
  return {};
}

std::vector<Endpoint> read_groups(const fs::path & net)
{
  auto groups = parse_ipv4_groups(text_or_nothing(net / "igmp"));
  const auto more = parse_ipv6_groups(text_or_nothing(net / "igmp6"));
  groups.insert(groups.end(), more.begin(), more.end());
  return groups;
}

std::vector<int> list_processes(const fs::path & proc_root)
{
  std::vector<int> pids;
  std::error_code stop;
  for (fs::directory_iterator entry(proc_root, stop), end; !stop && entry != end;
       entry.increment(stop))
  {
    if (const auto pid = parse_number<int>(entry->path().filename().native())) {
      pids.push_back(*pid);
    }
  }
  std::ranges::sort(pids);
  return pids;
}

// Returns 1234 for "socket:[1234]".
std::optional<std::uint64_t> inode_of(std::string_view link)
{
  constexpr std::string_view prefix = "socket:[";
  if (!link.starts_with(prefix) || !link.ends_with(']')) {
    return std::nullopt;
  }
  return parse_number<std::uint64_t>(link.substr(prefix.size(), link.size() - prefix.size() - 1));
}

// Returns the inodes of `wanted` that the process has open; an error if they cannot be listed.
tl::expected<std::set<std::uint64_t>, std::error_code> open_inodes(
  const fs::path & process, const std::set<std::uint64_t> & wanted)
{
  std::error_code error;
  std::set<std::uint64_t> inodes;
  for (fs::directory_iterator entry(process / "fd", error), end; !error && entry != end;
       entry.increment(error))
  {
    std::array<char, 64> link{};
    const auto length = ::readlink(entry->path().c_str(), link.data(), link.size());
    const auto inode =
      inode_of({link.data(), static_cast<std::size_t>(std::max(length, ssize_t{}))});
    if (inode && wanted.contains(*inode)) {
      inodes.insert(*inode);
    }
  }
  if (error) {
    return tl::make_unexpected(error);
  }
  return inodes;
}

// Returns the network namespace; empty if it cannot be read.
std::string network_of(const fs::path & process)
{
  std::error_code ignored;
  return fs::read_symlink(process / "ns" / "net", ignored).string();
}

bool is_forbidden(const std::error_code & error)
{
  return error == std::errc::permission_denied || error == std::errc::operation_not_permitted;
}

class Reader
{
public:
  Reader(const fs::path & proc_root, MachineSockets & machine)
  : root_(proc_root), machine_(machine), network_(network_of(proc_root / "self"))
  {
    for (const SocketRow & row : machine.rows) {
      if (row.inode == 0) {
        continue;  // no process holds it now
      }
      inodes_.insert(row.inode);
      if (reaches_beyond_loopback(row, machine.groups)) {
        reaching_.insert(row.inode);
      }
    }
  }

  void read()
  {
    const auto pids = list_processes(root_);
    // The first process never ends.
    machine_.processes_hidden =
      pids.empty() || pids.front() != 1 || describe_process(root_ / "1", 1).name.empty();
    for (const int pid : pids) {
      add(pid);
    }
  }

private:
  void add(int pid)
  {
    const fs::path folder = root_ / std::to_string(pid);
    Process process;
    process.pid = pid;
    auto inodes = open_inodes(folder, inodes_);
    if (inodes) {
      process.inodes = std::move(*inodes);
      const std::string network = network_of(folder);
      process.same_network = network.empty() || network_.empty() || network == network_;
    } else if (is_forbidden(inodes.error())) {
      process.readable = false;
    } else {
      return;  // it has ended
    }
    if (process.readable && process.same_network && process.inodes.empty()) {
      return;
    }
    const RunningProgram program = describe_process(folder, pid);
    process.name = program.name;
    process.user = program.user;
    if (std::ranges::any_of(
          process.inodes, [this](auto inode) { return reaching_.contains(inode); })) {
      process.libraries = mapped_libraries(text_or_nothing(folder / "maps"));
    }
    machine_.processes.push_back(std::move(process));
  }

  const fs::path root_;
  MachineSockets & machine_;
  const std::string network_;
  std::set<std::uint64_t> inodes_;
  std::set<std::uint64_t> reaching_;
};

}  // namespace

Result<MachineSockets> read_machine_sockets(const std::filesystem::path & proc_root)
{
  MachineSockets machine;
  if (const auto read = read_rows(proc_root / "net", machine.rows); !read) {
    return tl::make_unexpected(read.error());
  }
  machine.groups = read_groups(proc_root / "net");
  Reader(proc_root, machine).read();
  return machine;
}

}  // namespace pqc_tunnel::exposure
