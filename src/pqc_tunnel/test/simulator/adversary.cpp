// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/adversary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "protocol/wire/control_frame.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::array kind_names = {"hello",  "data",     "question", "answer",
                                   "report", "exchange", "stream",   "other"};
constexpr std::array key_names = {"boot", "former", "live", "next"};
constexpr std::array action_names = {"drop", "hold", "trickle", "stretch", "copy", "readdress"};

template <class Names>
unsigned bit_of(const Names & names, std::string_view name)
{
  const auto found = std::ranges::find(names, name);
  return 1u << static_cast<unsigned>(found - names.begin());
}

template <class Names>
std::string list(const Names & names, unsigned bits)
{
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (bits >> i & 1) {
      text += (text.empty() ? "" : "+") + std::string(names[i]);
    }
  }
  return text;
}

// Whoever listens knows the sizes of control frames.
unsigned kind_of(const Bytes & datagram, bool data)
{
  const auto is = [&](const ControlBody & body) {
    return datagram.size() == frame_overhead + encode(ControlFrame{0, body}).size();
  };
  const char * name = is_hello(datagram)                                  ? "hello"
                      : data                                              ? "data"
                      : is(TimeRequest{})                                 ? "question"
                      : is(TimeResponse{})                                ? "answer"
                      : is(LinkReport{})                                  ? "report"
                      : is(Confirm{}) || is(Ratchet{}) || is(RatchetOk{}) ? "exchange"
                      : datagram.size() > 200                             ? "stream"
                                                                          : "other";
  return bit_of(kind_names, name);
}

}  // namespace

Wire wire_of(WiredPair & pair)
{
  return {
    [&pair] { return pair.now(); }, [&pair](Side side) { return pair.standing(side).keys; },
    [&pair](Side to, const Bytes & datagram, const Endpoint & from, Duration delay) {
      pair.deliver_later(to, datagram, from, delay);
    }};
}

Adversary::Adversary(Wire wire, SeededRandom & dice, Duration latency, Duration storm)
: wire_(std::move(wire)), dice_(dice), latency_(latency)
{
  for (auto left = 2 + static_cast<int>(5 * dice_.uniform()); left > 0; --left) {
    rules_.push_back(draw(storm));
  }
  if (chance(0.25)) {
    set_ends_at_odds();
  }
}

// Lets the drone use keys of which the ground station hears nothing until it has made others, which the drone does not get.
void Adversary::set_ends_at_odds()
{
  const auto up_to = [this](Duration most) {
    return std::chrono::duration_cast<Duration>(most * dice_.uniform());
  };
  Rule first;
  first.action = Action::hold;
  first.from = Side::drone;
  first.kinds = ~0u;
  first.keys = bit_of(key_names, "next");
  first.begin = wire_.now();
  first.end = first.begin + 3s + up_to(5s);
  Rule second;
  second.action = Action::drop;
  second.from = Side::gcs;
  second.kinds = bit_of(kind_names, "exchange");
  second.keys = bit_of(key_names, chance(0.8) ? "boot" : "live");
  second.begin = first.begin + 1s + up_to(2s);
  second.end = first.end + up_to(2s);
  rules_.insert(rules_.begin(), {first, second});
}

// All of them, one, or any but none.
unsigned Adversary::some_of(unsigned count)
{
  const double kind = dice_.uniform();
  const double which = dice_.uniform() * 0.999;
  const unsigned all = (1u << count) - 1;
  return kind < 0.4   ? all
         : kind < 0.8 ? 1u << static_cast<unsigned>(count * which)
                      : 1 + static_cast<unsigned>(all * which);
}

