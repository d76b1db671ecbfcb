// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// A capture of a session, and the keys that a debug build writes, read by the dissector of config/wireshark: by an
// interpreter of Lua, and by tshark where that is installed.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>

#include "support/pair/wired_pair.hpp"
#include "support/program.hpp"

namespace pqc_tunnel::test
{
namespace
{

namespace fs = std::filesystem;
using std::chrono::milliseconds;

const std::string dissector = PQC_TUNNEL_SOURCES "/config/wireshark/pqc_mav.lua";
const std::string reader = PQC_TUNNEL_SOURCES "/test/wireshark/read_capture.lua";

// A file in the form of pcap with the datagrams between two addresses.
class Capture
{
public:
  explicit Capture(const fs::path & file) : file_(file, std::ios::binary)
  {
    constexpr std::uint32_t raw_ip = 101;
    for (const std::uint32_t word : {0xa1b2c3d4U, 0x00040002U, 0U, 0U, 65535U, raw_ip}) {
      little(word, 4);
    }
  }
  void add(Side from, ByteView datagram, Instant now)
  {
    const auto since = now.time_since_epoch();
    const auto size = static_cast<std::uint32_t>(datagram.size() + 28);
    little(static_cast<std::uint32_t>(std::chrono::floor<std::chrono::seconds>(since).count()), 4);
    little(0, 4);
    little(size, 4);
    little(size, 4);
    const bool up = from == Side::drone;
    const std::uint32_t drone = 0x0a000001;
    const std::uint32_t gcs = 0x0a000002;
    const std::pair<std::uint32_t, int> header[] = {
      {0x4500, 2},
      {size, 2},
      {0, 4},
      {0x40110000, 4},
      {up ? drone : gcs, 4},
      {up ? gcs : drone, 4},
      {up ? 46011 : 46012, 2},
      {up ? 46012 : 46011, 2},
      {size - 20, 2},
      {0, 2}};
    for (const auto & [value, bytes] : header) {
      big(value, bytes);
    }
    file_.write(
      reinterpret_cast<const char *>(datagram.data()),
      static_cast<std::streamsize>(datagram.size()));
    file_.flush();
  }

private:
  void little(std::uint32_t value, int bytes)
  {
    for (int i = 0; i < bytes; ++i) {
      file_.put(static_cast<char>(value >> (8 * i)));
    }
  }
  void big(std::uint32_t value, int bytes)
  {
    for (int i = bytes - 1; i >= 0; --i) {
      file_.put(static_cast<char>(value >> (8 * i)));
    }
  }

  std::ofstream file_;
};

bool is_there(const std::string & program)
{
  std::istringstream folders(std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (fs::exists(fs::path(folder) / program)) {
      return true;
    }
  }
  return false;
}

std::string output_of(const std::vector<std::string> & words)
{
  Program program("/usr/bin/env", words);
  EXPECT_EQ(program.wait(), 0) << program.errors();
  return program.output();
}

class KeyLog : public ::testing::Test
{
protected:
  KeyLog() { ::setenv("PQC_KEY_LOG", keys_.c_str(), 1); }
  ~KeyLog() override { ::unsetenv("PQC_KEY_LOG"); }

  // A session with a rekey, and a datagram each way.
  void fly(const std::string & aead)
  {
    WiredPair::Options options;
    options.suite = "cs-mlkem512-" + aead + "-mldsa44";
    options.settings.suites = SuitePolicy(SecurityLevel::l1, false);
    WiredPair pair(options);
    Capture capture(capture_);
    pair.set_datagram_filter([&](Side from, Bytes & datagram) {
      capture.add(from, datagram, pair.now());
      return true;
    });
    ASSERT_TRUE(pair.establish());
    pair.run_for(milliseconds(3000));
    const std::string up = "telemetry";
    const std::string down = "a command";
    EXPECT_TRUE(pair.send(Side::drone, ByteView(Bytes(up.begin(), up.end()))));
    EXPECT_TRUE(pair.send(Side::gcs, ByteView(Bytes(down.begin(), down.end()))));
    EXPECT_TRUE(pair.drone().send_message(PeerIndex{0}, Echo{7, 0}, pair.now()));
    pair.pump();
    pair.run_for(milliseconds(1000));
  }

  std::vector<std::string> lines_of(bool with_keys = true) const
  {
    for (const char * lua : {"lua5.4", "lua5.3", "lua5.2", "lua", "luajit"}) {
      if (is_there(lua)) {
        std::vector<std::string> words{lua, reader, dissector, capture_.string()};
        if (with_keys) {
          words.push_back(keys_.string());
        }
        std::istringstream text(output_of(words));
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);) {
          lines.push_back(line);
        }
        return lines;
      }
    }
    return {};
  }

