// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "path_health.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{
namespace
{

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration idle_interval = seconds(1);
constexpr int patient_intervals = 3;  // without a frame or an answer
// So many intervals without an answer while frames arrive mean that the other direction fails.
constexpr int answer_intervals = 6;
constexpr Duration one_way_patience = seconds(1);
constexpr Duration stable_time = seconds(1);  // for which a path that was down must answer
constexpr int stable_answers = 3;

}  // namespace

PathHealth::PathHealth(const Settings & settings, Instant now)
: settings_(settings), since_(now), expected_from_(now)
{
}

[[gnu::hot]] void PathHealth::handle_frame(Instant now)
{
  heard_ = now;
  spoken_before_ = std::exchange(spoken_, now);
  if (!settings_.probed && present_) {
    enter(PathState::up, now);
  }
}

bool PathHealth::handle_answer(std::uint64_t nonce, Instant now)
{
  const auto known = std::ranges::find_if(
    probes_, [nonce](const Probe & probe) { return !probe.answered && probe.nonce == nonce; });
  if (known == probes_.end() || !present_) {
    return false;
  }
  known->answered = true;
  const Duration sample = now - known->sent;
  rtt_ = rtt_ ? (*rtt_ * 7 + sample) / 8 : sample;
  answered_ = now;
  heard_ = now;
  spoken_ = std::min(spoken_, spoken_before_);
  if (state_ == PathState::down) {
    enter(PathState::probing, now);
  }
  ++answers_;
  const bool stable = answers_ >= stable_answers && now >= since_ + stable_time;
  if (state_ == PathState::probing && (stable || !was_up_)) {
    enter(PathState::up, now);
  }
  return true;
}

void PathHealth::handle_link_down()
{
  present_ = false;
  state_ = PathState::down;
}

void PathHealth::handle_link_up(Instant now)
{
  if (present_) {
    return;
  }
  present_ = true;
  last_probe_.reset();
  enter(PathState::probing, now);
}

void PathHealth::watch_closely(bool close, Instant now)
{
  if (close == close_) {
    return;
  }
  close_ = close;
  if (close) {
    expected_from_ = now + rtt_margin();
  }
}

[[gnu::hot]] void PathHealth::enter(PathState state, Instant now)
{
  if (state == state_) {
    return;
  }
  state_ = state;
  since_ = now;
  answers_ = 0;
  was_up_ = was_up_ || state == PathState::up;
}

void PathHealth::handle_timeout(Instant now)
{
  if (now >= deadline()) {
    enter(PathState::down, now);
  }
}

Instant PathHealth::next_timeout() const { return std::min(deadline(), next_probe()); }

bool PathHealth::is_quick() const { return state_ == PathState::probing || is_watched(); }

Duration PathHealth::interval() const
{
  const Duration wanted =
    is_quick() ? settings_.failover / patient_intervals : Duration(idle_interval);
  return std::max(wanted, is_watched() ? settings_.least_watch_interval : settings_.least_interval);
}

// Returns how often a path that is not silent is probed.
Duration PathHealth::asking_interval() const
{
  return is_watched() && is_thin() ? std::max<Duration>(idle_interval, settings_.least_interval)
                                   : interval();
}

// Returns how long the first answer may take.
Duration PathHealth::rtt_margin() const { return rtt_.value_or(Duration{}) * 3 / 2; }

Duration PathHealth::answer_patience() const
{
  return std::max<Duration>(one_way_patience, answer_intervals * asking_interval());
}

// Returns when the path goes down if nothing arrives until then.
Instant PathHealth::deadline() const
{
  if (!present_ || state_ == PathState::down) {
    return Instant::max();
  }
  const Instant start = std::max(since_, expected_from_);
  const Instant answered = std::max(answered_.value_or(start), start) + answer_patience();
  const Instant heard = std::max(heard_.value_or(start), start);
  if (state_ == PathState::probing && !was_up_) {
    return (settings_.probed ? answered : heard) + patient_intervals * idle_interval;
  }
  Instant silent = heard + patient_intervals * interval();
  if (state_ == PathState::probing) {
    silent += rtt_margin();
  } else if (is_thin()) {
    // The first question about a silence needs time to be answered.
    silent = std::max(silent, asking_since_ + rtt_margin());
  }
  return settings_.probed ? std::min(silent, answered) : silent;
}

[[gnu::hot]] Instant PathHealth::next_probe() const
{
  if (!settings_.probed || !present_) {
    return Instant::max();
  }
  if (!last_probe_) {
    return since_;
  }
  const Instant regular = *last_probe_ + asking_interval();
  return is_watched() && heard_ ? std::min(regular, next_question()) : regular;
}

// Returns when a closely watched path is probed because it is silent, twice as often as usual. A thin link is probed so
// often only as long as the peer sends frames of its own.
Instant PathHealth::next_question() const
{
  const Duration quick =
    std::max(settings_.failover / (2 * patient_intervals), settings_.least_watch_interval);
  const Instant about_silence = std::max(*last_probe_ + quick, *heard_ + interval());
  return is_thin() ? std::min(about_silence, std::max(*last_probe_, spoken_) + interval())
                   : about_silence;
}

[[gnu::hot]] std::optional<std::uint64_t> PathHealth::take_probe(RandomSource & random, Instant now)
{
  if (now < next_probe()) {
    return std::nullopt;
  }
  if (!last_probe_ || now > *last_probe_ + 2 * interval()) {
    asking_since_ = now;
  }
  last_probe_ = now;
  Probe & probe = probes_[sent_++ % probes_.size()];
  probe = {draw<std::uint64_t>(random), now, false};
  return probe.nonce;
}

double PathHealth::loss(Instant now) const
{
  const Duration patience = std::max<Duration>(milliseconds(500), 2 * rtt_.value_or(Duration{}));
  std::size_t asked = 0;
  std::size_t lost = 0;
  for (std::size_t i = 0; i < std::min(sent_, probes_.size()); ++i) {
    const bool overdue = now >= probes_[i].sent + patience;
    asked += probes_[i].answered || overdue ? 1 : 0;
    lost += !probes_[i].answered && overdue ? 1 : 0;
  }
  return asked == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(asked);
}

}  // namespace pqc_tunnel
