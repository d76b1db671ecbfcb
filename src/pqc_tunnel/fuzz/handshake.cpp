// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <utility>
#include <vector>

#include "byte_program.hpp"
#include "property.hpp"
#include "protocol/handshake_client.hpp"
#include "protocol/handshake_server.hpp"
#include "support/identities.hpp"
#include "support/session_secrets.hpp"

// Both state machines of the handshake, with an attacker between them who delays, cuts, changes and invents bytes. In
// every case an end that finishes has the same keys as the other end, and no suite is blamed.

namespace pqc_tunnel::fuzz
{
namespace
{

using test::Identities;
using test::SeededRandom;

const Suite & suite_for(std::size_t choice)
{
  static const Suite * const cheap[] = {
    &test::suite("cs-mlkem512-aesgcm-mldsa44"), &test::suite("cs-mlkem512-ascon128a-falcon512")};
  return *cheap[choice % std::size(cheap)];
}

bool same_keys(const SessionSecrets & a, const SessionSecrets & b)
{
  return a.session == b.session && a.transcript_tag == b.transcript_tag &&
         std::ranges::equal(a.drone_to_gcs_key.view(), b.drone_to_gcs_key.view()) &&
         std::ranges::equal(a.gcs_to_drone_key.view(), b.gcs_to_drone_key.view()) &&
         std::ranges::equal(a.resumption.view(), b.resumption.view());
}

class Encounter
{
public:
  explicit Encounter(ByteProgram program)
  : program_(program),
    suite_(suite_for(program_.u8())),
    mode_{program_.flag(), program_.flag()},
    identities_(Identities::for_signature(suite_.signature)),
    drone_(identities_.drone_part()),
    psk_(std::make_shared<const PskKeys>(PskKeys::derive(drone_.psk))),
    resumption_(program_.flag() ? std::make_shared<const Key32>() : nullptr),
    client_(client_config(), random_)
  {
    handle(client_.start());
  }

  void run()
  {
    while (!program_.done() && !client_ended_) {
      operate();
    }
    if (!disturbed_ && !client_ended_ && !server_ended_) {
      finish();
      must(client_done_ && server_done_, "an undisturbed handshake ends in keys");
    }
  }

private:
  HandshakeClient::Config client_config() const
  {
    HandshakeClient::Config config;
    config.suite = &suite_;
    config.mode = mode_;
    config.drone_id = drone_.id;
    config.psk = psk_;
    config.gcs_id = drone_.gcs_id;
    config.gcs_public_key = drone_.gcs_keys.at(suite_.signature);
    if (mode_.drone_signature) {
      config.drone_signing_key = drone_.signing_keys.at(suite_.signature);
    }
    config.resumption = resumption_;
    return config;
  }

  HandshakeServer::Config server_config() const
  {
    HandshakeServer::Config config;
    config.suite = &suite_;
    config.mode = mode_;
    config.gcs_id = identities_.gcs.id;
    config.signing_key = identities_.gcs.signing_keys.at(suite_.signature);
    if (mode_.drone_signature) {
      config.drone_public_key = identities_.drone_keys.at(suite_.signature);
    }
    config.psk = psk_;
    config.resumption = resumption_;
    return config;
  }

  // --- The attacker ---

  void operate()
  {
    Bytes & queue = program_.flag() ? to_client_ : to_server_;
    const bool at_client = &queue == &to_client_;
    switch (program_.pick(9)) {
      case 0:
        deliver(at_client, queue.size());
        break;
      case 1:
        deliver(at_client, program_.u16());
        break;
      case 2:
        run_job_of(at_client);
        break;
      case 3:
        disturbed_ = true;
        spoil(queue, program_.u16(), program_.u8());
        break;
      case 4: {
        disturbed_ = true;
        const ByteView invented = program_.bytes(program_.u8());
        queue.insert(queue.begin(), invented.begin(), invented.end());
        break;
      }
      case 5:
        disturbed_ = true;
        queue.resize(std::min(queue.size(), program_.u16()));
        break;
      case 6:
        disturbed_ = true;
        queue.insert(queue.end(), heard_.begin(), heard_.end());  // repeats all earlier bytes
        break;
      case 7:
        skips_challenge_ = true;
        break;
      case 8:
        fail_job_of(at_client);
        break;
    }
  }

  void deliver(bool at_client, std::size_t size)
  {
    Bytes & queue = at_client ? to_client_ : to_server_;
    const auto end = queue.begin() + static_cast<std::ptrdiff_t>(std::min(size, queue.size()));
    const Bytes piece(queue.begin(), end);
    queue.erase(queue.begin(), end);
    if (piece.empty()) {
      return;
    }
    if (at_client) {
      handle(client_.handle_stream(piece));
    } else if (!server_ended_) {
      handle(server_.handle_stream(piece));
    }
  }

