// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "command/pqc_fixture.hpp"

// A ground station whose drones come and go while it flies others.

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

constexpr const char * names[] = {"alpha", "beta", "gamma"};

// One drone that the test flies, with a program on either side of its tunnel.
struct Flown
{
  std::unique_ptr<Program> drone;
  Application air;
  Application ground;
};

class Reload : public PqcFixture
{
protected:
  void SetUp() override
  {
    ASSERT_EQ(
      outcome({"identity", "init", "--out", keys_.string(), "--drone", "alpha", "--drone", "beta",
               "--signatures", "mldsa44", "--anchor", "none"})
        .code,
      0);
    fs::copy(keys_ / "gcs", ground_keys_, fs::copy_options::recursive);
  }
  // Makes keys of one more drone, and its plaintext side on the ground; the ground station does not have them yet.
  void add_keys(const std::string & name)
  {
    ASSERT_EQ(
      outcome(
        {"identity", "add-drone", "--out", keys_.string(), "--drone", name, "--anchor", "none"})
        .code,
      0);
  }
  void set_side(const std::string & name, Flown & flown)
  {
    const auto plaintext = Application().port();
    set_drone(
      ground_keys_, name,
      "plaintext_port: " + std::to_string(plaintext) +
        "\nplaintext_peer_address: 127.0.0.1\nplaintext_peer_port: " +
        std::to_string(flown.ground.port()) + "\n");
    flown.ground.connect(plaintext);
  }
  void start_ground(std::vector<std::string> more = {})
  {
    const std::string file =
      configure("gcs", with(gcs_settings(), {{"identity_dir", ground_keys_.string()}}));
    std::vector<std::string> words{"--config", file, "--control", (run_ / "gcs.sock").string()};
    words.insert(words.end(), more.begin(), more.end());
    fs::create_directory(run_);
    fs::permissions(run_, fs::perms::owner_all);
    ground_ = std::make_unique<Program>("pqc_tunneld", words);
    ASSERT_TRUE(eventually([&] { return has_socket("gcs"); })) << ground_->errors();
  }
  void fly(const std::string & name, Flown & flown, const Settings & more = {})
  {
    const auto plaintext = Application().port();
    const std::string file = configure(
      name,
      with(
        with(drone_settings(), more), {{"identity_dir", (keys_ / name).string()},
                                       {"datagram_port", free_port()},
                                       {"plaintext_port", std::to_string(plaintext)},
                                       {"plaintext_peer_address", "127.0.0.1"},
                                       {"plaintext_peer_port", std::to_string(flown.air.port())}}));
    flown.drone = std::make_unique<Program>(
      "pqc_tunneld",
      std::vector<std::string>{"--config", file, "--control", (run_ / (name + ".sock")).string()});
    flown.air.connect(plaintext);
  }
  // Until a datagram has come each way.
  static bool is_through(const Flown & flown)
  {
    const Bytes question{0, 1, 2, 3};
    const bool arrives = eventually([&] {
      flown.air.send(question);
      flown.ground.send(question);
      return flown.ground.receive(50) == question && flown.air.receive(50) == question;
    });
    while (flown.ground.receive(100) || flown.air.receive(100)) {
    }
    return arrives;
  }
  static std::set<std::string> shown_peers()
  {
    std::set<std::string> peers;
    const std::string text = outcome({"show", "gcs", "--json"}).output;
    for (const char * name : names) {
      if (text.find(std::string("\"name\": \"") + name) != std::string::npos) {
        peers.insert(name);
      }
    }
    return peers;
  }

  // Sends through drones until stop(), and counts what got lost.
  class Traffic
  {
  public:
    explicit Traffic(std::vector<Flown *> drones)
    : drones_(std::move(drones)), thread_([this] { run(); })
    {
    }
    // Returns how many of the datagrams sent did not arrive.
    std::size_t stop()
    {
      stopped_ = true;
      thread_.join();
      return lost_;
    }
    std::size_t rounds() const { return rounds_; }

