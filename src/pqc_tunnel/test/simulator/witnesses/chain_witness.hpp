// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__CHAIN_WITNESS_HPP_
#define SIMULATOR__WITNESSES__CHAIN_WITNESS_HPP_

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/handshake/handshake_crypto.hpp"
#include "simulator/witnesses/key_witness.hpp"
#include "simulator/witnesses/violation.hpp"

namespace pqc_tunnel::test
{

// Watches what the ends show of the chain of keys, and derives it from the exchanges that were made.
class ChainWitness
{
public:
  explicit ChainWitness(const KeyWitness & keys) : keys_(keys) {}

  // An exchange that a job is about.
  struct Exchange
  {
    KemAlgorithm kem{};
    bool hybrid = false;
    bool chained = false;  // with the rms of a former session
    std::optional<AnchorKind> anchor = std::nullopt;
  };
  static std::optional<Exchange> exchange_of(const Job & job)
  {
    const auto of = [](const auto & one) {
      return Exchange{one.suite->kem, one.mode.hybrid_x25519, one.former.secret.size() > 0};
    };
    const auto * make = std::get_if<MakeFinish>(&job);
    const auto * complete = std::get_if<CompleteFinish>(&job);
    return make != nullptr       ? std::optional(of(*make))
           : complete != nullptr ? std::optional(of(*complete))
                                 : std::nullopt;
  }
  void made(Exchange exchange, const JobResult & result)
  {
    const auto note = [&](const auto & done) {
      KeyTag tag = {};
      std::ranges::copy_n(done.secrets.transcript.begin(), tag.size(), tag.begin());
      exchange.anchor = done.anchor;
      exchanges_[tag] = exchange;
    };
    if (const auto * made = std::get_if<FinishMade>(&result)) {
      note(*made);
    } else if (const auto * completed = std::get_if<FinishCompleted>(&result)) {
      note(*completed);
    }
  }

  // The ground station has opened a one-time key for a ratchet.
  void opened(const AnchorKind & anchor) { opened_.push_back(anchor); }

  // To be called after KeyWitness::look(); throws Violation.
  void look()
  {
    for (const Side side : both_sides) {
      const bool has_keys = !keys_.held(side).empty();
      if (std::exchange(had_keys_[side], has_keys) && !has_keys) {
        forgotten();  // wiped
      }
      for (const InstalledKeys & keys : keys_.held(side)) {
        look_at(keys);
      }
      look_at_sending(side);
    }
  }
  // An end has started again, or wiped its keys: each end may see the chain begin anew, once.
  void forgotten() { may_fall_ = {Side::drone, Side::gcs}; }
  void restarted(Side side)
  {
    had_keys_[side] = false;
    shown_[side].reset();
    forgotten();
  }

private:
  using Shape = std::map<std::pair<Problem, LayerKey>, std::string_view>;

  static Shape shape_of(const Layers & layers)
  {
    Shape shape;
    for (const Layer & layer : layers) {
      shape[{layer.problem, layer.key}] = layer.kem;
    }
    return shape;
  }
  static Shape after(Shape shape, const AnchorKind & anchor)
  {
    shape[{problem(anchor.kem), key_of(anchor)}] = display_name(anchor.kem);
    return shape;
  }
  static Shape after(Shape shape, const Exchange & exchange)
  {
    shape[{problem(exchange.kem), LayerKey::ephemeral}] = display_name(exchange.kem);
    if (exchange.hybrid) {
      shape[{Problem::curves, LayerKey::ephemeral}] = "X25519";
    }
    return exchange.anchor ? after(std::move(shape), *exchange.anchor) : shape;
  }

  void look_at(const InstalledKeys & keys)
  {
    const Shape shape = shape_of(keys.layers);
    const auto [known, is_new] = shapes_.try_emplace(keys.transcript_tag, shape);
    require(
      known->second == shape, "both ends show the same layers",
      "two ends show different layers of one set of keys, or one end other ones than before");
    if (!is_new) {
      return;
    }
    require(
      is_explained(keys, shape), "keys show what was mixed into them",
      "an end shows other layers of new keys than those of the former keys and the new exchange");
    if (keys.epoch == Epoch{} && !exchanges_.at(keys.transcript_tag).chained) {
      first_.insert(keys.session);
    }
    of_epoch_[{keys.session, keys.epoch}].insert(shape);
    all_.insert(shape);
  }

  bool is_explained(const InstalledKeys & keys, const Shape & shape) const
  {
    const auto exchange = exchanges_.find(keys.transcript_tag);
    const bool ratchet = exchange == exchanges_.end();
    const auto is_base = [&](const Shape & base) {
      if (!ratchet) {
        return after(base, exchange->second) == shape;
      }
      return base == shape || std::ranges::any_of(opened_, [&](const AnchorKind & anchor) {
               return after(base, anchor) == shape;
             });
    };
    if (keys.epoch == Epoch{}) {
      return !ratchet &&
             (exchange->second.chained ? std::ranges::any_of(all_, is_base) : is_base({}));
    }
    const auto before =
      of_epoch_.find({keys.session, Epoch(static_cast<std::uint8_t>(keys.epoch) - 1)});
    return before != of_epoch_.end() && std::ranges::any_of(before->second, is_base);
  }

  void look_at_sending(Side side)
  {
    const InstalledKeys * keys = keys_.sending(side);
    if (keys == nullptr) {
      return;
    }
    std::vector<Problem> now = problems_of(keys->layers);
    auto & before = shown_[side];
    const bool goes_on =
      !before || (std::ranges::includes(now, before->second) &&
                  (keys->session == before->first || !first_.contains(keys->session)));
    require(
      goes_on || may_fall_.erase(side) > 0, "only a restart or a wipe shortens the chain",
      "an end sends under keys that depend on less than those before");
    before.emplace(keys->session, std::move(now));
  }

  const KeyWitness & keys_;
  std::map<KeyTag, Exchange> exchanges_;
  std::vector<AnchorKind> opened_;
  std::map<KeyTag, Shape> shapes_;
  std::map<std::pair<SessionId, Epoch>, std::set<Shape>> of_epoch_;
  std::set<Shape> all_;
  std::set<SessionId> first_;  // that stand alone
  std::map<Side, std::optional<std::pair<SessionId, std::vector<Problem>>>> shown_;
  std::map<Side, bool> had_keys_;
  std::set<Side> may_fall_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__CHAIN_WITNESS_HPP_