Adversary::Rule Adversary::draw(Duration storm)
{
  const auto part_of = [this](Duration time) {
    return std::chrono::duration_cast<Duration>(time * dice_.uniform());
  };
  Rule rule;
  rule.action = static_cast<Action>(action_names.size() * dice_.uniform() * 0.999);
  rule.from = chance(0.5) ? Side::drone : Side::gcs;
  rule.kinds = some_of(kind_names.size());
  rule.keys = some_of(key_names.size());
  if (chance(0.3)) {
    rule.smallest = static_cast<std::size_t>(100 * dice_.uniform());
    rule.largest = rule.smallest + static_cast<std::size_t>(1200 * dice_.uniform());
  }
  rule.share = chance(0.5) ? 1 : dice_.uniform();
  // Some rules act in concert, and some from the start, while the first session is made.
  rule.begin = wire_.now() + (chance(0.3) ? Duration{} : part_of(storm));
  rule.end = rule.begin + 500ms + part_of(storm / (chance(0.5) ? 10 : 1));
  if (!rules_.empty() && chance(0.5)) {
    rule.begin = rules_.back().begin + (chance(0.5) ? Duration{} : part_of(2s));
    rule.end = rules_.back().end + (chance(0.5) ? Duration{} : part_of(2s));
  }
  const double scale = std::pow(200, dice_.uniform());  // 50 ms to 10 s
  rule.interval = std::chrono::duration_cast<Duration>(50ms * scale);
  const auto sources = addresses();
  const double place = static_cast<double>(sources.size()) * dice_.uniform() * 0.999;
  rule.source = sources.at(static_cast<std::size_t>(place));
  rule.next_release = rule.begin;
  return rule;
}

std::vector<Endpoint> Adversary::addresses()
{
  return {WiredPair::stranger(66), WiredPair::stranger(67), WiredPair::stranger(68)};
}

std::vector<std::string> Adversary::describe() const
{
  std::vector<std::string> texts;
  for (const Rule & rule : rules_) {
    const auto ms = [](Instant time) {
      return std::to_string(
        std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count());
    };
    texts.push_back(
      std::string("adversary: ") + action_names.at(static_cast<std::size_t>(rule.action)) + " " +
      std::to_string(static_cast<int>(100 * rule.share)) + " % of " + list(kind_names, rule.kinds) +
      " under " + list(key_names, rule.keys) + " from " +
      (rule.from == Side::drone ? "drone" : "gcs") + ", " + ms(rule.begin) + " to " + ms(rule.end) +
      " ms, every " + std::to_string(rule.interval / 1ms) + " ms");
  }
  return texts;
}

std::optional<std::vector<Duration>> Adversary::handle(Side from, const Bytes & datagram, bool data)
{
  for (Rule & rule : rules_) {
    if (is_for(rule, from, datagram, data)) {
      return apply(rule, from, datagram);
    }
  }
  return std::nullopt;
}

bool Adversary::is_for(const Rule & rule, Side from, const Bytes & datagram, bool data)
{
  return rule.from == from && wire_.now() >= rule.begin && wire_.now() < rule.end &&
         datagram.size() >= rule.smallest && datagram.size() <= rule.largest &&
         (rule.kinds & kind_of(datagram, data)) != 0 &&
         (rule.keys & keys_of(from, datagram)) != 0 && chance(rule.share);
}

// A key id that the receiver has not used yet is one of new keys.
unsigned Adversary::keys_of(Side from, const Bytes & datagram)
{
  const auto header = decode_frame_header(datagram);
  if (!header) {
    return bit_of(key_names, "boot");  // a hello, which is before them
  }
  const auto there = wire_.keys(other(from));
  const auto keys = std::ranges::find(there, header->key_id, &InstalledKeys::receive_id);
  if (keys != there.end()) {
    return bit_of(
      key_names, keys->use == KeyUse::sending ? "live"
                 : keys->use == KeyUse::older ? "former"
                                              : "next");
  }
  const auto here = wire_.keys(from);
  const bool session =
    std::ranges::find(here, header->key_id, &InstalledKeys::send_id) != here.end();
  return bit_of(key_names, session ? "next" : "boot");
}

std::vector<Duration> Adversary::apply(Rule & rule, Side from, const Bytes & datagram)
{
  const Instant now = wire_.now();
  switch (rule.action) {
    case Action::drop:
      return {};
    case Action::hold:
      return {rule.end - now};
    case Action::trickle:
      rule.next_release = std::max(now, rule.next_release + rule.interval);
      return {rule.next_release - now};
    case Action::stretch:
      return {std::min<Duration>(now - rule.begin, 4 * rule.interval)};
    case Action::copy:
      wire_.deliver_later(other(from), datagram, rule.source, latency_ / 2);
      return {Duration{}};
    case Action::readdress:
      wire_.deliver_later(other(from), datagram, rule.source, latency_);
      return {};
  }
  return {};
}

}  // namespace pqc_tunnel::test
