// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "crypto/random.hpp"
#include "crypto/signature.hpp"
#include "identity/identity_files.hpp"
#include "support/scratch_dir.hpp"
#include "support/small_disk.hpp"

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

class IdentityFiles : public ::testing::Test
{
protected:
  void SetUp() override
  {
    const auto made = make({"alpha", "beta"}, {SignatureAlgorithm::falcon_512});
    ASSERT_TRUE(made) << made.error().message;
  }

  Result<void> make(
    const std::vector<std::string> & drones,
    const std::vector<SignatureAlgorithm> & drone_signatures = {})
  {
    return make_identities(
      scratch_.path(),
      {drones, {SignatureAlgorithm::ml_dsa_44, SignatureAlgorithm::falcon_512}, drone_signatures},
      random_, [](const std::string &) {});
  }

  static unsigned mode(const fs::path & path)
  {
    struct stat status
    {
    };
    ::stat(path.c_str(), &status);
    return status.st_mode & 07777U;
  }

  static std::string read(const fs::path & path)
  {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  static void write(const fs::path & path, const std::string & bytes)
  {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  template <class T>
  static std::string message(const Result<T> & result)
  {
    return result ? "accepted" : result.error().message;
  }

  std::string drone_refusal() { return message(load_drone_identity(scratch_ / "alpha")); }

  ScratchDir scratch_;
  SystemRandom random_;
};

TEST_F(IdentityFiles, both_ends_know_each_other)
{
  const auto gcs = load_gcs_identity(scratch_ / "gcs");
  ASSERT_TRUE(gcs) << gcs.error().message;
  const auto record = load_drone_record(scratch_ / "gcs", "alpha");
  ASSERT_TRUE(record) << record.error().message;
  const auto drone = load_drone_identity(scratch_ / "alpha");
  ASSERT_TRUE(drone) << drone.error().message;

  EXPECT_EQ(drone->name, "alpha");
  EXPECT_EQ(record->name, "alpha");
  EXPECT_EQ(drone->id, record->id);
  EXPECT_FALSE(drone->id.is_zero());
  EXPECT_TRUE(constant_time_equal(drone->psk.view(), record->psk.view()));
  EXPECT_EQ(drone->gcs_id, gcs->id);
  EXPECT_EQ(drone->gcs_keys.size(), 2u);
  EXPECT_EQ(gcs->signing_keys.size(), 2u);
}

TEST_F(IdentityFiles, each_public_key_belongs_to_the_signing_key_of_the_other_end)
{
  const auto gcs = load_gcs_identity(scratch_ / "gcs");
  const auto record = load_drone_record(scratch_ / "gcs", "alpha");
  const auto drone = load_drone_identity(scratch_ / "alpha");
  ASSERT_TRUE(gcs && record && drone);
  const Bytes message{1, 2, 3};
  for (const auto & [algorithm, secret] : gcs->signing_keys) {
    const auto signature = sign(algorithm, message, *secret, random_);
    ASSERT_TRUE(signature);
    EXPECT_TRUE(verify(algorithm, message, *signature, *drone->gcs_keys.at(algorithm)));
  }
  ASSERT_EQ(drone->signing_keys.size(), 1u);
  const auto & [algorithm, secret] = *drone->signing_keys.begin();
  const auto signature = sign(algorithm, message, *secret, random_);
  ASSERT_TRUE(signature);
  EXPECT_TRUE(verify(algorithm, message, *signature, *record->drone_keys.at(algorithm)));
}

TEST_F(IdentityFiles, drones_share_no_key)
{
  const auto alpha = load_drone_identity(scratch_ / "alpha");
  const auto beta = load_drone_identity(scratch_ / "beta");
  ASSERT_TRUE(alpha && beta);
  EXPECT_NE(alpha->id, beta->id);
  EXPECT_FALSE(constant_time_equal(alpha->psk.view(), beta->psk.view()));
}

TEST_F(IdentityFiles, secrets_are_loaded_into_locked_memory)
{
  const auto is_locked = [](ByteView secret) {
    return CRYPTO_secure_allocated(secret.data()) == 1;
  };
  reserve_locked_memory(std::size_t{1} << 20);
  const auto gcs = load_gcs_identity(scratch_ / "gcs");
  const auto record = load_drone_record(scratch_ / "gcs", "alpha");
  const auto drone = load_drone_identity(scratch_ / "alpha");
  ASSERT_TRUE(gcs && record && drone);
  EXPECT_TRUE(is_locked(record->psk.view()));
  EXPECT_TRUE(is_locked(drone->psk.view()));
  for (const SigningKeys & keys : {gcs->signing_keys, drone->signing_keys}) {
    EXPECT_FALSE(keys.empty());
    for (const auto & [algorithm, secret] : keys) {
      EXPECT_TRUE(is_locked(secret->view())) << display_name(algorithm);
    }
  }
}

TEST_F(IdentityFiles, secrets_are_for_their_owner_alone)
{
  for (const auto & entry : fs::recursive_directory_iterator(scratch_.path())) {
    if (entry.is_directory()) {
      EXPECT_EQ(mode(entry.path()), 0700u) << entry.path();
    } else if (entry.path().extension() == ".pub") {
      EXPECT_EQ(mode(entry.path()), 0644u) << entry.path();
    } else {
      EXPECT_EQ(mode(entry.path()), 0600u) << entry.path();
    }
  }
}

TEST_F(IdentityFiles, a_failure_leaves_no_files_and_overwrites_none)
{
  const std::string before = read(scratch_ / "gcs" / fs::path("gcs.identity"));
  EXPECT_EQ(
    message(make({"alpha"})),
    (scratch_ / "alpha").string() + " is there already; keys are never overwritten.");
  EXPECT_EQ(
    message(make({"gamma"})),
    (scratch_ / "gcs").string() +
      " is there already; add-drone adds to it, and keys are never overwritten.");
  EXPECT_EQ(read(scratch_ / "gcs/gcs.identity"), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path()), fs::directory_iterator()), 3);
}

