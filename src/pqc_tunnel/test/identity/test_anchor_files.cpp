// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "crypto/kem.hpp"
#include "crypto/random.hpp"
#include "identity/anchor_files.hpp"
#include "identity/identity_files.hpp"
#include "identity/match_identities.hpp"
#include "support/scratch_dir.hpp"

namespace pqc_tunnel
{
namespace
{

namespace fs = std::filesystem;

constexpr KemAlgorithm kem = KemAlgorithm::classic_mceliece_348864;

class AnchorFiles : public ::testing::Test
{
protected:
  void SetUp() override
  {
    IdentityPlan plan{{"alpha"}, {SignatureAlgorithm::ml_dsa_44}, {}};
    plan.anchor = {kem, 3};
    const auto made = make_identities(scratch_.path(), plan, random_, quietly);
    ASSERT_TRUE(made) << made.error().message;
  }
  static void quietly(const std::string &) {}

  fs::path at_drone() const { return one_time_folder(scratch_ / "alpha"); }
  fs::path at_ground() const { return one_time_folder(scratch_ / "gcs", "alpha"); }
  std::shared_ptr<AnchorKeys> drone() const
  {
    return load_drone_identity(scratch_ / "alpha").value().anchor;
  }
  std::shared_ptr<AnchorSecrets> ground() const
  {
    return load_drone_record(scratch_ / "gcs", "alpha").value().anchor;
  }
  AnchorKeys::Taken take(AnchorChoice choice = AnchorChoice::one_time_first)
  {
    return drone()->take(choice, SecurityLevel::l1).value();
  }
  // Both halves belong together.
  bool agree(const AnchorKeys::Taken & taken)
  {
    const auto opened = Kem::open(taken.kind.kem).value();
    const auto made = opened.encapsulate(taken.public_key, random_).value();
    const auto found = ground()->find(anchor_id(taken.public_key));
    return found && found->kind == taken.kind &&
           constant_time_equal(
             opened.decapsulate(made.ciphertext, found->secret_key).value().view(),
             made.shared_secret.view());
  }
  static std::size_t count(const fs::path & folder, const std::string & extension)
  {
    return list_anchor_files(folder, extension).size();
  }
  static void copy(const fs::path & from, const fs::path & to)
  {
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }

  ScratchDir scratch_;
  SystemRandom random_;
};

TEST_F(AnchorFiles, hold_both_halves_of_each_key)
{
  EXPECT_EQ(count(at_drone(), ".pub"), 3u);
  EXPECT_EQ(count(at_ground(), ".key"), 3u);
  for (int i = 0; i < 3; ++i) {
    const auto taken = take();
    EXPECT_TRUE(taken.kind.one_time);
    EXPECT_TRUE(agree(taken));
    EXPECT_TRUE(ground()->erase(anchor_id(taken.public_key)));
    EXPECT_FALSE(agree(taken));
  }
  const auto last = take();
  EXPECT_FALSE(last.kind.one_time);
  EXPECT_TRUE(agree(last));
  EXPECT_EQ(count(at_ground(), ".key"), 0u);
}

TEST_F(AnchorFiles, are_one_time_keys_or_the_last_resort_key_as_the_drone_chooses)
{
  EXPECT_FALSE(take(AnchorChoice::last_resort_first).kind.one_time);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(take(AnchorChoice::one_time_only).kind.one_time);
  }
  const auto none = drone()->take(AnchorChoice::one_time_only, SecurityLevel::l1);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, no_one_time_key);

  ASSERT_TRUE(extend_anchor(scratch_.path(), {"alpha"}, {kem, 1}, random_, quietly));
  fs::remove_all(last_resort_folder(scratch_ / "alpha"));
  EXPECT_FALSE(drone()->take(AnchorChoice::one_time_only, SecurityLevel::l5));
  EXPECT_TRUE(take(AnchorChoice::last_resort_first).kind.one_time);
}

TEST_F(AnchorFiles, are_known_to_be_used_up_until_new_ones_are_added)
{
  const auto keys = drone();
  EXPECT_FALSE(keys->may_have_one_time_key(SecurityLevel::l3));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(keys->may_have_one_time_key(SecurityLevel::l1));
    ASSERT_TRUE(keys->take(AnchorChoice::one_time_only, SecurityLevel::l1));
  }
  EXPECT_FALSE(keys->may_have_one_time_key(SecurityLevel::l1));
  EXPECT_FALSE(drone()->may_have_one_time_key(SecurityLevel::l1));
  ASSERT_TRUE(extend_anchor(scratch_.path(), {"alpha"}, {kem, 1}, random_, quietly));
  EXPECT_TRUE(keys->may_have_one_time_key(SecurityLevel::l1));
  EXPECT_TRUE(keys->take(AnchorChoice::one_time_only, SecurityLevel::l1));
}

TEST_F(AnchorFiles, of_secrets_are_their_owners_alone)
{
  for (const auto & entry : fs::recursive_directory_iterator(scratch_ / "gcs" / "anchor")) {
    struct stat status
    {
    };
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    const bool is_public = entry.path().extension() == ".pub";
    EXPECT_EQ(status.st_mode & 077U, is_public ? 044U : 0U) << entry.path();
  }
}

TEST_F(AnchorFiles, of_a_drone_that_come_back_from_a_copy_are_not_used_again)
{
  copy(at_drone(), scratch_ / "copy");
  const auto first = anchor_id(take().public_key);
  copy(scratch_ / "copy", at_drone());
  EXPECT_EQ(count(at_drone(), ".pub"), 3u);
  EXPECT_NE(anchor_id(take().public_key), first);
  EXPECT_NE(anchor_id(take().public_key), first);
  EXPECT_FALSE(take().kind.one_time);
}

