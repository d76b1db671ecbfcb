// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "served_rekeys.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "protocol/rekey/ratchet.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Later next_want{1000};

std::string with_reason(const std::string & text, const RekeyCommand & command)
{
  return command.reason.empty() ? text : text + " (reason: " + command.reason + ")";
}

}  // namespace

void ServedRekeys::begin_session(const Digest & transcript)
{
  session_transcript_ = transcript;
  prekeys_.clear();
  longest_rekey_ = 0;
  answered_wants_ = {};
  want_tokens_.fill();
  lane_.abandon();
  expect_rekeys();
}

void ServedRekeys::handle_wiped(Instant now)
{
  lane_.abandon();
  prekeys_.clear();
  session_transcript_ = {};
  if (request_) {
    answer(false, "the session was wiped", now);
  }
}

void ServedRekeys::handle_control(const ControlFrame & frame, const FrameOrder & order, Instant now)
{
  if (const auto * want = std::get_if<Want>(&frame.body)) {
    handle_want(frame.transaction, *want, now);
  } else if (const auto * ratchet = std::get_if<Ratchet>(&frame.body)) {
    handle_ratchet(frame.transaction, *ratchet, order, now);
  } else if (const auto * abort = std::get_if<Abort>(&frame.body)) {
    handle_abort(frame.transaction, *abort, now);
  } else {
    ++peer_.traffic().control_ignored;
  }
}

// --- Prekeys ---

void ServedRekeys::handle_want(std::uint32_t transaction, const Want & want, Instant now)
{
  if (const KeyLane::Issue * issue = lane_.issue(transaction)) {
    peer_.set_background_pace(want.bytes_per_s, want.lane, now);
    peer_.send_control({transaction, drone_.supply.later(*issue->suite)}, now);
    return;
  }
  if (answered_wants_[static_cast<std::size_t>(want.lane)] == transaction) {
    peer_.set_background_pace(want.bytes_per_s, want.lane, now);
    return;  // the stream is on its way
  }
  const Suite * suite = registry().find(want.suite);
  const std::string problem =
    suite == nullptr ? "no such suite is known here" : drone_.objection(*suite, live_psk());
  if (!problem.empty()) {
    if (std::exchange(refused_want_, transaction) != transaction) {
      peer_.report(
        EventKind::refused, now, "prekey requested by the drone refused: " + problem, suite);
    }
    peer_.send_control({transaction, Abort{AbortReason::suite_refused}}, now);
    return;
  }
  if (!want_tokens_.take(now)) {
    peer_.send_control({transaction, next_want}, now);
    return;
  }
  lane_.begin(
    {suite, transaction,
     bind_to_session(drone_.record.id, peer_.keys().sending()->id(), session_transcript_), false,
     want.lane, drone_.find(live_psk())->signs_former},
    now);
  peer_.set_background_pace(want.bytes_per_s, want.lane, now);
}

void ServedRekeys::handle_issued(const KeyLane::Issue & issue, IssuedPrekey issued, Instant now)
{
  drone_.supply.note_issued(*issue.suite, issued.timing);
  std::erase_if(prekeys_, [&](const HeldPrekey & old) {
    return PrekeyKind(*old.secret.suite) == PrekeyKind(*issue.suite);
  });
  if (prekeys_.size() >= max_prekeys) {
    prekeys_.erase(prekeys_.begin());
  }
  longest_rekey_ = std::max(
    longest_rekey_, rekey_opening_size + finish_size(*issue.suite, drone_.settings.mode).max);
  prekeys_.push_back({std::move(issued.secret), now + drone_.settings.prekey_pool.max_age});
  answered_wants_[static_cast<std::size_t>(issue.lane)] = issue.transaction;
  expect_rekeys();
  peer_.send_message(Channel::session, issue.lane, std::move(issued.message), now);
}

// The longest Rekey that can come: only prekeys that the drone was sent can be used. A Rekey with one that has expired is
// taken, too, because it is to be answered.
void ServedRekeys::expect_rekeys()
{
  peer_.expect_message(
    Channel::session, StreamLane::foreground, std::max(rekey_opening_size, longest_rekey_));
}

