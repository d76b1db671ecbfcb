// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The prekeys that the ground station makes for drones, one job at a time for each.

#include <algorithm>
#include <chrono>
#include <utility>

#include "gcs_end.hpp"
#include "suite_objection.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration next_want = std::chrono::seconds(1);

}  // namespace

void GcsEnd::handle_want(PeerIndex index, std::uint32_t transaction, const Want & want, Instant now)
{
  Drone & owner = drone(index);
  if (const auto & issue = owner.session_lane.issue; issue && issue->transaction == transaction) {
    const auto estimate =
      std::chrono::ceil<std::chrono::milliseconds>(pool_.estimate(*issue->suite));
    peer(index).send_control(
      {transaction, Later{static_cast<std::uint32_t>(estimate.count())}}, now);
    return;
  }
  if (owner.answered_want == transaction) {
    return;  // the stream is on its way
  }
  const Suite * suite = registry().find(want.suite);
  const std::string problem =
    suite == nullptr ? "no such suite is known here" : objection(*suite, owner);
  if (!problem.empty()) {
    if (std::exchange(owner.refused_want, transaction) != transaction) {
      peer(index).report(
        EventKind::refused, now, "prekey requested by the drone refused: " + problem, suite);
    }
    peer(index).send_control({transaction, Abort{AbortReason::suite_refused}}, now);
    return;
  }
  if (!owner.want_tokens.take(now)) {
    peer(index).send_control(
      {transaction, Later{static_cast<std::uint32_t>(
                      std::chrono::duration_cast<std::chrono::milliseconds>(next_want).count())}},
      now);
    return;
  }
  issue(
    index, Channel::session, *suite, transaction,
    bind_to_session(owner.record.id, peer(index).keys().sending()->id(), owner.session_transcript),
    now);
}

// The newest request of a drone replaces an older one.
void GcsEnd::issue(
  PeerIndex index, Channel channel, const Suite & suite, std::uint32_t transaction,
  const Digest & bind, Instant now)
{
  drone(index).lane(channel).issue = Issue{&suite, transaction, bind, std::nullopt, now};
  start_waiting_job(index, channel, now);
}

// One job at a time in each lane: first a Finish, then a prekey.
void GcsEnd::start_waiting_job(PeerIndex index, Channel channel, Instant now)
{
  Lane & lane = drone(index).lane(channel);
  if (lane.job) {
    return;
  }
  if (lane.exchange && lane.exchange->waiting) {
    lane.exchange->job = outbox_.start(*std::exchange(lane.exchange->waiting, std::nullopt));
    lane.job = lane.exchange->job;
    pool_.hold_back(now);
    return;
  }
  if (!lane.issue) {
    return;
  }
  Issue & next = *lane.issue;
  next.job = outbox_.start(IssuePrekey{
    MakePrekey{
      next.suite, settings_.mode, identity_.id, next_key_id(),
      identity_.signing_keys.at(next.suite->signature)},
    pool_.take(*next.suite, now), next.bind});
  lane.job = next.job;
}

void GcsEnd::handle_issued(PeerIndex index, Channel channel, IssuedPrekey issued, Instant now)
{
  Drone & owner = drone(index);
  const Issue done = *std::exchange(owner.lane(channel).issue, std::nullopt);
  if (!issued.timing.prepared_ahead) {
    pool_.note_duration(*done.suite, issued.timing.keygen + issued.timing.sign);
  }
  if (channel == Channel::boot) {
    if (owner.attempt) {
      owner.attempt->timing = issued.timing;
      owner.attempt->prekey = std::move(issued.secret);
      owner.attempt->progress = now;
      owner.attempt->prekey_sent = now;
      owner.attempt->next_later = Instant::max();
      peer(index).send_message(
        Channel::boot, StreamClass::foreground, std::move(issued.message), now);
    }
    return;
  }
  std::erase_if(owner.prekeys, [&](const HeldPrekey & old) {
    return PrekeyKind(*old.secret.suite) == PrekeyKind(*done.suite);
  });
  if (owner.prekeys.size() >= max_prekeys) {
    owner.prekeys.erase(owner.prekeys.begin());
  }
  owner.longest_rekey = std::max(
    owner.longest_rekey, rekey_opening_size + finish_size(*done.suite, settings_.mode).max);
  owner.prekeys.push_back({std::move(issued.secret), now + settings_.prekey_pool.max_age});
  owner.answered_want = done.transaction;
  expect_rekeys(index);
  peer(index).send_message(
    Channel::session, StreamClass::background, std::move(issued.message), now);
}

// The longest Rekey that can come: only prekeys that the drone was sent can be used. A Rekey with one that has expired is
// taken, too, because it is to be answered.
void GcsEnd::expect_rekeys(PeerIndex index)
{
  peer(index).expect_message(
    Channel::session, StreamClass::foreground,
    std::max(rekey_opening_size, drone(index).longest_rekey));
}

// Of prekeys: being signed, or on their way to drones.
std::size_t GcsEnd::bytes_to_drones() const
{
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < drones_.size(); ++i) {
    for (const Lane * lane : {&drones_[i].session_lane, &drones_[i].boot_lane}) {
      bytes += lane->issue && lane->issue->job ? prekey_bytes(*lane->issue->suite) : 0;
    }
    bytes += peers_[i].message_bytes(Channel::session, StreamClass::background) +
             peers_[i].message_bytes(Channel::boot, StreamClass::foreground);
  }
  return bytes;
}

void GcsEnd::drop_expired_prekeys(Drone & owner, Instant now)
{
  std::erase_if(owner.prekeys, [now](const HeldPrekey & held) { return now >= held.expires; });
}

}  // namespace pqc_tunnel
