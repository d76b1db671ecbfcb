// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "graph_watch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "findings.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr std::size_t remembered_statuses = 64;            // far more than are in transit at a time
constexpr Duration foreign_age = std::chrono::seconds(3);  // a tunnel publishes once a second
// The graph keeps a killed process for up to 20 s, beside its successor.
constexpr Duration server_patience = std::chrono::seconds(30);
constexpr Duration clock_patience = std::chrono::seconds(2);

constexpr const char * missing_clock =
  "use_sim_time is true, but no /clock arrives: the stamps of status, link and events stay 0, and "
  "policy and sensing wait for it. Datagrams and handshakes don't depend on it.";

}  // namespace

void GraphWatch::note_own_status(std::int64_t stamp_ns)
{
  if (!own_.empty() && own_.back() == stamp_ns) {
    return;
  }
  own_.push_back(stamp_ns);
  if (own_.size() > remembered_statuses) {
    own_.pop_front();
  }
}

void GraphWatch::handle_status(std::int64_t stamp_ns, Instant now)
{
  if (std::ranges::find(own_, stamp_ns) == own_.end()) {
    last_foreign_ = now;
  }
}

void GraphWatch::warn_if_new(bool & known, bool present, const std::string & sentence)
{
  if (!std::exchange(known, present) && present) {
    warnings_.push_back(sentence);
  }
}

void GraphWatch::handle_second(
  std::vector<std::string> publishers, std::size_t servers, bool simulated_time,
  std::int64_t ros_ns, Instant now)
{
  // The graph keeps a killed process for a while, so only messages prove a second tunnel.
  publishers_ = std::move(publishers);
  const bool second = last_foreign_ && now < *last_foreign_ + foreign_age;
  warn_if_new(second_tunnel_, second, second_tunnel());
  if (servers < 2) {
    single_server_ = now;
  }
  warn_if_new(second_server_, now > single_server_ + server_patience, second_server());
  if (!simulated_time || ros_ns != 0) {
    clock_gone_since_ = now;
  }
  warn_if_new(clock_missing_, now >= clock_gone_since_ + clock_patience, missing_clock);
}

std::string GraphWatch::second_server() const
{
  return rekey_service_ +
         " is also served by another node: a second tunnel, or a program in its place. A caller "
         "may get the "
         "answer of either.";
}

std::string GraphWatch::second_tunnel() const
{
  std::vector<std::string> others = publishers_;
  if (const auto own = std::ranges::find(others, self_); own != others.end()) {
    others.erase(own);
  }
  const std::string name = others.empty()            ? "another node"
                           : others.front() == self_ ? "another " + self_
                                                     : others.front();
  return status_topic_ + " is also published by " + name +
         ": two tunnels on one ROS graph. Give one of them another namespace or ROS_DOMAIN_ID.";
}

std::optional<std::string> GraphWatch::take_warning()
{
  if (warnings_.empty()) {
    return std::nullopt;
  }
  std::string first = std::move(warnings_.front());
  warnings_.pop_front();
  return first;
}

Diagnosis GraphWatch::diagnose() const
{
  Findings findings;
  findings.add(Diagnosis::Level::ok, "This is the only tunnel on " + status_topic_ + ".");
  if (second_tunnel_) {
    findings.add(Diagnosis::Level::warning, second_tunnel());
  }
  if (second_server_) {
    findings.add(Diagnosis::Level::warning, second_server());
  }
  if (clock_missing_) {
    findings.add(Diagnosis::Level::warning, missing_clock);
  }
  return {findings.level(), findings.text(), {}};
}

}  // namespace pqc_tunnel