void ServedRekeys::drop_expired_prekeys(Instant now)
{
  std::erase_if(prekeys_, [now](const HeldPrekey & held) { return now >= held.expires; });
}

// --- Rekeys of the drone ---

void ServedRekeys::handle_message(Bytes message, const FrameOrder & order, Instant now)
{
  const auto opening = parse_rekey_opening(message);
  if (!opening) {
    return;
  }
  const std::uint32_t transaction = transaction_of(opening->client_random);
  if (KeySlots::Pending * done = peer_.keys().find_pending(opening->client_random)) {
    done->answer.next = now;
    return;
  }
  const auto & under_way = lane_.exchange();
  if (under_way && under_way->client_random == opening->client_random) {
    return;
  }
  if (order < newest_exchange_) {
    return;  // given up for another exchange, which was overtaken on the way
  }
  const EpochKeys & live = *peer_.keys().sending();
  const Suite * suite = registry().find(opening->suite);
  const std::string problem =
    suite == nullptr ? "no such suite is known here" : drone_.objection(*suite, live_psk());
  if (!problem.empty()) {
    peer_.report(
      EventKind::refused, now, "rekey of the drone refused: " + problem, suite,
      opening->next_epoch);
    peer_.send_control({transaction, Abort{AbortReason::suite_refused}}, now);
    return;
  }
  drop_expired_prekeys(now);
  const auto prekey = std::ranges::find(
    prekeys_, opening->key_id, [](const HeldPrekey & held) { return held.secret.key_id; });
  if (
    prekey == prekeys_.end() || PrekeyKind(*prekey->secret.suite) != PrekeyKind(*suite) ||
    opening->mode != drone_.settings.mode.to_wire())
  {
    peer_.send_control({transaction, Abort{AbortReason::unknown_prekey}}, now);
    return;
  }
  if (
    opening->session != live.id() || live.epoch() == last_epoch ||
    opening->next_epoch != next(live.epoch()))
  {
    peer_.send_control({transaction, Abort{AbortReason::in_progress}}, now);
    return;
  }
  PrekeySecret secret = std::move(prekey->secret);
  prekeys_.erase(prekey);
  newest_exchange_ = order;
  const bool requested = request_ && request_->suite == suite;
  peer_.report(
    EventKind::rekey_started, now,
    requested ? with_reason("the drone starts the requested rekey", request_->command)
              : "the drone starts a rekey",
    suite, opening->next_epoch);
  KeyLane::Exchange exchange;
  exchange.suite = suite;
  exchange.opening.assign(message.begin(), message.begin() + rekey_opening_size);
  exchange.client_random = opening->client_random;
  exchange.epoch = opening->next_epoch;
  exchange.session = opening->session;
  exchange.started = now;
  exchange.psk = live.psk();
  CompleteFinish job =
    drone_.job_of(exchange, std::move(secret), ByteView(message).subspan(rekey_opening_size));
  job.resumption = live.resume();
  lane_.begin(std::move(exchange), std::move(job), now);
}

bool ServedRekeys::handle_job_result(JobId id, JobResult & result, Instant now)
{
  const auto ended = lane_.end_job(id);
  if (!ended) {
    return false;
  }
  const auto * failed = std::get_if<JobFailed>(&result);
  if (const auto & issue = ended->issue) {
    if (failed == nullptr) {
      handle_issued(*issue, std::move(std::get<IssuedPrekey>(result)), now);
    } else {
      report_job_failed(*issue->suite, Epoch{}, *failed, now);
      peer_.send_control({issue->transaction, Abort{AbortReason::failed}}, now);
    }
  } else if (const auto & exchange = ended->exchange) {
    if (failed != nullptr) {
      handle_exchange_failed(*exchange, *failed, now);
    } else if (exchange->ratchet) {
      handle_one_time_key(*exchange, std::get<AnchorSecret>(result), now);
    } else {
      auto & completed = std::get<FinishCompleted>(result);
      drone_.install(*exchange, exchange->session, std::move(completed), Channel::session, now);
    }
  }
  lane_.start_waiting(now);
  return true;
}

