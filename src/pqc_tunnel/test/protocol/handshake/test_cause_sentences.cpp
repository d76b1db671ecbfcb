// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "protocol/handshake/likely_cause.hpp"

// The sentence for what an end knows: the surest cause, and no other.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

const GroundAddress ground{"10.0.0.2:4600", 4600};

const TunnelSettings & settings()
{
  static const TunnelSettings made = [] {
    TunnelSettings one;
    one.ground = ground;
    return one;
  }();
  return made;
}

PeerFacts at_drone(const FailedHandshake & failed)
{
  PeerFacts facts;
  facts.settings = &settings();
  facts.failed = failed;
  return facts;
}

std::string without_an_answer(GroundTrouble trouble)
{
  PeerFacts facts = at_drone({HandshakeFailure::unanswered, "no answer"});
  facts.trouble = trouble;
  return likely_cause(facts);
}

TEST(LikelyCause, without_an_answer_is_what_the_network_reported)
{
  EXPECT_EQ(
    without_an_answer(GroundTrouble::none),
    "no answer from 10.0.0.2:4600: not started, link down, wrong address, UDP port 4600 blocked, "
    "another version of this program (update both ends), or "
    "it does not accept this drone (unknown name or different key)");
  EXPECT_EQ(
    without_an_answer(GroundTrouble::refused),
    "nothing listens at 10.0.0.2:4600: not started, wrong address or port");
  EXPECT_EQ(
    without_an_answer(GroundTrouble::unreachable),
    "the network knows no way to 10.0.0.2:4600: link down, no route, or wrong address");
  EXPECT_EQ(
    without_an_answer(GroundTrouble::unknown_name),
    "no IP address is known for 10.0.0.2:4600: name misspelled, or no name server answers");
  EXPECT_EQ(
    without_an_answer(GroundTrouble::other_family),
    "no address of 10.0.0.2:4600 can be reached from bind_address: one is IPv4, the other IPv6");
}

TEST(LikelyCause, speaks_of_the_kind_of_link_that_there_is)
{
  TunnelSettings serial;
  serial.ground = {"/dev/ttyUSB0", 0};
  serial.paths.links = {{.name = "radio", .type = LinkType::serial}};
  PeerFacts facts = at_drone({HandshakeFailure::unanswered, "no answer"});
  facts.settings = &serial;
  EXPECT_EQ(
    likely_cause(facts),
    "no answer from /dev/ttyUSB0: not started, radio or cable broken or out of range, other baud "
    "rate, another version of this program (update both ends), or it does not accept this drone "
    "(unknown name or different key)");
  for (const auto alter : std::initializer_list<void (*)(PeerFacts &)>{
         [](PeerFacts & all) { all.unconfirmed = true; },
         [](PeerFacts & all) { all.unheard_here = true; },
         [](PeerFacts & all) { all.has_keys = all.deaf_peer = true; }, [](PeerFacts &) {}})
  {
    PeerFacts at_ground;
    at_ground.role = Role::gcs;
    at_ground.settings = &serial;
    alter(at_ground);
    EXPECT_EQ(likely_cause(at_ground).find("UDP"), std::string::npos) << likely_cause(at_ground);
    EXPECT_NE(likely_cause(at_ground).find("radio"), std::string::npos) << likely_cause(at_ground);
  }
  serial.ground = ground;
  serial.paths.links.push_back({.name = "lte"});
  EXPECT_NE(
    likely_cause(facts).find("UDP port 4600 blocked, radio or cable broken"), std::string::npos);
}

TEST(LikelyCause, is_what_this_machine_knows_of_its_links_before_anything_that_it_guesses)
{
  PeerFacts facts;
  facts.settings = &settings();
  facts.link_troubles = {"there is no network interface wwan0"};
  EXPECT_EQ(likely_cause(facts), "there is no network interface wwan0");
  facts.failed = FailedHandshake{HandshakeFailure::unanswered, "no answer"};
  EXPECT_EQ(likely_cause(facts), "there is no network interface wwan0");
  facts.link_troubles.push_back("");
  EXPECT_TRUE(
    likely_cause(facts).starts_with("there is no network interface wwan0; no answer from "));
  facts.failed = FailedHandshake{HandshakeFailure::busy, "the ground station is busy"};
  EXPECT_EQ(likely_cause(facts), "the ground station is busy");
  facts.failed.reset();
  facts.has_keys = true;
  EXPECT_EQ(likely_cause(facts), "") << "the other link carries everything";
}

TEST(LikelyCause, of_an_attempt_that_stops_halfway_says_so)
{
  EXPECT_EQ(
    likely_cause(at_drone({HandshakeFailure::timeout, ""})),
    "the handshake with 10.0.0.2:4600 stopped halfway: slow or broken link");
}

TEST(LikelyCause, is_empty_while_datagrams_arrive_even_if_a_rekey_has_failed)
{
  PeerFacts facts = at_drone({HandshakeFailure::timeout, ""});
  facts.has_keys = true;
  EXPECT_EQ(likely_cause(facts), "");
  facts.lost = true;
  EXPECT_NE(likely_cause(facts), "");
}