  private:
    void run()
    {
      for (std::uint32_t n = 0; !stopped_; ++n) {
        const Bytes datagram{9, static_cast<std::uint8_t>(n >> 8), static_cast<std::uint8_t>(n), 3};
        for (Flown * flown : drones_) {
          flown->air.send(datagram);
          flown->ground.send(datagram);
        }
        for (Flown * flown : drones_) {
          lost_ += flown->ground.receive() == datagram ? 0 : 1;
          lost_ += flown->air.receive() == datagram ? 0 : 1;
        }
        ++rounds_;
      }
    }
    std::vector<Flown *> drones_;
    std::atomic<bool> stopped_ = false;
    std::atomic<std::size_t> rounds_ = 0;
    std::size_t lost_ = 0;
    std::thread thread_;
  };
  static bool goes_on(const Traffic & traffic)
  {
    const std::size_t before = traffic.rounds();
    return eventually([&] { return traffic.rounds() > before + 20; });
  }

  const fs::path keys_ = scratch_ / "keys";
  const fs::path ground_keys_ = scratch_ / "ground";
  std::unique_ptr<Program> ground_;
  Flown flown_[3];
};

TEST_F(
  Reload, after_one_of_three_drones_was_revoked_puts_it_out_at_once_and_the_others_lose_nothing)
{
  add_keys("gamma");
  fs::copy(keys_ / "gcs/drones/gamma.drone", ground_keys_ / "drones/gamma.drone");
  for (std::size_t i = 0; i < 3; ++i) {
    set_side(names[i], flown_[i]);
  }
  start_ground();
  for (std::size_t i = 0; i < 3; ++i) {
    fly(names[i], flown_[i]);
  }
  for (const Flown & flown : flown_) {
    ASSERT_TRUE(is_through(flown)) << ground_->errors();
  }
  Traffic others({&flown_[0], &flown_[2]});
  ASSERT_TRUE(goes_on(others));

  fs::remove(ground_keys_ / "drones/beta.drone");
  EXPECT_EQ(outcome({"reload", "gcs"}).output, "1 drone removed (beta).\n");
  // It is out when the command returns: within a tenth of a second.
  EXPECT_EQ(shown_peers(), (std::set<std::string>{"alpha", "gamma"}));
  flown_[1].air.send(pattern(30));
  EXPECT_EQ(flown_[1].ground.receive(100), std::nullopt);
  EXPECT_TRUE(eventually([] {
    return outcome({"show", "beta", "--json"}).output.find("\"encrypted\": false") !=
           std::string::npos;
  }));

  EXPECT_TRUE(goes_on(others));
  EXPECT_EQ(others.stop(), 0u);
}

