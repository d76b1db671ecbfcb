// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

// The drone's half of rekeys: which are asked for, and the exchange of each.

#include <algorithm>
#include <utility>

#include "drone_end.hpp"
#include "fetch_costs.hpp"
#include "protocol/handshake/suite_objection.hpp"
#include "protocol/rekey/ratchet.hpp"

namespace pqc_tunnel
{
namespace
{

constexpr Duration own_rekey_retry = std::chrono::minutes(1);

// `asked`: a command, or a request of the ground station.
template <class Asked>
RekeyKind kind_of(const Asked & asked)
{
  return asked.one_time_key ? RekeyKind::anchored_ratchet
         : asked.ratchet    ? RekeyKind::ratchet
                            : RekeyKind::full;
}

const char * started_text(RekeyKind kind)
{
  return kind == RekeyKind::anchored_ratchet ? "ratchet with a one-time key started"
         : kind == RekeyKind::ratchet        ? "ratchet started"
                                             : "rekey started";
}

}  // namespace

// --- Requests ---

// Returns what is wrong with the suite, whatever the drone does now; empty: nothing.
std::string DroneEnd::suite_fault(const Suite & suite, Instant now) const
{
  std::string fault = suite_objection(suite, settings_, identity_);
  return fault.empty() && blacklist_.holds(suite, now)
           ? std::string(suite.id) + " failed lately and is blacklisted"
           : fault;
}

// Returns what a rekey must wait for; empty: nothing.
std::string DroneEnd::obstacle(const Suite & suite, RekeyKind kind, Instant now) const
{
  const EpochKeys * keys = peer_.keys().sending();
  if (keys == nullptr || lost_since_) {
    return "there is no session to rekey yet";
  }
  if (keys->used_up()) {
    return "the keys are used up; a new session is on its way";
  }
  if (rekey_.active()) {
    return "a rekey to " + std::string(rekey_.suite()->id) + " is under way";
  }
  if (!peer_.keys().confirmed()) {
    return "the ground station has not confirmed the current keys yet";
  }
  const bool needs_key =
    kind == RekeyKind::full && keys->epoch() != last_epoch && !stock_.holds(suite, now);
  return waiting_ && needs_key
           ? "a rekey to " + std::string(waiting_->suite->id) + " waits for its key"
           : "";
}

// A fault of the request comes before an obstacle, because waiting does not mend it.
DroneEnd::Objection DroneEnd::objection(const Suite & suite, RekeyKind kind, Instant now) const
{
  if (std::string fault = suite_fault(suite, now); !fault.empty()) {
    return {fault, AbortReason::suite_refused};
  }
  if (std::string fault = anchor_objection(suite, kind); !fault.empty()) {
    return {fault, AbortReason::unknown_anchor};
  }
  if (std::string problem = obstacle(suite, kind, now); !problem.empty()) {
    return {problem, AbortReason::in_progress};
  }
  const EpochKeys & keys = *peer_.keys().sending();
  if (is_ratchet(kind) && &suite != &keys.suite()) {
    return {
      "a ratchet keeps the suite; " + std::string(suite.id) + " needs a full rekey",
      AbortReason::suite_refused};
  }
  if (is_ratchet(kind) && keys.epoch() == last_epoch) {
    return {"the session is at its last epoch and needs a full rekey", AbortReason::suite_refused};
  }
  return {};
}

std::string DroneEnd::anchor_objection(const Suite & suite, RekeyKind kind) const
{
  if (kind != RekeyKind::anchored_ratchet) {
    return {};
  }
  if (!uses_anchor()) {
    return "this drone has no anchor, and so no one-time key";
  }
  return identity_.anchor->may_have_one_time_key(suite.level) ? "" : no_one_time_key;
}

Result<const Suite *> DroneEnd::suite_of(const RekeyCommand & command) const
{
  if (!command.suite_id.empty()) {
    return find_suite(command.suite_id, usable_);
  }
  const EpochKeys * keys = peer_.keys().sending();
  return keys != nullptr ? &keys->suite() : settings_.initial_suite;
}

void DroneEnd::request_rekey(const RekeyCommand & command, Instant now)
{
  if (command.fetch_only) {
    request_fetch(command, now);
    return;
  }
  if (command.erase_drone) {
    peer_.reply(command.id, false, "only a ground station asks for that", timing_);
    return;
  }
  const auto suite = suite_of(command);
  const RekeyKind kind = kind_of(command);
  const std::string problem = suite ? objection(**suite, kind, now).text : suite.error().message;
  if (!problem.empty()) {
    peer_.refuse_rekey(command, problem, suite.value_or(nullptr), timing_, now);
    return;
  }
  stands_in_ = stands_in_ && is_ratchet(kind);
  asked_here_ = command.id;
  start_rekey(**suite, kind, command.reason, now);
}

void DroneEnd::handle_rekey_request(
  std::uint32_t transaction, const RekeyRequest & request, Instant now)
{
  if (gcs_request_ && gcs_request_->transaction == transaction) {
    if (gcs_request_->failed) {
      peer_.send_control({transaction, Abort{AbortReason::failed}}, now);
    }
    return;
  }
  const Suite * suite = registry().find(request.suite);
  const RekeyKind kind = kind_of(request);
  const Objection problem = suite == nullptr
                              ? Objection{"no such suite is known here", AbortReason::suite_refused}
                              : objection(*suite, kind, now);
  if (!problem.text.empty()) {
    const bool later = problem.reason == AbortReason::in_progress;
    if (!later && std::exchange(refused_request_, transaction) != transaction) {
      // Without the suite: the policy takes events that name one for outcomes of its own rekeys.
      peer_.report(
        EventKind::refused, now, "rekey requested by the ground station refused: " + problem.text);
    }
    peer_.send_control({transaction, Abort{problem.reason}}, now);
    return;
  }
  stands_in_ = stands_in_ && is_ratchet(kind);
  gcs_request_ = GcsRequest{transaction, true, false};
  start_rekey(*suite, kind, "requested by the ground station", now);
}

void DroneEnd::start_rekey(
  const Suite & suite, RekeyKind kind, const std::string & reason, Instant now)
{
  if (peer_.keys().sending()->epoch() == last_epoch && !is_new_session(kind)) {
    kind = RekeyKind::new_session;
  }
  const std::string text = started_text(kind);
  peer_.report(EventKind::rekey_started, now, reason.empty() ? text : text + ": " + reason, &suite);
  if (kind == RekeyKind::full && !stock_.holds(suite, now)) {
    wait_for_key({&suite, now, peer_.key_traffic()}, now);
    return;
  }
  fetched_ = {};
  rekey_traffic_ = peer_.key_traffic();
  act(rekey_.start(suite, kind, false, peer_.link().retry_time(now), now), now);
}

// --- The course of one rekey ---

void DroneEnd::act(RekeyStep step, Instant now)
{
  switch (step) {
    case RekeyStep::none:
      return;
    case RekeyStep::await_prekey: {
      exchange_.reset();
      peer_.cancel_message(StreamLane::foreground);
      give_up_waiting_rekey("another rekey has to fetch its key again", now);
      wait_for_key({rekey_.suite(), rekey_.exchange_began() - fetched_, rekey_traffic_, true}, now);
      return;
    }
    case RekeyStep::make_finish:
      make_finish(now);
      return;
    case RekeyStep::send_ratchet:
      send_ratchet(now);
      return;
    case RekeyStep::begin_session:
      drop_exchange(now);
      begin_session(*rekey_.suite(), true, now);
      return;
    case RekeyStep::send_keepalive:
      peer_.send_control({0, Keepalive{}}, now);
      return;
    case RekeyStep::succeed: {
      const EpochKeys & keys = *peer_.keys().sending();
      note_bytes();
      ++rekeys_;
      ratchets_ += is_ratchet(rekey_.kind()) ? 1 : 0;
      peer_.report(EventKind::rekey_confirmed, now, rekey_.message(), &keys.suite(), keys.epoch());
      answer(true, rekey_.message(), now);
      return;
    }
    case RekeyStep::give_up:
      peer_.report(EventKind::rekey_failed, now, rekey_.message(), rekey_.suite());
      break;
    case RekeyStep::roll_back:
      if (rekey_.suite() != &peer_.keys().sending()->suite()) {
        blacklist_.add(*rekey_.suite(), now);
      }
      ++rollbacks_;
      peer_.report(EventKind::rollback, now, rekey_.message(), rekey_.suite());
      break;
  }
  drop_exchange(now);
  answer(false, rekey_.message(), now);
  begin_waiting_rekey(now);
}

void DroneEnd::drop_exchange(Instant now)
{
  if (exchange_) {
    // The ground station may have installed the keys; it need not confirm them any more.
    peer_.send_control({rekey_.transaction(), Abort{AbortReason::failed}}, now);
    exchange_.reset();
  }
  peer_.cancel_message(StreamLane::foreground);
}

// The rekey has ended: answers the ground station or the local command that asked for it.
void DroneEnd::answer(bool success, const std::string & message, Instant now)
{
  if (gcs_request_ && std::exchange(gcs_request_->under_way, false) && !success) {
    gcs_request_->failed = true;
    peer_.send_control({gcs_request_->transaction, Abort{AbortReason::failed}}, now);
  }
  if (const auto id = std::exchange(asked_here_, std::nullopt)) {
    peer_.reply(*id, success, message, timing_);
  }
}

// Notes the bytes that the rekey took on the air, up to the first frame under the new keys.
void DroneEnd::note_bytes()
{
  const KeyTraffic & now = peer_.key_traffic();
  timing_.bytes = now.exchange - rekey_traffic_.exchange;
  if (timing_.fetch > Duration{}) {
    timing_.fetch_bytes = now.fetch - rekey_traffic_.fetch;
  }
}

void DroneEnd::make_finish(Instant now)
{
  const Suite & suite = *rekey_.suite();
  const EpochKeys & keys = *peer_.keys().sending();
  auto prekey = stock_.take(suite, now);
  forget_asked(suite);
  if (!prekey) {
    act(rekey_.handle_failed(false, "the prekey has expired"), now);
    return;
  }
  RekeyOpening opening;
  random_.fill(opening.client_random);
  opening.key_id = prekey->key_id;
  opening.suite = suite.wire_id;
  opening.mode = settings_.mode.to_wire();
  opening.session = keys.id();
  opening.next_epoch = next(keys.epoch());
  rekey_.set_transaction(transaction_of(opening.client_random));
  Exchange & exchange = exchange_.emplace(Exchange{});
  exchange.opening = encode(opening);
  exchange.epoch = opening.next_epoch;
  exchange.job = outbox_.start(MakeFinish{
    &suite, settings_.mode, keys.psk(), keys.resume(), signing_key(live(), suite), exchange.opening,
    std::move(*prekey), now});
}

void DroneEnd::handle_exchange_job(JobResult result, Instant now)
{
  exchange_->job.reset();
  if (const auto * failed = std::get_if<JobFailed>(&result)) {
    act(rekey_.handle_failed(!exchange_->ratchet, failed->text), now);
  } else if (auto * secret = std::get_if<AnchorSecret>(&result)) {
    Ratchet & ratchet = *exchange_->ratchet;
    ratchet.anchor = std::move(secret->message);
    ratchet.mac = ratchet_mac(*live().psk, *peer_.keys().sending(), ratchet);
    exchange_->anchor = std::move(*secret);
    send_ratchet(now);
  } else if (auto * made = std::get_if<FinishMade>(&result)) {
    Bytes message = exchange_->opening;
    message.insert(message.end(), made->finish.begin(), made->finish.end());
    exchange_->finish = std::move(*made);
    exchange_->finished = now;
    rekey_.note_progress(now);
    peer_.send_message(Channel::session, StreamLane::foreground, std::move(message), now);
  }
}

void DroneEnd::handle_confirm(const Confirm & confirm, Instant now)
{
  if (
    !exchange_ || !exchange_->finish ||
    !constant_time_equal(confirm.mac, exchange_->finish->confirmation))
  {
    ++peer_.traffic().control_ignored;
    return;
  }
  FinishMade made = std::move(*exchange_->finish);
  timing_ = made.timing;
  timing_.total = now - rekey_.exchange_began();
  timing_.derive = exchange_->finished - rekey_.exchange_began();
  timing_.answer = now - exchange_->finished;
  timing_.fetch = fetched_;
  timing_.prepared_ahead = timing_.fetch == Duration{};
  ++handshakes_;
  const EpochKeys & live = *peer_.keys().sending();
  const EpochName name{rekey_.suite(), live.id(), exchange_->epoch, 0, {}, live.psk()};
  install(std::move(made.secrets), name, now);
}

void DroneEnd::begin_ratchet()
{
  const EpochKeys & keys = *peer_.keys().sending();
  Exchange & exchange = exchange_.emplace(Exchange{});
  exchange.epoch = next(keys.epoch());
  Ratchet & ratchet = exchange.ratchet.emplace(Ratchet{});
  ratchet.next_epoch = exchange.epoch;
  random_.fill(ratchet.random);
  rekey_.set_transaction(transaction_of(ratchet.random));
  if (rekey_.kind() == RekeyKind::anchored_ratchet) {
    exchange.job =
      outbox_.start(UseAnchor{identity_.anchor, AnchorChoice::one_time_only, keys.suite().level});
  } else {
    ratchet.mac = ratchet_mac(*keys.psk(), keys, ratchet);
  }
}

void DroneEnd::send_ratchet(Instant now)
{
  if (!exchange_) {
    begin_ratchet();
  }
  if (!exchange_->job) {
    const Ratchet & ratchet = *exchange_->ratchet;
    peer_.send_control({transaction_of(ratchet.random), ratchet}, now);
  }
}

void DroneEnd::handle_ratchet_ok(std::uint32_t transaction, const RatchetOk & ok, Instant now)
{
  const EpochKeys & keys = *peer_.keys().sending();
  const bool awaited = exchange_ && exchange_->ratchet && !exchange_->job &&
                       transaction == transaction_of(exchange_->ratchet->random);
  const SecretBytes none;
  const SecretBytes & anchor = awaited && exchange_->anchor ? exchange_->anchor->secret : none;
  if (
    !awaited ||
    !constant_time_equal(
      ok.mac, ratchet_ok_mac(*keys.psk(), keys, *exchange_->ratchet, ok.random, anchor)))
  {
    ++peer_.traffic().control_ignored;
    return;
  }
  Layers added;
  if (exchange_->anchor) {
    anchor_ = exchange_->anchor->kind;
    add_anchor(added, *anchor_, rekey_.exchange_began());
  }
  timing_ = HandshakeTiming{};
  timing_.total = timing_.answer = now - rekey_.exchange_began();
  install(
    ratchet_secrets(*keys.psk(), keys, *exchange_->ratchet, ok.random, anchor, added),
    ratchet_name(keys), now);
}

// Sends and receives under the keys of the next epoch from now on.
void DroneEnd::install(EpochSecrets secrets, const EpochName & name, Instant now)
{
  exchange_.reset();
  peer_.cancel_message(StreamLane::foreground);
  send_under(std::make_unique<EpochKeys>(
    name, Role::drone, std::move(secrets), settings_, now, peer_.clock(Channel::session)));
  peer_.report(EventKind::rekey_committed, now, "sending under new keys", name.suite, name.epoch);
  peer_.report_protection(now);
  act(rekey_.handle_installed(now), now);
}

void DroneEnd::send_under(std::unique_ptr<EpochKeys> keys)
{
  shown_suites_ = suites_by_kem(keys->suite(), usable_);
  peer_.keys().install_for_sending(std::move(keys));
  put_off_unasked();
}

void DroneEnd::handle_confirmed(Instant now)
{
  reconnect_.reset();
  unconfirmed_since_.reset();
  failures_.reset();
  const EpochKeys & keys = *peer_.keys().sending();
  if (keys.ratchets() == 0) {
    blacklist_.remove(keys.suite());
    renewals_ = 0;
    next_own_rekey_ = {};
  }
  act(rekey_.handle_confirmed(), now);
  retire_former(now);
  begin_waiting_rekey(now);
  stands_in_ = stands_in_ && &keys.suite() != settings_.initial_suite;
  change_to_configured(now);
  plan_prefetch(now);
}

// --- Control messages ---

void DroneEnd::handle_control(const ControlFrame & frame, Instant now)
{
  if (handle_fetch_control(frame, now)) {
    return;
  }
  if (const auto * confirm = std::get_if<Confirm>(&frame.body)) {
    handle_confirm(*confirm, now);
  } else if (const auto * abort = std::get_if<Abort>(&frame.body)) {
    act(rekey_.handle_abort(frame.transaction, abort->reason, now), now);
  } else if (const auto * request = std::get_if<RekeyRequest>(&frame.body)) {
    handle_rekey_request(frame.transaction, *request, now);
  } else if (const auto * ok = std::get_if<RatchetOk>(&frame.body)) {
    handle_ratchet_ok(frame.transaction, *ok, now);
  } else if (std::holds_alternative<Wiped>(frame.body)) {
    handle_wiped(now);
  } else if (const auto * erase = std::get_if<Erase>(&frame.body)) {
    handle_erase(frame.transaction, *erase, now);
  } else if (std::holds_alternative<Superseded>(frame.body)) {
    peer_.handle_clone(now);
    peer_.send_control({0, Superseded{}}, now);  // proves that these keys are in use
  } else {
    ++peer_.traffic().control_ignored;
  }
}

// --- Age of the keys ---

bool DroneEnd::may_rekey_by_itself() const
{
  const EpochKeys * keys = peer_.keys().sending();
  return keys != nullptr && !keys->used_up() && !rekey_.active() && !lost_since_ &&
         peer_.keys().confirmed();
}

// Keys are due after some ratchets, or some time since keys were last exchanged: a ratchet heals nothing.
Instant DroneEnd::renewal_due() const
{
  const EpochKeys & keys = *peer_.keys().sending();
  if (settings_.max_ratchets > 0 && keys.ratchets() >= settings_.max_ratchets) {
    return keys.installed();
  }
  return settings_.max_key_age > Duration{} ? keys.exchanged() + settings_.max_key_age
                                            : Instant::max();
}

// If renewing fails, every second try is a new session, which whoever has the live keys can't refuse.
void DroneEnd::renew_keys(Instant now)
{
  if (!may_rekey_by_itself() || now < next_own_rekey_) {
    return;
  }
  const bool beyond = peer_.keys().sending()->packets() >= settings_.packet_limits.ask_rekey;
  if (!beyond && now < renewal_due()) {
    return;
  }
  next_own_rekey_ = now + own_rekey_retry;  // if this one fails
  const Suite & suite = peer_.keys().sending()->suite();
  if (waits_for(suite)) {
    return;
  }
  peer_.report(
    EventKind::key_limit, now,
    std::string("the keys are due for renewal") +
      (renewals_ > 0 ? ", and no renewal has succeeded" : ""),
    &suite);
  const RekeyKind kind = renewals_ % 2 == 0 ? RekeyKind::full : RekeyKind::new_session;
  if (objection(suite, kind, now).text.empty()) {
    ++renewals_;
    start_rekey(suite, kind, "limit of age, packets or ratchets", now);
  }
}

// The session began with a lighter suite than the configured one, whose key has come meanwhile.
void DroneEnd::change_to_configured(Instant now)
{
  const Suite & suite = *settings_.initial_suite;
  if (stands_in_ && stock_.holds(suite, now) && objection(suite, RekeyKind::full, now).text.empty())
  {
    start_rekey(suite, RekeyKind::full, "the configured suite: its key has arrived", now);
  }
}

// A rekey needs packets under these keys; a new session does not.
void DroneEnd::replace_used_up_keys(Instant now)
{
  const EpochKeys * keys = peer_.keys().sending();
  if (keys == nullptr || !keys->used_up() || lost_since_ || attempt_ || next_attempt_) {
    return;
  }
  peer_.report(EventKind::key_limit, now, "the keys are used up", &keys->suite());
  act(rekey_.handle_session_lost(), now);
  give_up_waiting_rekey(session_lost, now);
  next_attempt_ = now;
}

}  // namespace pqc_tunnel
