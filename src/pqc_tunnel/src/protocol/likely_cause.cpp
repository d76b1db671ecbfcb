// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "likely_cause.hpp"

namespace pqc_tunnel
{
namespace
{

// "TCP port 4601", or without the number if it is not known.
std::string named(const char * protocol, std::uint16_t port)
{
  return port == 0 ? protocol : std::string(protocol) + " port " + std::to_string(port);
}

std::string cause_without_connection(const FailedHandshake & failed, const GroundAddress & ground)
{
  const std::string tcp = named("TCP", ground.handshake_port);
  switch (failed.end) {
    case ConnectionEnd::Kind::refused:
      return "no ground station answers at " + ground.name + ": not started, wrong address, or " +
             tcp + " blocked";
    case ConnectionEnd::Kind::unreachable:
      return "the network knows no way to " + ground.name +
             ": link down, no route, or wrong address";
    case ConnectionEnd::Kind::unknown_name:
      return "no IP address is known for " + ground.name +
             ": name misspelled, or no name server answers";
    case ConnectionEnd::Kind::failed:
      return failed.text;
    case ConnectionEnd::Kind::closed:
    case ConnectionEnd::Kind::no_answer:
      break;
  }
  return "no answer from " + ground.name + ": link down, wrong address, or a firewall that drops " +
         tcp;
}

std::string cause_at_drone(const PeerFacts & facts)
{
  const FailedHandshake & failed = *facts.failed;
  const GroundAddress & ground = facts.settings->ground;
  const bool ended = failed.failure == HandshakeFailure::closed;
  const bool late = failed.failure == HandshakeFailure::timeout;
  if (!failed.connected && (ended || late)) {
    return cause_without_connection(failed, ground);
  }
  if (ended && !failed.answered) {
    return "the ground station at " + ground.name +
           " does not accept this drone: unknown name or different key (or it is overloaded)";
  }
  if (ended) {
    return "the connection to " + ground.name + " ended during the handshake: " + failed.text;
  }
  if (late && !failed.answered) {
    return ground.name +
           " accepts the connection but sends nothing: another program, or a dead link";
  }
  if (late) {
    return "the handshake with " + ground.name +
           " took too long: slow link, or handshake_timeout_s too short";
  }
  if (failed.failure == HandshakeFailure::policy_mismatch) {
    return failed.text + "; here: " + description(facts.settings->suites, facts.settings->mode);
  }
  if (failed.failure == HandshakeFailure::malformed) {
    return failed.text + ": another program at " + ground.name +
           ", or another version of the tunnel";
  }
  if (failed.failure == HandshakeFailure::authenticated) {
    return failed.text + ": the identities of both ends do not match, or the versions differ";
  }
  return failed.text;
}

std::string cause_at_ground(const FailedHandshake & failed)
{
  switch (failed.failure) {
    case HandshakeFailure::closed:
      return "the drone ended the handshake: it expects another identity of the ground station, or "
             "the link broke";
    case HandshakeFailure::timeout:
      return "the drone did not complete the handshake in time: slow or broken link";
    default:
      return failed.text;
  }
}

std::string missing_datagrams(const PeerFacts & facts)
{
  const std::string from = facts.role == Role::drone ? "the ground station" : "the drone";
  return "handshake completed, but no datagrams arrive from " + from + ": " +
         named("UDP", facts.settings->ground.datagram_port) + " blocked or wrong port?";
}

std::string cause_of_silence(const PeerFacts & facts)
{
  return facts.role == Role::drone
           ? "nothing is received from the ground station: out of range, link down, or its tunnel "
             "has ended"
           : "nothing is received from the drone: out of range, link down, or its tunnel has ended";
}

}  // namespace

std::string likely_cause(const PeerFacts & facts)
{
  if (facts.has_keys && !facts.lost && !facts.unconfirmed) {
    return facts.deaf_peer
             ? "the peer receives nothing from here: " +
                 named("UDP", facts.settings->ground.datagram_port) + " blocked in one direction?"
             : "";
  }
  if (facts.failed) {
    return facts.role == Role::drone ? cause_at_drone(facts) : cause_at_ground(*facts.failed);
  }
  if (facts.unconfirmed) {
    return missing_datagrams(facts);
  }
  if (facts.role == Role::gcs && facts.wrong_key) {
    return "a handshake under this drone's name has a different key: its identity folder is "
           "outdated, or a stranger uses the name";
  }
  if (facts.lost) {
    return cause_of_silence(facts);
  }
  return facts.role == Role::drone
           ? ""
           : "no handshake of this drone has arrived: not started, wrong gcs_address, another "
             "identity, or " +
               named("TCP", facts.settings->ground.handshake_port) + " blocked";
}

}  // namespace pqc_tunnel
