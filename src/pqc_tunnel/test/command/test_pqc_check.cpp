// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <errno.h>
#include <unistd.h>

#include "pqc_fixture.hpp"

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

class PqcCheck : public PqcFixture
{
protected:
  // The exit code, and every part in the output.
  static void expect(
    const std::vector<std::string> & words, int code, const std::vector<std::string> & parts)
  {
    auto command = words;
    command.insert(command.begin(), "check");
    const Outcome result = outcome(command);
    EXPECT_EQ(result.code, code) << result.output << result.errors;
    for (const std::string & part : parts) {
      EXPECT_NE(result.output.find(part), std::string::npos) << part << "\n"
                                                             << result.output << result.errors;
    }
  }
};

TEST_F(PqcCheck, a_good_configuration_is_good_by_name_and_by_path)
{
  const auto keys = gcs_identity({"alpha", "beta"});
  set_drone(keys, "beta", "plaintext_port: " + free_port());
  const std::string file =
    configure("gcs", with(gcs_settings(), {{"identity_dir", keys.string()}}));
  expect({"gcs"}, 0, {file + ":\n", "  good\n"});
  expect({file}, 0, {"  good\n"});
  configure("drone", drone_settings());
  expect(
    {"drone"}, 0,
    {"  note: The identity holds no public key of the ground station for ML-DSA-87, Falcon-1024"});
}

TEST_F(PqcCheck, every_problem_is_listed)
{
  const Application other;
  const auto keys = gcs_identity({"alpha", "beta"});
  set_drone(keys, "alpha", "plaintext_port: " + std::to_string(other.port()));
  set_drone(keys, "beta", "plaintxt_port: 1");
  configure(
    "gcs", with(
             gcs_settings(), {{"identity_dir", keys.string()},
                              {"datagram_prot", "1"},
                              {"drones", "[alpha]"},
                              {"min_level", "4"}}));
  expect(
    {"gcs"}, 1,
    {"problem: Parameter datagram_prot is unknown; did you mean datagram_port?",
     "problem: Parameter drones is of an earlier version: each drone is a file now",
     "problem: " + (keys / "drones/beta.yaml").string() +
       ": Parameter plaintxt_port is unknown; did you mean plaintext_port?",
     "problem: Parameter min_level is 4, but must be 0, 1, 3 or 5.",
     " for the plaintext side of drone alpha is in use by another program: " +
       std::string(program_invocation_short_name) + " (pid " + std::to_string(::getpid()) +
       ").\n"});
}

TEST_F(PqcCheck, plaintext_that_the_network_reaches_is_no_good)
{
  const std::string everybody =
    "  warning: Parameter plaintext_bind_address is 0.0.0.0: everybody on the network who reaches "
    "it "
    "can read and command the vehicle in clear, past the tunnel; use a loopback address, or close "
    "its ports "
    "with a firewall.\n";
  const Settings open = with(drone_settings(), {{"plaintext_bind_address", "0.0.0.0"}});
  configure("drone", open);
  expect({"drone"}, 0, {everybody});
  EXPECT_EQ(outcome({"check", "drone"}).output.find("good"), std::string::npos);
  configure(
    "drone",
    with(open, {{"plaintext_peer_address", "192.0.2.255"}, {"plaintext_peer_port", "14591"}}));
  expect(
    {"drone"}, 0,
    {everybody,
     "warning: Parameter plaintext_peer_address is 192.0.2.255: MAVLink leaves this machine in "
     "clear, past the tunnel; anyone on that network can read it.\n"});
}

TEST_F(PqcCheck, plaintext_addresses_that_can_get_nothing_are_problems)
{
  const auto keys = gcs_identity({"alpha", "beta"});
  set_drone(
    keys, "beta",
    "plaintext_port: " + free_port() +
      "\nplaintext_peer_port: 0\nmirror_address: no-such-host.invalid\nmirror_port: 14595\n");
  configure(
    "gcs", with(
             gcs_settings(), {{"identity_dir", keys.string()},
                              {"plaintext_peer_address", "192.0.2.1"},
                              {"plaintext_peer_port", "14591"}}));
  expect(
    {"gcs"}, 1,
    {"problem: Parameter plaintext_peer_address of alpha is 192.0.2.1, which "
     "plaintext_bind_address can't reach: from a loopback address nothing leaves this machine.\n",
     "problem: Parameter mirror_address of beta: The host name \"no-such-host.invalid\" doesn't "
     "resolve ("});
}

