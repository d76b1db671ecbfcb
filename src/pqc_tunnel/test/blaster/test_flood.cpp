// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <charconv>
#include <string>

#include "io/engine_fixture.hpp"
#include "io/program.hpp"
#include "pqc_tunnel/core/suite.hpp"
#include "support/hex.hpp"

namespace pqc_tunnel
{
namespace
{

// pqc_flood against a tunnel in use whose session it has overheard.
class FloodedEngine : public EngineFixture
{
protected:
  // Few enough that the receive buffer holds all of them, however long the engine is kept waiting.
  std::string flood(const Engine & engine) const
  {
    const PeerSnapshot peer = engine.snapshot().peers[0];
    const std::string port = std::to_string(engine.ports().datagram);
    Program program(
      "pqc_flood",
      {"--datagrams-to", "127.0.0.1:" + port, "--datagrams", "200", "--seconds", "1", "--suite",
       std::string(peer.suite->id), "--session", test::to_hex(peer.session.bytes), "--epoch",
       std::to_string(static_cast<int>(peer.epoch))});
    EXPECT_EQ(program.wait(), 0) << program.errors();
    return program.output();
  }

  static std::uint64_t sent(const std::string & report, const std::string & kind)
  {
    const std::string key = "\"" + kind + "\": ";
    const auto at = report.find(key);
    std::uint64_t count = 0;
    if (at != std::string::npos) {
      const char * begin = report.data() + at + key.size();
      std::from_chars(begin, report.data() + report.size(), count);
    }
    return count;
  }

  static std::uint64_t dropped(const Engine & engine, Drop drop)
  {
    return traffic(engine).drops[static_cast<std::size_t>(drop)];
  }
};

TEST_F(FloodedEngine, decrypts_every_forged_frame_in_vain)
{
  start_pair();
  expect_traffic_both_ways();  // each end has received sequence number 0, which old frames carry
  for (const Engine * end : {gcs_.get(), drone_.get()}) {
    const std::string report = flood(*end);
    const std::uint64_t forged = sent(report, "forged");
    EXPECT_GT(forged, 0u) << report;
    EXPECT_TRUE(eventually([&] {
      return dropped(*end, Drop::auth_fail) + dropped(*end, Drop::decrypt_fail) >= forged;
    }));
    EXPECT_EQ(dropped(*end, Drop::auth_fail), forged);
    EXPECT_EQ(dropped(*end, Drop::decrypt_fail), 0u);
  }
  expect_traffic_both_ways();
}

}  // namespace
}  // namespace pqc_tunnel
