// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "support/memory_anchor.hpp"
#include "support/pair/traffic.hpp"

// Keys of the anchor that can't be read or used: no session begins without them, and both ends say why.

namespace pqc_tunnel::test
{
namespace
{

using namespace std::chrono_literals;

constexpr AnchorKind usable{MemoryAnchor::kem, true};

// A drone's keys of the anchor: the same answer each time.
class GivenKeys final : public AnchorKeys
{
public:
  explicit GivenKeys(std::optional<Taken> taken) : taken_(std::move(taken)) {}
  Result<Taken> take(AnchorChoice, SecurityLevel) override
  {
    return taken_ ? Result<Taken>(*taken_) : fail(ErrorCode::permission, "the disk is gone");
  }
  bool may_have_one_time_key(SecurityLevel) const override { return true; }

private:
  std::optional<Taken> taken_;
};

// A ground station's secrets that can't be read.
class LostSecrets final : public AnchorSecrets
{
public:
  Result<Found> find(const AnchorId &) override
  {
    return fail(ErrorCode::permission, "the disk is gone");
  }
  Result<void> erase(const AnchorId &) override { return {}; }
};

class AnchorFaults : public testing::Test
{
protected:
  // The ends fail to begin a session.
  void begin()
  {
    WiredPair::Options options;
    options.alter_drone = [this](DroneIdentity & identity) { identity.anchor = drone_; };
    options.alter_gcs = [this](GcsIdentity &, DroneRecord & record) { record.anchor = ground_; };
    pair_.emplace(options);
    pair_->set_job_filter([this](Side, Job & job) -> std::optional<JobResult> {
      if (auto * complete = std::get_if<CompleteFinish>(&job); complete != nullptr && alter_) {
        alter_(*complete);
      }
      return std::nullopt;
    });
    EXPECT_FALSE(pair_->run_until([&] { return pair_->agreed(); }, 5s));
  }
  bool failed(Side side, const std::string & text)
  {
    return pair_->reported(side, EventKind::handshake_failed, text);
  }

  MemoryAnchor anchor_{1};
  std::shared_ptr<AnchorKeys> drone_ = anchor_.at_drone();
  std::shared_ptr<AnchorSecrets> ground_ = anchor_.at_ground();
  std::function<void(CompleteFinish &)> alter_;
  std::optional<WiredPair> pair_;
};

TEST_F(AnchorFaults, of_reading_at_the_drone_begin_no_session)
{
  drone_ = std::make_shared<GivenKeys>(std::nullopt);
  begin();
  EXPECT_TRUE(failed(Side::drone, "the disk is gone"));
  EXPECT_EQ(anchor_.looked_up(), 0u);
}

TEST_F(AnchorFaults, in_a_public_key_begin_no_session)
{
  drone_ = std::make_shared<GivenKeys>(AnchorKeys::Taken{usable, Bytes(10)});
  begin();
  EXPECT_TRUE(failed(Side::drone, "the public key"));
  EXPECT_EQ(anchor_.looked_up(), 0u);
}

// Nobody takes it for a key that was replaced.
TEST_F(AnchorFaults, of_reading_at_the_ground_station_begin_no_session)
{
  ground_ = std::make_shared<LostSecrets>();
  begin();
  EXPECT_TRUE(failed(Side::gcs, "the disk is gone"));
  EXPECT_TRUE(failed(Side::drone, "the ground station can't use its anchor"));
  EXPECT_FALSE(failed(Side::drone, "was replaced"));
  EXPECT_FALSE(failed(Side::drone, "the disk is gone")) << "which is for the ground alone";
}

TEST_F(AnchorFaults, in_a_secret_key_begin_no_session)
{
  for (MemoryAnchor::Key & key : anchor_.keys()) {
    key.pair.secret_key = SecretBytes(10);
  }
  begin();
  EXPECT_TRUE(failed(Side::gcs, "the secret key"));
  EXPECT_TRUE(failed(Side::drone, "the ground station can't use"));
  EXPECT_EQ(anchor_.left_at_ground(), 1u) << "nothing was proved with it";
}

TEST_F(AnchorFaults, of_form_begin_no_session_although_the_psk_is_proved)
{
  alter_ = [](CompleteFinish & job) { job.anchored = false; };
  begin();
  EXPECT_TRUE(failed(Side::gcs, "the drone's finish is malformed"));
  EXPECT_EQ(anchor_.looked_up(), 0u);
}

}  // namespace
}  // namespace pqc_tunnel::test
