// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iostream>

#include "pqc_tunnel/crypto/suite.hpp"
#include "subcommand.hpp"
#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

namespace
{

using List = std::vector<std::string>;

// Each script asks `pqc complete-words` for the candidates after the words typed so far.
constexpr const char * bash =
  R"(_pqc()
{
  local candidates
  candidates=$(pqc complete-words "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _pqc pqc
)";
constexpr const char * zsh =
  R"zsh(#compdef pqc
_pqc()
{
  local -a candidates
  candidates=(${(f)"$(pqc complete-words ${words[2,CURRENT-1]} 2>/dev/null)"})
  compadd -a candidates || _files
}
compdef _pqc pqc
)zsh";
constexpr const char * fish =
  R"(complete -c pqc -a '(pqc complete-words (commandline -opc)[2..-1] 2>/dev/null)'
)";

void append(List & to, const List & from) { to.insert(to.end(), from.begin(), from.end()); }

List candidates(Words words)
{
  List list;
  if (words == Words::configured) {
    append(list, configured_tunnels());
  }
  if (words == Words::running || words == Words::running_or_suites) {
    append(list, running_tunnels().value_or(List()));
  }
  if (words == Words::suites || words == Words::running_or_suites) {
    for (const Suite & suite : registry().all()) {
      list.emplace_back(suite.id);
    }
  }
  if (words == Words::roles) {
    list = {"drone", "gcs"};
  }
  if (words == Words::shells) {
    list = {"bash", "zsh", "fish"};
  }
  return list;
}

// After a sub-command and these words.
List candidates(const Subcommand & one, const List & typed)
{
  std::size_t position = 0;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (one.options.contains(typed[i])) {
      if (++i == typed.size()) {
        return {};  // the value of an option: the shell completes files
      }
    } else if (!typed[i].starts_with('-')) {
      ++position;
    }
  }
  List list = position < one.words.size() ? candidates(one.words[position]) : List();
  list.insert(list.end(), one.options.begin(), one.options.end());
  list.insert(list.end(), one.flags.begin(), one.flags.end());
  list.emplace_back("--help");
  return list;
}

List candidates(const List & typed)
{
  List names;
  for (const Subcommand & one : subcommands()) {
    const auto space = one.name.find(' ');
    const std::string first = one.name.substr(0, space);
    const std::string second = space == std::string::npos ? "" : one.name.substr(space + 1);
    if (typed.empty() && std::ranges::find(names, first) == names.end()) {
      names.push_back(first);
    } else if (!typed.empty() && typed[0] == first && second.empty()) {
      return candidates(one, {typed.begin() + 1, typed.end()});
    } else if (typed.size() == 1 && typed[0] == first) {
      names.push_back(second);
    } else if (typed.size() > 1 && typed[0] == first && typed[1] == second) {
      return candidates(one, {typed.begin() + 2, typed.end()});
    }
  }
  if (typed.empty()) {
    append(names, {"--help", "--version"});
  }
  return names;
}

}  // namespace

Result<int> completion(const Arguments & arguments)
{
  const List & words = arguments.rest();
  const std::string shell = words.empty() ? "" : words.front();
  if (shell == "bash") {
    std::cout << bash;
  } else if (shell == "zsh") {
    std::cout << zsh;
  } else if (shell == "fish") {
    std::cout << fish;
  } else {
    return fail(ErrorCode::invalid_argument, "Name a shell: pqc completion bash|zsh|fish.");
  }
  return exit_success;
}

void print_candidates(const List & typed)
{
  for (const std::string & candidate : candidates(typed)) {
    std::cout << candidate << "\n";
  }
}

}  // namespace pqc_tunnel::cli
