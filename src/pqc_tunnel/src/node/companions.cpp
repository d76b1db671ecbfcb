// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "companions.hpp"

#include <chrono>
#include <string>

#include "findings.hpp"

namespace pqc_tunnel
{

namespace
{

using Level = Diagnosis::Level;

constexpr Duration policy_silence = std::chrono::seconds(5);  // it decides once a second

std::string age_text(const std::optional<Instant> & last, Instant now)
{
  return last ? decimal(seconds(now - *last), 1) : "never";
}

}  // namespace

void Companions::handle_mavlink(std::uint64_t packets, Instant now)
{
  if (packets != packets_) {
    packets_ = packets;
    last_mavlink_ = now;
  }
}

Diagnosis Companions::diagnose(Instant now) const
{
  Findings findings;
  findings.add(
    Level::ok, last_mavlink_ ? "MAVLink comes in from this machine."
                             : "No MAVLink has come in from this machine yet.");
  if (last_mavlink_ && mavlink_silence_ > Duration{} && now - *last_mavlink_ > mavlink_silence_) {
    const bool armed = armed_.value_or(false);
    findings.add(
      armed ? Level::error : Level::warning,
      "No MAVLink from this machine for " + decimal(seconds(now - *last_mavlink_), 1) + " s" +
        (armed ? " while the vehicle is armed" : "") + ": has MAVROS or the router ended?");
  }
  if (last_decision_ && now - *last_decision_ > policy_silence) {
    findings.add(
      Level::warning, "The policy has been silent for " +
                        decimal(seconds(now - *last_decision_), 1) +
                        " s: nothing adapts the suite.");
  }
  return {
    findings.level(),
    findings.text(),
    {{"MAVLink age (s)", age_text(last_mavlink_, now)},
     {"policy decision age (s)", age_text(last_decision_, now)},
     {"armed", armed_ ? (*armed_ ? "yes" : "no") : "unknown"}}};
}

}  // namespace pqc_tunnel
