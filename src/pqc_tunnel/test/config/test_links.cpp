// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "config/config.hpp"

// The parameters of several links.

namespace pqc_tunnel
{
namespace
{

using List = std::vector<std::string>;

ParameterValues two_links()
{
  return {
    {"identity_dir", "/keys"},
    {"plaintext_bind_address", "127.0.0.1"},
    {"plaintext_port", std::int64_t{14590}},
    {"suite", "cs-mlkem768-aesgcm-mldsa65"},
    {"gcs_address", "192.0.2.1"},
    {"gcs_datagram_port", std::int64_t{46011}},
    {"datagram_port", std::int64_t{46012}},
    {"links", List{"lte", "radio"}},
    {"link.radio.type", "serial"},
    {"link.radio.device", "/dev/ttyUSB0"},
    {"link.radio.carry", "priority"},
  };
}

std::string refusal(const std::string & name, ParameterValue value)
{
  auto values = two_links();
  values[name] = std::move(value);
  const auto config = make_engine_config(Role::drone, values);
  return config ? "accepted" : config.error().message;
}

TEST(SeveralLinks, take_what_they_leave_out_from_the_parameters_of_the_tunnel)
{
  auto values = two_links();
  values["schedule"] = "redundant";
  const auto config = make_engine_config(Role::drone, values);
  ASSERT_TRUE(config) << config.error().message;
  const PathSettings & paths = config->settings.paths;
  ASSERT_EQ(paths.links.size(), 2u);
  EXPECT_EQ(paths.schedule, Schedule::redundant);
  EXPECT_EQ(paths.links[0].name, "lte");
  EXPECT_EQ(paths.links[0].mtu, 1500u - 28u);
  EXPECT_FALSE(paths.links[0].is_thin());
  EXPECT_EQ(config->links[0].gcs.host, "192.0.2.1");
  EXPECT_EQ(config->links[0].bind.port, 46012);
  EXPECT_EQ(paths.links[1].type, LinkType::serial);
  EXPECT_EQ(paths.links[1].carry, Carry::priority);
  EXPECT_EQ(paths.links[1].mtu, 320u);
  EXPECT_DOUBLE_EQ(paths.links[1].rate_kbit, 57.6);
  EXPECT_EQ(config->links[1].device, "/dev/ttyUSB0");
  EXPECT_EQ(config->links[1].baud, 57600u);
  EXPECT_EQ(config->settings.ground.name, "192.0.2.1:46011");
}

TEST(SeveralLinks, of_serial_devices_alone_need_no_address)
{
  auto values = two_links();
  for (const auto * name :
       {"gcs_address", "gcs_datagram_port", "datagram_port", "link.radio.carry"}) {
    values.erase(name);
  }
  values["links"] = List{"radio"};
  const auto config = make_engine_config(Role::drone, values);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->settings.ground.name, "/dev/ttyUSB0");
  EXPECT_EQ(config->settings.max_datagram, 320u - 25u);
}

TEST(SeveralLinks, without_a_name_are_none)
{
  auto values = two_links();
  for (const auto * name : {"link.radio.type", "link.radio.device", "link.radio.carry"}) {
    values.erase(name);
  }
  values["links"] = List{""};
  const auto config = make_engine_config(Role::drone, values);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->links.size(), 1u);
}

TEST(SeveralLinks, that_make_no_sense_are_refused_with_one_sentence)
{
  EXPECT_EQ(
    refusal("link.radio.type", "wlan"),
    "Parameter link.radio.type is \"wlan\", but must be udp or serial.");
  EXPECT_EQ(
    refusal("link.radio.device", ""),
    "Parameter link.radio.device is empty, but a serial link needs it.");
  EXPECT_EQ(
    refusal("link.lte.carry", "standby"),
    "Parameter links names no link that carries all; set carry of one to all.");
  EXPECT_EQ(
    refusal("schedule", "fastest"),
    "Parameter schedule is \"fastest\", but must be failover or redundant.");
  EXPECT_EQ(refusal("links", List{"lte", "radio", "lte"}), "Parameter links names lte twice.");
  EXPECT_EQ(
    refusal("gcs_address", ""), "Parameter link.lte.gcs_address is empty, but a drone needs it.");
}

TEST(SeveralLinks, on_one_local_port_are_refused)
{
  auto values = two_links();
  values["links"] = List{"lte", "wlan"};
  values.erase("link.radio.type");
  values.erase("link.radio.device");
  values.erase("link.radio.carry");
  const auto config = make_engine_config(Role::drone, values);
  ASSERT_FALSE(config);
  EXPECT_EQ(
    config.error().message,
    "Parameter link.wlan.datagram_port is that of another link at the same address.");
}

}  // namespace
}  // namespace pqc_tunnel
