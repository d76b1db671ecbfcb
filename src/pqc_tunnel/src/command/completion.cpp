// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <iostream>

#include "given.hpp"

namespace pqc_tunnel::cli
{

namespace
{

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

}  // namespace

Result<int> completion(const Given & given)
{
  const std::string & shell = given.words.front();
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

}  // namespace pqc_tunnel::cli
