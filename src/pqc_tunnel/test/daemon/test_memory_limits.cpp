// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/engine_fixture.hpp"
#include "support/pipe.hpp"
#include "support/program.hpp"

namespace pqc_tunnel
{
namespace
{

// A ground station under a limit of the shell that starts it.
class UnderALimit : public EngineFixture
{
protected:
  Program tunneld(const std::string & limit, const Streams & streams = {})
  {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const auto port = [] { return std::to_string(Application().port()); };
    std::vector<std::string> arguments{
      "-c", limit + "; exec \"$0\" \"$@\"", (folder / "pqc_tunneld").string()};
    for (const std::string & assignment : std::vector<std::string>{
           "role:=gcs", "identity_dir:=" + gcs_identity().string(), "bind_address:=127.0.0.1",
           "plaintext_bind_address:=127.0.0.1", "datagram_port:=" + port(),
           "plaintext_port:=" + port()})
    {
      arguments.insert(arguments.end(), {"-p", assignment});
    }
    return Program("/bin/sh", arguments, streams);
  }
};

TEST_F(UnderALimit, a_tunnel_without_memory_is_refused_with_one_sentence)
{
  for (const int mib : {48, 52, 56, 60, 64, 68, 72, 100, 136, 160, 256}) {
    for (const std::string limit : {"ulimit -v ", "ulimit -d "}) {
      auto program = tunneld(limit + std::to_string(mib << 10));
      EXPECT_EQ(program.wait(), 1) << limit << mib;
      EXPECT_EQ(
        program.errors(),
        "pqc_tunneld: The tunnel needs 256 MiB of address space, but the limit of this process "
        "(ulimit -v or -d) leaves less.\n")
        << limit << mib;
    }
  }
}

TEST_F(UnderALimit, a_tunnel_with_enough_memory_runs)
{
  const Pipe log;
  auto program = tunneld("ulimit -v 327680", {.errors = log.writer()});
  log.read_until(" INFO The tunnel runs.");
  program.send_signal(SIGTERM);
  EXPECT_EQ(program.wait(), 0);
}

}  // namespace
}  // namespace pqc_tunnel