void ServedRekeys::handle_exchange_failed(
  const KeyLane::Exchange & exchange, const JobFailed & failed, Instant now)
{
  if (failed.error != JobError::unauthenticated) {
    const AbortReason reason = abort_reason(failed.error, AbortReason::failed);
    peer_.send_control({transaction_of(exchange.client_random), Abort{reason}}, now);
  }
  report_job_failed(*exchange.suite, exchange.epoch, failed, now);
}

void ServedRekeys::report_job_failed(
  const Suite & suite, Epoch epoch, const JobFailed & failed, Instant now)
{
  peer_.report(
    EventKind::rekey_failed, now, "rekey of the drone failed: " + failed.text, &suite, epoch);
}

void ServedRekeys::handle_ratchet(
  std::uint32_t transaction, const Ratchet & ratchet, const FrameOrder & order, Instant now)
{
  if (KeySlots::Pending * done = peer_.keys().find_pending(ratchet.random)) {
    done->answer.next = now;
    drone_.send_answers(now);
    return;
  }
  if (lane_.exchange() && lane_.exchange()->client_random == ratchet.random) {
    return;  // its one-time key is being opened
  }
  const EpochKeys & live = *peer_.keys().sending();
  // A late one of an attempt given up would displace the keys of the attempt under way.
  if (
    order < newest_exchange_ || live.epoch() == last_epoch ||
    ratchet.next_epoch != next(live.epoch()) || !ratchet_tokens_.take(now) ||
    !constant_time_equal(ratchet.mac, ratchet_mac(*live.psk(), live, ratchet)))
  {
    ++peer_.traffic().control_ignored;
    return;
  }
  newest_exchange_ = order;
  if (ratchet.anchor.empty()) {
    answer_ratchet(transaction, ratchet, {}, {}, now);
  } else {
    open_one_time_key(ratchet, now);
  }
}

void ServedRekeys::open_one_time_key(const Ratchet & ratchet, Instant now)
{
  const EpochKeys & live = *peer_.keys().sending();
  KeyLane::Exchange exchange;
  exchange.suite = &live.suite();
  exchange.client_random = ratchet.random;
  exchange.epoch = ratchet.next_epoch;
  exchange.session = live.id();
  exchange.started = now;
  exchange.ratchet = ratchet;
  lane_.begin(std::move(exchange), OpenOneTimeKey{drone_.anchor_secrets(), ratchet.anchor}, now);
}

void ServedRekeys::handle_one_time_key(
  const KeyLane::Exchange & exchange, const AnchorSecret & opened, Instant now)
{
  const EpochKeys & live = *peer_.keys().sending();
  if (live.id() != exchange.session || exchange.epoch != next(live.epoch())) {
    return;  // the drone has gone on without it
  }
  drone_.anchor = opened.kind;
  Layers added;
  add_anchor(added, opened.kind, exchange.started);
  answer_ratchet(
    transaction_of(exchange.client_random), *exchange.ratchet, opened.secret, added, now);
}

void ServedRekeys::answer_ratchet(
  std::uint32_t transaction, const Ratchet & ratchet, const SecretBytes & anchor,
  const Layers & added, Instant now)
{
  const EpochKeys & live = *peer_.keys().sending();
  RatchetOk ok;
  drone_.random.fill(ok.random);
  ok.mac = ratchet_ok_mac(*live.psk(), live, ratchet, ok.random, anchor);
  peer_.keys().install_pending(
    std::make_unique<EpochKeys>(
      ratchet_name(live), Role::gcs,
      ratchet_secrets(*live.psk(), live, ratchet, ok.random, anchor, added), drone_.settings, now,
      live.clock()),
    {{transaction, ok}, ratchet.random, std::nullopt, now});
  drone_.send_answers(now);
}

bool ServedRekeys::under_way() const
{
  return lane_.exchange() ||
         std::ranges::any_of(peer_.keys().pending(), [](const KeySlots::Pending & pending) {
           return pending.keys && pending.keys->epoch() != Epoch{} &&
                  pending.answer.next != Instant::max();
         });
}

