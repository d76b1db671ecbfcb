// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "served_context.hpp"

#include <algorithm>
#include <utility>

namespace pqc_tunnel
{

void ServedContext::use(DroneRecord from)
{
  const std::vector<Credential> before = std::exchange(credentials, {});
  const auto add = [&](KeyAge age, const Psk & psk, PublicKeys keys, bool signs_former) {
    credentials.push_back({age, derive_psk_keys(psk, before), std::move(keys), signs_former});
  };
  add(KeyAge::present, from.psk, std::move(from.drone_keys), false);
  if (from.former) {
    FormerKeys & former = *from.former;
    add(KeyAge::former, former.psk, std::move(former.drone_keys), former.signing_too);
    former.psk = Psk();
  }
  from.psk = Psk();  // every key has been derived from it
  record = std::move(from);
}

const Credential * ServedContext::find(const SharedPskKeys & psk) const
{
  const auto found = std::ranges::find(credentials, psk, &Credential::psk);
  return found == credentials.end() ? nullptr : &*found;
}

std::string ServedContext::objection(const Suite & suite, const SharedPskKeys & psk) const
{
  const Credential * credential = find(psk);
  if (std::string problem = supply.objection(suite, credential && credential->signs_former);
      !problem.empty())
  {
    return problem;
  }
  if (
    settings.mode.drone_signature &&
    (credential == nullptr || !credential->drone_keys.contains(suite.signature)))
  {
    return "no public key of " + record.name + " is known for " + std::string(suite.id);
  }
  return {};
}

std::vector<const Suite *> ServedContext::usable_suites(const SharedPskKeys & psk) const
{
  std::vector<const Suite *> usable = settings.suites.allowed();
  std::erase_if(usable, [&](const Suite * suite) { return !objection(*suite, psk).empty(); });
  return usable;
}

CompleteFinish ServedContext::job_of(
  const KeyLane::Exchange & exchange, PrekeySecret prekey, ByteView finish) const
{
  CompleteFinish job;
  job.suite = exchange.suite;
  job.mode = settings.mode;
  job.psk = exchange.psk;
  if (settings.mode.drone_signature) {
    job.drone_public_key = find(exchange.psk)->drone_keys.at(exchange.suite->signature);
  }
  job.opening = exchange.opening;
  job.prekey = std::move(prekey);
  job.finish.assign(finish.begin(), finish.end());
  job.begun = exchange.started;
  return job;
}

void ServedContext::install(
  const KeyLane::Exchange & exchange, const SessionId & session, FinishCompleted completed,
  Channel channel, Instant now)
{
  timing = completed.timing;
  timing.keygen = exchange.issued.keygen;
  timing.sign = exchange.issued.sign;
  timing.prepared_ahead = exchange.issued.prepared_ahead;
  timing.total = now - exchange.started;
  peer.keys().install_pending(
    std::make_unique<EpochKeys>(
      EpochName{exchange.suite, session, exchange.epoch, 0, {}, exchange.psk}, Role::gcs,
      std::move(completed.secrets), settings, now, peer.clock(channel)),
    {{transaction_of(exchange.client_random), Confirm{completed.confirmation}},
     exchange.client_random,
     Backoff(peer.link().retry_time(now), exchange_retry_max, exchange_steady_tries),
     now});
  send_answers(now);
  ++handshakes;
  peer.report(
    EventKind::handshake_completed, now, completed_text(completed.anchor), exchange.suite,
    exchange.epoch, reports.severity_of_completed());
}

void ServedContext::send_answers(Instant now)
{
  for (auto & [keys, answer] : peer.keys().pending()) {
    if (now < answer.next) {
      continue;
    }
    const bool again = answer.retry && answer.retry->tries() < max_confirms;
    answer.next = again ? now + answer.retry->next(random) : Instant::max();
    peer.send_control(
      answer.frame, now, keys->epoch() == Epoch{} ? Channel::boot : Channel::session);
  }
}

}  // namespace pqc_tunnel
