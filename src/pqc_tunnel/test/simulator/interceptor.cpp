// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/interceptor.hpp"

#include <algorithm>

#include "protocol/hello_messages.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr Duration longest_rule = 12s;
constexpr std::size_t most_rules = 4;
constexpr std::size_t most_held = 50;
constexpr std::size_t control_frame = 100;  // bytes; no part of a key is as short
constexpr std::size_t key_part = 300;

}  // namespace

void Interceptor::plan()
{
  for (Rule & rule : rules_) {
    if (pair_.now() >= rule.until) {
      release(rule);
    }
  }
  std::erase_if(rules_, [this](const Rule & rule) { return pair_.now() >= rule.until; });
  if (!active_ || rules_.size() >= most_rules || !chance(0.05)) {
    return;
  }
  // What goes under the keys in use he rather holds, and what comes under new ones he rather drops.
  const Side from = chance(0.5) ? Side::drone : Side::gcs;
  const auto & seen = seen_[from];
  Rule rule;
  rule.from = from;
  rule.hellos = chance(0.1);
  rule.of_others = seen.empty() || chance(0.5);
  rule.keys = seen;
  if (!rule.of_others) {
    rule.keys = {seen.back()};
  }
  rule.hold = chance(rule.of_others ? 0.3 : 0.8);
  if (chance(0.5)) {
    rule.most = chance(0.5) ? control_frame : SIZE_MAX;
    rule.least = rule.most == SIZE_MAX ? key_part : 0;
  }
  rule.until = pair_.now() + std::chrono::duration_cast<Duration>(longest_rule * dice_.uniform());
  journal_.note(
    pair_.now(), std::string("somebody ") + (rule.hold ? "holds" : "drops") +
                   (from == Side::drone ? " what the drone sends" : " what the ground sends") +
                   (rule.hellos      ? ": hellos"
                    : rule.of_others ? " under later keys"
                                     : " under the newest keys"));
  rules_.push_back(std::move(rule));
}

bool Interceptor::is_of(const Rule & rule, Side from, const Bytes & datagram) const
{
  if (
    rule.from != from || datagram.size() < rule.least || datagram.size() > rule.most ||
    is_hello(datagram) != rule.hellos || pair_.now() >= rule.until)
  {
    return false;
  }
  const auto header = decode_frame_header(datagram);
  return rule.hellos ||
         (header && std::ranges::count(rule.keys, header->key_id) == (rule.of_others ? 0 : 1));
}

bool Interceptor::takes(Side from, const Bytes & datagram, const Endpoint & address)
{
  if (!active_) {
    return false;
  }
  auto & seen = seen_[from];
  const auto header = is_hello(datagram) ? std::nullopt : decode_frame_header(datagram);
  if (header && std::ranges::find(seen, header->key_id) == seen.end()) {
    seen.push_back(header->key_id);
  }
  for (Rule & rule : rules_) {
    if (is_of(rule, from, datagram)) {
      if (rule.hold && rule.held.size() < most_held) {
        rule.held.emplace_back(datagram, address);
      }
      return true;
    }
  }
  return false;
}

void Interceptor::release(Rule & rule)
{
  const bool copies = chance(0.2);
  for (auto & [datagram, address] : rule.held) {
    if (is_data_(rule.from, datagram)) {
      continue;
    }
    if (copies) {
      pair_.deliver_later(other(rule.from), datagram, WiredPair::stranger(), 1ms);
    }
    pair_.deliver_later(other(rule.from), std::move(datagram), address, 2ms);
  }
  rule.held.clear();
}

void Interceptor::stop()
{
  for (Rule & rule : rules_) {
    release(rule);
  }
  rules_.clear();
  active_ = false;
}

}  // namespace pqc_tunnel::test
