// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "config/config.hpp"
#include "support/scratch_dir.hpp"

namespace pqc_tunnel
{
namespace
{

using List = std::vector<std::string>;

ParameterValues drone_values()
{
  return {
    {"role", std::string("drone")},
    {"identity_dir", std::string("keys")},
    {"suite", std::string("cs-mlkem768-aesgcm-mldsa65")},
    {"gcs_address", std::string("ground.example")},
    {"gcs_datagram_port", std::int64_t{46011}},
    {"datagram_port", std::int64_t{46012}},
    {"plaintext_bind_address", std::string("localhost")},
    {"plaintext_port", std::int64_t{14590}},
  };
}

ParameterValues gcs_values()
{
  return {
    {"role", std::string("gcs")},
    {"identity_dir", std::string("keys")},
    {"datagram_port", std::int64_t{46011}},
    {"plaintext_bind_address", std::string("localhost")},
    {"plaintext_port", std::int64_t{14551}},
    {"announce_decisions", true},
  };
}

std::string refusal(Role role, const ParameterValues & values)
{
  const auto config = make_engine_config(role, values);
  return config ? "accepted" : config.error().message;
}

std::string drone_refusal(const std::string & name, ParameterValue value)
{
  auto values = drone_values();
  values[name] = std::move(value);
  return refusal(Role::drone, values);
}

std::string gcs_refusal(const std::string & name, ParameterValue value)
{
  auto values = gcs_values();
  values[name] = std::move(value);
  return refusal(Role::gcs, values);
}

TEST(Config, a_drone_needs_little_more_than_its_addresses)
{
  const auto config = make_engine_config(Role::drone, drone_values());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->links[0].gcs.host, "ground.example");
  EXPECT_EQ(config->links[0].gcs.port, 46011);
  EXPECT_EQ(config->links[0].bind.port, 46012);
  EXPECT_EQ(config->links[0].bind.host, "");
  EXPECT_EQ(config->plaintext.bind.port, 14590);
  EXPECT_EQ(config->plaintext.peer.port, 0);
  EXPECT_EQ(config->settings.initial_suite->id, "cs-mlkem768-aesgcm-mldsa65");
  EXPECT_EQ(config->settings.max_datagram, 1500u - 48 - 25);  // the name may mean an IPv6 address
  EXPECT_EQ(config->settings.max_key_age, std::chrono::hours(1));
}

TEST(Config, only_a_numeric_ipv4_address_leaves_more_of_the_mtu_to_a_datagram)
{
  const auto room = [](Role role, ParameterValues values, const char * name, const char * host) {
    values[name] = std::string(host);
    const auto config = make_engine_config(role, values);
    return config ? 1500 - 25 - config->settings.max_datagram : 0;
  };
  EXPECT_EQ(room(Role::drone, drone_values(), "gcs_address", "192.0.2.7"), 28u);
  EXPECT_EQ(room(Role::drone, drone_values(), "gcs_address", "2001:db8::2"), 48u);
  EXPECT_EQ(room(Role::drone, drone_values(), "bind_address", "192.0.2.7"), 28u);
  EXPECT_EQ(room(Role::drone, drone_values(), "bind_address", "::"), 48u);
  EXPECT_EQ(room(Role::gcs, gcs_values(), "bind_address", "0.0.0.0"), 28u);
  EXPECT_EQ(room(Role::gcs, gcs_values(), "bind_address", ""), 48u);
}

class PlaintextOfDrone : public testing::Test
{
protected:
  PlaintextOfDrone()
  {
    auto values = gcs_values();
    values["plaintext_peer_address"] = std::string("localhost");
    values["plaintext_peer_port"] = std::int64_t{14550};
    values["mirror_messages"] = List{"0", "1"};
    all_ = make_engine_config(Role::gcs, values)->plaintext;
  }
  Result<PlaintextConfig> read(const std::string & text, std::uint16_t number = 0)
  {
    return plaintext_of_drone(all_, "beta", number, scratch_.write("beta.yaml", text));
  }
  std::string refusal(const std::string & text)
  {
    const auto read = this->read(text);
    return read ? "accepted" : read.error().message;
  }