TEST_F(IdentityFiles, a_drone_added_later_is_known_to_the_ground_station)
{
  const auto added =
    add_drones(scratch_.path(), {{"gamma"}, {}, {}}, random_, [](const std::string &) {});
  ASSERT_TRUE(added) << added.error().message;
  const auto record = load_drone_record(scratch_ / "gcs", "gamma");
  const auto drone = load_drone_identity(scratch_ / "gamma");
  ASSERT_TRUE(record && drone);
  EXPECT_EQ(drone->id, record->id);
  EXPECT_EQ(drone->gcs_keys.size(), 2u);
}

TEST_F(IdentityFiles, a_drone_whose_place_is_taken_is_refused_before_any_key_is_made)
{
  // Carried to the drone, as it should be.
  fs::remove_all(scratch_ / "alpha");
  std::string made;
  EXPECT_EQ(
    message(add_drones(
      scratch_.path(), {{"gamma", "alpha"}, {}, {}}, random_,
      [&](const std::string & step) { made += step; })),
    (scratch_ / "gcs/drones/alpha.drone").string() +
      " is there already; keys are never overwritten.");
  EXPECT_EQ(made, "");
}

// A disk with room for some of the files only.
class IdentityFilesOnASmallDisk : public IdentityFiles
{
protected:
  void SetUp() override
  {
    if (!disk_.mounted()) {
      GTEST_SKIP() << "this needs the right to mount";
    }
  }

  std::set<fs::path> files() const
  {
    const fs::recursive_directory_iterator all(scratch_.path());
    return {begin(all), end(all)};
  }

  // Calls `make` with ever more room, until it succeeds; returns how often it failed.
  template <class Function>
  int expect_all_or_nothing(bool of_contents, Function make)
  {
    const auto before = files();
    for (int room = 0; room < 100; ++room) {
      const auto some = static_cast<std::size_t>(room);
      EXPECT_TRUE(of_contents ? disk_.leave_room(100, some) : disk_.leave_room(some, 100));
      const Result<void> made = make();
      if (made) {
        return room;
      }
      EXPECT_TRUE(made.error().message.ends_with(": No space left on device.")) << message(made);
      EXPECT_EQ(files(), before) << room;
    }
    return -1;
  }

  const SmallDisk disk_{scratch_.path()};
};

TEST_F(IdentityFilesOnASmallDisk, are_made_all_or_not_at_all)
{
  for (const bool of_contents : {false, true}) {
    const auto make_new = [&] {
      return make_identities(
        scratch_ / (of_contents ? "a/keys" : "b/keys"),
        {{"alpha", "beta"}, {SignatureAlgorithm::falcon_512}, {SignatureAlgorithm::falcon_512}},
        random_, [](const std::string &) {});
    };
    EXPECT_GT(expect_all_or_nothing(of_contents, make_new), 10);
  }
}