TEST_F(Reload, of_rotated_keys_loses_nothing_whichever_end_has_them_first)
{
  for (std::size_t i = 0; i < 2; ++i) {
    set_side(names[i], flown_[i]);
  }
  start_ground();
  for (std::size_t i = 0; i < 2; ++i) {
    fly(names[i], flown_[i]);
    ASSERT_TRUE(is_through(flown_[i])) << ground_->errors();
  }
  Traffic traffic({&flown_[0], &flown_[1]});
  ASSERT_TRUE(goes_on(traffic));
  const auto listed = [&](const fs::path & folder) {
    return outcome({"identity", "list", folder.string()}).output;
  };
  const std::string before = listed(ground_keys_);

  // The drones' folders are those in which their keys are made: alpha has its new ones first, beta the ground station.
  ASSERT_EQ(outcome({"identity", "rotate", "--out", keys_.string(), "--signing"}).code, 0);
  EXPECT_EQ(outcome({"reload", "alpha"}).output, "The keys of this drone are read anew.\n");
  ASSERT_TRUE(goes_on(traffic));
  for (const char * folder : {"drones", "signing", "public", "former"}) {
    fs::copy(
      keys_ / "gcs" / folder, ground_keys_ / folder,
      fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  EXPECT_EQ(outcome({"reload", "gcs"}).output, "2 drones changed (alpha, beta).\n");
  ASSERT_TRUE(goes_on(traffic));
  EXPECT_NE(listed(ground_keys_).find("beta: number 1, code "), std::string::npos);
  EXPECT_NE(listed(ground_keys_).find(", the keys before, too, through "), std::string::npos);
  EXPECT_EQ(outcome({"reload", "beta"}).output, "The keys of this drone are read anew.\n");

  // Each end erases the keys before once both use the new ones.
  EXPECT_TRUE(eventually([&] {
    return !fs::exists(keys_ / "alpha/former") && !fs::exists(keys_ / "beta/former") &&
           listed(ground_keys_).find("the keys before") == std::string::npos;
  }))
    << listed(ground_keys_) << ground_->errors() << flown_[0].drone->errors();
  EXPECT_NE(listed(ground_keys_), before);
  ASSERT_TRUE(goes_on(traffic));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(outcome({"rekey", names[i]}).code, 0);
  }
  ASSERT_TRUE(goes_on(traffic));
  EXPECT_EQ(traffic.stop(), 0u);
}

TEST_F(Reload, after_a_drone_was_revoked_takes_no_copy_of_its_record_back)
{
  set_side("alpha", flown_[0]);
  set_side("beta", flown_[1]);
  start_ground();
  fs::copy(ground_keys_, scratch_ / "gcs", fs::copy_options::recursive);
  fs::rename(scratch_ / "gcs", scratch_ / "copy");
  const Outcome revoked =
    outcome({"identity", "revoke", "--out", (scratch_ / "kept").string(), "--drone", "beta"});
  EXPECT_EQ(revoked.code, 1);
  fs::create_directory(scratch_ / "kept");
  fs::create_directory_symlink(ground_keys_, scratch_ / "kept/gcs");
  EXPECT_EQ(
    outcome({"identity", "revoke", "--out", (scratch_ / "kept").string(), "--drone", "beta"}).code,
    0);
  EXPECT_EQ(outcome({"reload"}).output, "1 drone removed (beta).\n");
  const fs::path record = ground_keys_ / "drones/beta.drone";
  fs::copy(scratch_ / "copy/drones/beta.drone", record);
  EXPECT_EQ(
    outcome({"reload"}).output,
    "No drone has changed. " + record.string() +
      " is of a drone that was revoked: make new keys for it. It is not "
      "served.\n");
  fs::remove(record);
  ASSERT_EQ(
    outcome({"identity", "revoke", "--out", (scratch_ / "kept").string(), "--drone", "alpha"}).code,
    0);
  fs::copy(scratch_ / "copy/drones/alpha.drone", ground_keys_ / "drones/alpha.drone");
  EXPECT_EQ(outcome({"reload"}).output.find("1 drone removed (alpha). "), 0u);
  EXPECT_TRUE(shown_peers().empty());
}

TEST_F(Reload, serves_a_drone_more_without_a_datagram_of_the_others_lost)
{
  set_side("alpha", flown_[0]);
  set_side("beta", flown_[1]);
  start_ground();
  fly("alpha", flown_[0]);
  fly("beta", flown_[1]);
  ASSERT_TRUE(is_through(flown_[0]) && is_through(flown_[1]));
  Traffic others({&flown_[0], &flown_[1]});
  ASSERT_TRUE(goes_on(others));
  add_keys("gamma");
  set_side("gamma", flown_[2]);
  fs::copy(keys_ / "gcs/drones/gamma.drone", ground_keys_ / "drones/gamma.drone");
  EXPECT_EQ(outcome({"reload", "gcs"}).output, "1 drone added (gamma).\n");
  fly("gamma", flown_[2]);
  EXPECT_TRUE(is_through(flown_[2])) << ground_->errors();
  EXPECT_TRUE(goes_on(others));
  EXPECT_EQ(others.stop(), 0u);
}

TEST_F(Reload, by_sighup_moves_the_plaintext_side_of_a_drone_and_keeps_its_session)
{
  set_side("alpha", flown_[0]);
  start_ground();
  fly("alpha", flown_[0]);
  ASSERT_TRUE(is_through(flown_[0]));
  const auto session = [] {
    const std::string text = outcome({"show", "gcs", "--json"}).output;
    const auto at = text.find("\"key_id\": ");
    return text.substr(at, 30);
  };
  const std::string before = session();
  set_side("alpha", flown_[0]);
  ground_->send_signal(SIGHUP);
  EXPECT_TRUE(is_through(flown_[0])) << ground_->errors();
  EXPECT_EQ(session(), before);
  EXPECT_NE(ground_->errors().find(" INFO 1 drone changed (alpha)."), std::string::npos);
}

TEST_F(Reload, leaves_a_drone_as_it_was_whose_file_is_no_use)
{
  set_side("alpha", flown_[0]);
  set_side("beta", flown_[1]);
  start_ground();
  fly("alpha", flown_[0]);
  ASSERT_TRUE(is_through(flown_[0]));
  const fs::path record = ground_keys_ / "drones/alpha.drone";
  fs::permissions(record, fs::perms::group_read, fs::perm_options::add);
  fs::remove(ground_keys_ / "drones/beta.drone");
  EXPECT_EQ(
    outcome({"reload", "gcs"}).output,
    "1 drone removed (beta). " + record.string() +
      " has mode 0640, but holds a secret and must have mode 0600. It is served as before.\n");
  EXPECT_TRUE(is_through(flown_[0]));
}

TEST_F(Reload, is_not_needed_to_have_the_keys_of_a_drone_erased)
{
  for (std::size_t i = 0; i < 2; ++i) {
    set_side(names[i], flown_[i]);
  }
  start_ground();
  fs::create_directory(keys_ / "alpha/sealed");  // as pqc-seal does
  fly("alpha", flown_[0], {{"erase_on_request", "true"}});
  fly("beta", flown_[1]);
  ASSERT_TRUE(is_through(flown_[0]) && is_through(flown_[1])) << ground_->errors();
  expect_failure(
    {"wipe", "gcs", "--drone", "beta", "--at-drone"}, 1,
    "The drone does not allow it: erase_on_request is false there.");
  EXPECT_TRUE(is_through(flown_[1]));

  const Outcome erased = outcome({"wipe", "gcs", "--drone", "alpha", "--at-drone"});
  EXPECT_EQ(erased.output, "The drone has erased all its keys.\n") << erased.errors;
  EXPECT_TRUE(fs::is_empty(keys_ / "alpha"));
  EXPECT_TRUE(eventually([&] {
    return flown_[0].drone->errors().find(
             "all session keys are wiped: the ground station has asked to erase all keys") !=
           std::string::npos;
  }))
    << flown_[0].drone->errors();
  flown_[0].drone.reset();
  fly("alpha", flown_[0]);
  EXPECT_EQ(flown_[0].drone->wait(), 1);
  EXPECT_TRUE(is_through(flown_[1]));
}

TEST_F(Reload, that_changes_nothing_says_so)
{
  start_ground();
  EXPECT_EQ(outcome({"reload"}).output, "No drone has changed.\n");
}

TEST_F(Reload, serves_the_first_drone_of_a_ground_station_without_any)
{
  fs::rename(ground_keys_ / "drones/alpha.drone", scratch_ / "alpha.drone");
  fs::remove(ground_keys_ / "drones/beta.drone");
  start_ground();
  EXPECT_TRUE(eventually([&] {
    return ground_->errors().find(" WARN No drone is registered in ") != std::string::npos;
  }))
    << ground_->errors();
  set_side("alpha", flown_[0]);
  fs::rename(scratch_ / "alpha.drone", ground_keys_ / "drones/alpha.drone");
  EXPECT_EQ(outcome({"reload"}).output, "1 drone added (alpha).\n");
  fly("alpha", flown_[0]);
  EXPECT_TRUE(is_through(flown_[0])) << ground_->errors();
}

}  // namespace
}  // namespace pqc_tunnel