TEST_F(AnchorFiles, of_a_ground_station_that_come_back_from_a_copy_are_not_used_again)
{
  copy(at_ground(), scratch_ / "copy");
  take();
  const auto second = take();
  ASSERT_TRUE(ground()->erase(anchor_id(second.public_key)));
  EXPECT_EQ(count(at_ground(), ".key"), 1u);  // the first one is gone, too
  copy(scratch_ / "copy", at_ground());
  EXPECT_EQ(count(at_ground(), ".key"), 3u);
  EXPECT_FALSE(agree(second));
  EXPECT_EQ(count(at_ground(), ".key"), 1u);  // the next session erases them again
  EXPECT_TRUE(agree(take()));
}

// Then only the drone knows what it has used.
TEST_F(
  AnchorFiles, of_a_ground_station_that_come_back_with_an_old_note_are_erased_by_the_next_session)
{
  copy(scratch_ / "gcs" / "anchor", scratch_ / "copy");
  ASSERT_TRUE(ground()->erase(anchor_id(take().public_key)));
  fs::remove_all(scratch_ / "gcs" / "anchor");
  copy(scratch_ / "copy", scratch_ / "gcs" / "anchor");
  EXPECT_EQ(count(at_ground(), ".key"), 3u);
  const auto second = take();
  EXPECT_TRUE(agree(second));
  ASSERT_TRUE(ground()->erase(anchor_id(second.public_key)));
  EXPECT_EQ(count(at_ground(), ".key"), 1u);
}

TEST_F(AnchorFiles, that_are_damaged_or_can_not_be_noted_leave_the_last_resort_key)
{
  for (const AnchorFile & file : list_anchor_files(at_drone(), ".pub")) {
    fs::resize_file(file.path, 1000);
  }
  EXPECT_FALSE(take().kind.one_time);
}

TEST_F(AnchorFiles, with_a_damaged_note_use_no_one_time_key)
{
  take();
  fs::resize_file(at_drone() / "used.anchor", 20);
  EXPECT_FALSE(take().kind.one_time);
}

TEST_F(AnchorFiles, are_made_for_more_drones_refilled_and_rotated)
{
  IdentityPlan plan{{"beta"}, {SignatureAlgorithm::ml_dsa_44}, {}};
  plan.anchor = {kem, 1};
  ASSERT_TRUE(add_drones(scratch_.path(), plan, random_, quietly));
  EXPECT_EQ(count(one_time_folder(scratch_ / "beta"), ".pub"), 1u);
  EXPECT_EQ(count(one_time_folder(scratch_ / "gcs", "beta"), ".key"), 1u);

  const auto before = take();
  ASSERT_TRUE(extend_anchor(scratch_.path(), {"alpha"}, {kem, 2}, random_, quietly));
  EXPECT_EQ(count(at_drone(), ".pub"), 4u);
  EXPECT_EQ(list_anchor_files(at_drone(), ".pub").back().number, 5u);
  EXPECT_TRUE(agree(before));

  fs::remove_all(at_drone());
  const auto old = take();
  ASSERT_FALSE(old.kind.one_time);
  for (const bool known : {true, false}) {
    ASSERT_TRUE(extend_anchor(scratch_.path(), {"alpha"}, {kem, 0, true}, random_, quietly));
    EXPECT_NE(anchor_id(take().public_key), anchor_id(old.public_key));
    EXPECT_TRUE(agree(take()));
    EXPECT_EQ(agree(old), known);  // for one rotation
  }
}

// The ground station keeps the note; the drone of that name has a new identity.
TEST_F(AnchorFiles, of_a_new_drone_are_not_used_because_those_of_its_namesake_were)
{
  ASSERT_TRUE(ground()->erase(anchor_id(take().public_key)));
  fs::copy(at_ground() / "used.anchor", scratch_ / "note");
  fs::remove_all(scratch_ / "alpha");
  fs::remove_all(at_ground());
  fs::remove(record_path(scratch_ / "gcs", "alpha"));
  IdentityPlan plan{{"alpha"}, {SignatureAlgorithm::ml_dsa_44}, {}};
  plan.anchor = {kem, 1};
  ASSERT_TRUE(add_drones(scratch_.path(), plan, random_, quietly));
  fs::copy(scratch_ / "note", at_ground() / "used.anchor");
  const auto taken = take();
  EXPECT_TRUE(taken.kind.one_time);
  EXPECT_TRUE(agree(taken));
}

TEST_F(AnchorFiles, of_both_ends_are_compared_and_counted)
{
  const auto differences = [&] {
    return match_identities(scratch_ / "alpha", scratch_ / "gcs").value();
  };
  take();
  EXPECT_TRUE(differences().empty());
  EXPECT_EQ(
    one_time_keys_left(scratch_ / "gcs", scratch_ / "alpha"),
    "Unused one-time keys of the anchor: 2 at the drone, 3 at the ground station.");
  fs::remove(list_anchor_files(at_ground(), ".key").back().path);
  ASSERT_EQ(differences().size(), 1u);
  EXPECT_EQ(
    differences()[0],
    "The ground station has no secret for 1 of the drone's 2 unused one-time keys of the anchor.");
  fs::remove_all(last_resort_folder(scratch_ / "gcs"));
  ASSERT_EQ(differences().size(), 2u);
  EXPECT_NE(differences()[0].find("no secret for the drone's last-resort key"), std::string::npos);
}

TEST_F(AnchorFiles, are_described_without_secrets)
{
  take();
  const auto text = describe_identity(scratch_ / "alpha").value();
  EXPECT_NE(text.find("2 keys of the anchor, Classic McEliece 348864"), std::string::npos) << text;
}

}  // namespace
}  // namespace pqc_tunnel
