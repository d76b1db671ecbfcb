// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__PROTOCOL__HANDSHAKE_CLIENT_HPP_
#define PQC_TUNNEL__PROTOCOL__HANDSHAKE_CLIENT_HPP_

#include <memory>
#include <string>
#include <variant>

#include "handshake_crypto.hpp"
#include "stream_reader.hpp"

namespace pqc_tunnel
{

// Why a handshake ended without keys. Only failures that the PSK authenticates may count against a suite: an
// attacker on the network can cause all others.
enum class HandshakeFailure : std::uint8_t
{
  timeout,
  closed,           // the connection ended or could not be made
  malformed,        // a message out of place or of a wrong size, or a MAC that the PSK doesn't make
  authenticated,    // the PSK holds, but a signature, key or finish does not
  policy_mismatch,  // reported by the GCS under the PSK
  suite_refused,    // reported by the GCS under the PSK
  busy,             // reported by the GCS under the PSK
  session_unknown,  // reported by the GCS under the PSK: only a new session can help
  unavailable,      // this end can't run the primitives
};

// Follows "… can't use SUITE". Both ends allow the same suites, so one end lacks something for this one.
inline constexpr const char * missing_there =
  ": it holds no key for it, lacks the algorithm, or the suite failed there lately";

struct HandshakeFailed
{
  HandshakeFailure failure;
  std::string text;  // one sentence for the log
};

struct HandshakeDone
{
  SessionSecrets secrets;
  HandshakeTiming timing;
};

// The next step of a handshake: nothing, bytes on the stream, a job, or its end.
using ClientStep = std::variant<std::monostate, Bytes, Job, HandshakeDone, HandshakeFailed>;

// The drone's side of one handshake over one connection. Pure: see ClientStep.
class HandshakeClient
{
public:
  struct Config
  {
    const Suite * suite;
    HandshakeMode mode;
    DroneId drone_id;
    SharedPskKeys psk;
    GcsId gcs_id;
    std::shared_ptr<const Bytes> gcs_public_key;
    SharedSecretBytes drone_signing_key;  // mutual mode, else null
    PolicyHash policy_hash;
    SessionId previous_session;  // zero for a new session
    Epoch previous_epoch{};
    Epoch next_epoch{};
    SharedKey32 resumption;  // null for a new session
    std::uint8_t reason = 0;
  };

  HandshakeClient(Config config, RandomSource & random);

  const Suite & suite() const { return *config_.suite; }
  // True once the other end has sent a whole message, genuine or not.
  bool got_answer() const { return got_answer_; }

  // The first message, once the connection is up.
  ClientStep start();
  ClientStep handle_stream(ByteView bytes);
  ClientStep handle_job_result(JobResult result);
  ClientStep handle_closed(const std::string & reason);

private:
  enum class State
  {
    idle,
    hello_sent,
    retried,
    answering,
    finish_sent,
    ended,
  };

  Bytes send_hello();
  ClientStep handle_message(Bytes body);
  ClientStep handle_retry(const Bytes & body);
  ClientStep handle_server_hello(Bytes body);
  ClientStep handle_server_finish(const Bytes & body);
  ClientStep handle_reject(const Bytes & body);
  ClientStep end(HandshakeFailure failure, std::string text);

  Config config_;
  ClientHello hello_;
  State state_ = State::idle;
  bool got_answer_ = false;
  StreamReader reader_;
  Bytes transcript_;
  ServerHelloAnswered answered_;
};

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__PROTOCOL__HANDSHAKE_CLIENT_HPP_
