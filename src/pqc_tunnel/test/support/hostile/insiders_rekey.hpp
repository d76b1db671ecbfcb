// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__HOSTILE__INSIDERS_REKEY_HPP_
#define SUPPORT__HOSTILE__INSIDERS_REKEY_HPP_

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "protocol/handshake/key_messages.hpp"
#include "protocol/rekey/ratchet.hpp"
#include "support/hostile/insider.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

inline const Suite & in_use() { return suite("cs-mlkem512-aesgcm-mldsa44"); }
// Its prekeys serve this one, too: only the AEAD differs.
inline const Suite & of_the_same_kind() { return suite("cs-mlkem512-chacha20poly1305-mldsa44"); }
inline const Suite & of_another_signature() { return suite("cs-mlkem512-aesgcm-falcon512"); }

inline PskKeySet psk()
{
  return PskKeySet::derive(Identities::for_signature(in_use().signature).record().psk);
}

// A session whose drone has fetched prekeys, and someone who knows all that the drone knows.
class InsidersRekey : public testing::Test
{
protected:
  void establish(const SuitePolicy & allowed = SuitePolicy(SecurityLevel::l1, false))
  {
    WiredPair::Options options;
    options.suite = in_use().id;
    options.identities = {SignatureAlgorithm::falcon_512};
    options.settings.suites = allowed;
    pair_ = std::make_unique<WiredPair>(std::move(options));
    insider_ = std::make_unique<Insider>(*pair_);
    ASSERT_TRUE(pair_->establish());
    pair_->run_for(std::chrono::seconds(3));
  }

  // What the drone would send for a rekey.
  RekeyOpening opening(const Suite & suite)
  {
    RekeyOpening opening;
    pair_->random().fill(opening.client_random);
    opening.key_id = insider_->prekey(suite).key_id;
    opening.suite = suite.wire_id;
    opening.session = pair_->snapshot(Side::gcs).session;
    opening.next_epoch = Epoch{1};
    return opening;
  }
  // Every proof in it is right.
  Bytes rekey(const RekeyOpening & opening, const Suite & suite, const Suite & prekey_of)
  {
    Bytes message = encode(opening);
    JobResult made = run_job(
      MakeFinish{
        &suite, HandshakeMode{}, std::make_shared<const PskKeySet>(psk()),
        insider_->keys(Side::drone).resume(), nullptr, message, insider_->prekey(prekey_of)},
      pair_->random());
    const Bytes & finish = std::get<FinishMade>(made).finish;
    made_id_ = std::get<FinishMade>(made).secrets.drone_to_gcs_id;
    message.insert(message.end(), finish.begin(), finish.end());
    return message;
  }
  Bytes rekey(const RekeyOpening & opening) { return rekey(opening, in_use(), in_use()); }

  // Whether the ground station made keys of it.
  bool is_accepted(ByteView message)
  {
    const auto before = pair_->snapshot(Side::gcs).handshakes;
    insider_->say_message(Side::drone, ++id_, message);
    pair_->run_for(std::chrono::milliseconds(200));
    return pair_->snapshot(Side::gcs).handshakes > before;
  }
  // Whether the ground station did any work for it.
  bool costs_a_job(ByteView message)
  {
    const auto before = pair_->jobs_run(Side::gcs);
    const bool accepted = is_accepted(message);
    return accepted || pair_->jobs_run(Side::gcs) > before;
  }

  // Collects the control frames under the keys of the first session that the ground station sends from now on.
  void listen()
  {
    pair_->set_datagram_filter([this](Side from, Bytes & bytes) {
      if (
        auto frame = from == Side::gcs ? insider_->read_control(Side::drone, bytes) : std::nullopt)
      {
        answers_.push_back(std::move(*frame));
      }
      return true;
    });
  }
  template <class Body>
  std::size_t count() const
  {
    return static_cast<std::size_t>(std::ranges::count_if(
      answers_, [](const auto & frame) { return std::holds_alternative<Body>(frame.body); }));
  }
  // The one answer of this kind.
  template <class Body>
  std::optional<Body> answer() const
  {
    const auto found = std::ranges::find_if(
      answers_, [](const auto & frame) { return std::holds_alternative<Body>(frame.body); });
    return count<Body>() == 1 ? std::optional(std::get<Body>(found->body)) : std::nullopt;
  }
  // Of keys that the ground station made or has.
  bool holds(FrameKeyId id) const
  {
    return std::ranges::count(pair_->snapshot(Side::gcs).keys, id, &InstalledKeys::receive_id) > 0;
  }

  std::unique_ptr<WiredPair> pair_;
  std::unique_ptr<Insider> insider_;
  std::vector<ControlFrame> answers_;
  FrameKeyId made_id_{};  // of the keys that the newest rekey() leads to
  std::uint8_t id_ = 8;
};

class InsidersRatchet : public InsidersRekey
{
protected:
  Ratchet ratchet()
  {
    Ratchet ratchet{Epoch{1}, {}, {}};
    pair_->random().fill(ratchet.random);
    ratchet.mac = ratchet_mac(psk(), insider_->keys(Side::drone), ratchet);
    return ratchet;
  }
  std::size_t keys(Side side) { return pair_->snapshot(side).keys.size(); }
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__HOSTILE__INSIDERS_REKEY_HPP_
