// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "likely_cause.hpp"

#include <algorithm>

namespace pqc_tunnel
{
namespace
{

constexpr Duration hint_memory = std::chrono::minutes(1);

bool has_link(const PeerFacts & facts, LinkType type)
{
  return std::ranges::any_of(
    facts.settings->paths.links, [type](const auto & link) { return link.type == type; });
}

// One part for each kind of link that there is.
std::string by_kind(const PeerFacts & facts, const std::string & udp, const std::string & serial)
{
  const bool has_udp = has_link(facts, LinkType::udp);
  const bool has_serial = has_link(facts, LinkType::serial);
  return (has_udp ? udp : "") + (has_udp && has_serial ? ", " : "") + (has_serial ? serial : "");
}

constexpr const char * serial_obstacles = "radio or cable broken or out of range, other baud rate";

// "UDP port 46010", or without the number if it is not known.
std::string udp_port(const GroundAddress & ground)
{
  return ground.port == 0 ? "UDP" : "UDP port " + std::to_string(ground.port);
}

std::string whole_seconds(Duration time)
{
  return std::to_string(std::chrono::round<std::chrono::seconds>(time).count()) + " s";
}

std::string cause_of_no_answer(const PeerFacts & facts)
{
  const GroundAddress & ground = facts.settings->ground;
  switch (facts.trouble) {
    case GroundTrouble::unknown_name:
      return "no IP address is known for " + ground.name +
             ": name misspelled, or no name server answers";
    case GroundTrouble::other_family:
      return "no address of " + ground.name +
             " can be reached from bind_address: one is IPv4, the other IPv6";
    case GroundTrouble::unreachable:
      return "the network knows no way to " + ground.name +
             ": link down, no route, or wrong address";
    case GroundTrouble::refused:
      return "nothing listens at " + ground.name + ": not started, wrong address or port";
    case GroundTrouble::none:
      break;
  }
  if (facts.other_version != 0) {
    return version_conflict(facts.other_version);
  }
  if (facts.late_answer > Duration{}) {
    return ground.name + " answers, but only after " + whole_seconds(facts.late_answer) +
           (facts.late_answer > longest_round_trip
              ? ": no session begins over a link that takes longer than " +
                  whole_seconds(longest_round_trip)
              : ": slow link, so a session takes a few tries to begin");
  }
  return "no answer from " + ground.name + ": not started, " +
         by_kind(
           facts, "link down, wrong address, " + udp_port(ground) + " blocked", serial_obstacles) +
         ", another version of this program (update both ends), or it does not accept this drone "
         "(unknown name or different key)";
}

std::string cause_at_drone(const PeerFacts & facts)
{
  const FailedHandshake & failed = *facts.failed;
  const GroundAddress & ground = facts.settings->ground;
  switch (failed.failure) {
    case HandshakeFailure::unanswered:
      return cause_of_no_answer(facts);
    case HandshakeFailure::timeout:
      return "the handshake with " + ground.name +
             " stopped halfway: " + (failed.text.empty() ? "slow or broken link" : failed.text);
    case HandshakeFailure::policy_mismatch:
      return failed.text + "; here: " + description(facts.settings->suites, facts.settings->mode) +
             ", anchor " + to_string(facts.settings->anchor);
    case HandshakeFailure::authenticated:
      return failed.text + ": the identities of both ends do not match, or the versions differ";
    default:
      return failed.text;
  }
}

std::string cause_at_ground(const FailedHandshake & failed)
{
  return failed.failure == HandshakeFailure::timeout
           ? "the drone did not complete the handshake in time: slow or broken link, or it expects "
             "another identity of the ground station"
           : failed.text;
}

std::string one_way(const PeerFacts & facts)
{
  return by_kind(
           facts, udp_port(facts.settings->ground) + " blocked in one direction",
           "radio or cable that passes one direction only") +
         "?";
}

std::string peer_of(const PeerFacts & facts)
{
  return facts.role == Role::drone ? "the ground station" : "the drone";
}

std::string missing_datagrams(const PeerFacts & facts)
{
  return "handshake completed, but nothing arrives from " + peer_of(facts) +
         " since: link broken, or " + one_way(facts);
}

std::string cause_of_loss(const PeerFacts & facts)
{
  return facts.arrives
           ? "datagrams of " + peer_of(facts) +
               " arrive, but no answer does: somebody holds datagrams back, or " + one_way(facts)
           : "nothing is received from " + peer_of(facts) +
               ": out of range, link down, or its tunnel has ended";
}

// GCS: what hellos seem to say. Anybody can send them, made up or recorded, so that anything proven is said before this.
std::string unproven_cause(const PeerFacts & facts)
{
  if (facts.unheard_here) {
    return "the drone's hellos (or recordings of them) arrive, but nothing from here reaches it: " +
           one_way(facts);
  }
  if (facts.other_version != 0) {
    return version_conflict(facts.other_version);
  }
  if (facts.wrong_key) {
    return "a hello under this drone's name has a different key: its identity folder is "
           "outdated, or a stranger uses the name";
  }
  return {};
}

// Seen from the peer alone.
std::string cause_at_peer(const PeerFacts & facts)
{
  if (facts.crowded) {
    return "sessions begin too often with this drone's key: its program starts again and again, or "
           "the key has leaked";
  }
  if (facts.failed) {
    return facts.role == Role::drone ? cause_at_drone(facts) : cause_at_ground(*facts.failed);
  }
  if (facts.unconfirmed) {
    return missing_datagrams(facts);
  }
  const std::string unproven = facts.role == Role::gcs ? unproven_cause(facts) : "";
  if (facts.lost) {
    return cause_of_loss(facts) + (unproven.empty() ? "" : "; perhaps " + unproven);
  }
  return facts.role == Role::drone || !unproven.empty()
           ? unproven
           : "no hello of this drone arrives: not started, another identity, " +
               by_kind(
                 facts, "wrong gcs_address, or " + udp_port(facts.settings->ground) + " blocked",
                 serial_obstacles);
}

constexpr const char * overdue_keys =
  "the keys are due for renewal, and no renewal succeeds: the link loses large frames, somebody "
  "stops it, or the keys in use are stolen";

// A cause that a link may be the reason of.
bool is_of_links(const PeerFacts & facts)
{
  return !facts.crowded &&
         (!facts.failed || facts.failed->failure == HandshakeFailure::unanswered ||
          facts.failed->failure == HandshakeFailure::timeout);
}

}  // namespace

std::uint8_t version_now(const std::optional<VersionHint> & hint, Instant now)
{
  return hint && now < hint->at + hint_memory ? hint->version : 0;
}

std::string version_conflict(std::uint8_t theirs)
{
  return "the other end has another version: its protocol is version " + std::to_string(theirs) +
         ", and that of this end is version " + std::to_string(protocol_version) +
         ": update both ends";
}

std::string likely_cause(const PeerFacts & facts)
{
  if (facts.cloned) {
    return identity_cloned;
  }
  const bool in_contact = facts.has_keys && !facts.lost && !facts.unconfirmed;
  std::string cause =
    facts.deaf_peer ? peer_of(facts) + " receives nothing of what this end sends: " + one_way(facts)
    : !in_contact   ? cause_at_peer(facts)
    : facts.stretched ? "datagrams come later than max_age_s allows: something holds them back, or "
                        "the link is that slow"
    : facts.overdue   ? overdue_keys
                      : "";
  // While keys are there, what looks like a silence of the peer or a slow link may be this end.
  std::string known = facts.has_keys ? facts.machine_trouble : "";
  if (in_contact && !facts.deaf_peer) {
    return facts.stretched && !known.empty() ? known + "; " + cause : cause;
  }
  if (!is_of_links(facts)) {
    return cause;
  }
  // Known faults come first; if every link has one, the rest is guesswork.
  bool of_all = !facts.link_troubles.empty();
  for (const std::string & trouble : facts.link_troubles) {
    known += known.empty() || trouble.empty() ? trouble : "; " + trouble;
    of_all = of_all && !trouble.empty();
  }
  if (known.empty() || cause.empty()) {
    return of_all ? known : cause;
  }
  return of_all ? known : known + "; " + cause;
}

}  // namespace pqc_tunnel