TEST_F(IdentityFilesOnASmallDisk, of_added_drones_appear_at_both_ends_or_at_none)
{
  ASSERT_TRUE(make({"alpha"}));
  for (const bool of_contents : {false, true}) {
    const std::string one = of_contents ? "one" : "three";
    const std::string two = of_contents ? "two" : "four";
    const auto add = [&] {
      return add_drones(
        scratch_.path(), {{one, two}, {}, {SignatureAlgorithm::falcon_512}}, random_,
        [](const std::string &) {});
    };
    EXPECT_GT(expect_all_or_nothing(of_contents, add), 6);
    for (const auto & name : {one, two}) {
      const auto drone = load_drone_identity(scratch_ / name);
      const auto record = load_drone_record(scratch_ / "gcs", name);
      ASSERT_TRUE(drone && record);
      EXPECT_EQ(drone->id, record->id);
    }
  }
}

TEST_F(IdentityFilesOnASmallDisk, are_taken_back_if_one_of_them_finds_no_place)
{
  ASSERT_TRUE(make({"alpha"}));
  const auto before = files();
  const auto failed = add_drones(
    scratch_.path(), {{"beta", "gamma"}, {}, {}}, random_, [&](const std::string & step) {
      if (step.starts_with("gamma")) {
        write(scratch_ / "gcs/drones/gamma.drone", "another's");
      }
    });
  EXPECT_EQ(
    message(failed),
    (scratch_ / "gcs/drones/gamma.drone").string() + " can't be made: File exists.");
  fs::remove(scratch_ / "gcs/drones/gamma.drone");
  EXPECT_EQ(files(), before);
}

TEST_F(IdentityFiles, names_are_checked)
{
  EXPECT_NE(message(make({"../up"})).find("is no name for a drone"), std::string::npos);
  EXPECT_NE(message(make({"gcs"})).find("is no name for a drone"), std::string::npos);
  EXPECT_EQ(message(make({"delta", "delta"})), "The drone delta is named twice.");
}

TEST_F(IdentityFiles, a_secret_file_that_others_may_read_is_refused)
{
  const fs::path path = scratch_ / "alpha/drone.identity";
  for (const auto permission : {fs::perms::group_read, fs::perms::others_read}) {
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | permission);
    EXPECT_EQ(
      drone_refusal(), path.string() + " has mode " +
                         (permission == fs::perms::group_read ? "0640" : "0604") +
                         ", but holds a secret and must have mode 0600.");
  }
}

TEST_F(IdentityFiles, a_folder_of_secrets_that_others_may_enter_is_refused)
{
  fs::permissions(scratch_ / "alpha", fs::perms::owner_all | fs::perms::group_exec);
  EXPECT_EQ(
    drone_refusal(), "The folder " + (scratch_ / "alpha").string() +
                       " has mode 0710, but holds secrets and must have mode 0700.");
}

TEST_F(IdentityFiles, a_symbolic_link_is_judged_by_its_target)
{
  const fs::path real = scratch_ / "real.identity";
  fs::rename(scratch_ / "alpha/drone.identity", real);
  fs::create_symlink(real, scratch_ / "alpha/drone.identity");
  EXPECT_TRUE(load_drone_identity(scratch_ / "alpha"));
  fs::permissions(real, fs::perms::others_read, fs::perm_options::add);
  EXPECT_NE(drone_refusal().find("must have mode 0600"), std::string::npos);
}

// With the rights that systemd gives it for a user where the file system has access control lists.
TEST_F(IdentityFiles, a_credential_of_a_unit_may_show_rights_of_its_group)
{
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root";
  }
  const fs::path folder = "/run/credentials/pqc_tunnel_test_" + std::to_string(::getpid());
  fs::create_directories(folder);
  const fs::path credential = folder / "key_drone.identity";
  fs::copy_file(scratch_ / "alpha/drone.identity", credential);
  fs::remove(scratch_ / "alpha/drone.identity");
  fs::create_symlink(credential, scratch_ / "alpha/drone.identity");
  fs::permissions(credential, fs::perms(0440));
  const auto loaded = load_drone_identity(scratch_ / "alpha");
  fs::permissions(credential, fs::perms(0444));
  const std::string refusal = drone_refusal();
  fs::remove_all(folder);
  EXPECT_TRUE(loaded) << loaded.error().message;
  EXPECT_NE(refusal.find("has mode 0444, but holds a secret"), std::string::npos) << refusal;
}

TEST_F(IdentityFiles, a_public_key_that_others_may_change_is_refused)
{
  const fs::path path = scratch_ / "alpha/gcs/falcon512.pub";
  fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(
    drone_refusal(),
    path.string() + " has mode 0646, but must not be writable by group or others.");
}

