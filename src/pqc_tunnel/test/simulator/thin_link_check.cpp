// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/thin_link_check.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "link/shaping/bundle.hpp"
#include "link/shaping/shaper.hpp"
#include "simulator/witnesses/violation.hpp"
#include "support/identities.hpp"
#include "support/pair/rekey_command.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr std::uint32_t attitude = 30;
constexpr std::uint32_t command_long = 76;
constexpr std::size_t payload_size = 33;
constexpr int offers = 2000;
constexpr const char * invariant = "a command gives way to no other one";

// A MAVLink 2 frame with a number in its payload.
Bytes mavlink(std::uint32_t message, std::uint32_t number)
{
  Bytes frame = {0xfd, payload_size, 0, 0, 0, 1, 1, static_cast<std::uint8_t>(message), 0, 0};
  frame.resize(frame.size() + payload_size + 2);
  for (std::size_t i = 0; i < 4; ++i) {
    frame[10 + i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return frame;
}

std::size_t count_of(ByteView text, ByteView what)
{
  std::size_t count = 0;
  for (auto at = text.begin(); at != text.end(); ++count) {
    at = std::search(at, text.end(), what.begin(), what.end());
    if (at == text.end()) {
      break;
    }
    at += static_cast<std::ptrdiff_t>(what.size());
  }
  return count;
}

// The datagrams of a frame, each whole.
Bytes content(const ShapedFrame & shaped)
{
  Bytes datagrams(shaped.frame.begin(), shaped.frame.end());
  if (shaped.kind == ShapedFrame::Kind::bundle) {
    unpack_bundle(
      shaped.frame.subspan(sealed_header, shaped.frame.size() - sealed_overhead), datagrams);
  }
  return datagrams;
}

}  // namespace

void expect_commands_kept(std::uint64_t seed)
{
  SeededRandom dice(seed + 1);
  const LinkSettings link{"radio", LinkType::serial, Carry::all, 240, 57.6};
  Shaper shaper(link);
  Instant now{1h};
  std::vector<Bytes> awaited;  // commands, in order
  std::size_t next = 0;
  const auto take = [&] {
    while (const auto shaped = shaper.next_frame(now)) {
      const Bytes datagrams = content(*shaped);
      while (next < awaited.size() && count_of(datagrams, awaited[next]) == 1) {
        ++next;
      }
    }
  };
  for (std::uint32_t i = 0; i < offers; ++i) {
    now += std::chrono::duration_cast<Duration>(6ms * dice.uniform());
    // Two in a row now and then: the second one may say something else.
    const bool commands = dice.uniform() < 0.05;
    for (std::uint32_t j = 0; commands && j < 2; ++j) {
      awaited.push_back(mavlink(command_long, 2 * i + j));
      shaper.offer(awaited.back(), now);
    }
    shaper.offer(mavlink(attitude, i), now);
    take();
  }
  while (shaper.next_timeout() != Instant::max()) {
    now = std::max(now, shaper.next_timeout());
    take();
  }
  require(
    next == awaited.size() && shaper.counts(TrafficClass::command).conflated == 0, invariant,
    "a thin link leaves out a command for a newer one, or sends it out of turn");
  require(
    shaper.counts(TrafficClass::telemetry).conflated > 0, "of telemetry only the newest waits",
    "a thin link queues telemetry that it cannot carry");
}

void expect_strangers_last(std::uint64_t seed)
{
  SeededRandom dice(seed + 2);
  const LinkSettings link{"lte", LinkType::udp, Carry::all, 1232, 64};
  Shaper shaper(link);
  Instant now{1h};
  std::uint32_t sent = 0;
  std::uint32_t soon = 0;
  Instant offered;
  for (Instant next = now; sent < 200;
       now += std::chrono::duration_cast<Duration>(4ms * dice.uniform()))
  {
    // Far more than the link carries.
    shaper.offer_sealed({TrafficClass::unproved, std::nullopt}, Bytes(65), {}, now);
    if (now >= next) {
      next += 100ms;
      offered = now;
      shaper.offer(mavlink(command_long, ++sent), now);
    }
    while (const auto shaped = shaper.next_frame(now)) {
      soon += shaped->traffic == TrafficClass::command && now < offered + 60ms ? 1 : 0;
    }
  }
  require(
    soon + 2 >= sent, "answers to strangers come after commands",
    "a command waits behind answers to strangers");
}

void expect_fetch_kept(std::uint64_t seed)
{
  SeededRandom dice(seed + 3);
  const Suite & heavier = suite("cs-frodokem640aes-aesgcm-mldsa44");
  const LinkSettings link{"radio", LinkType::serial, Carry::all, 240, 57.6};
  WiredPair::Options options;
  options.seed = seed;
  options.suite = "cs-mlkem512-aesgcm-mldsa44";
  options.settings.suites = SuitePolicy({&suite(options.suite), &heavier});
  options.settings.paths.links = {link};
  options.settings.prefetch_max_bytes = 0;
  options.settings.prefetch_airtime = 0.1 + 0.1 * dice.uniform();
  WiredPair pair(options);
  pair.establish();
  pair.run_for(1s);
  RekeyCommand fetch = rekey_to(&heavier);
  fetch.fetch_only = true;
  pair.drone().request_rekey(fetch, pair.now());
  const Instant begun = pair.now();
  const std::uint64_t before = pair.snapshot(Side::drone).fetch_bytes;
  double progress = 0;
  while (progress < 1) {
    if (dice.uniform() < 0.2) {
      RekeyCommand ratchet = rekey_to(nullptr);
      ratchet.ratchet = true;
      pair.drone().request_rekey(ratchet, pair.now());
    }
    pair.run_for(std::chrono::duration_cast<Duration>(2s * dice.uniform()));
    const PeerSnapshot now = pair.snapshot(Side::drone);
    const KemFetch & state = now.fetches.at(now.fetches.front().suite == &heavier ? 0 : 1);
    const double former = std::exchange(progress, state.ready ? 1 : state.progress.value_or(0));
    const std::chrono::duration<double> time = pair.now() - begun;
    require(
      progress >= former && time < 2min, "a fetch goes on whatever else goes on",
      "what has come of a key is dropped, or its fetch takes too long");
    const double share = options.settings.prefetch_airtime * time.count() * link.bytes_per_s();
    require(
      static_cast<double>(now.fetch_bytes - before) <= share + 2 * static_cast<double>(link.mtu),
      "fetches keep to their share of the airtime", "a fetch takes more of a thin link");
  }
}

}  // namespace pqc_tunnel::test
