// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iostream>

#include "crypto/suites/suite.hpp"
#include "subcommand.hpp"
#include "tunnels.hpp"

namespace pqc_tunnel::cli
{

namespace
{

using List = std::vector<std::string>;

// Each script asks `pqc complete-words` for the candidates for the word begun, after the words typed so far, and completes
// files where there are none.
constexpr const char * bash =
  R"(_pqc()
{
  local candidates
  candidates=$(pqc complete-words "$2" "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$2")
}
complete -o default -F _pqc pqc
)";
// It may be sourced, or lie in a folder of fpath, from which zsh loads and calls it at the first use.
constexpr const char * zsh =
  R"zsh(#compdef pqc
_pqc()
{
  local -a candidates
  candidates=(${(f)"$(pqc complete-words "$PREFIX" ${words[2,CURRENT-1]} 2>/dev/null)"})
  compadd -a candidates || _files
}
if [[ $funcstack[1] == _pqc ]]; then
  _pqc "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _pqc pqc
fi
)zsh";
constexpr const char * fish =
  R"(function __pqc_candidates
  set -l begun (commandline -ct)
  set -l typed (commandline -opc)
  set -l found (pqc complete-words "$begun" $typed[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\n' $found
  else
    __fish_complete_path "$begun"
  end
end
complete -c pqc -f -a '(__pqc_candidates)'
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

// For a word after a sub-command and these words.
List candidates(const Subcommand & one, const List & typed, const std::string & begun)
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
  const Words wanted = position < one.words.size() ? one.words[position] : Words::none;
  if (wanted == Words::files && !begun.starts_with('-')) {
    return {};
  }
  List list = candidates(wanted);
  list.insert(list.end(), one.options.begin(), one.options.end());
  list.insert(list.end(), one.flags.begin(), one.flags.end());
  list.emplace_back("--help");
  return list;
}

List candidates(const List & typed, const std::string & begun)
{
  List names;
  for (const Subcommand & one : subcommands()) {
    const auto space = one.name.find(' ');
    const std::string first = one.name.substr(0, space);
    const std::string second = space == std::string::npos ? "" : one.name.substr(space + 1);
    if (typed.empty() && std::ranges::find(names, first) == names.end()) {
      names.push_back(first);
    } else if (!typed.empty() && typed[0] == first && second.empty()) {
      return candidates(one, {typed.begin() + 1, typed.end()}, begun);
    } else if (typed.size() == 1 && typed[0] == first) {
      names.push_back(second);
    } else if (typed.size() > 1 && typed[0] == first && typed[1] == second) {
      return candidates(one, {typed.begin() + 2, typed.end()}, begun);
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

void print_candidates(const List & words)
{
  const std::string begun = words.empty() ? "" : words.front();
  const List typed(words.empty() ? words.end() : words.begin() + 1, words.end());
  for (const std::string & candidate : candidates(typed, begun)) {
    if (candidate.starts_with(begun)) {
      std::cout << candidate << "\n";
    }
  }
}

}  // namespace pqc_tunnel::cli
