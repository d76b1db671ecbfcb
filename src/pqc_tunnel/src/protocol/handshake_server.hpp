// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE_SERVER_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE_SERVER_HPP_

#include <memory>
#include <string>
#include <variant>

#include "handshake_client.hpp"
#include "handshake_crypto.hpp"
#include "stream_reader.hpp"

namespace pqc_tunnel
{

// A whole ClientHello has arrived; its MAC is not checked yet. The owner looks up the drone and calls admit(),
// challenge() or refuse(), or closes the connection.
struct HelloReceived
{
  ClientHello hello;
};

// Keys exist. They must be installed before `message` goes out.
struct ServerDone
{
  SessionSecrets secrets;
  Bytes message;
  HandshakeTiming timing;
};

using ServerStep =
  std::variant<std::monostate, Bytes, Job, HelloReceived, ServerDone, HandshakeFailed>;

// The GCS's side of one handshake over one connection. Pure: see ServerStep.
class HandshakeServer
{
public:
  struct Config
  {
    const Suite * suite;
    HandshakeMode mode;
    GcsId gcs_id;
    SharedSecretBytes signing_key;
    std::shared_ptr<const Bytes> drone_public_key;  // mutual mode, else null
    SharedPskKeys psk;
    SharedKey32 resumption;  // null for a new session
    KeyId key_id;
    std::optional<EphemeralKeys> prepared;
  };

  HandshakeServer();

  ServerStep handle_stream(ByteView bytes);
  ServerStep handle_job_result(JobResult result);

  // True if the hello at hand carries the PSK's MAC.
  bool hello_proves(const PskKeys & psk) const;
  // True if it answers the challenge made on this connection.
  bool hello_is_fresh() const;

  ServerStep challenge(const PskKeys & psk, RandomSource & random);
  ServerStep admit(Config config, RandomSource & random);
  // The refusal to send before closing.
  Bytes refuse(const PskKeys & psk, RejectReason reason);

private:
  enum class State
  {
    awaiting_hello,
    hello_received,
    making_hello,
    awaiting_finish,
    completing,
    ended,
  };

  ServerStep handle_hello(const Bytes & body);
  ServerStep handle_finish(Bytes body);
  ServerStep end(HandshakeFailure failure, std::string text);

  State state_ = State::awaiting_hello;
  StreamReader reader_;
  Bytes transcript_;  // hellos and retry
  ClientHello hello_;
  std::optional<Random32> challenge_;
  std::optional<Config> config_;
  std::optional<ServerHelloMade> made_;
  HandshakeTiming timing_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE_SERVER_HPP_
