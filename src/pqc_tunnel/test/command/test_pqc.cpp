// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "pqc_fixture.hpp"
#include "support/pipe.hpp"

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

class Pqc : public PqcFixture
{
protected:
  ~Pqc() override
  {
    for (const char * tunnel : {"drone", "gcs"}) {
      if (has_socket(tunnel)) {
        pqc({"down", tunnel}).wait();
      }
    }
  }

  static bool has(const std::string & text, const std::string & part)
  {
    return text.find(part) != std::string::npos;
  }
  static std::size_t entries(const fs::path & folder)
  {
    return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
};

TEST_F(Pqc, help_lists_every_command_and_describes_each)
{
  const Outcome all = outcome({"--help"});
  EXPECT_EQ(all.code, 0);
  for (const std::string command :
       {"up", "down", "show", "rekey", "prefetch", "wipe", "suites", "check", "parameters",
        "completion"})
  {
    EXPECT_TRUE(has(all.output, "\n  " + command + " ")) << command;
    const Outcome one = outcome({command, "--help"});
    EXPECT_EQ(one.code, 0);
    EXPECT_TRUE(has(one.output, "Usage: pqc " + command + " ")) << one.output;
  }
  EXPECT_TRUE(has(outcome({"identity", "--help"}).output, "\n  inspect "));
  EXPECT_TRUE(has(outcome({"identity", "init", "--help"}).output, "--drone-signatures"));
  EXPECT_EQ(outcome({"--version"}).code, 0);
  EXPECT_TRUE(outcome({"--version"}).output.starts_with("pqc "));
  EXPECT_TRUE(has(outcome({"--version"}).output, "(protocol 4)"));
}

TEST_F(Pqc, the_exposure_check_is_a_program_of_another_package)
{
  EXPECT_TRUE(has(outcome({"--help"}).output, "\n  exposure "));
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", scratch_.path().c_str(), 1);
  expect_failure(
    {"exposure", "--json"}, 127,
    "The command exposure is in the package pqc_exposure, which is not installed here.");
  fs::permissions(
    scratch_.write("pqc-exposure", "#!/bin/sh\necho \"$0 $@\"\nexit 3\n"), fs::perms(0700));
  const Outcome there = outcome({"exposure", "--help", "two words"});
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(there.code, 3);
  EXPECT_EQ(there.output, (scratch_ / "pqc-exposure").string() + " --help two words\n");
}

TEST_F(Pqc, a_misspelt_word_is_answered_with_the_nearest_one)
{
  EXPECT_EQ(outcome({}).code, 2);
  EXPECT_EQ(outcome({"identity"}).code, 2);
  expect_failure({"shwo"}, 2, "There is no command \"shwo\"; did you mean show? See pqc --help.");
  expect_failure(
    {"identity", "inti"}, 2,
    "There is no command \"inti\"; did you mean init? See pqc identity --help.");
  expect_failure({"frobnicate"}, 2, "There is no command \"frobnicate\". See pqc --help.");
  expect_failure({"show", "--jsn"}, 2, "The option --jsn is unknown; did you mean --json?");
  expect_failure({"up", "a", "b"}, 2, "\"b\" is too much: see pqc up --help.");
  expect_failure({"up"}, 2, "NAME is needed: see pqc up --help.");
  expect_failure({"up", "--foo"}, 2, "The option --foo is unknown.");
  expect_failure({"rekey", "--drone"}, 2, "The option --drone needs a value.");
  expect_failure(
    {"identity", "init", "--out", "keys", "--drone", "a", "b"}, 2,
    "\"b\" is too much: see pqc identity init --help.");
  expect_failure({"parameters", "plane"}, 2, "Name a role: pqc parameters drone|gcs.");
  configure("gcs", gcs_settings());
  expect_failure({"up", "gsc"}, 1, "There is no tunnel \"gsc\"; did you mean gcs?");
  expect_failure({"show", "gsc"}, 1, "There is no tunnel \"gsc\"; did you mean gcs?");
  expect_failure({"show", "gcs"}, 1, "The tunnel gcs is not up.");
  expect_failure({"down", "gcs"}, 1, "The tunnel gcs is not up.");
  expect_failure({"rekey"}, 1, "No tunnel is up.");
  expect_failure({"prefetch", "cs-mlkem1024-aesgcm-mldsa87"}, 1, "No tunnel is up.");
  expect_failure({"wipe"}, 1, "No tunnel is up.");
  expect_failure({"up", "../etc/gcs"}, 1, "There is no tunnel \"../etc/gcs\".");
  EXPECT_FALSE(fs::exists(run_));
}

TEST_F(Pqc, tunnels_go_up_are_shown_and_rekeyed_and_go_down)
{
  configure("drone", drone_settings());
  configure("gcs", gcs_settings());
  Outcome up = outcome({"up", "gcs"});
  ASSERT_EQ(up.code, 0) << up.errors;
  EXPECT_EQ(up.output, "The tunnel gcs is up; its log is " + (run_ / "gcs.log").string() + ".\n");
  EXPECT_EQ(outcome({"show"}).code, 1);  // no drone yet
  ASSERT_EQ(outcome({"up", "drone"}).code, 0);
  expect_failure({"up", "drone"}, 1, "The tunnel drone is up already.");

  Outcome shown;
  EXPECT_TRUE(eventually([&] { return (shown = outcome({"show"})).code == 0; })) << shown.output;
  for (const char * part :
       {"tunnel: drone\n  role: drone (pqc_tunneld ", "tunnel: gcs\n  role: ground station (",
        "  peer: alpha\n    state: established, encrypted\n",
        "    suite: cs-mlkem512-aesgcm-mldsa44 (level 1), epoch 0\n",
        "    last received: ", " ago, took ", " received, ", " 0 dropped\n", " lost inbound"})
  {
    EXPECT_TRUE(has(shown.output, part)) << part << "\n" << shown.output;
  }
  const Outcome json = outcome({"show", "drone", "--json"});
  EXPECT_TRUE(json.output.starts_with("[{\"name\": \"drone\", \"time\": ")) << json.output;

  expect_failure({"rekey"}, 2, "Several tunnels are up: name one of drone, gcs.");
  const Outcome rekeyed = outcome({"rekey", "drone", "cs-mlkem768-aesgcm-mldsa65"});
  EXPECT_EQ(rekeyed.code, 0) << rekeyed.errors;
  EXPECT_TRUE(rekeyed.output.starts_with(
    "The tunnel drone has new keys: cs-mlkem768-aesgcm-mldsa65, epoch 1, in "))
    << rekeyed.output;
  EXPECT_EQ(outcome({"rekey", "gcs", "--drone", "alpha"}).code, 0);
  expect_failure(
    {"rekey", "gcs", "--drone", "alhpa"}, 1,
    "No rekey: This ground station has no drone alhpa; did you mean alpha?");
  expect_failure(
    {"rekey", "drone", "cs-mlkem768-aesgcm-mldsa66"}, 2,
    "There is no suite \"cs-mlkem768-aesgcm-mldsa66\"; did you mean cs-mlkem768-aesgcm-mldsa65?");
  const Outcome experimental = outcome({"rekey", "drone", "cs-hqc192-aesgcm-mldsa66"});
  EXPECT_FALSE(has(experimental.errors, "did you mean cs-hqc")) << experimental.errors;
  const std::string plain = "cs-frodokem640aes-aesgcm-mldsa44";
  const Outcome fetched = outcome({"prefetch", "drone", plain});
  EXPECT_EQ(fetched.code, 0) << fetched.errors;
  EXPECT_EQ(fetched.output, "The key for " + plain + " is being fetched.\n");
  EXPECT_TRUE(
    eventually([] { return has(outcome({"show"}).output, "FrodoKEM-640-AES: key is there"); }));
  expect_failure({"prefetch", "drone"}, 2, "Name a suite: pqc prefetch [NAME] SUITE.");
  expect_failure(
    {"prefetch", "drone", "cs-mlkem1024-aesgcm-mldsa87"}, 1,
    "Nothing is fetched: the identity holds no public key of the ground station for "
    "cs-mlkem1024-aesgcm-mldsa87.");
  expect_failure(
    {"prefetch", "gcs", plain}, 1,
    "Nothing is fetched: This is a ground station, which fetches no keys: ask its drone.");
  const Outcome suites = outcome({"suites", "gcs"});
  EXPECT_EQ(suites.code, 0);
  EXPECT_TRUE(has(suites.output, "not allowed by min_level")) << suites.output;
  EXPECT_TRUE(has(suites.output, "cs-frodokem640aes-aesgcm-falcon512            level 1  liboqs "))
    << suites.output;
  EXPECT_TRUE(has(suites.output, "cs-classicmceliece8192128-chacha20poly1305-sphincs256s level 5"))
    << suites.output;
  EXPECT_TRUE(has(outcome({"show", "drone"}).output, "    computed by: KEM "));

  EXPECT_EQ(outcome({"down", "gcs"}).output, "The tunnel gcs is down.\n");
  EXPECT_EQ(outcome({"rekey", "cs-nothing"}).code, 2);
  EXPECT_EQ(outcome({"down", "drone"}).code, 0);
  expect_failure({"down", "drone"}, 1, "The tunnel drone is not up.");
  EXPECT_EQ(outcome({"show"}).output, "No tunnel is up.\n");
}

TEST_F(Pqc, every_algorithm_of_a_suite_is_listed_with_what_computes_it)
{
  const Outcome listed = outcome({"suites", "--algorithms", "--json"});
  ASSERT_EQ(listed.code, 0) << listed.errors;
  std::set<std::string> tokens;
  for (const YAML::Node & one : YAML::Load(listed.output)) {
    EXPECT_NE(one["library"].as<std::string>(), "") << one["name"];
    if (one["token"]) {
      tokens.insert(one["token"].as<std::string>());
    }
    if (one["level"]) {
      EXPECT_NE(one["specification"].as<std::string>(), "") << one["name"];
    }
  }
  for (const YAML::Node & suite : YAML::Load(outcome({"suites", "--json"}).output)) {
    std::istringstream id(suite["id"].as<std::string>());
    std::string part;
    std::getline(id, part, '-');
    for (int i = 0; i < 3; ++i) {
      std::getline(id, part, '-');
      EXPECT_TRUE(tokens.contains(part)) << part;
    }
  }
  EXPECT_TRUE(has(outcome({"suites", "--algorithms"}).output, "FIPS 203"));
}

TEST_F(Pqc, a_tunnel_of_another_user_is_named_instead_of_none)
{
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  configure("gcs", gcs_settings());
  ASSERT_EQ(outcome({"up", "gcs"}).code, 0);
  const auto program = fs::read_symlink("/proc/self/exe").parent_path() / "pqc";
  Program show(
    "/usr/bin/setpriv", {"--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/env",
                         "--unset=PQC_RUN_DIR", program.string(), "show"});
  const int code = show.wait();
  if (code > 1) {
    GTEST_SKIP() << "other users may not run this build: " << show.errors();
  }
  EXPECT_TRUE(show.output().starts_with("No tunnel is up as this user; ")) << show.output();
  EXPECT_TRUE(has(show.output(), " runs as root: use sudo.\n")) << show.output();
  EXPECT_EQ(outcome({"down", "gcs"}).code, 0);
}

TEST_F(Pqc, keys_are_ratcheted_and_wiped)
{
  configure("drone", drone_settings());
  configure("gcs", gcs_settings());
  ASSERT_EQ(outcome({"up", "gcs"}).code, 0);
  ASSERT_EQ(outcome({"up", "drone"}).code, 0);
  ASSERT_TRUE(eventually([] { return outcome({"show"}).code == 0; }));

  const Outcome ratcheted = outcome({"rekey", "gcs", "--ratchet", "--drone", "alpha"});
  EXPECT_EQ(ratcheted.code, 0) << ratcheted.errors;
  EXPECT_TRUE(ratcheted.output.starts_with(
    "The tunnel gcs has new keys: cs-mlkem512-aesgcm-mldsa44, epoch 1, in "))
    << ratcheted.output;
  EXPECT_TRUE(eventually([] {
    const Outcome drone = outcome({"show", "drone", "--json"});
    return has(drone.output, "\"rekeys\": 1,") && has(drone.output, "\"ratchets\": 1,");
  }));
  expect_failure(
    {"rekey", "drone", "cs-mlkem768-aesgcm-mldsa65", "--ratchet"}, 2,
    "A ratchet keeps the suite: leave out cs-mlkem768-aesgcm-mldsa65.");

  expect_failure({"wipe"}, 2, "Several tunnels are up: name one of drone, gcs.");
  expect_failure(
    {"wipe", "gcs", "--drone", "alhpa"}, 1,
    "This ground station has no drone alhpa; did you mean alpha?");
  EXPECT_EQ(outcome({"wipe", "drone"}).output, "The keys of the tunnel drone are wiped.\n");
  Outcome shown;
  EXPECT_TRUE(eventually([&] {
    shown = outcome({"show"});
    return shown.code == 0 && !has(shown.output, ", epoch 1\n");
  }))
    << shown.output;
}

TEST_F(Pqc, a_tunnel_that_does_not_start_is_reported_with_its_own_sentence_and_leaves_nothing)
{
  const Application other;
  configure("drone", with(drone_settings(), {{"datagram_port", std::to_string(other.port())}}));
  expect_failure(
    {"up", "drone"}, 1,
    "The tunnel drone did not start: UDP 127.0.0.1:" + std::to_string(other.port()) +
      " for the encrypted side is in use by another program.");
  configure("drone", with(drone_settings(), {{"datagramm_port", "1"}}));
  expect_failure(
    {"up", "drone"}, 1,
    "The tunnel drone did not start: Parameter datagramm_port is unknown; did you mean "
    "datagram_port?");
  EXPECT_EQ(entries(run_), 0u);
}

TEST_F(Pqc, an_interrupted_start_leaves_no_tunnel_behind)
{
  // Its self-test takes seconds.
  configure(
    "drone", with(drone_settings(), {{"suite", "cs-classicmceliece8192128-aesgcm-sphincs256s"}}));
  Program up = pqc({"up", "drone"});
  ASSERT_TRUE(eventually([&] { return fs::exists(run_ / "drone.log"); }));
  up.send_signal(SIGINT);
  EXPECT_EQ(up.wait(), 1);
  EXPECT_EQ(up.errors(), "pqc: Interrupted: the tunnel drone was not started.\n");
  EXPECT_EQ(entries(run_), 0u);
}

TEST_F(Pqc, a_killed_tunnel_is_shown_as_a_problem_and_can_be_started_again)
{
  fs::create_directory(run_);
  fs::permissions(run_, fs::perms::owner_all);
  const std::string file = configure("gcs", gcs_settings());
  const std::string socket = (run_ / "gcs.sock").string();
  {
    Program killed("pqc_tunneld", {"--config", file, "--control", socket});
    ASSERT_TRUE(eventually([&] { return has(outcome({"show"}).output, "peer: alpha"); }));
    expect_failure({"up", "gcs"}, 1, "The tunnel gcs is up already.");
  }
  const Outcome shown = outcome({"show"});
  EXPECT_EQ(shown.code, 1);
  EXPECT_TRUE(has(shown.output, "  problem: it was killed, or does not answer")) << shown.output;
  EXPECT_TRUE(has(outcome({"show", "--json"}).output, "\"running\": false"));
  EXPECT_EQ(outcome({"up", "gcs"}).code, 0);
}

TEST_F(Pqc, a_folder_of_control_sockets_that_others_can_open_is_refused)
{
  fs::create_directory(run_);
  fs::permissions(run_, fs::perms::owner_all | fs::perms::others_exec);
  configure("gcs", gcs_settings());
  const std::string sentence = "The folder of control sockets " + run_.string() +
                               " is open to other users; chmod 700 closes it.";
  expect_failure({"show"}, 1, sentence);
  expect_failure({"up", "gcs"}, 1, sentence);
  EXPECT_EQ(entries(run_), 0u);
}

TEST_F(Pqc, the_name_in_the_parameters_opens_the_control_socket_unless_it_is_taken)
{
  const auto settings = with(gcs_settings(), {{"control_name", "ground"}});
  Program tunnel("pqc_tunneld", {"--config", configure("gcs", settings)});
  ASSERT_TRUE(eventually([&] { return has(outcome({"show", "ground"}).output, "peer: alpha"); }));
  ports_ = Ports();
  const auto twin_settings = with(gcs_settings(), {{"control_name", "ground"}});
  Program twin("pqc_tunneld", {"--config", configure("twin", twin_settings)});
  EXPECT_TRUE(eventually([&] { return has(twin.errors(), " INFO The tunnel runs."); }));
  EXPECT_TRUE(has(twin.errors(), " is in use. The tunnel runs, but pqc cannot show it."))
    << twin.errors();
}

class PqcIdentity : public Pqc
{
protected:
  std::vector<std::string> making(
    const std::string & command, const std::string & drone, const std::string & folder = "keys")
  {
    return {"identity", command, "--out",    (scratch_ / folder).string(),
            "--drone",  drone,   "--anchor", "none"};
  }
  Outcome init(const std::string & folder = "keys")
  {
    auto words = making("init", "alpha", folder);
    words.insert(words.end(), {"--signatures", "mldsa44"});
    return outcome(words);
  }
};

TEST_F(PqcIdentity, is_made_shown_and_never_overwritten)
{
  EXPECT_EQ(init().code, 0);
  EXPECT_EQ(init().code, 1);
  const Outcome shown = outcome({"identity", "inspect", (scratch_ / "keys/gcs").string()});
  EXPECT_EQ(shown.code, 0);
  EXPECT_TRUE(has(shown.output, "a ground station's identity")) << shown.output;
  expect_failure({"identity", "init", "--drone", "alpha"}, 2, "The option --out is needed.");
  auto words = making("init", "b", "more");
  words.insert(words.end(), {"--signatures", "mldsa45"});
  expect_failure(words, 2, "\"mldsa45\" is no signature algorithm; did you mean mldsa44?");
  EXPECT_FALSE(fs::exists(scratch_ / "more"));
}

TEST_F(PqcIdentity, gets_keys_of_the_anchor_for_the_drones_that_it_knows)
{
  init();
  const std::string out = (scratch_ / "keys").string();
  const std::vector<std::string> words{"identity", "anchor", "--out", out, "--anchor"};
  const auto of = [&](const std::string & level, const std::string & count) {
    auto all = words;
    all.insert(all.end(), {level, "--one-time", count});
    return all;
  };
  expect_failure(of("none", "1"), 2, "The anchor's level must be 1, 3 or 5.");
  expect_failure(of("4", "1"), 2, "The anchor's level is \"4\", but must be 1, 3 or 5, or none.");
  expect_failure(
    of("1", "1001"), 2, "--one-time is 1001, but must be a whole number from 0 to 1000.");
  const Outcome made = outcome(of("1", "1"));
  ASSERT_EQ(made.code, 0) << made.errors;
  for (const std::string place : {"gcs/anchor/one_time/alpha", "alpha/anchor/one_time"}) {
    EXPECT_EQ(entries(fs::path(out) / place), 1u) << place;
  }
}

TEST_F(PqcIdentity, of_two_ends_match_or_differ_in_what_is_named)
{
  init("one");
  init("two");
  const std::string drone = (scratch_ / "one/alpha").string();
  const std::string gcs = (scratch_ / "one/gcs").string();
  const std::string other_gcs = (scratch_ / "two/gcs").string();
  EXPECT_EQ(
    outcome({"identity", "inspect", gcs, drone}).output,
    "These two match: ids, pre-shared key, signing keys and anchor.\n");
  const Outcome differing = outcome({"identity", "inspect", drone, other_gcs});
  EXPECT_EQ(differing.code, 1);
  EXPECT_EQ(
    differing.output,
    "The drone belongs to another ground station: the ids differ.\n"
    "The drone has another public key for ML-DSA-44 than the ground station.\n"
    "The ground station's record of alpha is of another drone: the ids differ.\n"
    "The pre-shared keys differ.\n"
    "These two do not match.\n");
  fs::rename(fs::path(gcs) / "drones/alpha.drone", fs::path(gcs) / "drones/beta.drone");
  EXPECT_TRUE(has(
    outcome({"identity", "inspect", drone, gcs}).output,
    "The ground station has no record of the drone alpha; it knows beta."));
  expect_failure(
    {"identity", "inspect", gcs, other_gcs}, 1,
    "Both folders are of ground stations: compare one with its drone.");
}

// The steps of docs/operations.md, "A drone more, a drone less".
TEST_F(PqcIdentity, of_a_drone_is_added_and_removed_by_its_file)
{
  ASSERT_EQ(init().code, 0);
  const fs::path own = scratch_ / "own";
  fs::copy(scratch_ / "keys/gcs", own, fs::copy_options::recursive);
  ASSERT_EQ(outcome(making("add-drone", "beta")).code, 0);
  fs::copy(scratch_ / "keys/gcs/drones/beta.drone", own / "drones/beta.drone");
  set_drone(own, "beta", "plaintext_port: " + free_port());
  configure("gcs", with(gcs_settings(), {{"identity_dir", own.string()}}));
  const Outcome good = outcome({"check", "gcs"});
  EXPECT_EQ(good.code, 0) << good.output;
  EXPECT_TRUE(has(good.output, "  good\n")) << good.output;
  const Outcome up = outcome({"up", "gcs"});
  ASSERT_EQ(up.code, 0) << up.errors;
  EXPECT_TRUE(has(outcome({"show", "gcs"}).output, "beta"));

  fs::remove(own / "drones/beta.drone");
  EXPECT_EQ(outcome({"reload"}).output, "1 drone removed (beta).\n");
  EXPECT_FALSE(has(outcome({"show", "gcs"}).output, "beta"));
  std::ifstream log(run_ / "gcs.log");
  const std::string logged{std::istreambuf_iterator<char>(log), std::istreambuf_iterator<char>()};
  EXPECT_TRUE(has(logged, " INFO 1 drone removed (beta).")) << logged;
}

TEST_F(PqcIdentity, of_drones_are_added_all_or_none)
{
  init();
  const fs::path keys = scratch_ / "keys";
  // The record of the second drone finds its place taken.
  scratch_.write("keys/gcs/drones/gamma.drone", "");
  auto words = making("add-drone", "beta");
  words.insert(words.end(), {"--drone", "gamma"});
  EXPECT_EQ(outcome(words).code, 1);
  EXPECT_EQ(entries(keys), 2u);
  EXPECT_EQ(entries(keys / "gcs/drones"), 2u);
  EXPECT_EQ(outcome(making("add-drone", "beta")).code, 0);
  EXPECT_EQ(
    outcome({"identity", "inspect", (keys / "beta").string(), (keys / "gcs").string()}).code, 0);
}

TEST_F(PqcIdentity, whose_progress_nobody_reads_any_more_is_not_made)
{
  init();
  auto words = making("add-drone", "beta");
  words.insert(words.end(), {"--drone", "gamma"});
  Pipe progress;
  progress.close_reader();
  Program adding("pqc", words, {.output = progress.writer()});
  EXPECT_EQ(adding.wait(), 1);
  EXPECT_EQ(adding.errors(), "pqc: Interrupted: no key was made.\n");
  EXPECT_EQ(entries(scratch_ / "keys"), 2u);
  EXPECT_EQ(entries(scratch_ / "keys/gcs/drones"), 1u);
}

TEST_F(PqcIdentity, of_a_drone_interrupted_in_the_making_leaves_nothing)
{
  init();
  auto words = making("add-drone", "beta");
  words.insert(words.end(), {"--drone-signatures", "all"});
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    Program adding = pqc(words);
    ASSERT_TRUE(eventually([&] { return has(adding.output(), "beta: SPHINCS"); }));
    adding.send_signal(number);
    EXPECT_EQ(adding.wait(), 1);
    EXPECT_EQ(adding.errors(), "pqc: Interrupted: no key was made.\n");
    EXPECT_EQ(entries(scratch_ / "keys"), 2u) << number;
    EXPECT_EQ(entries(scratch_ / "keys/gcs/drones"), 1u) << number;
  }
}

TEST_F(PqcIdentity, interrupted_in_the_making_leaves_nothing)
{
  auto words = making("init", "alpha");
  words.insert(words.end(), {"--drone-signatures", "all"});
  Program making_keys = pqc(words);
  ASSERT_TRUE(eventually([&] { return has(making_keys.output(), "gcs: SPHINCS"); }));
  making_keys.send_signal(SIGINT);
  EXPECT_EQ(making_keys.wait(), 1);
  EXPECT_EQ(making_keys.errors(), "pqc: Interrupted: no key was made.\n");
  EXPECT_FALSE(fs::exists(scratch_ / "keys"));
}

}  // namespace
}  // namespace pqc_tunnel
