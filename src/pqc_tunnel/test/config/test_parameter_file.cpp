// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "config/config.hpp"
#include "support/scratch_dir.hpp"

namespace pqc_tunnel
{
namespace
{

class ParameterFile : public ::testing::Test
{
protected:
  Result<ParameterValues> load(const std::string & yaml, const std::string & node = "/pqc/tunnel")
  {
    return load_parameter_file(scratch_.write("parameters.yaml", yaml), node);
  }
  std::string refusal(const std::string & yaml)
  {
    const auto values = load(yaml);
    if (values) {
      return "accepted";
    }
    const std::string & message = values.error().message;
    const std::string prefix = "Parameter file " + (scratch_ / "parameters.yaml").string() + ": ";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }
  static std::string sentence(const std::filesystem::path & file)
  {
    const auto values = load_parameter_file(file, "/pqc/tunnel");
    return values ? "accepted" : values.error().message;
  }
  bool reaches(const std::string & section, const std::string & node)
  {
    const auto values = load(section + ":\n  ros__parameters:\n    role: gcs\n", node);
    return values && values->contains("role");
  }

  ScratchDir scratch_;
};

TEST_F(ParameterFile, values_keep_their_yaml_types)
{
  const auto values = load(R"(
/**:
  ros__parameters:
    role: drone
    datagram_port: 46012
    peer_timeout_s: 3.5
    hybrid_x25519: true
    quoted: "10"
    drones: [alpha, beta]
    none: []
)");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(values->at("role"), ParameterValue(std::string("drone")));
  EXPECT_EQ(values->at("datagram_port"), ParameterValue(std::int64_t{46012}));
  EXPECT_EQ(values->at("peer_timeout_s"), ParameterValue(3.5));
  EXPECT_EQ(values->at("hybrid_x25519"), ParameterValue(true));
  EXPECT_EQ(values->at("quoted"), ParameterValue(std::string("10")));
  EXPECT_EQ(values->at("drones"), ParameterValue(std::vector<std::string>{"alpha", "beta"}));
  EXPECT_EQ(values->at("none"), ParameterValue(std::vector<std::string>{}));
}

TEST_F(ParameterFile, nested_names_are_joined_by_dots)
{
  const auto values = load(R"(
/**:
  ros__parameters:
    rekey: {max_age_s: 60}
    drone:
      alpha:
        plaintext_port: 14551
    packet_thread.priority: 1
)");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(values->size(), 3u);
  EXPECT_TRUE(values->contains("rekey.max_age_s"));
  EXPECT_TRUE(values->contains("drone.alpha.plaintext_port"));
  EXPECT_TRUE(values->contains("packet_thread.priority"));
}

TEST_F(ParameterFile, sections_are_chosen_as_ros_does)
{
  EXPECT_TRUE(reaches("/**", "/pqc/tunnel"));
  EXPECT_TRUE(reaches("/**/tunnel", "/pqc/tunnel"));
  EXPECT_TRUE(reaches("/**/tunnel", "/tunnel"));
  EXPECT_TRUE(reaches("/*/tunnel", "/pqc/tunnel"));
  EXPECT_TRUE(reaches("/pqc/tunnel", "/pqc/tunnel"));
  EXPECT_TRUE(reaches("tunnel", "/tunnel"));
  EXPECT_FALSE(reaches("tunnel", "/pqc/tunnel"));
  EXPECT_FALSE(reaches("/*/tunnel", "/tunnel"));
  EXPECT_FALSE(reaches("/**/policy", "/pqc/tunnel"));
}

TEST_F(ParameterFile, a_file_of_which_nothing_applies_names_its_sections_and_the_one_looked_for)
{
  EXPECT_EQ(
    refusal("tunnel:\n  ros__parameters: {role: gcs}\nuav:\n  tunnel:\n    ros__parameters:\n"),
    "Parameter file " + (scratch_ / "parameters.yaml").string() +
      " has no section for /pqc/tunnel, only for tunnel, uav/tunnel; name one /**/tunnel.");
}

TEST_F(ParameterFile, namespaces_may_be_nested_sections)
{
  const auto values = load("pqc:\n  tunnel:\n    ros__parameters:\n      role: gcs\n");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_TRUE(values->contains("role"));
}

TEST_F(ParameterFile, later_sections_win)
{
  const auto values = load(R"(
/**:
  ros__parameters: {role: drone}
/pqc/tunnel:
  ros__parameters: {role: gcs}
)");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(values->at("role"), ParameterValue(std::string("gcs")));
}

TEST_F(ParameterFile, parameters_of_every_node_are_left_out)
{
  const auto values = load(R"(
/**:
  ros__parameters:
    use_sim_time: false
    diagnostic_updater: {period: 1.0}
    qos_overrides: {/clock: {subscription: {depth: 1}}}
)");
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_TRUE(values->empty());
}

TEST_F(ParameterFile, bad_yaml_is_refused_with_its_line)
{
  const std::string sentence = refusal("/**:\n  ros__parameters:\n    role: [drone\n");
  EXPECT_TRUE(sentence.starts_with("line ")) << sentence;
  EXPECT_NE(sentence.find("isn't valid YAML"), std::string::npos) << sentence;
  EXPECT_EQ(std::count(sentence.begin(), sentence.end(), '\n'), 0);
}

TEST_F(ParameterFile, a_file_without_sections_is_refused)
{
  const std::string sentence = "it holds no section of the form node_name: ros__parameters: …";
  EXPECT_EQ(refusal("role: drone\n"), sentence);
  EXPECT_EQ(refusal("just words\n"), sentence);
  EXPECT_EQ(refusal(""), sentence);
}

TEST_F(ParameterFile, a_parameter_without_a_value_is_refused)
{
  EXPECT_EQ(
    refusal("/**:\n  ros__parameters:\n    role:\n"),
    "Parameter role has no value; give it one or remove the line.");
}

TEST_F(ParameterFile, a_missing_file_is_named)
{
  const auto values = load_parameter_file(scratch_ / "absent.yaml", "/tunnel");
  ASSERT_FALSE(values);
  EXPECT_EQ(
    values.error().message,
    "Parameter file " + (scratch_ / "absent.yaml").string() + " isn't there.");
}

TEST_F(ParameterFile, a_pipe_a_device_and_an_endless_file_are_refused_at_once)
{
  const auto pipe = scratch_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(sentence(pipe), "Parameter file " + pipe.string() + " is no file.");
  EXPECT_EQ(sentence("/dev/zero"), "Parameter file /dev/zero is no file.");
  const auto large = scratch_.write("large.yaml", "");
  std::filesystem::resize_file(large, std::uintmax_t{1} << 40);
  EXPECT_EQ(sentence(large), "Parameter file " + large.string() + " has more than 2097152 bytes.");
}

TEST_F(ParameterFile, aliases_and_depth_do_not_multiply_the_work)
{
  std::string aliases = "l0: &l0 {a: {}, b: {}}\n";
  for (int level = 1; level < 40; ++level) {
    const std::string below = std::to_string(level - 1);
    aliases += "l" + std::to_string(level) + ": &l" + std::to_string(level) + " {a: *l" + below +
               ", b: *l" + below + "}\n";
  }
  EXPECT_EQ(refusal(aliases), "it has more than 10000 entries.");
  EXPECT_NE(refusal(std::string(100000, '[')), "accepted");
}

TEST_F(ParameterFile, one_that_others_may_write_is_refused_with_how_to_mend_it)
{
  const auto file = scratch_.write("open.yaml", "/**:\n  ros__parameters:\n    role: gcs\n");
  ASSERT_EQ(::chmod(file.c_str(), 0664), 0);
  EXPECT_EQ(sentence(file), "accepted") << "the owner's group is his own";
  ASSERT_EQ(::chmod(file.c_str(), 0646), 0);
  EXPECT_EQ(
    sentence(file), "Parameter file " + file.string() +
                      " has mode 0646, so that others may write it: chmod go-w " + file.string() +
                      " mends that.");
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  EXPECT_EQ(sentence(file), "accepted");
}

TEST_F(ParameterFile, one_of_another_user_or_of_a_group_of_others_is_refused)
{
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can give a file away";
  }
  const auto file = scratch_.write("foreign.yaml", "/**:\n  ros__parameters:\n    role: gcs\n");
  ASSERT_EQ(::chown(file.c_str(), 0, 12345), 0);
  ASSERT_EQ(::chmod(file.c_str(), 0664), 0);
  EXPECT_NE(sentence(file).find("has mode 0664"), std::string::npos);
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  ASSERT_EQ(::chown(file.c_str(), 12345, 0), 0);
  EXPECT_NE(sentence(file).find("belongs to user 12345"), std::string::npos);
}

TEST(ParameterAssignment, reads_name_and_value_as_ros_does)
{
  const auto port = parse_parameter_assignment("datagram_port:=46012");
  ASSERT_TRUE(port);
  EXPECT_EQ(port->first, "datagram_port");
  EXPECT_EQ(port->second, ParameterValue(std::int64_t{46012}));
  const auto drones = parse_parameter_assignment("drones:=[alpha, beta]");
  ASSERT_TRUE(drones);
  EXPECT_EQ(drones->second, ParameterValue(std::vector<std::string>{"alpha", "beta"}));
  EXPECT_FALSE(parse_parameter_assignment("datagram_port=46012"));
  EXPECT_FALSE(parse_parameter_assignment(":=1"));
}

}  // namespace
}  // namespace pqc_tunnel