  static std::size_t count(const std::vector<std::string> & lines, const std::string & part)
  {
    return static_cast<std::size_t>(std::ranges::count_if(
      lines, [&](const std::string & line) { return line.find(part) != std::string::npos; }));
  }

  ScratchDir scratch_;
  fs::path keys_ = scratch_ / "keys";
  fs::path capture_ = scratch_ / "capture.pcap";
};

TEST_F(KeyLog, and_the_dissector_show_what_a_session_carries)
{
  for (const std::string aead : {"aesgcm", "chacha20poly1305"}) {
    std::ofstream(keys_, std::ios::trunc).flush();
    fly(aead);
    const auto lines = lines_of();
    if (lines.empty()) {
      GTEST_SKIP() << "this needs an interpreter of Lua";
    }
    EXPECT_EQ(count(lines, "ClientHello"), 2u) << aead;
    EXPECT_EQ(count(lines, "HelloRetry"), 1u);
    EXPECT_GE(count(lines, ": stream: Prekey, "), 1u);
    EXPECT_GE(count(lines, ": stream: Finish, "), 1u);
    EXPECT_GE(count(lines, ": CONFIRM "), 1u);
    EXPECT_GE(count(lines, ": LINK_REPORT "), 2u);
    EXPECT_EQ(count(lines, ": data, 9 bytes telemetry"), 1u);
    EXPECT_EQ(count(lines, ": data, 9 bytes a command"), 1u);
    EXPECT_EQ(count(lines, ": ECHO_REQ "), 1u);
    EXPECT_EQ(count(lines, ": ECHO_RSP "), 1u);
    EXPECT_EQ(count(lines, "not opened") + count(lines, "no key"), 0u) << aead;
    EXPECT_EQ(count(lines, "unknown"), 0u);
  }
}

TEST_F(KeyLog, without_its_keys_a_capture_shows_headers_only)
{
  fly("aesgcm");
  const auto lines = lines_of(false);
  if (lines.empty()) {
    GTEST_SKIP() << "this needs an interpreter of Lua";
  }
  EXPECT_EQ(count(lines, "ClientHello"), 2u);
  EXPECT_GE(count(lines, ": no key"), 10u);
  EXPECT_EQ(count(lines, "telemetry") + count(lines, "CONFIRM"), 0u);
}

TEST_F(KeyLog, of_ascon_is_written_but_not_used)
{
  fly("asconaead128");
  const auto lines = lines_of();
  if (lines.empty()) {
    GTEST_SKIP() << "this needs an interpreter of Lua";
  }
  EXPECT_GE(count(lines, ": not opened"), 10u);
}

TEST_F(KeyLog, is_written_only_where_the_variable_names_a_file)
{
  ::unsetenv("PQC_KEY_LOG");
  fly("aesgcm");
  EXPECT_FALSE(fs::exists(keys_));
  ::setenv("PQC_KEY_LOG", (scratch_ / "no/such/folder").c_str(), 1);
  fly("aesgcm");
}

TEST_F(KeyLog, shows_the_same_in_wireshark)
{
  if (!is_there("tshark")) {
    GTEST_SKIP() << "this needs tshark";
  }
  fly("aesgcm");
  const auto fields = [&](const std::vector<std::string> & more) {
    std::vector<std::string> words{
      "tshark", "-X", "lua_script:" + dissector, "-r", capture_.string()};
    words.insert(words.end(), more.begin(), more.end());
    return output_of(words);
  };
  const std::string text = fields({"-V", "-Y", "pqc_mav"});
  for (const char * part :
       {"PQC-MAV tunnel", "Type: ClientHello", "Key id: 0x", "Sequence (low 24 bits): 0",
        "Opened, tag not checked: CONFIRM", "Opened, tag not checked: stream: Prekey",
        "transaction: 7", "version: ", "Epoch: 0", "AEAD: AES-256-GCM"})
  {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_NE(
    fields({"-Y", "pqc_mav.kind == \"data\"", "-T", "fields", "-e", "pqc_mav.payload"})
      .find("74656c656d65747279"),
    std::string::npos);
  EXPECT_EQ(fields({"-Y", "!pqc_mav"}), "");
  EXPECT_EQ(text.find("Malformed"), std::string::npos);
  EXPECT_EQ(text.find("Lua Error"), std::string::npos);
}

}  // namespace
}  // namespace pqc_tunnel::test
