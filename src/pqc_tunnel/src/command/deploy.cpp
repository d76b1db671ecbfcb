// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>

#include "given.hpp"
#include "subprocess.hpp"

namespace pqc_tunnel::cli
{

namespace
{

namespace fs = std::filesystem;

// Below the home of the user there.
constexpr const char * there = "pqc";

tl::unexpected<Error> failure(const std::string & sentence)
{
  return fail(ErrorCode::unavailable, sentence);
}

// The processor that a program is made for, as `uname -m` names it; empty if it is no program or another one.
std::string processor_of(const fs::path & program)
{
  // ELF: magic, class (2: 64 bits) at 4, byte order (1: least first) at 5, machine at 18.
  std::array<char, 20> head{};
  std::ifstream file(program, std::ios::binary);
  if (!file.read(head.data(), head.size()) || std::string_view(head.data(), 4) != "\177ELF") {
    return "";
  }
  switch (static_cast<unsigned char>(head[18])) {
    case 0x3e:
      return "x86_64";
    case 0xb7:
      return "aarch64";
    case 0x28:
      return "arm";
    default:
      return "";
  }
}

// Adds the files of a folder whose names begin so; paths as rsync takes them, with the part that it keeps after "/./".
void add_files(
  const fs::path & prefix, const fs::path & folder, const std::string & begin,
  std::vector<std::string> & files)
{
  std::error_code none;
  for (const auto & entry : fs::directory_iterator(prefix / folder, none)) {
    if (entry.path().filename().string().starts_with(begin)) {
      files.push_back(prefix.string() + "/./" + (folder / entry.path().filename()).string());
    }
  }
}

}  // namespace

Result<int> deploy(const Given & given)
{
  const std::string & host = given.words.front();
  if (host.find(':') != std::string::npos) {
    return fail(ErrorCode::invalid_argument, host + " is no host that ssh understands.");
  }
  const fs::path prefix = given.from.empty()
                            ? fs::read_symlink("/proc/self/exe").parent_path().parent_path()
                            : fs::absolute(given.from);
  const std::string processor = processor_of(prefix / "bin" / "pqc_tunneld");
  if (processor.empty()) {
    return failure(
      prefix.string() + " has no program bin/pqc_tunneld: ./dev plain FOLDER makes such a folder.");
  }
  if (prefix == "/usr") {
    return failure("These programs are of a package: install that package on " + host + ".");
  }
  const Finished asked =
    finish({"ssh", "--", host, std::string("mkdir -p ") + there + " && uname -m"});
  if (asked.code != 0) {
    return failure(host + " can't be reached: 'ssh " + host + " true' has to work.");
  }
  const std::string machine = asked.output.substr(0, asked.output.find('\n'));
  if (!machine.starts_with(processor)) {
    return failure(
      host + " is " + machine + ", and the programs in " + prefix.string() + " are for " +
      processor + ": name a folder with others by --from, or install the package.");
  }
  std::vector<std::string> words = {"rsync", "--archive", "--relative", "--"};
  add_files(prefix, "bin", "pqc", words);
  add_files(prefix, "lib", "liboqs.so", words);
  add_files(prefix, "lib/pqc-mav/lib", "liboqs.so", words);
  words.push_back(host + ":" + there + "/");
  if (run_program(words) != 0) {
    return failure("rsync, which has to be on both machines, did not copy the programs.");
  }
  const Finished tried =
    finish({"ssh", "--", host, std::string(there) + "/bin/pqc_tunneld --version"});
  if (tried.code != 0) {
    return failure("The programs are on " + host + ", but don't run there: a library is missing.");
  }
  std::cout << host << ": " << tried.output << "programs: ~/" << there << "/bin\n";
  return exit_success;
}

}  // namespace pqc_tunnel::cli
