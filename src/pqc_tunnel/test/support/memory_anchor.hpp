// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SUPPORT__MEMORY_ANCHOR_HPP_
#define SUPPORT__MEMORY_ANCHOR_HPP_

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "crypto/kem.hpp"
#include "protocol/wire/anchor.hpp"
#include "support/identities.hpp"
#include "support/large_stack.hpp"

namespace pqc_tunnel::test
{

// The anchor of one drone on the disks of both ends, in memory: it outlives the ends.
class MemoryAnchor
{
public:
  struct Key
  {
    AnchorKind kind;
    KemKeyPair pair;
    bool at_drone = true;
    bool at_ground = true;

    AnchorId id() const { return anchor_id(pair.public_key); }
  };

  // A last-resort key, and this many one-time keys.
  explicit MemoryAnchor(std::size_t one_time, KemAlgorithm of = kem)
  : state_(std::make_shared<State>())
  {
    for (std::size_t i = 0; i <= one_time; ++i) {
      const KemKeyPair & made = pair(of, i);
      state_->keys.push_back(
        {{of, i > 0}, {made.public_key, SecretBytes::copy_of(made.secret_key.view())}});
    }
  }

  static constexpr KemAlgorithm kem = KemAlgorithm::classic_mceliece_348864;

  std::shared_ptr<AnchorKeys> at_drone() const { return std::make_shared<Drone>(state_); }
  std::shared_ptr<AnchorSecrets> at_ground() const { return std::make_shared<Ground>(state_); }
  // The first one is the last-resort key.
  std::vector<Key> & keys() { return state_->keys; }
  std::size_t looked_up() const { return state_->looked_up; }
  // The ground station's folder comes back from a copy of before.
  void restore_ground()
  {
    for (Key & key : state_->keys) {
      key.at_ground = key.at_ground || key.kind.one_time;
    }
  }
  // The ground station makes a new last-resort key, and keeps the one before; the drone has it later.
  void rotate()
  {
    const auto is_last_resort = [](const Key & key) { return !key.kind.one_time; };
    const auto newest = std::find_if(state_->keys.rbegin(), state_->keys.rend(), is_last_resort);
    for (Key & key : state_->keys) {
      key.at_ground = key.at_ground && (key.kind.one_time || &key == &*newest);
    }
    const KemAlgorithm of = newest->kind.kem;
    const KemKeyPair & made = pair(of, state_->keys.size());
    state_->keys.push_back(
      {{of, false}, {made.public_key, SecretBytes::copy_of(made.secret_key.view())}, false});
  }
  // The drone gets the newest last-resort key.
  void update_drone()
  {
    for (Key & key : state_->keys) {
      key.at_drone = key.at_drone || !key.kind.one_time;
    }
  }
  void refuse_to_erase(bool refuse) { state_->erasing_fails = refuse; }
  std::size_t left_at_ground() const
  {
    std::size_t left = 0;
    for (const Key & key : state_->keys) {
      left += key.kind.one_time && key.at_ground ? 1 : 0;
    }
    return left;
  }

private:
  struct State
  {
    std::vector<Key> keys;
    std::size_t looked_up = 0;
    bool erasing_fails = false;
  };

  // Made once in a process.
  static const KemKeyPair & pair(KemAlgorithm of, std::size_t number)
  {
    static std::map<KemAlgorithm, std::vector<std::unique_ptr<KemKeyPair>>> all;
    auto & made = all[of];
    while (made.size() <= number) {
      run_with_large_stack([&] {
        SeededRandom random(4711 + made.size());
        made.push_back(std::make_unique<KemKeyPair>(Kem::open(of).value().keygen(random).value()));
      });
    }
    return *made[number];
  }

  class Drone final : public AnchorKeys
  {
  public:
    explicit Drone(std::shared_ptr<State> state) : state_(std::move(state)) {}
    Result<Taken> take(AnchorChoice choice, SecurityLevel) override
    {
      for (std::size_t i = 1; i < state_->keys.size() && choice != AnchorChoice::last_resort_first;
           ++i) {
        if (state_->keys[i].kind.one_time && std::exchange(state_->keys[i].at_drone, false)) {
          return taken(state_->keys[i]);
        }
      }
      if (choice == AnchorChoice::one_time_only) {
        return fail(ErrorCode::unavailable, no_one_time_key);
      }
      const Key * last_resort = &state_->keys[0];
      for (const Key & key : state_->keys) {
        last_resort = !key.kind.one_time && key.at_drone ? &key : last_resort;
      }
      return taken(*last_resort);
    }

    bool may_have_one_time_key(SecurityLevel) const override
    {
      return std::ranges::any_of(
        state_->keys, [](const Key & key) { return key.kind.one_time && key.at_drone; });
    }

  private:
    static Taken taken(const Key & key) { return {key.kind, key.pair.public_key}; }
    std::shared_ptr<State> state_;
  };

  class Ground final : public AnchorSecrets
  {
  public:
    explicit Ground(std::shared_ptr<State> state) : state_(std::move(state)) {}
    Result<Found> find(const AnchorId & id) override
    {
      ++state_->looked_up;
      for (const Key & key : state_->keys) {
        if (key.at_ground && key.id() == id) {
          return Found{key.kind, SecretBytes::copy_of(key.pair.secret_key.view())};
        }
      }
      return fail(ErrorCode::unavailable, "no such key");
    }
    Result<void> erase(const AnchorId & id) override
    {
      if (state_->erasing_fails) {
        return fail(ErrorCode::permission, "the disk is full");
      }
      for (std::size_t i = 1; i < state_->keys.size(); ++i) {
        state_->keys[i].at_ground = !state_->keys[i].kind.one_time && state_->keys[i].at_ground;
        if (state_->keys[i].id() == id) {
          break;
        }
      }
      return {};
    }

  private:
    std::shared_ptr<State> state_;
  };

  std::shared_ptr<State> state_;
};

}  // namespace pqc_tunnel::test

#endif  // SUPPORT__MEMORY_ANCHOR_HPP_
