// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "processes.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <set>
#include <sstream>

namespace pqc_tunnel
{

namespace
{

namespace fs = std::filesystem;

// Returns nothing of a process that ends meanwhile.
std::string text_of(const fs::path & path)
{
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Returns the effective user, the second number after "Uid:". The folder belongs to root if the process guards secrets.
std::uint32_t user_of(const fs::path & process)
{
  std::istringstream status(text_of(process / "status"));
  std::uint32_t user = 0;
  for (std::string word; status >> word;) {
    if (word == "Uid:") {
      status >> user >> user;
      break;
    }
  }
  return user;
}

template <class Action>
void for_each_other_process(const fs::path & proc, Action && action)
{
  std::error_code stop;
  for (fs::directory_iterator entry(proc, stop), end; !stop && entry != end; entry.increment(stop))
  {
    const std::string number = entry->path().filename();
    int pid = 0;
    const char * const last = number.data() + number.size();
    if (std::from_chars(number.data(), last, pid).ptr == last && pid > 0 && pid != ::getpid()) {
      action(entry->path(), pid);
    }
  }
}

// Returns true if one of its open files meets the condition on its number and its target.
template <class Condition>
bool any_open_file(const fs::path & process, Condition && condition)
{
  std::error_code stop;
  for (fs::directory_iterator entry(process / "fd", stop), end; !stop && entry != end;
       entry.increment(stop))
  {
    std::error_code closed;
    if (condition(entry->path().filename(), fs::read_symlink(entry->path(), closed))) {
      return true;
    }
  }
  return false;
}

bool has_open(const fs::path & process, const fs::path & device)
{
  return any_open_file(
    process, [&device](const fs::path &, const fs::path & file) { return file == device; });
}

// Returns whether the process created the pseudo terminal. It may keep the other end open without reading it.
bool made_terminal(const fs::path & process, const fs::path & device)
{
  const std::string index = "tty-index:\t" + device.filename().string() + "\n";
  return device.parent_path() == "/dev/pts" &&
         any_open_file(process, [&](const fs::path & number, const fs::path & file) {
           return file.filename() == "ptmx" &&
                  text_of(process / "fdinfo" / number).find(index) != std::string::npos;
         });
}

// Returns the targets of links in /proc/PID/fd to UDP sockets with this local port and without a peer.
std::set<std::string> udp_sockets(std::uint16_t port)
{
  constexpr const char * without_peer = "07";  // as in the kernel's net/tcp_states.h
  std::ostringstream end;
  end << ':' << std::hex << std::uppercase << std::setw(4) << std::setfill('0') << port;
  std::set<std::string> links;
  for (const char * table : {"/proc/net/udp", "/proc/net/udp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream text(line);
      const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
      // The columns are number, local address, remote address, state, …, inode (10th).
      if (words.size() > 9 && words[1].ends_with(end.str()) && words[3] == without_peer) {
        links.insert("socket:[" + words[9] + "]");
      }
    }
  }
  return links;
}

std::string_view file_name(std::string_view path)
{
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::vector<std::string_view> split_words(std::string_view command_line)
{
  std::vector<std::string_view> words;
  while (!command_line.empty()) {
    const auto end = std::min(command_line.find('\0'), command_line.size());
    words.push_back(command_line.substr(0, end));
    command_line.remove_prefix(std::min(end + 1, command_line.size()));
  }
  return words;
}

bool is_interpreter(std::string_view name)
{
  return name.starts_with("python") || name.starts_with("pypy") || name.starts_with("mono");
}

// Returns the script; empty if the program comes from the command line or standard input.
std::string_view script_of(const std::vector<std::string_view> & words)
{
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "-c") {
      return {};
    }
    if (word == "-m") {
      return i + 1 < words.size() ? words[i + 1] : std::string_view();
    }
    if (word == "-W" || word == "-X") {
      ++i;  // the option has a value
    } else if (!word.starts_with('-')) {
      return word;
    }
  }
  return {};
}

}  // namespace

RunningProgram describe_process(const fs::path & folder, int pid)
{
  return {
    pid, user_of(folder), program_name(text_of(folder / "comm"), text_of(folder / "cmdline"))};
}

std::string to_string(const RunningProgram & program)
{
  return program.name + " (pid " + std::to_string(program.pid) + ")";
}

std::vector<RunningProgram> holders_of(const std::string & device, const fs::path & proc)
{
  std::vector<RunningProgram> holders;
  std::error_code unknown;
  const fs::path path = fs::weakly_canonical(device, unknown);
  if (!unknown && !device.empty()) {
    for_each_other_process(proc, [&](const fs::path & process, int pid) {
      if (has_open(process, path) && !made_terminal(process, path)) {
        holders.push_back(describe_process(process, pid));
      }
    });
  }
  return holders;
}

std::vector<RunningProgram> holders_of(std::uint16_t port)
{
  std::vector<RunningProgram> holders;
  const auto sockets = udp_sockets(port);
  for_each_other_process("/proc", [&](const fs::path & process, int pid) {
    if (any_open_file(process, [&sockets](const fs::path &, const fs::path & file) {
          return sockets.contains(file);
        }))
    {
      holders.push_back(describe_process(process, pid));
    }
  });
  return holders;
}

bool is_tunnel(std::string_view name) { return name == tunnel_node_name || name == "pqc_tunneld"; }

std::vector<RunningProgram> programs_named(
  const std::function<bool(std::string_view)> & is_wanted, const fs::path & proc)
{
  std::vector<RunningProgram> programs;
  for_each_other_process(proc, [&](const fs::path & process, int pid) {
    std::string name = text_of(process / "comm");
    if (!name.empty() && is_wanted(std::string_view(name).substr(0, name.size() - 1))) {
      programs.push_back(describe_process(process, pid));
    }
  });
  return programs;
}

std::string user_name(std::uint32_t user)
{
  std::array<char, 4096> text{};
  passwd entry{};
  passwd * found = nullptr;
  ::getpwuid_r(user, &entry, text.data(), text.size(), &found);
  return found == nullptr ? "user " + std::to_string(user) : found->pw_name;
}

std::string program_name(std::string_view short_name, std::string_view command_line)
{
  while (short_name.ends_with('\n')) {
    short_name.remove_suffix(1);
  }
  const auto words = split_words(command_line);
  if (words.empty()) {
    return std::string(short_name);
  }
  const std::string_view program = file_name(words[0]);
  if (is_interpreter(program)) {
    const std::string_view script = file_name(script_of(words));
    return std::string(script.empty() ? program : script);
  }
  // Some programs overwrite their command line with their state.
  const bool plain = !program.empty() && program.find(' ') == std::string_view::npos;
  return std::string(plain ? program : short_name);
}

}  // namespace pqc_tunnel
