// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <fstream>
#include <regex>

#include "identity/pairing.hpp"
#include "pqc_fixture.hpp"

// A drone's keys on their way from the ground station to the drone.

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

std::string contents(const fs::path & path)
{
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string number_in(const std::string & output)
{
  std::smatch found;
  const std::regex number("Number to compare: ([0-9]{4}-[0-9]{4}-[0-9]{4})");
  return std::regex_search(output, found, number) ? found[1].str() : "none";
}

class PqcPair : public PqcFixture
{
protected:
  void SetUp() override
  {
    ASSERT_EQ(
      outcome({"identity", "init", "--out", keys_.string(), "--drone", "alpha", "--signatures",
               "mldsa44", "--anchor", "none"})
        .code,
      0);
  }
  Outcome seal(const std::string & drone)
  {
    fs::remove(code_);
    return outcome(
      {"pair", drone, "--out", keys_.string(), "--anchor", "none", "--code", code_.string()});
  }
  Outcome take(const std::string & drone)
  {
    return outcome(
      {"pair", "--take", (keys_ / (drone + ".pair")).string(), "--identity", taken_.string(),
       "--code", code_.string()});
  }
  Outcome match()
  {
    return outcome({"identity", "inspect", taken_.string(), (keys_ / "gcs").string()});
  }

  const fs::path keys_ = scratch_ / "keys";
  const fs::path code_ = scratch_ / "code";
  const fs::path taken_ = scratch_ / "drone";
};

TEST_F(PqcPair, brings_the_keys_of_a_new_drone_to_it_and_both_ends_show_one_number)
{
  const Outcome sealed = seal("beta");
  ASSERT_EQ(sealed.code, 0) << sealed.errors;
  const Outcome taken = take("beta");
  ASSERT_EQ(taken.code, 0) << taken.errors;
  EXPECT_NE(number_in(sealed.output), "none");
  EXPECT_EQ(number_in(taken.output), number_in(sealed.output));
  EXPECT_EQ(match().code, 0) << match().output;
  const std::string listed = outcome({"identity", "list", (keys_ / "gcs").string()}).output;
  EXPECT_NE(listed.find("beta: number 1, code " + number_in(sealed.output)), std::string::npos)
    << listed;
  EXPECT_EQ(
    outcome({"identity", "list", taken_.string()}).output,
    "beta: code " + number_in(sealed.output) + "\n");
}

TEST_F(PqcPair, shows_nothing_secret_but_to_the_owner_of_the_code)
{
  const Outcome sealed = seal("alpha");
  ASSERT_EQ(sealed.code, 0) << sealed.errors;
  const std::string code = contents(code_);
  EXPECT_EQ(code.size(), 39u);
  EXPECT_EQ(fs::status(code_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  for (const std::string & shown : {sealed.output, sealed.errors, take("alpha").output}) {
    EXPECT_EQ(shown.find(code.substr(0, 4)), std::string::npos) << shown;
  }
  const std::string identity = contents(keys_ / "alpha/drone.identity");
  const std::string psk = identity.substr(44, 32);
  EXPECT_NE(identity.find(psk), std::string::npos);
  EXPECT_EQ(contents(keys_ / "alpha.pair").find(psk), std::string::npos);
}

TEST_F(PqcPair, without_a_terminal_or_a_file_for_the_code_leaves_nothing)
{
  // setsid: a test at a terminal has one, too.
  Program pairing(
    "/usr/bin/setsid",
    {"--wait", (fs::read_symlink("/proc/self/exe").parent_path() / "pqc").string(), "pair", "alpha",
     "--out", keys_.string()});
  EXPECT_EQ(pairing.wait(), 1);
  EXPECT_EQ(
    pairing.errors(),
    "pqc: The code is shown and typed at a terminal, and this process has none: use one, or "
    "--code.\n");
  EXPECT_FALSE(fs::exists(keys_ / "alpha.pair"));
}

TEST_F(PqcPair, shows_the_code_at_the_terminal_as_text_too)
{
  const std::string pqc = (fs::read_symlink("/proc/self/exe").parent_path() / "pqc").string();
  Program terminal(
    "/usr/bin/script",
    {"--quiet", "--return", "--command", pqc + " pair alpha --out " + keys_.string(), "/dev/null"});
  ASSERT_EQ(terminal.wait(), 0) << terminal.output();
  std::smatch found;
  const std::string output = terminal.output();
  ASSERT_TRUE(std::regex_search(output, found, std::regex("([0-9A-Z]{4}-){7}[0-9A-Z]{4}")))
    << output;
  const auto code = read_code(found[0].str());
  ASSERT_TRUE(code);
  EXPECT_TRUE(take_identity(keys_ / "alpha.pair", taken_, *code));
  EXPECT_EQ(match().code, 0);
}

TEST_F(PqcPair, opens_a_file_with_its_own_code_only_and_only_unchanged)
{
  ASSERT_EQ(seal("alpha").code, 0);
  const fs::path file = keys_ / "alpha.pair";
  const std::string sealed = contents(file);
  const auto expect_refused = [&](const std::string & bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
    const Outcome refused = take("alpha");
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(std::ranges::count(refused.errors, '\n'), 1) << refused.errors;
    EXPECT_FALSE(fs::exists(taken_));
  };
  for (const std::size_t at :
       {std::size_t{4}, std::size_t{5}, sealed.size() / 2, sealed.size() - 1}) {
    std::string changed = sealed;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    expect_refused(changed);
  }
  expect_refused(sealed.substr(0, sealed.size() - 1));
  expect_refused("");
  const std::string first = contents(code_);
  ASSERT_EQ(seal("alpha").code, 0);
  EXPECT_NE(contents(code_), first);
  expect_refused(sealed);  // its code was another one
  expect_refused(contents(keys_ / "alpha/drone.identity"));
}

TEST_F(PqcPair, replaces_the_keys_of_the_same_drone_and_no_others)
{
  ASSERT_EQ(seal("alpha").code, 0);
  ASSERT_EQ(take("alpha").code, 0);
  ASSERT_EQ(outcome({"identity", "rotate", "--out", keys_.string(), "--drone", "alpha"}).code, 0);
  ASSERT_EQ(seal("alpha").code, 0);
  const Outcome again = take("alpha");
  EXPECT_EQ(again.code, 0) << again.errors;
  EXPECT_EQ(match().code, 0) << match().output;
  EXPECT_TRUE(fs::exists(taken_ / "former/drone.identity"));
  ASSERT_EQ(seal("beta").code, 0);
  EXPECT_EQ(take("beta").code, 1);
  EXPECT_EQ(match().code, 0);
}

TEST_F(PqcPair, wants_a_code_file_that_nobody_else_reads)
{
  ASSERT_EQ(seal("alpha").code, 0);
  fs::permissions(code_, fs::perms::group_read, fs::perm_options::add);
  EXPECT_EQ(
    take("alpha").errors,
    "pqc: " + code_.string() + " has mode 0640, but holds a secret and must have mode 0600.\n");
}

TEST_F(PqcPair, says_what_is_missing)
{
  expect_failure({"pair"}, 2, "Name a drone, and the folder of keys: --out.");
  expect_failure(
    {"pair", "--take", "x.pair"}, 2, "Name the folder for the drone's keys: --identity.");
}

TEST(PairingCodes, are_read_as_people_type_them)
{
  PairingCode code;
  std::uint8_t byte = 0;
  for (std::uint8_t & one : code.span()) {
    one = static_cast<std::uint8_t>(byte++ * 37);
  }
  const SecretBytes shown = shown_code(code);
  std::string text(shown.view().begin(), shown.view().end());
  EXPECT_EQ(std::ranges::count(text, '-'), 7);
  const auto same = [&](const std::string & typed) {
    const auto read = read_code(typed);
    return read && std::ranges::equal(read->view(), code.view());
  };
  EXPECT_TRUE(same(text));
  std::string small;
  for (const char c : text) {
    small += c == '-' ? ' ' : c == '0' ? 'o' : c == '1' ? 'l' : static_cast<char>(std::tolower(c));
  }
  EXPECT_TRUE(same(" " + small + "\n"));
  EXPECT_FALSE(same(text.substr(1)));
  EXPECT_FALSE(read_code(text.substr(1)));
  EXPECT_FALSE(read_code(text + "A"));
  EXPECT_FALSE(read_code(""));
  text[0] = '!';
  EXPECT_FALSE(read_code(text));
}

}  // namespace
}  // namespace pqc_tunnel