// Another program may have these ports now, so the exit code counts for nothing.
TEST_F(PqcCheck, default_ports_of_neighbours_are_warned_of)
{
  const auto warning = [](const std::string & parameter, const std::string & program) {
    return "warning: Parameter " + parameter + ", a default port of " + program +
           ": its MAVLink would mix with that of the tunnel; choose another, such as 14590 to "
           "14599.\n";
  };
  configure(
    "drone",
    with(
      drone_settings(),
      {{"plaintext_port", "14550"}, {"mirror_address", "127.0.0.1"}, {"mirror_port", "14540"}}));
  const std::string drone = outcome({"check", "drone"}).output;
  for (const std::string & expected :
       {warning("plaintext_port is 14550", "ground programs"),
        warning("mirror_port is 14540", "PX4 in simulation")})
  {
    EXPECT_NE(drone.find(expected), std::string::npos) << expected << drone;
  }
  // Beside a fixed ground program nothing else is heard.
  configure(
    "gcs", with(
             gcs_settings(), {{"plaintext_port", "14551"},
                              {"plaintext_peer_address", "127.0.0.1"},
                              {"plaintext_peer_port", "14550"}}));
  const std::string gcs = outcome({"check", "gcs"}).output;
  EXPECT_EQ(gcs.find("warning:"), std::string::npos) << gcs;
}

TEST_F(PqcCheck, a_file_that_cant_be_read_is_a_problem)
{
  expect({"./nowhere.yaml"}, 1, {"problem: Parameter file ./nowhere.yaml isn't there."});
  const auto file = scratch_.write("etc/broken.yaml", "a: [");
  expect({"broken"}, 1, {"problem: Parameter file " + file.string() + ": line"});
  scratch_.write("etc/plane.yaml", "/**:\n  ros__parameters:\n    role: plane\n");
  expect({"plane"}, 1, {"problem: Parameter role is plane, but must be drone or gcs."});
  expect_failure({"check"}, 2, "NAME is needed: see pqc check --help.");
  expect_failure({"check", "plain"}, 1, "There is no tunnel \"plain\"; did you mean plane?");
}

TEST_F(PqcCheck, keys_must_be_there_be_closed_and_belong_to_the_role)
{
  const std::string absent = (scratch_ / "absent").string();
  configure("drone", with(drone_settings(), {{"identity_dir", absent}}));
  expect({"drone"}, 1, {"problem: The folder " + absent + " can't be opened"});
  configure("drone", with(drone_settings(), {{"identity_dir", (identities() / "gcs").string()}}));
  expect({"drone"}, 1, {"is that of a ground station, but role is drone."});
  const fs::path copy = scratch_ / "copy";
  fs::copy(identities() / "alpha", copy, fs::copy_options::recursive);
  fs::permissions(copy, fs::perms::owner_all);
  fs::permissions(copy / "drone.identity", fs::perms::others_read, fs::perm_options::add);
  configure("drone", with(drone_settings(), {{"identity_dir", copy.string()}}));
  expect({"drone"}, 1, {"has mode 0604, but holds a secret and must have mode 0600."});
}

TEST_F(PqcCheck, keys_must_fit_the_suites_that_may_be_used)
{
  const auto suite = with(drone_settings(), {{"suite", "cs-mlkem1024-aesgcm-falcon1024"}});
  configure("drone", suite);
  expect(
    {"drone"}, 1,
    {"problem: Parameter suite: the identity holds no public key of the ground station for "
     "cs-mlkem1024-aesgcm-falcon1024."});
  configure("drone", with(drone_settings(), {{"drone_signature", "true"}}));
  expect({"drone"}, 1, {"problem: The identity holds no signing key of the drone for"});
  configure("gcs", with(gcs_settings(), {{"drone_signature", "true"}}));
  expect({"gcs"}, 1, {"problem: The identity holds no public key of alpha for"});
}

TEST_F(PqcCheck, the_profile_cnsa2_says_what_is_validated_and_what_is_not)
{
  auto settings = drone_settings();
  settings.erase("suite");
  settings.erase("min_level");
  configure("drone", with(settings, {{"profile", "cnsa2"}}));
  const Outcome result = outcome({"check", "drone"});
  EXPECT_NE(
    result.output.find(
      "note: Profile cnsa2, cs-mlkem1024-aesgcm-mldsa87: No component is in a FIPS "
      "module; not validated: ML-KEM-1024 (liboqs "),
    std::string::npos)
    << result.output;
  EXPECT_NE(
    result.output.find("note: Profile cnsa2: challenges and the comparison of both configurations "
                       "have SHA-256, on which neither keys nor data depend.\n"),
    std::string::npos);
  configure("drone", with(drone_settings(), {{"profile", "cnsa2"}}));
  expect(
    {"drone"}, 1,
    {"problem: Profile cnsa2 uses ML-KEM-1024, ML-DSA-87, AES-256-GCM and SHA-384 and refuses all "
     "else: leave out min_level (1), suite (cs-mlkem512-aesgcm-mldsa44).\n"});
  configure("drone", drone_settings());
  EXPECT_EQ(outcome({"check", "drone"}).output.find("validated"), std::string::npos);
}

