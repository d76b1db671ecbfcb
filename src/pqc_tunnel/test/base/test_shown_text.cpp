// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "base/result.hpp"
#include "base/shown_text.hpp"
#include "command_line/json_writer.hpp"
#include "command_line/shown_streams.hpp"
#include "support/hex.hpp"

namespace pqc_tunnel
{
namespace
{

TEST(ShownText, is_as_in_the_table_that_python_shares)
{
  std::ifstream table(std::string(PQC_TUNNEL_TEST_VECTORS) + "/shown_text.tsv");
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) {
      continue;
    }
    const auto tab = line.find('\t');
    const Bytes bytes = test::from_hex(line.substr(0, tab));
    EXPECT_EQ(shown({bytes.begin(), bytes.end()}), line.substr(tab + 1));
    ++rows;
  }
  EXPECT_EQ(rows, 17);
}

TEST(ShownText, is_cut_at_a_whole_character)
{
  EXPECT_EQ(shown(std::string(most_shown, 'a')), std::string(most_shown, 'a'));
  EXPECT_EQ(shown(std::string(most_shown + 1, 'a')), std::string(most_shown, 'a') + "…");
  EXPECT_EQ(shown("abc€", 4), "abc…");
  EXPECT_EQ(shown("abc\n", 4), "abc…");
}

TEST(ShownText, own_lines_may_be_several)
{
  EXPECT_EQ(shown_lines("one\n\ttwo\x1b[2J\r\n"), "one\n\ttwo\\x1b[2J\\r\n");
}

// Nothing that a terminal acts upon, in whatever bytes.
bool is_harmless(const std::string & text)
{
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return false;
    }
  }
  return shown(text) == text;
}

std::string random_text(std::mt19937 & random)
{
  std::string text(random() % 60, '\0');
  for (char & c : text) {
    constexpr std::string_view likely = "\x1b\n\r\x9b\x85\xc2\xe2\x80\xa8\xae\"\\]0;m\x07";
    c = random() % 3 == 0 ? static_cast<char>(random()) : likely[random() % likely.size()];
  }
  return text;
}

TEST(ShownText, every_outlet_lets_random_bytes_pass_as_one_harmless_line)
{
  std::mt19937 random(7);
  for (int round = 0; round < 5000; ++round) {
    const std::string text = random_text(random);
    EXPECT_TRUE(is_harmless(shown(text)));
    EXPECT_TRUE(is_harmless(Error(ErrorCode::internal, text).message));
    EXPECT_TRUE(is_harmless(fail(ErrorCode::internal, text).value().message));
    const std::string json = cli::JsonWriter::object().text(text, text).str();
    EXPECT_TRUE(is_harmless(json)) << json;
    std::ostringstream terminal;
    {
      const cli::ShownStream stream(terminal);
      terminal << text << std::flush << text;
    }
    const std::string passed = terminal.str();
    EXPECT_EQ(shown_lines(passed), passed);
    EXPECT_EQ(passed.find('\x1b'), std::string::npos);
    ASSERT_FALSE(HasFailure()) << test::to_hex(Bytes(text.begin(), text.end()));
  }
}

}  // namespace
}  // namespace pqc_tunnel
