// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <sstream>

#include "pqc_fixture.hpp"

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

class PqcDeploy : public PqcFixture
{
protected:
  // The other computer is of a processor; ssh and rsync write down what they are asked for.
  explicit PqcDeploy(const std::string & machine = "x86_64")
  {
    fs::create_directories(scratch_ / "bin");
    add(
      "ssh",
      "case \"$*\" in *uname*) echo " + machine + " ;; *version) echo pqc_tunneld 1 ;; esac");
    add("rsync", "true");
    ::setenv("PATH", ((scratch_ / "bin").string() + ":" + path_).c_str(), 1);
    fs::create_directories(scratch_ / "made/bin");
    fs::create_directories(scratch_ / "made/lib");
    std::string head(
      "\x7f"
      "ELF\x02\x01",
      6);
    head.resize(18, '\0');
    write("made/bin/pqc_tunneld", head + std::string("\xb7\x00", 2));
    write("made/bin/pqc", "");
    write("made/lib/liboqs.so.7", "");
    write("made/lib/other.so", "");
  }
  ~PqcDeploy() override { ::setenv("PATH", path_.c_str(), 1); }

  void add(const std::string & name, const std::string & script)
  {
    const std::string log = (scratch_ / "asked").string();
    const std::string text = "#!/bin/sh\necho \"" + name + " $*\" >>" + log + "\n" + script + "\n";
    fs::permissions(scratch_.write("bin/" + name, text), fs::perms(0700));
  }
  void write(const std::string & name, const std::string & content)
  {
    std::ofstream(scratch_ / name, std::ios::binary) << content;
  }
  std::string asked() const
  {
    std::ostringstream text;
    text << std::ifstream(scratch_ / "asked").rdbuf();
    return text.str();
  }
  std::string made() const { return (scratch_ / "made").string(); }

private:
  const std::string path_ = std::getenv("PATH");
};

TEST_F(PqcDeploy, programs_for_another_processor_are_not_copied)
{
  expect_failure(
    {"deploy", "pi@drone", "--from", made()}, 1,
    "pi@drone is x86_64, and the programs in " + made() +
      " are for aarch64: name a folder with others by --from, or install the package.");
  EXPECT_EQ(asked().find("rsync"), std::string::npos);
}

TEST_F(PqcDeploy, programs_and_their_library_are_copied_and_tried)
{
  add("ssh", "case \"$*\" in *uname*) echo aarch64 ;; *version) echo pqc_tunneld 1 ;; esac");
  const Outcome result = outcome({"deploy", "pi@drone", "--from", made()});
  EXPECT_EQ(result.code, 0) << result.errors;
  EXPECT_EQ(result.output, "pi@drone: pqc_tunneld 1\nprograms: ~/pqc/bin\n");
  const std::string commands = asked();
  EXPECT_NE(commands.find("rsync --archive --relative -- "), std::string::npos) << commands;
  for (const std::string file : {"bin/pqc_tunneld ", "bin/pqc ", "lib/liboqs.so.7 "}) {
    EXPECT_NE(commands.find(made() + "/./" + file), std::string::npos) << commands;
  }
  EXPECT_EQ(commands.find("other.so"), std::string::npos);
  EXPECT_NE(commands.find(" pi@drone:pqc/\n"), std::string::npos) << commands;
}

TEST_F(PqcDeploy, a_folder_there_is_no_host_and_a_folder_without_programs_is_none)
{
  expect_failure(
    {"deploy", "drone:/tmp", "--from", made()}, 2, "drone:/tmp is no host that ssh understands.");
  expect_failure(
    {"deploy", "drone", "--from", (scratch_ / "bin").string()}, 1,
    (scratch_ / "bin").string() +
      " has no program bin/pqc_tunneld: ./dev plain FOLDER makes such a folder.");
  EXPECT_EQ(asked(), "");
}

}  // namespace
}  // namespace pqc_tunnel