struct Case
{
  std::function<void(PeerFacts &)> alter;
  std::string expected;
};

// The sentence of each end for what it knows, the surest first: a cause that is less sure is there in all later cases.
void expect_causes(Role role, const std::vector<Case> & cases)
{
  for (const auto & [alter, expected] : cases) {
    PeerFacts facts;
    facts.role = role;
    facts.settings = &settings();
    alter(facts);
    EXPECT_EQ(likely_cause(facts), expected);
  }
}

TEST(LikelyCause, at_the_drone_is_the_surest_of_what_it_knows)
{
  const auto failed = [](HandshakeFailure failure, std::string text) {
    return [=](PeerFacts & facts) {
      facts.has_keys = facts.lost = facts.unconfirmed = facts.arrives = true;  // of before
      facts.unheard_here = facts.wrong_key = true;                             // says nothing here
      facts.failed = FailedHandshake{failure, text};
    };
  };
  const auto late = [](Duration answer, std::uint8_t version) {
    return [=](PeerFacts & facts) {
      facts.failed = FailedHandshake{HandshakeFailure::unanswered, "no answer"};
      facts.late_answer = answer;
      facts.other_version = version;
    };
  };
  expect_causes(
    Role::drone,
    {{[](PeerFacts & facts) { facts.cloned = facts.deaf_peer = facts.crowded = true; },
      identity_cloned},
     {[](PeerFacts & facts) { facts.deaf_peer = facts.unconfirmed = true; },
      "the ground station receives nothing of what this end sends: UDP port 4600 blocked in one "
      "direction?"},
     {failed(HandshakeFailure::timeout, "it waits for a key"),
      "the handshake with 10.0.0.2:4600 stopped halfway: it waits for a key"},
     {failed(HandshakeFailure::policy_mismatch, "other suites there"),
      "other suites there; here: " + description(settings().suites, settings().mode) +
        ", anchor auto"},
     {failed(HandshakeFailure::authenticated, "the signature does not hold"),
      "the signature does not hold: the identities of both ends do not match, or the versions "
      "differ"},
     {failed(HandshakeFailure::unauthenticated, "a message is malformed"),
      "a message is malformed"},
     {failed(HandshakeFailure::suite_refused, "refused"), "refused"},
     {failed(HandshakeFailure::unavailable, "unavailable"), "unavailable"},
     {failed(HandshakeFailure::busy, "busy"), "busy"},
     {late(5s, 4), version_conflict(4)},
     {late(longest_round_trip, 0), "10.0.0.2:4600 answers, but only after " +
                                     std::to_string(longest_round_trip / 1s) +
                                     " s: slow link, so a session takes a few tries to begin"},
     {late(longest_round_trip + 1s, 0),
      "10.0.0.2:4600 answers, but only after " + std::to_string(longest_round_trip / 1s + 1) +
        " s: no session begins over a link that takes longer than " +
        std::to_string(longest_round_trip / 1s) + " s"},
     {[](PeerFacts & facts) { facts.has_keys = facts.unconfirmed = facts.stretched = true; },
      "handshake completed, but nothing arrives from the ground station since: link broken, or UDP "
      "port 4600 blocked in one direction?"},
     {[](PeerFacts & facts) { facts.has_keys = facts.lost = facts.arrives = true; },
      "datagrams of the ground station arrive, but no answer does: somebody holds datagrams back, "
      "or UDP port 4600 blocked in one direction?"},
     {[](PeerFacts & facts) {
        facts.has_keys = facts.lost = facts.stretched = facts.overdue = facts.wrong_key = true;
      },
      "nothing is received from the ground station: out of range, link down, or its tunnel has "
      "ended"},
     {[](PeerFacts & facts) { facts.has_keys = facts.stretched = facts.overdue = true; },
      "datagrams come later than max_age_s allows: something holds them back, or the link is that "
      "slow"},
     {[](PeerFacts & facts) { facts.has_keys = facts.overdue = true; },
      "the keys are due for renewal, and no renewal succeeds: the link loses large frames, "
      "somebody stops it, or the keys in use are stolen"},
     {[](PeerFacts & facts) { facts.has_keys = true; }, ""},
     {[](PeerFacts &) {}, ""}});
}