  void run_job_of(bool client)
  {
    auto & job = client ? client_job_ : server_job_;
    if (!job) {
      return;
    }
    JobResult result = run_job(std::move(*job), random_);
    job.reset();
    if (const auto * answered = std::get_if<ServerHelloAnswered>(&result)) {
      client_knows_ = test::copy_of(answered->secrets);
    }
    if (client) {
      handle(client_.handle_job_result(std::move(result)));
    } else {
      handle(server_.handle_job_result(std::move(result)));
    }
  }

  void fail_job_of(bool client)
  {
    const JobError error{static_cast<std::uint8_t>(program_.pick(3))};
    auto & job = client ? client_job_ : server_job_;
    if (!job) {
      return;
    }
    job.reset();
    disturbed_ = true;
    job_failed_ = true;
    if (client) {
      handle(client_.handle_job_result(JobFailed{error, "it failed"}));
    } else {
      handle(server_.handle_job_result(JobFailed{error, "it failed"}));
    }
  }

  void finish()
  {
    for (int step = 0; step < 20 && !client_ended_; ++step) {
      run_job_of(true);
      run_job_of(false);
      deliver(false, to_server_.size());
      deliver(true, to_client_.size());
    }
  }

  // --- What the two ends want ---

  void handle(ClientStep step)
  {
    if (auto * bytes = std::get_if<Bytes>(&step)) {
      say(to_server_, *bytes);
    } else if (auto * job = std::get_if<Job>(&step)) {
      must(!client_job_, "the client has one job at a time");
      client_job_ = std::move(*job);
    } else if (auto * done = std::get_if<HandshakeDone>(&step)) {
      client_ended_ = true;
      client_done_ = true;
      must(server_done_, "the client has keys only after the server");
      must(same_keys(done->secrets, *server_knows_), "the client has the server's keys");
    } else if (auto * failed = std::get_if<HandshakeFailed>(&step)) {
      client_ended_ = true;
      const bool blames = failed->failure != HandshakeFailure::malformed;
      must(!blames || job_failed_, "whoever owns only the network brings no blame on a suite");
    }
  }

  void handle(ServerStep step)
  {
    if (auto * bytes = std::get_if<Bytes>(&step)) {
      say(to_client_, *bytes);
    } else if (auto * job = std::get_if<Job>(&step)) {
      must(!server_job_, "the server has one job at a time");
      server_job_ = std::move(*job);
    } else if (std::holds_alternative<HelloReceived>(step)) {
      handle_hello();
    } else if (auto * done = std::get_if<ServerDone>(&step)) {
      server_ended_ = true;
      server_done_ = true;
      must(client_knows_.has_value(), "the server has keys only after the client");
      must(same_keys(done->secrets, *client_knows_), "the server has the client's keys");
      server_knows_ = std::move(done->secrets);
      say(to_client_, done->message);
    } else if (auto * failed = std::get_if<HandshakeFailed>(&step)) {
      server_ended_ = true;
      if (failed->failure != HandshakeFailure::malformed) {
        must(job_failed_, "whoever owns only the network gets no authenticated refusal");
        say(to_client_, server_.refuse(*psk_, RejectReason::failed));
      }
    }
  }

  void handle_hello()
  {
    if (!server_.hello_proves(*psk_)) {
      must(disturbed_, "an undisturbed hello proves the shared key");
      server_ended_ = true;
    } else if (server_.hello_is_fresh() || skips_challenge_) {
      handle(server_.admit(server_config(), random_));
    } else {
      handle(server_.challenge(*psk_, random_));
    }
  }

  void say(Bytes & queue, const Bytes & bytes)
  {
    must(bytes.size() < largest_message, "no message is larger than its suite allows");
    queue.insert(queue.end(), bytes.begin(), bytes.end());
    if (heard_.size() < 4 * largest_message) {
      heard_.insert(heard_.end(), bytes.begin(), bytes.end());
    }
  }

  static constexpr std::size_t largest_message = 8192;

  ByteProgram program_;
  const Suite & suite_;
  HandshakeMode mode_;
  const Identities & identities_;
  DroneIdentity drone_;
  SharedPskKeys psk_;
  SharedKey32 resumption_;
  SeededRandom random_{1};
  HandshakeClient client_;
  HandshakeServer server_;
  std::optional<Job> client_job_;
  std::optional<Job> server_job_;
  std::optional<SessionSecrets> client_knows_;
  std::optional<SessionSecrets> server_knows_;
  Bytes to_client_;
  Bytes to_server_;
  Bytes heard_;
  bool disturbed_ = false;
  bool job_failed_ = false;
  bool skips_challenge_ = false;
  bool client_ended_ = false;
  bool server_ended_ = false;
  bool client_done_ = false;
  bool server_done_ = false;
};

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::Encounter(pqc_tunnel::fuzz::ByteProgram({data, size})).run();
  return 0;
}
