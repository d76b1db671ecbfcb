// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "companions.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "findings.hpp"

namespace pqc_tunnel
{

namespace
{

using Level = Diagnosis::Level;

constexpr Duration mavlink_silence =
  std::chrono::seconds(3);  // an autopilot has a heartbeat each second
constexpr Duration policy_start = std::chrono::seconds(30);  // enough for a slow computer

std::string age_text(const std::optional<Instant> & last, Instant now)
{
  return last ? decimal(in_seconds(now - *last), 1) : "never";
}

}  // namespace

void Companions::handle_mavlink(std::uint64_t packets, Instant now)
{
  if (packets != packets_) {
    packets_ = packets;
    last_mavlink_ = now;
  }
}

bool Companions::policy_is_silent(Instant now) const
{
  return last_decision_ ? now - *last_decision_ > policy_silence
                        : expects_policy_ && now - start_ > policy_start;
}

std::optional<PolicyNotice> Companions::take_policy_notice(Instant now)
{
  const bool silent = policy_is_silent(now);
  if (!std::exchange(told_silence_, silent) && !silent) {
    return std::nullopt;
  }
  return PolicyNotice{silent, armed_};
}

Diagnosis Companions::diagnose(Instant now) const
{
  Findings findings;
  findings.add(
    Level::ok, last_mavlink_ ? "MAVLink comes in from this machine."
                             : "No MAVLink has come in from this machine yet.");
  if (last_mavlink_ && now - *last_mavlink_ > mavlink_silence) {
    const bool armed = armed_.value_or(false);
    findings.add(
      armed ? Level::error : Level::warning,
      "No MAVLink from this machine for " + decimal(in_seconds(now - *last_mavlink_), 1) + " s" +
        (armed ? " while the vehicle is armed" : "") + ": has MAVROS or the router ended?");
  }
  if (policy_is_silent(now)) {
    findings.add(
      armed_.value_or(true) ? Level::error : Level::warning,
      "The policy " +
        (last_decision_
           ? "has been silent for " + decimal(in_seconds(now - *last_decision_), 1) + " s"
           : "has not decided since the start") +
        (armed_.value_or(false) ? " while the vehicle is armed" : "") +
        ": nothing adapts the suite.");
  }
  return {
    findings.level(),
    findings.text(),
    {{"MAVLink age (s)", age_text(last_mavlink_, now)},
     {"policy decision age (s)", age_text(last_decision_, now)},
     {"armed", armed_ ? (*armed_ ? "yes" : "no") : "unknown"}}};
}

}  // namespace pqc_tunnel
