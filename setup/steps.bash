# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# Long steps: progress on the screen, output in a log file, one clear sentence at the end.

say() { printf '%s\n' "$*" >&2; }
die() { say "dev: $*"; exit 1; }

# step TEXT COMMAND...: runs a command with its output in a log file; shows the end of it on failure.
step()
{
  local text=$1 log start=$SECONDS clock ticker code=0 cause
  shift
  mkdir -p "$LOG"
  log=$LOG/$(printf '%s' "$text" | tr -cs '[:alnum:]' '-').txt
  : >"$log"
  printf '  %-48s' "$text" >&2
  exec {clock}> >(show_progress "$text" "$log")
  ticker=$!
  "$@" >"$log" 2>&1 </dev/null {clock}>&- || code=$?
  exec {clock}>&-
  wait "$ticker" || true
  if on_terminal; then printf '\r\033[K  %-48s' "$text" >&2; fi
  if [ "$code" = 0 ]; then
    say "done ($((SECONDS - start)) s)"
    return
  fi
  say "failed"
  tail -n 25 "$log" >&2
  cause=$(likely_cause "$log")
  [ -z "$cause" ] || say "dev: $cause"
  die "'$text' failed; the whole output is in ${log#"$ROOT/"}"
}

on_terminal() { [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; }

# show_progress TEXT LOG: updates the line each second on a terminal, and adds to it each minute
# elsewhere, until its input ends. (A signal could meet it before it has left the traps of its parent.)
show_progress()
{
  local seconds=0
  until read -r -t 1 || [ $? -lt 128 ]; do
    seconds=$((seconds + 1))
    if on_terminal; then
      printf '\r  %-48s%s\033[K' "$1" "$seconds s $(progress_of "$2")" >&2
    elif [ $((seconds % 60)) = 0 ]; then
      printf '%s' "$((seconds / 60)) min " >&2
    fi
  done
}

# progress_of LOG: prints colcon's and ninja's place, such as "8 of 21: pqc_tunnel 57/214". Of two
# packages that are built at once it names the one that started last.
progress_of()
{
  awk '
    /^packages: / { total = $2 }
    /^Starting >>> / { started++; package = $3; part = "" }
    /^\[[0-9]+\/[0-9]+\] / { part = substr($1, 2, length($1) - 2) }
    END { if (started) printf "  %d of %d: %s %s", started, total, package, part
          else if (part) print " " part }' "$1" 2>/dev/null
}

# likely_cause LOG: names the cause of a failure that the user can remove; otherwise nothing.
likely_cause()
{
  if grep -qiE 'no space left on device' "$1"; then
    echo "the disk is full: $(df -h --output=avail,target "$DEV" | tail -n 1 | xargs printf '%s are free on %s')"
  elif grep -q 'apt-get update --error-on=any' "$1"; then
    echo "the packages of that system cannot be fetched: the archive cannot be reached, or nothing here can check its signature"
  elif grep -qiE 'temporary failure (in name )?resol|could ?n.t resolve|connection (timed out|refused)|network is unreachable' "$1"; then
    echo "a server cannot be reached: check the network, then run the same command again; it continues from here"
  elif grep -qiE 'killed signal terminated program|out of memory|cannot allocate memory' "$1"; then
    echo "the machine ran out of memory: close other programs, or set MAKEFLAGS=-j1"
  fi
}

STARTED=()
# in_background NICENESS COMMAND...: starts a command in a process group of its own (BACKGROUND),
# which ends with this shell.
in_background()
{
  local niceness=$1
  shift
  OWNER=$BASHPID
  # A child that is ended as soon as it is forked still has this trap, and there bash would wait at a command for a
  # process that the child does not know.
  trap '[[ $BASHPID != "$OWNER" ]] || stop_background' EXIT
  set -m
  {
    [ "$niceness" = 0 ] || renice -n "$niceness" "$BASHPID" >/dev/null
    "$@"
  } </dev/null &
  BACKGROUND=$!
  STARTED+=("-$BACKGROUND")
  set +m
}

stop_background() { kill -TERM -- "${STARTED[@]}" 2>/dev/null || true; }

# Called when a signal ends ./dev while a step runs.
interrupted()
{
  trap - INT TERM HUP
  exec 2>&"$STDERR"
  say ""
  say "dev: interrupted; the same command continues from here"
  exit 130
}

# alone COMMAND...: runs a function while no other ./dev changes .dev/.
alone()
{
  make_dev_folder
  (
    exec {lock}>"$DEV/lock"
    # What an interrupted command has started holds the lock until it has ended, too.
    flock --timeout 2 "$lock" || { say "dev: another ./dev sets up or builds this checkout; waiting for it" && flock "$lock"; }
    "$@"
  ) || exit
}

# The message generators of ROS take paths apart at other characters.
buildable_path()
{
  [[ $ROOT =~ ^[A-Za-z0-9/._+@~-]+$ ]] ||
    die "ROS cannot build in '$ROOT': move the checkout to a path of plain letters, digits and ._+@~-"
}

make_dev_folder()
{
  mkdir -p "$DEV" "$LOG" 2>/dev/null && touch "$DEV/COLCON_IGNORE" 2>/dev/null ||
    die "$ROOT is not writable; ./dev keeps its files in .dev/ there"
}