TEST_F(PqcCheck, both_profiles_are_named_where_they_differ)
{
  configure("drone", with(drone_settings(), {{"profile", "research"}}));
  configure("gcs", with(gcs_settings(), {{"profile", "layered"}}));
  expect(
    {"drone", "--peer", "gcs"}, 1,
    {"problem: profile is research on the drone, but layered on the ground station.\n"});
}

TEST_F(PqcCheck, the_ports_of_the_running_tunnel_are_no_problem)
{
  configure("gcs", gcs_settings());
  ASSERT_EQ(outcome({"up", "gcs"}).code, 0);
  expect({"gcs"}, 0, {"note: The ports are in use by the running tunnel gcs."});
  const auto twin = with(gcs_settings(), {{"datagram_port", free_port()}});
  configure("twin", twin);
  expect({"twin"}, 1, {"in use by another program: pqc_tunneld (pid "});
  EXPECT_EQ(outcome({"down", "gcs"}).code, 0);
}

TEST_F(PqcCheck, the_ground_station_must_have_an_address)
{
  configure("drone", with(drone_settings(), {{"gcs_address", "ground.invalid"}}));
  expect({"drone"}, 1, {"problem: Parameter gcs_address: "});
  configure("drone", with(drone_settings(), {{"gcs_address", "'::1'"}}));
  expect({"drone"}, 1, {"problem: Parameter gcs_address is ::1, which bind_address can't reach"});
}

TEST_F(PqcCheck, the_interface_of_a_link_must_be_there)
{
  const auto check = [this](const std::string & interface, int code, const std::string & part) {
    configure(
      "drone", with(drone_settings(), {{"links", "[lte]"}, {"link.lte.interface", interface}}));
    expect({"drone"}, code, {part});
  };
  check("wwan9", 1, "problem: Parameter link.lte.interface: There is no network interface wwan9");
  check("loo", 1, "There is no network interface loo; did you mean lo?\n");
  check("lo", 0, "  good\n");
}

TEST_F(PqcCheck, both_ends_are_compared_in_what_they_must_agree_on)
{
  configure("drone", drone_settings());
  configure("gcs", gcs_settings());
  expect({"drone", "--peer", "gcs"}, 0, {"both ends:\n  good\n"});
  const std::string file = configure(
    "gcs", with(
             gcs_settings(), {{"min_level", "3"},
                              {"hybrid_x25519", "true"},
                              {"datagram_port", "46099"},
                              {"link_mtu_bytes", "1400"},
                              {"identity_dir", gcs_identity({"beta"}).string()}}));
  expect(
    {"drone", file}, 1,
    {"problem: min_level is 1 on the drone, but 3 on the ground station.",
     "problem: hybrid_x25519 is false on the drone, but true on the ground station.",
     "problem: gcs_datagram_port is " + ports_.gcs_datagram +
       " on the drone, but datagram_port is 46099 on the ground station.",
     "problem: link_mtu_bytes is 1500 on the drone, but 1400 on the ground station.",
     "problem: The drone's keys are of alpha, of which the ground station's identity has no record "
     "that it can use"});
  expect({"drone", "drone"}, 1, {"problem: Both files are of a drone"});
}

TEST_F(PqcCheck, both_minimum_levels_are_named_when_the_suites_are_of_different_levels)
{
  configure("drone", with(drone_settings(), {{"min_level", "0"}}));
  configure("gcs", with(gcs_settings(), {{"min_level", "0"}}));
  expect(
    {"drone", "--peer", "gcs"}, 1,
    {"problem: min_level is 1 (the level of suite cs-mlkem512-aesgcm-mldsa44) on the drone, but 3 "
     "(the level of suite cs-mlkem768-aesgcm-mldsa65) on the ground station."});
  configure(
    "gcs", with(gcs_settings(), {{"min_level", "0"}, {"suite", "cs-mlkem512-aesgcm-mldsa44"}}));
  expect({"drone", "--peer", "gcs"}, 0, {"both ends:\n  good\n"});
}

}  // namespace
}  // namespace pqc_tunnel
