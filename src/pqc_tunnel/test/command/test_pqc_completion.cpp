// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>

#include "pqc_fixture.hpp"

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

class PqcCompletion : public PqcFixture
{
protected:
  PqcCompletion()
  {
    const auto programs = fs::read_symlink("/proc/self/exe").parent_path();
    ::setenv("PATH", (programs.string() + ":" + std::getenv("PATH")).c_str(), 1);
    ::setenv("HOME", scratch_.path().c_str(), 1);
    ::setenv("TERM", "dumb", 1);
    configure("gcs", gcs_settings());
  }

  static std::string words(std::vector<std::string> begun_and_before)
  {
    begun_and_before.insert(begun_and_before.begin(), "complete-words");
    return outcome(begun_and_before).output;
  }

  // What a shell prints, in a folder with one file.
  std::string output_of(const std::string & shell, std::vector<std::string> arguments) const
  {
    arguments.insert(arguments.begin(), {"-C", here_.string(), shell});
    Program program("/usr/bin/env", arguments);
    program.wait();
    EXPECT_EQ(program.errors(), "");
    return program.output();
  }

  static bool is_there(const std::string & shell)
  {
    return fs::exists("/usr/bin/" + shell) || fs::exists("/bin/" + shell);
  }

  const fs::path here_ = [this] {
    fs::create_directory(scratch_ / "here");
    scratch_.write("here/infile", "");
    return scratch_ / "here";
  }();
};

TEST_F(PqcCompletion, knows_what_a_word_may_become)
{
  EXPECT_NE(words({}).find("check\n"), std::string::npos);
  EXPECT_EQ(
    words({"", "identity"}), "init\nadd-drone\nanchor\nrotate\nrevoke\nexpire\nlist\ninspect\n");
  EXPECT_EQ(words({"in", "identity"}), "init\ninspect\n");
  EXPECT_EQ(words({"", "up"}), "gcs\n--help\n");
  EXPECT_EQ(words({"-", "up"}), "--help\n");
  EXPECT_EQ(words({"-", "show"}), "--help\n--json\n");
  EXPECT_EQ(words({"", "show", "gcs"}), "--help\n--json\n");
  EXPECT_EQ(words({"cs-mlkem768-aesgcm-ml", "rekey"}), "cs-mlkem768-aesgcm-mldsa65\n");
  // Files stand here.
  EXPECT_EQ(words({"", "check", "gcs", "--peer"}), "");
  EXPECT_EQ(words({"", "identity", "inspect"}), "");
  EXPECT_EQ(words({"--", "identity", "inspect"}), "--help\n");
}

TEST_F(PqcCompletion, works_in_bash)
{
  const auto completed = [&](const std::string & line) {
    return output_of(
      "bash", {"--norc", "-c",
               "source <(pqc completion bash); COMP_WORDS=(" + line +
                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
                 "_pqc pqc \"${COMP_WORDS[-1]}\"; echo \"${COMPREPLY[@]}\""});
  };
  EXPECT_EQ(completed("pqc identity in"), "init inspect\n");
  EXPECT_EQ(completed("pqc up ''"), "gcs --help\n");
  EXPECT_EQ(completed("pqc identity inspect ''"), "\n");
}

TEST_F(PqcCompletion, works_in_fish)
{
  if (!is_there("fish")) {
    GTEST_SKIP() << "this needs fish";
  }
  const auto completed = [&](const std::string & line) {
    return output_of(
      "fish",
      {"--no-config", "-c", "pqc completion fish | source; complete -C '" + line + "' | sort"});
  };
  EXPECT_EQ(completed("pqc identity in"), "init\ninspect\n");
  EXPECT_EQ(completed("pqc identity "), "add-drone\nanchor\ninit\ninspect\n");
  EXPECT_EQ(completed("pqc up "), "--help\ngcs\n");
  EXPECT_EQ(completed("pqc identity inspect "), "infile\n");
  EXPECT_EQ(completed("pqc check gcs --peer in"), "infile\n");
}

// Types a line and a tabulator into an interactive zsh after a set-up, and prints the line then.
constexpr const char * type_into_zsh = R"(
zmodload zsh/zpty
zpty shell zsh -f -i
wait_for()
{
  local all some
  while zpty -r shell some; do all+=$some; [[ $all == *$1* ]] && break; done
  print -r -- $all
}
zpty -w shell 'PS1=; unsetopt zle prompt_cr prompt_sp; print rea""dy'
wait_for ready >/dev/null
zpty -w shell $1
zpty -w shell 'show() { print -r -- "<<$BUFFER>>" }; zle -N show; bindkey "^X" show'
zpty -w shell 'unsetopt list_beep auto_list; unset zle_bracketed_paste; setopt zle; print don""e'
wait_for done >/dev/null
zpty -wn shell $2$'\t\x18'
shown=$(wait_for '>>')
print -r -- ${${shown#*<<}%>>*}
)";

TEST_F(PqcCompletion, works_in_zsh)
{
  if (!is_there("zsh")) {
    GTEST_SKIP() << "this needs zsh";
  }
  scratch_.write("here/_pqc", outcome({"completion", "zsh"}).output);
  const auto completed = [&](const std::string & setup, const std::string & line) {
    return output_of("zsh", {"-f", "-c", type_into_zsh, "zsh", setup, line});
  };
  const std::string sourced = "source <(pqc completion zsh)";
  EXPECT_EQ(completed(sourced, "pqc identity ins"), "pqc identity inspect \n");
  EXPECT_EQ(completed(sourced, "pqc up g"), "pqc up gcs \n");
  EXPECT_EQ(completed(sourced, "pqc identity inspect in"), "pqc identity inspect infile \n");
  EXPECT_EQ(completed(sourced, "pqc check gcs --p"), "pqc check gcs --peer \n");
  // Before and after zsh's own completion is set up, and from a folder.
  const std::string start = "autoload -Uz compinit; compinit -D; ";
  for (const auto & setup : {sourced, start + sourced, "fpath=($PWD $fpath); " + start}) {
    EXPECT_EQ(completed(setup, "pqc exp"), "pqc exposure \n") << setup;
  }
}

}  // namespace
}  // namespace pqc_tunnel