// --- Rekeys that this side requests ---

bool ServedRekeys::request(const RekeyCommand & command, std::uint32_t transaction, Instant now)
{
  if (command.fetch_only) {
    peer_.reply(command.id, false, "only a drone fetches keys", drone_.timing);
    return false;
  }
  const EpochKeys * keys = peer_.keys().sending();
  const auto suite = command.suite_id.empty()
                       ? keys != nullptr ? &keys->suite() : nullptr
                       : find_suite(command.suite_id, drone_.usable_suites(live_psk()));
  std::string problem;
  if (!suite) {
    problem = suite.error().message;
  } else if (keys == nullptr || drone_.reports.is_lost()) {
    problem = "there is no session with " + drone_.record.name + " to rekey yet";
  } else if (request_) {
    problem = "a rekey is under way";
  } else if ((command.ratchet || command.one_time_key) && *suite != &keys->suite()) {
    problem = "a ratchet keeps the suite; " + std::string((*suite)->id) + " needs a full rekey";
  } else if (command.one_time_key && !drone_.anchor_secrets()) {
    problem = "the ground station has no anchor for " + drone_.record.name;
  } else {
    problem = drone_.objection(**suite, live_psk());
  }
  if (keys == nullptr || !problem.empty()) {
    peer_.refuse_rekey(command, problem, suite.value_or(nullptr), drone_.timing, now);
    return false;
  }
  request_.emplace(Request{
    command, *suite, transaction, keys->epoch(), Backoff(control_retry_first, control_retry_max),
    now, now + prepare_deadline});
  return true;
}

void ServedRekeys::handle_proved(const EpochKeys & keys, bool new_session, Instant now)
{
  if (
    request_ && request_->suite == &keys.suite() &&
    (new_session || keys.epoch() != request_->epoch_before))
  {
    answer(true, "rekeyed to " + std::string(keys.suite().id), now);
  }
}

void ServedRekeys::handle_abort(std::uint32_t transaction, const Abort & abort, Instant now)
{
  for (auto & [keys, answer] : peer_.keys().pending()) {
    if (keys && answer.frame.transaction == transaction) {
      answer.next = Instant::max();  // the drone has given the exchange up
      return;
    }
  }
  if (!request_ || request_->transaction != transaction) {
    ++peer_.traffic().control_ignored;
    return;
  }
  switch (abort.reason) {
    case AbortReason::in_progress:
      answer(false, "the drone is busy with another rekey", now);
      break;
    case AbortReason::suite_refused:
      answer(false, "the drone can't use " + std::string(request_->suite->id) + missing_there, now);
      break;
    default:
      answer(
        false,
        request_->command.one_time_key
          ? "the drone has no one-time key left, or it is not known here; the old keys stay"
          : "the drone could not rekey; the old keys stay",
        now);
  }
}

void ServedRekeys::answer(bool success, const std::string & message, Instant now)
{
  const auto ended = std::exchange(request_, std::nullopt);
  if (!success) {
    peer_.report(
      EventKind::rekey_failed, now,
      with_reason("requested rekey failed: " + message, ended->command), ended->suite);
  }
  peer_.reply(ended->command.id, success, message, drone_.timing);
}

// --- Time ---

void ServedRekeys::watch_request(Instant now)
{
  if (!request_) {
    return;
  }
  if (now >= request_->deadline) {
    answer(false, "the drone did not rekey in time; the old keys stay", now);
  } else if (now >= request_->next_try) {
    request_->next_try = now + request_->retry.next(drone_.random);
    peer_.send_control(
      {request_->transaction,
       RekeyRequest{
         request_->suite->wire_id, request_->command.ratchet, request_->command.one_time_key}},
      now);
  }
}

Instant ServedRekeys::next_timeout() const
{
  Instant next = request_ ? std::min(request_->next_try, request_->deadline) : Instant::max();
  for (const HeldPrekey & held : prekeys_) {
    next = std::min(next, held.expires);
  }
  return next;
}

}  // namespace pqc_tunnel