  ScratchDir scratch_;
  PlaintextConfig all_;
};

TEST_F(PlaintextOfDrone, is_that_of_all_drones_on_a_port_by_its_number)
{
  const auto third = plaintext_of_drone(all_, "beta", 2, scratch_ / "absent.yaml");
  ASSERT_TRUE(third) << third.error().message;
  PlaintextConfig expected = all_;
  expected.name = "beta";
  expected.bind.port = 14553;
  EXPECT_EQ(*third, expected);
  EXPECT_EQ(read("# nothing\n", 2), expected);
}

TEST_F(PlaintextOfDrone, is_what_its_file_says)
{
  const auto own = read("plaintext_port: 14600\nplaintext_peer_address: 192.0.2.1\n", 7);
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ(own->bind.port, 14600);
  EXPECT_EQ(own->bind.host, "localhost");
  EXPECT_EQ(own->peer.host, "192.0.2.1");
  EXPECT_EQ(own->peer.port, 14550);
  EXPECT_EQ(own->mirror_messages, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(read("plaintext_peer_port: 0\n")->peer.port, 0);
}

TEST_F(PlaintextOfDrone, in_a_file_with_a_mistake_is_refused_with_file_and_parameter)
{
  const std::string file = (scratch_ / "beta.yaml").string();
  EXPECT_EQ(
    refusal("plaintxt_port: 1\n"),
    file + ": Parameter plaintxt_port is unknown; did you mean plaintext_port?");
  EXPECT_EQ(
    refusal("datagram_port: 1\n"), file +
                                     ": Parameter datagram_port is unknown; did you mean "
                                     "mirror_port?");
  EXPECT_EQ(
    refusal("plaintext_port: 70000\n"),
    file + ": Parameter plaintext_port is 70000, but must be from 0 to 65535.");
  EXPECT_EQ(
    refusal("just words\n"),
    "Parameter file " + file + ": it must hold lines of the form name: value.");
  EXPECT_EQ(
    plaintext_of_drone(all_, "beta", 60000, file).error().message,
    "Parameter file " + file + ": it must hold lines of the form name: value.");
  EXPECT_EQ(
    plaintext_of_drone(all_, "beta", 60000, scratch_ / "absent.yaml").error().message,
    (scratch_ / "absent.yaml").string() +
      ": No port from 1 to 65535 is left for it: give it a plaintext_port.");
}

TEST(Config, every_parameter_has_a_row_a_sentence_and_a_default_of_its_own_type)
{
  std::set<std::string> names;
  for (const auto & spec : parameter_table()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_EQ(spec.default_value.index(), static_cast<std::size_t>(spec.type)) << spec.name;
    EXPECT_EQ(spec.description.find(". "), std::string::npos) << spec.name;
    EXPECT_TRUE(spec.description.ends_with(".")) << spec.name;
    EXPECT_FALSE(spec.section.empty()) << spec.name;
  }
}

TEST(Config, no_default_names_an_address_or_a_port)
{
  for (const auto & spec : parameter_table()) {
    if (spec.name.ends_with("_port")) {
      EXPECT_EQ(std::get<std::int64_t>(spec.default_value), 0) << spec.name;
    }
    if (spec.name.ends_with("_address")) {
      EXPECT_EQ(std::get<std::string>(spec.default_value), "") << spec.name;
    }
  }
}

TEST(Config, an_end_has_the_rows_of_both_ends_and_its_own_for_each_link)
{
  const auto names = [](Role role, const ParameterValues & values) {
    std::set<std::string> all;
    for (const auto & spec : parameter_specs(role, values)) {
      all.insert(spec.name);
    }
    return all;
  };
  const auto gcs = names(Role::gcs, {{"links", std::string("lte")}});
  for (const char * name :
       {"datagram_port", "announce_decisions", "plaintext_port", "link.lte.interface"})
  {
    EXPECT_TRUE(gcs.contains(name)) << name;
  }
  for (const char * name : {"gcs_address", "radio_status", "link.lte.gcs_address"}) {
    EXPECT_FALSE(gcs.contains(name)) << name;
  }
  const auto drone = names(Role::drone, {});
  EXPECT_TRUE(drone.contains("gcs_address"));
  EXPECT_FALSE(drone.contains("announce_decisions"));
  for (const auto & name : drone) {
    EXPECT_EQ(name.find("NAME"), std::string::npos) << name;
  }
}

TEST(Config, a_ground_station_keeps_named_suites_in_stock_if_they_are_allowed)
{
  auto values = gcs_values();
  values["prekey_pool.suites"] = List{"cs-mlkem1024-aesgcm-mldsa87"};
  values["prekey_pool.max_bytes"] = std::int64_t{1000000};
  const auto config = make_engine_config(Role::gcs, values);
  ASSERT_TRUE(config) << config.error().message;
  const auto & pool = config->settings.prekey_pool;
  ASSERT_EQ(pool.suites.size(), 1u);
  EXPECT_EQ(pool.suites[0]->id, "cs-mlkem1024-aesgcm-mldsa87");
  EXPECT_EQ(pool.max_bytes, 1000000u);
  EXPECT_EQ(
    gcs_refusal("prekey_pool.suites", List{"cs-hqc128-aesgcm-mldsa44"}),
    "Parameter prekey_pool.suites names cs-hqc128-aesgcm-mldsa44, which is not allowed: its "
    "level 1 is below min_level 3 (of suite cs-mlkem768-aesgcm-mldsa65).");
}

TEST(Config, limits_of_age_silence_and_ratchets_reach_the_settings)
{
  auto values = drone_values();
  values["max_age_s"] = 0.5;
  values["wipe_after_s"] = std::int64_t{60};
  values["rekey.max_ratchets"] = std::int64_t{5};
  values["prefetch.max_bytes"] = std::int64_t{0};
  const auto config = make_engine_config(Role::drone, values);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->settings.max_age, std::chrono::milliseconds(500));
  EXPECT_EQ(config->settings.wipe_after, std::chrono::minutes(1));
  EXPECT_EQ(config->settings.max_ratchets, 5u);
  EXPECT_EQ(config->settings.prefetch_max_bytes, 0u);
}

TEST(Config, keys_are_wiped_only_after_the_peer_counts_as_lost_or_never)
{
  EXPECT_EQ(
    drone_refusal("wipe_after_s", std::int64_t{3}),
    "Parameter wipe_after_s is 3, but must be more than peer_timeout_s, or 0 for never.");
  EXPECT_EQ(drone_refusal("wipe_after_s", 3.5), "accepted");
  EXPECT_EQ(drone_refusal("wipe_after_s", 0.0), "accepted");
}

TEST(Config, an_error_is_one_sentence_with_name_value_and_allowed_values)
{
  EXPECT_EQ(
    drone_refusal("link_mtu_bytes", std::int64_t{255}),
    "Parameter link_mtu_bytes is 255, but must be from 256 to 9000.");
  EXPECT_EQ(
    drone_refusal("peer_timeout_s", 0.1),
    "Parameter peer_timeout_s is 0.1, but must be from 0.5 to 3600.");
  // Longer than an old part of a stream is known as such.
  EXPECT_EQ(
    drone_refusal("max_age_s", 20.0), "Parameter max_age_s is 20, but must be from 0.05 to 15.");
  EXPECT_EQ(
    drone_refusal("hybrid_x25519", std::string("perhaps")),
    "Parameter hybrid_x25519 is perhaps, but must be true or false.");
  EXPECT_EQ(
    drone_refusal("min_level", std::int64_t{2}),
    "Parameter min_level is 2, but must be 0, 1, 3 or 5.");
  EXPECT_EQ(
    drone_refusal("gcs_address", std::string()),
    "Parameter gcs_address is empty, but a drone needs it.");
  EXPECT_EQ(
    drone_refusal("plaintext_port", std::int64_t{0}),
    "Parameter plaintext_port is 0, but must be a port from 1 to 65535.");
  EXPECT_EQ(
    drone_refusal("role", std::string("gcs")),
    "Parameter role is gcs, but must be drone here: this is the ground station's file.");
  EXPECT_EQ(
    drone_refusal("keepalive_interval_s", std::int64_t{3}),
    "Parameter keepalive_interval_s is 3, but must be less than peer_timeout_s, or a quiet link "
    "would look lost.");
  EXPECT_EQ(
    drone_refusal("mirror_port", std::int64_t{14999}),
    "Parameter mirror_address is empty, but mirror_port is given.");
  EXPECT_EQ(
    drone_refusal("mirror_messages", List{"0", "HEARTBEAT"}),
    "Parameter mirror_messages contains HEARTBEAT, but must contain ids of MAVLink messages, "
    "numbers from 0 to 16777215.");
}

TEST(Config, the_other_ends_file_is_the_first_problem)
{
  auto values = gcs_values();
  EXPECT_EQ(
    refusal(Role::drone, values),
    "Parameter role is gcs, but must be drone here: this is the ground station's file.");
  values["role"] = std::string("drone");
  values["prekey_pool.max_bytes"] = std::int64_t{0};
  EXPECT_EQ(
    refusal(Role::drone, values),
    "This is the ground station's file, but this end is a drone: announce_decisions and "
    "prekey_pool.max_bytes are parameters of a ground station.");
  EXPECT_EQ(
    gcs_refusal("gcs_address", std::string("ground.example")),
    "Parameter gcs_address is one of a drone, but this end is a ground station.");
}

TEST(Config, a_number_in_quotes_is_said_to_be_a_text)
{
  EXPECT_EQ(
    drone_refusal("datagram_port", std::string("46012")),
    "Parameter datagram_port is the text \"46012\", but must be a whole number: remove the "
    "quotes.");
  EXPECT_EQ(
    drone_refusal("peer_timeout_s", std::string("3")),
    "Parameter peer_timeout_s is the text \"3\", but must be a number: remove the quotes.");
  EXPECT_EQ(
    drone_refusal("hybrid_x25519", std::string("true")),
    "Parameter hybrid_x25519 is the text \"true\", but must be true or false: remove the quotes.");
  EXPECT_EQ(
    drone_refusal("datagram_port", std::string("many")),
    "Parameter datagram_port is many, but must be a whole number.");
}

TEST(Config, the_role_must_be_given_and_known)
{
  EXPECT_EQ(role_of({{"role", std::string("gcs")}}).value(), Role::gcs);
  EXPECT_EQ(
    role_of({{"role", std::string("plane")}}).error().message,
    "Parameter role is plane, but must be drone or gcs.");
  EXPECT_EQ(role_of({}).error().message, "Parameter role is empty, but must be drone or gcs.");
}

TEST(Config, every_problem_is_listed)
{
  auto values = drone_values();
  values["mirror_prot"] = std::int64_t{14999};
  values["link_mtu_bytes"] = std::int64_t{12};
  values["datagram_port"] = std::int64_t{0};
  values["min_level"] = std::int64_t{4};
  values["allowed_suites"] = List{"cs-nothing", "cs-hqc192-aesgcm-mldsa65"};
  values["control_name"] = std::string("../up");
  std::vector<Error> problems;
  make_engine_config(Role::drone, values, problems);
  std::string sentences;
  for (const Error & problem : problems) {
    sentences += problem.message + "\n";
  }
  for (const char * part :
       {"mirror_prot is unknown", "link_mtu_bytes is 12", "datagram_port is 0", "min_level is 4",
        "no suite \"cs-nothing\"", "which is experimental", "control_name is ../up",
        "suite is cs-mlkem768-aesgcm-mldsa65, which is not allowed"})
  {
    EXPECT_NE(sentences.find(part), std::string::npos) << part << "\n" << sentences;
  }
  EXPECT_EQ(problems.size(), 8u) << sentences;
}

TEST(Config, a_misspelt_name_is_refused_with_the_nearest_one)
{
  EXPECT_EQ(
    drone_refusal("wipe_after", 1.0),
    "Parameter wipe_after is unknown; did you mean wipe_after_s?");
}

TEST(Config, lists_of_drones_of_an_earlier_version_are_refused_with_what_to_do)
{
  auto values = gcs_values();
  values["drones"] = List{"alpha"};
  values["drone.alpha.plaintext_port"] = std::int64_t{14551};
  std::vector<Error> problems;
  make_engine_config(Role::gcs, values, problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(
    problems[0].message,
    "Parameter drone.alpha.plaintext_port is of an earlier version: each drone is a file now, so "
    "remove drones, and move the lines drone.NAME.… without this prefix to the file "
    "drones/NAME.yaml in identity_dir.");
}

TEST(Config, a_name_like_no_other_is_said_to_be_unknown)
{
  EXPECT_EQ(
    drone_refusal("replay_window_packets", std::int64_t{4096}),
    "Parameter replay_window_packets is unknown.");
}

TEST(Config, an_unknown_suite_is_refused_with_the_nearest_one)
{
  EXPECT_EQ(
    drone_refusal("suite", std::string("cs-mlkem768-aesgcm-mldsa66")),
    "Parameter suite: there is no suite \"cs-mlkem768-aesgcm-mldsa66\"; did you mean "
    "cs-mlkem768-aesgcm-mldsa65?");
}

TEST(Config, a_suite_that_would_be_refused_too_is_not_suggested)
{
  auto values = drone_values();
  values["min_level"] = std::int64_t{3};
  values["suite"] = std::string("cs-mlkem512-aesgcm-mldsa4");
  EXPECT_EQ(
    refusal(Role::drone, values),
    "Parameter suite: there is no suite \"cs-mlkem512-aesgcm-mldsa4\"; did you mean "
    "cs-mlkem768-aesgcm-mldsa65?");
}

TEST(Config, the_address_of_the_ground_station_is_known_to_messages)
{
  auto values = drone_values();
  values["gcs_address"] = std::string("2001:db8::2");
  const auto config = make_engine_config(Role::drone, values);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->settings.ground.name, "[2001:db8::2]:46011");
  EXPECT_EQ(config->settings.ground.port, 46011);
}

TEST(Config, the_initial_suite_must_be_one_of_those_allowed)
{
  EXPECT_EQ(
    drone_refusal("min_level", std::int64_t{5}),
    "Parameter suite is cs-mlkem768-aesgcm-mldsa65, which is of level 3, below min_level 5.");
  EXPECT_EQ(
    drone_refusal("allowed_suites", List{"cs-mlkem1024-aesgcm-mldsa87"}),
    "Parameter suite is cs-mlkem768-aesgcm-mldsa65, which is not allowed: allowed_suites does "
    "not name it.");
}

TEST(Config, experimental_suites_must_be_asked_for)
{
  EXPECT_EQ(
    gcs_refusal("allowed_suites", List{"cs-hqc192-aesgcm-mldsa65"}),
    "Parameter allowed_suites names cs-hqc192-aesgcm-mldsa65, which is experimental; set "
    "allow_experimental to true if you mean it.");
}

TEST(Config, no_suite_below_the_minimum_level_is_allowed)
{
  auto low = drone_values();
  low["suite"] = std::string("cs-mlkem512-aesgcm-mldsa44");
  low["min_level"] = std::int64_t{3};
  EXPECT_EQ(
    refusal(Role::drone, low),
    "Parameter suite is cs-mlkem512-aesgcm-mldsa44, which is of level 1, below min_level 3.");
  for (const auto & suite : registry().all()) {
    for (const std::int64_t floor : {1, 3, 5}) {
      auto values = gcs_values();
      values["min_level"] = floor;
      const auto config = make_engine_config(Role::gcs, values);
      ASSERT_TRUE(config) << config.error().message;
      const bool high_enough = static_cast<std::int64_t>(suite.level) >= floor;
      EXPECT_EQ(config->settings.suites.allows(suite), high_enough && !suite.experimental)
        << suite.id;
    }
  }
}

TEST(Config, the_minimum_level_is_that_of_the_suite_unless_it_is_given)
{
  for (const auto & [id, floor] :
       {std::pair("cs-mlkem512-aesgcm-mldsa44", SecurityLevel::l1),
        std::pair("cs-mlkem768-aesgcm-mldsa65", SecurityLevel::l3),
        std::pair("cs-mlkem1024-aesgcm-mldsa87", SecurityLevel::l5)})
  {
    const PolicyHash expected = SuitePolicy(floor, false).hash({});
    for (auto [role, values] :
         {std::pair(Role::drone, drone_values()), std::pair(Role::gcs, gcs_values())})
    {
      values["suite"] = std::string(id);
      const auto config = make_engine_config(role, values);
      ASSERT_TRUE(config) << config.error().message;
      EXPECT_EQ(config->settings.suites.hash({}), expected) << id;
    }
  }
}

TEST(Config, both_ends_agree_on_the_minimum_level_by_default)
{
  auto drone = drone_values();
  drone.erase("suite");
  const auto config = make_engine_config(Role::drone, drone);
  const auto gcs = make_engine_config(Role::gcs, gcs_values());
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_TRUE(gcs) << gcs.error().message;
  EXPECT_EQ(config->settings.initial_suite->level, SecurityLevel::l3);
  EXPECT_EQ(config->settings.suites.hash({}), gcs->settings.suites.hash({}));
  EXPECT_EQ(gcs->settings.suites.allowed().front()->level, SecurityLevel::l3);
}

TEST(Config, a_ground_station_needs_the_suite_of_its_drones_for_its_level_alone)
{
  auto values = gcs_values();
  values["suite"] = std::string("cs-mlkem768-aesgcm-mldsa66");
  EXPECT_EQ(
    refusal(Role::gcs, values),
    "Parameter suite: there is no suite \"cs-mlkem768-aesgcm-mldsa66\"; did you mean "
    "cs-mlkem768-aesgcm-mldsa65?");
  values["suite"] = std::string();
  EXPECT_EQ(refusal(Role::gcs, values), "Parameter suite is empty, but a gcs needs it.");
  values["min_level"] = std::int64_t{5};
  EXPECT_EQ(refusal(Role::gcs, values), "accepted");
}

TEST(Config, an_allowed_suite_below_the_floor_is_refused)
{
  auto values = gcs_values();
  values["allowed_suites"] = List{"cs-mlkem512-aesgcm-falcon512"};
  EXPECT_EQ(
    refusal(Role::gcs, values),
    "Parameter allowed_suites names cs-mlkem512-aesgcm-falcon512, which is of level 1, below that "
    "of suite cs-mlkem768-aesgcm-mldsa65, which is 3; set min_level if you mean it.");
  values["min_level"] = std::int64_t{3};
  EXPECT_EQ(
    refusal(Role::gcs, values),
    "Parameter allowed_suites names cs-mlkem512-aesgcm-falcon512, which is of level 1, below "
    "min_level 3.");
}

TEST(Config, a_drone_has_a_name_of_small_letters_digits_and_underscores)
{
  EXPECT_TRUE(is_drone_name("drone_2"));
  for (const char * name : {"", "No Good", "gcs", "a.b", "../a"}) {
    EXPECT_FALSE(is_drone_name(name)) << name;
  }
  EXPECT_FALSE(is_drone_name(std::string(65, 'a')));
}

TEST(Config, whole_numbers_do_where_numbers_are_wanted)
{
  auto values = drone_values();
  values["rekey.max_age_s"] = std::int64_t{600};
  const auto config = make_engine_config(Role::drone, values);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->settings.max_key_age, std::chrono::seconds(600));
}

}  // namespace
}  // namespace pqc_tunnel
