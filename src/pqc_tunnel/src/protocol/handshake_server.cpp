// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "handshake_server.hpp"

#include <utility>

#include "base/byte_io.hpp"

namespace pqc_tunnel
{

HandshakeServer::HandshakeServer() { reader_.expect({client_hello_size, client_hello_size}); }

ServerStep HandshakeServer::handle_stream(ByteView bytes)
{
  if (state_ != State::awaiting_hello && state_ != State::awaiting_finish) {
    return end(HandshakeFailure::malformed, "the drone sent bytes out of turn");
  }
  switch (reader_.feed(bytes)) {
    case StreamReader::Status::incomplete:
      return {};
    case StreamReader::Status::refused:
      return end(HandshakeFailure::malformed, "the drone sent a message of an impossible size");
    case StreamReader::Status::message:
      break;
  }
  Bytes body = reader_.take();
  return state_ == State::awaiting_hello ? handle_hello(body) : handle_finish(std::move(body));
}

ServerStep HandshakeServer::handle_hello(const Bytes & body)
{
  const auto hello = parse_client_hello(body);
  if (!hello) {
    return end(HandshakeFailure::malformed, "the hello is malformed");
  }
  hello_ = *hello;
  transcript_.insert(transcript_.end(), body.begin(), body.end());
  state_ = State::hello_received;
  return HelloReceived{hello_};
}

bool HandshakeServer::hello_proves(const PskKeys & psk) const
{
  const ByteView body = ByteView(transcript_).last(client_hello_size);
  const Mac expected = hmac_sha256(psk.hello.view(), {without_mac(body)});
  return constant_time_equal(expected, mac_of(body));
}

bool HandshakeServer::hello_is_fresh() const
{
  return challenge_ && constant_time_equal(*challenge_, hello_.challenge);
}

ServerStep HandshakeServer::challenge(const PskKeys & psk, RandomSource & random)
{
  if (challenge_) {
    return end(HandshakeFailure::malformed, "the drone did not answer the challenge");
  }
  random.fill(challenge_.emplace());
  Bytes body = encode_hello_retry(*challenge_);
  ByteWriter(body).bytes(hmac_sha256(psk.retry.view(), {transcript_, *challenge_}));
  transcript_.insert(transcript_.end(), body.begin(), body.end());
  state_ = State::awaiting_hello;
  return with_length(body);
}

ServerStep HandshakeServer::admit(Config config, RandomSource & random)
{
  config_ = std::move(config);
  state_ = State::making_hello;
  Random32 server_random;
  random.fill(server_random);
  return Job(MakeServerHello{
    config_->suite, config_->mode, config_->gcs_id, config_->key_id, config_->signing_key,
    config_->psk, transcript_, server_random, std::exchange(config_->prepared, std::nullopt)});
}

Bytes HandshakeServer::refuse(const PskKeys & psk, RejectReason reason)
{
  state_ = State::ended;
  Bytes body = encode_reject(reason);
  ByteWriter(body).bytes(
    hmac_sha256(psk.retry.view(), {ByteView(transcript_).first(client_hello_size), body}));
  return with_length(body);
}

ServerStep HandshakeServer::handle_finish(Bytes body)
{
  state_ = State::completing;
  return Job(CompleteHandshake{
    config_->suite, config_->mode, config_->drone_public_key, config_->psk, config_->resumption,
    std::move(made_->transcript), std::move(made_->kem_secret_key), std::move(made_->x25519),
    std::move(body)});
}

ServerStep HandshakeServer::handle_job_result(JobResult result)
{
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
  if (state_ == State::making_hello) {
    made_ = std::get<ServerHelloMade>(std::move(result));
    timing_ = made_->timing;
    state_ = State::awaiting_finish;
    const SizeRange size = client_finish_size(*config_->suite, config_->mode.drone_signature);
    reader_.expect(size);
    return std::exchange(made_->message, {});
  }
  if (state_ == State::completing) {
    auto complete = std::get<HandshakeComplete>(std::move(result));
    state_ = State::ended;
    timing_.verify = complete.timing.verify;
    timing_.decapsulate = complete.timing.decapsulate;
    return ServerDone{std::move(complete.secrets), with_length(complete.message), timing_};
  }
  return {};
}

ServerStep HandshakeServer::end(HandshakeFailure failure, std::string text)
{
  state_ = State::ended;
  return HandshakeFailed{failure, std::move(text)};
}

}  // namespace pqc_tunnel