TEST(LikelyCause, on_the_ground_is_the_surest_of_what_it_knows)
{
  const std::string unheard =
    "the drone's hellos (or recordings of them) arrive, but nothing from here reaches it: UDP port "
    "4600 blocked in one direction?";
  const std::string lost =
    "nothing is received from the drone: out of range, link down, or its tunnel has ended";
  const std::string crowded =
    "sessions begin too often with this drone's key: its program starts again and again, or the "
    "key has leaked";
  const auto all_unproven = [](PeerFacts & facts) {
    facts.unheard_here = facts.wrong_key = true;
    facts.other_version = 4;
  };
  const auto failed = [all_unproven](HandshakeFailure failure, std::string text) {
    return [=](PeerFacts & facts) {
      all_unproven(facts);
      facts.unconfirmed = facts.lost = true;
      facts.failed = FailedHandshake{failure, text};
    };
  };
  expect_causes(
    Role::gcs,
    {{[](PeerFacts & facts) {
        facts.crowded = facts.unconfirmed = true;
        facts.failed = FailedHandshake{HandshakeFailure::busy, "busy"};
        facts.link_troubles = {"there is no network interface wwan0"};
      },
      crowded},
     {[](PeerFacts & facts) {
        facts.crowded = true;
        facts.link_troubles = {"there is no network interface wwan0"};
      },
      crowded},
     {failed(HandshakeFailure::timeout, "text"),
      "the drone did not complete the handshake in time: slow or broken link, or it expects "
      "another identity of the ground station"},
     {failed(HandshakeFailure::authenticated, "text"), "text"},
     {[&](PeerFacts & facts) {
        all_unproven(facts);
        facts.has_keys = facts.unconfirmed = facts.lost = true;
      },
      "handshake completed, but nothing arrives from the drone since: link broken, or UDP port "
      "4600 "
      "blocked in one direction?"},
     {[&](PeerFacts & facts) {
        all_unproven(facts);
        facts.has_keys = facts.lost = true;
      },
      lost + "; perhaps " + unheard},
     {[](PeerFacts & facts) { facts.has_keys = facts.lost = true; }, lost},
     {all_unproven, unheard},
     {[&](PeerFacts & facts) {
        all_unproven(facts);
        facts.unheard_here = false;
      },
      version_conflict(4)},
     {[](PeerFacts & facts) { facts.wrong_key = true; },
      "a hello under this drone's name has a different key: its identity folder is outdated, or a "
      "stranger uses the name"},
     {[](PeerFacts &) {},
      "no hello of this drone arrives: not started, another identity, wrong gcs_address, or UDP "
      "port 4600 blocked"}});
}

TEST(LikelyCause, names_the_port_if_it_is_known_and_the_kinds_of_links_that_there_are)
{
  TunnelSettings here;
  here.ground = {"gcs.example", 0};
  PeerFacts facts;
  facts.role = Role::gcs;
  facts.settings = &here;
  EXPECT_TRUE(likely_cause(facts).ends_with("wrong gcs_address, or UDP blocked"));
  here.paths.links.push_back({.name = "radio", .type = LinkType::serial});
  EXPECT_TRUE(likely_cause(facts).ends_with(
    "or UDP blocked, radio or cable broken or out of range, other baud rate"));
  here.paths.links.erase(here.paths.links.begin());
  EXPECT_TRUE(likely_cause(facts).ends_with(
    "identity, radio or cable broken or out of range, other baud rate"));
}

TEST(LikelyCause, names_the_trouble_of_every_link_that_has_one)
{
  PeerFacts facts;
  facts.settings = &settings();
  const auto cause_with = [&facts](std::vector<std::string> troubles) {
    facts.link_troubles = std::move(troubles);
    return likely_cause(facts);
  };
  EXPECT_EQ(cause_with({"a", "b"}), "a; b");
  EXPECT_EQ(cause_with({"a", "", "b", ""}), "") << "a link may do, and nothing has failed yet";
  EXPECT_EQ(cause_with({"", ""}), "");
  facts.failed = FailedHandshake{HandshakeFailure::timeout, "text"};
  const std::string halfway = "the handshake with 10.0.0.2:4600 stopped halfway: text";
  EXPECT_EQ(cause_with({"", "b"}), "b; " + halfway);
  EXPECT_EQ(cause_with({"a", "", "b"}), "a; b; " + halfway);
  EXPECT_EQ(cause_with({"", ""}), halfway);
  EXPECT_EQ(cause_with({}), halfway);
  facts.failed.reset();
  facts.deaf_peer = facts.has_keys = true;
  EXPECT_EQ(cause_with({"a"}), "a") << "the peer receives nothing for it";
  facts.deaf_peer = false;
  facts.stretched = true;
  EXPECT_TRUE(cause_with({"a"}).starts_with("datagrams come later than max_age_s allows"))
    << "they do come";
}

TEST(LikelyCause, names_the_machine_only_if_there_are_keys_and_it_may_be_to_blame)
{
  PeerFacts facts = at_drone({HandshakeFailure::timeout, "text"});
  facts.machine_trouble = "busy";
  EXPECT_EQ(likely_cause(facts), "the handshake with 10.0.0.2:4600 stopped halfway: text");
  facts.failed.reset();
  facts.has_keys = true;
  EXPECT_EQ(likely_cause(facts), "");
  facts.overdue = true;
  EXPECT_EQ(likely_cause(facts).find("busy"), std::string::npos) << likely_cause(facts);
  facts.overdue = false;
  facts.stretched = true;
  EXPECT_TRUE(likely_cause(facts).starts_with("busy; datagrams come later"));
}

TEST(VersionHint, is_worth_something_for_a_minute)
{
  const Instant now{1h};
  EXPECT_EQ(version_now(std::nullopt, now), 0);
  const VersionHint hint{4, now};
  EXPECT_EQ(version_now(hint, now), 4);
  EXPECT_EQ(version_now(hint, now + 59s), 4);
  EXPECT_EQ(version_now(hint, now + 1min), 0);
}

}  // namespace
}  // namespace pqc_tunnel::test
