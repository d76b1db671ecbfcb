// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "command/show_text.hpp"

namespace pqc_tunnel::cli
{
namespace
{

// What `pqc show` says of a session with these links.
std::string shown(const std::string & paths)
{
  return show_text(
    "drone", YAML::Load(
               "{role: drone, program: pqc_tunneld, version: 0.3.0, ports: {datagram: 14560},"
               " peers: [{name: gcs, state: established, encrypted: true, suite: cs-a,"
               " handshake: {total_s: 0.002}, traffic: {drops: {}},"
               " address: '192.0.2.1:14560', link: {loss: 0.01}, paths: [" +
               paths + "]}]}"));
}

std::string of_rate(const std::string & link, const std::string & rate, const std::string & source)
{
  return "{link: " + link +
         ", state: usable, carries: true, address: '192.0.2.1:14560',"
         " rtt_s: 0.04, loss: 0.02, bytes_in: 2048, bytes_out: 100, rate_bytes_s: " +
         rate + ", rate_source: " + source + "}";
}

void expect_part(const std::string & text, const std::string & part)
{
  EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(ShowText, the_rate_of_a_single_link_tells_where_it_is_from)
{
  expect_part(
    shown(of_rate("radio", "5760", "configured")),
    "    link: 1.0 % lost inbound, 5.62 KiB/s as configured\n");
  expect_part(
    shown(of_rate("radio", "1000", "saturation")),
    "    link: 1.0 % lost inbound, 1000 B/s as measured while it was full\n");
}

TEST(ShowText, each_link_is_shown_as_what_it_is_with_its_trouble)
{
  const std::string text = show_text(
    "drone",
    YAML::Load("{role: drone, ports: {datagram: 0, plaintext: [14550]}, peers: [], links: ["
               "{name: lte, where: UDP 46012 at wwan0, trouble: the interface is down},"
               "{name: radio, where: /dev/ttyUSB0 at 57600 baud, trouble: ''}]}"));
  expect_part(
    text,
    "  ports: UDP 46012 at wwan0, /dev/ttyUSB0 at 57600 baud, plaintext UDP 14550\n"
    "  link lte: the interface is down\n");
  EXPECT_EQ(text.find("link radio"), std::string::npos) << text;
}

TEST(ShowText, the_rate_of_an_unlimited_link_is_not_shown)
{
  const std::string text = shown(of_rate("lte", "0", "unknown"));
  expect_part(text, "    link: 1.0 % lost inbound\n");
  EXPECT_EQ(text.find("B/s"), std::string::npos) << text;
}

TEST(ShowText, several_links_have_a_line_each)
{
  const std::string text =
    shown(of_rate("lte", "0", "unknown") + ", " + of_rate("radio", "5760", "configured"));
  expect_part(text, "    link: 1.0 % lost inbound\n");
  expect_part(
    text,
    "    link lte: usable, 192.0.2.1:14560, in use, round trip 40 ms, 2.0 % lost,"
    " 2.00 KiB received, 100 B sent\n");
  expect_part(
    text,
    "    link radio: usable, 192.0.2.1:14560, in use, round trip 40 ms, 2.0 % lost,"
    " 5.62 KiB/s as configured, 2.00 KiB received, 100 B sent\n");
}

TEST(ShowText, what_the_keys_rest_on_is_shown)
{
  const std::string text = show_text(
    "drone", YAML::Load("{role: drone, ports: {}, peers: [{name: gcs, suite: cs-a, protected_by:"
                        " 'ML-KEM-768: lattices', handshake: {total_s: 0.002}, link: {loss: 0.01},"
                        " traffic: {drops: {}}, paths: []}]}"));
  expect_part(text, "    protected by: ML-KEM-768: lattices\n");
  EXPECT_EQ(shown("").find("protected by"), std::string::npos) << "of an earlier version";
}

TEST(ShowText, a_processor_without_aes_is_shown)
{
  const auto of = [](const std::string & aes) {
    return show_text("drone", YAML::Load("{role: drone, ports: {}, " + aes + " peers: []}"));
  };
  expect_part(
    of("aes_instructions: false,"),
    "  processor: without AES, so that ChaCha20-Poly1305 is faster\n");
  EXPECT_EQ(of("aes_instructions: true,").find("processor"), std::string::npos);
  EXPECT_EQ(of("").find("processor"), std::string::npos) << "of an earlier version";
}

TEST(ShowText, a_profile_is_shown_and_of_cnsa2_what_is_validated)
{
  const auto of = [](const std::string & profile) {
    return show_text(
      "drone",
      YAML::Load(
        "{role: drone, profile: " + profile +
        ", ports: {}, peers: [{name: gcs, suite: cs-a, validation: 'Nothing is.',"
        " handshake: {total_s: 0.002}, link: {loss: 0.01}, traffic: {drops: {}}, paths: []}]}"));
  };
  expect_part(of("cnsa2"), "  profile: cnsa2\n");
  expect_part(of("cnsa2"), "    components: Nothing is.\n");
  expect_part(of("layered"), "  profile: layered\n");
  EXPECT_EQ(of("layered").find("components"), std::string::npos);
  EXPECT_EQ(of("default").find("profile"), std::string::npos);
}

TEST(ShowText, says_which_library_computes_kem_and_signature)
{
  const auto of = [](const std::string & libraries) {
    return show_text(
      "drone",
      YAML::Load(
        "{role: drone, ports: {}, peers: [{name: gcs, suite: cs-a, " + libraries +
        "handshake: {total_s: 0.002}, link: {loss: 0.01}, traffic: {drops: {}}, paths: []}]}"));
  };
  expect_part(
    of("kem_library: OpenSSL 3.5.5, signature_library: liboqs 0.13.0, "),
    "    computed by: KEM OpenSSL 3.5.5, signature liboqs 0.13.0\n");
  EXPECT_EQ(of("").find("computed by"), std::string::npos);
}

TEST(ShowText, each_kem_has_a_line_with_how_far_its_key_is)
{
  const std::string text = show_text(
    "drone", YAML::Load("{role: drone, ports: {}, peers: [{name: gcs, traffic: {drops: {}},"
                        " paths: [], fetches: ["
                        "{kem: ML-KEM-768, ready: true, fetch_bytes: 4900, fetch_s: 4},"
                        "{kem: FrodoKEM-976, fetch_bytes: 19456, fetch_s: 67, progress: 0.43},"
                        "{kem: FrodoKEM-1344, fetch_bytes: 26624, progress: 0.1},"
                        "{kem: Classic McEliece 460896, fetch_bytes: 524288, fetch_s: 1800},"
                        "{kem: HQC-192, fetch_bytes: 9216}]}]}"));
  expect_part(
    text,
    "    ML-KEM-768: key is there\n"
    "    FrodoKEM-976: key fetched 43 %, 38 s left\n"
    "    FrodoKEM-1344: key fetched 10 % of 26.00 KiB\n"
    "    Classic McEliece 460896: key not fetched, 512.00 KiB, 30 min 0 s\n"
    "    HQC-192: key not fetched, 9.00 KiB\n");
}

TEST(ShowText, a_silent_policy_and_the_newest_line_of_the_drone_are_shown)
{
  const std::string peer = "{name: gcs, encrypted: true, traffic: {drops: {}}, paths: []";
  const auto shown_of = [](const std::string & of_peer) {
    return show_text("drone", YAML::Load("{role: drone, ports: {}, peers: [" + of_peer + "}]}"));
  };
  expect_part(
    shown_of(peer + ", policy_silent: true"), "    policy: silent, nothing adapts the suite\n");
  EXPECT_EQ(shown_of(peer + ", policy_silent: false").find("policy"), std::string::npos);
  expect_part(shown_of(peer + ", said: 'PQC link: x'"), "    drone says: PQC link: x\n");
  EXPECT_EQ(shown_of(peer + ", said: ''").find("says"), std::string::npos);
}

}  // namespace
}  // namespace pqc_tunnel::cli
