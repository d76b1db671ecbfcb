// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "handshake_client.hpp"

#include <utility>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{

HandshakeClient::HandshakeClient(Config config, RandomSource & random) : config_(std::move(config))
{
  hello_.drone_id = config_.drone_id;
  random.fill(hello_.client_random);
  hello_.suite = config_.suite->wire_id;
  hello_.mode = config_.mode.to_wire();
  hello_.previous_session = config_.previous_session;
  hello_.previous_epoch = config_.previous_epoch;
  hello_.next_epoch = config_.next_epoch;
  hello_.reason = config_.reason;
  hello_.policy_hash = config_.policy_hash;
}

Bytes HandshakeClient::send_hello()
{
  Bytes body = encode(hello_);
  ByteWriter(body).bytes(hmac_sha256(config_.psk->hello.view(), {body}));
  transcript_.insert(transcript_.end(), body.begin(), body.end());
  return with_length(body);
}

ClientStep HandshakeClient::start()
{
  state_ = State::hello_sent;
  // A reject is smaller than a retry and a retry smaller than any hello, so one range for both short ones is enough.
  reader_.expect({reject_size, hello_retry_size}, server_hello_size(*config_.suite));
  return send_hello();
}

ClientStep HandshakeClient::handle_stream(ByteView bytes)
{
  switch (state_) {
    case State::hello_sent:
    case State::retried:
    case State::finish_sent:
      break;
    default:
      return end(HandshakeFailure::malformed, "the ground station sent bytes out of turn");
  }
  switch (reader_.feed(bytes)) {
    case StreamReader::Status::incomplete:
      return {};
    case StreamReader::Status::refused:
      return end(
        HandshakeFailure::malformed, "the ground station sent a message of an impossible size");
    case StreamReader::Status::message:
      break;
  }
  return handle_message(reader_.take());
}

ClientStep HandshakeClient::handle_message(Bytes body)
{
  got_answer_ = true;
  const auto type = message_type(body);
  if (type == MessageType::reject) {
    return handle_reject(body);
  }
  if (type == MessageType::hello_retry && state_ == State::hello_sent) {
    return handle_retry(body);
  }
  if (type == MessageType::server_hello && state_ != State::finish_sent) {
    return handle_server_hello(std::move(body));
  }
  if (type == MessageType::server_finish && state_ == State::finish_sent) {
    return handle_server_finish(body);
  }
  return end(HandshakeFailure::malformed, "the ground station sent a message out of place");
}

ClientStep HandshakeClient::handle_retry(const Bytes & body)
{
  const auto challenge = parse_hello_retry(body);
  if (!challenge) {
    return end(HandshakeFailure::malformed, "the ground station's retry is malformed");
  }
  const Mac expected = hmac_sha256(config_.psk->retry.view(), {transcript_, *challenge});
  if (!constant_time_equal(expected, mac_of(body))) {
    return end(
      HandshakeFailure::malformed, "the ground station's retry does not prove the shared key");
  }
  transcript_.insert(transcript_.end(), body.begin(), body.end());
  hello_.challenge = *challenge;
  state_ = State::retried;
  return send_hello();
}

ClientStep HandshakeClient::handle_server_hello(Bytes body)
{
  state_ = State::answering;
  return Job(AnswerServerHello{
    config_.suite, config_.mode, config_.gcs_id, config_.gcs_public_key, config_.drone_signing_key,
    config_.psk, config_.resumption, transcript_, std::move(body)});
}

ClientStep HandshakeClient::handle_job_result(JobResult result)
{
  if (state_ != State::answering) {
    return {};
  }
  if (auto * failed = std::get_if<JobFailed>(&result)) {
    switch (failed->error) {
      case JobError::unauthenticated:
        return end(HandshakeFailure::malformed, std::move(failed->text));
      case JobError::authenticated:
        return end(HandshakeFailure::authenticated, std::move(failed->text));
      case JobError::unavailable:
        return end(HandshakeFailure::unavailable, std::move(failed->text));
    }
  }
  answered_ = std::get<ServerHelloAnswered>(std::move(result));
  state_ = State::finish_sent;
  reader_.expect({server_finish_size, reject_size});
  return with_length(std::exchange(answered_.message, {}));
}

ClientStep HandshakeClient::handle_server_finish(const Bytes & body)
{
  if (!parse_server_finish(body)) {
    return end(HandshakeFailure::malformed, "the ground station's finish is malformed");
  }
  const Mac expected = hmac_sha256(answered_.gcs_finish_key.view(), {answered_.th3});
  if (!constant_time_equal(expected, mac_of(body))) {
    // An attacker on the network can change these bytes; they are no evidence against the suite.
    return end(HandshakeFailure::malformed, "the ground station's finish does not confirm the key");
  }
  state_ = State::ended;
  return HandshakeDone{std::move(answered_.secrets), answered_.timing};
}

ClientStep HandshakeClient::handle_reject(const Bytes & body)
{
  const auto reason = parse_reject(body);
  if (!reason) {
    return end(HandshakeFailure::malformed, "the ground station's refusal is malformed");
  }
  // Bound to this handshake by our own hello, the first thing in the transcript.
  const Mac expected = hmac_sha256(
    config_.psk->retry.view(), {ByteView(transcript_).first(client_hello_size), without_mac(body)});
  if (!constant_time_equal(expected, mac_of(body))) {
    return end(
      HandshakeFailure::malformed, "the ground station's refusal does not prove the shared key");
  }
  switch (*reason) {
    case RejectReason::policy_mismatch:
      return end(HandshakeFailure::policy_mismatch, "the ground station must be configured alike");
    case RejectReason::suite_refused:
      return end(
        HandshakeFailure::suite_refused,
        "the ground station can't use " + std::string(config_.suite->id) + missing_there);
    case RejectReason::busy:
      return end(HandshakeFailure::busy, "the ground station is busy");
    case RejectReason::session_unknown:
      return end(
        HandshakeFailure::session_unknown, "the ground station no longer knows the session");
    case RejectReason::failed:
      break;
  }
  return end(
    HandshakeFailure::authenticated, "the ground station could not complete the handshake");
}

ClientStep HandshakeClient::handle_closed(const std::string & reason)
{
  return end(HandshakeFailure::closed, reason);
}

ClientStep HandshakeClient::end(HandshakeFailure failure, std::string text)
{
  state_ = State::ended;
  return HandshakeFailed{failure, std::move(text)};
}

}  // namespace pqc_tunnel