TEST_F(IdentityFiles, a_file_cut_short_anywhere_is_refused)
{
  const fs::path path = scratch_ / "alpha/drone.identity";
  const std::string whole = read(path);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(path, whole.substr(0, size));
    ASSERT_FALSE(load_drone_identity(scratch_ / "alpha")) << size;
  }
  EXPECT_EQ(
    drone_refusal(), path.string() + " is cut short or damaged: its checksum doesn't hold.");
}

TEST_F(IdentityFiles, a_file_with_one_flipped_bit_is_refused)
{
  const fs::path path = scratch_ / "alpha/drone.identity";
  const std::string whole = read(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    write(path, flipped);
    ASSERT_FALSE(load_drone_identity(scratch_ / "alpha")) << i;
  }
}

TEST_F(IdentityFiles, a_file_of_the_wrong_kind_is_refused)
{
  const fs::path path = scratch_ / "alpha/drone.identity";
  fs::copy_file(scratch_ / "gcs/signing/falcon512.key", path, fs::copy_options::overwrite_existing);
  EXPECT_EQ(
    drone_refusal(), path.string() + " is a signing key, but a drone's identity is needed there.");
  write(path, "not a key at all");
  EXPECT_EQ(drone_refusal(), path.string() + " is no key file of this project.");
}

TEST_F(IdentityFiles, a_key_under_the_name_of_another_algorithm_is_refused)
{
  fs::copy_file(
    scratch_ / "alpha/gcs/falcon512.pub", scratch_ / "alpha/gcs/mldsa44.pub",
    fs::copy_options::overwrite_existing);
  EXPECT_EQ(
    drone_refusal(), (scratch_ / "alpha/gcs/mldsa44.pub").string() +
                       " is no key of ML-DSA-44 as this machine's liboqs knows it.");
}

TEST_F(IdentityFiles, a_key_of_another_ground_station_is_refused)
{
  const ScratchDir other;
  ASSERT_TRUE(make_identities(
    other.path(), {{"alpha"}, {SignatureAlgorithm::falcon_512}, {}}, random_,
    [](const std::string &) {}));
  fs::copy_file(
    other / "gcs/public/falcon512.pub", scratch_ / "alpha/gcs/falcon512.pub",
    fs::copy_options::overwrite_existing);
  EXPECT_EQ(
    drone_refusal(),
    (scratch_ / "alpha/gcs/falcon512.pub").string() + " is of another owner than this identity.");
}

TEST_F(IdentityFiles, a_missing_file_is_named)
{
  EXPECT_EQ(
    message(load_drone_record(scratch_ / "gcs", "gamma")),
    (scratch_ / "gcs/drones/gamma.drone").string() + " isn't there.");
}

TEST_F(IdentityFiles, a_record_under_another_name_is_refused)
{
  fs::rename(scratch_ / "gcs/drones/alpha.drone", scratch_ / "gcs/drones/gamma.drone");
  EXPECT_EQ(
    message(load_drone_record(scratch_ / "gcs", "gamma")),
    (scratch_ / "gcs/drones/gamma.drone").string() + " is the record of a drone named alpha.");
}

// A secret would show as its own bytes or as their hexadecimal digits.
TEST_F(IdentityFiles, descriptions_and_errors_hold_no_secret)
{
  const auto drone = load_drone_identity(scratch_ / "alpha");
  ASSERT_TRUE(drone);
  std::string hexadecimal;
  for (const std::uint8_t byte : drone->psk.view()) {
    hexadecimal += "0123456789abcdef"[byte >> 4];
    hexadecimal += "0123456789abcdef"[byte & 15];
  }
  const std::string raw(drone->psk.view().begin(), drone->psk.view().end());
  for (const auto & folder : {"alpha", "gcs"}) {
    const auto description = describe_identity(scratch_ / folder);
    ASSERT_TRUE(description) << description.error().message;
    EXPECT_EQ(description->find(hexadecimal.substr(0, 8)), std::string::npos);
    EXPECT_EQ(description->find(raw.substr(0, 8)), std::string::npos);
    EXPECT_NE(description->find("pre-shared key: 32 bytes"), std::string::npos);
  }
  EXPECT_NE(describe_identity(scratch_ / "alpha")->find("name: alpha"), std::string::npos);
  EXPECT_NE(
    describe_identity(scratch_ / "gcs/public/falcon512.pub")->find("fingerprint: SHA256:"),
    std::string::npos);
}

}  // namespace
}  // namespace pqc_tunnel
