// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <utility>

#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/crypto/signature.hpp"
#include "producing.hpp"
#include "subject.hpp"

namespace pqc_tunnel::speed
{
namespace
{

// About as long as the message that a handshake signs: a label and a hash of the transcript.
constexpr std::size_t message_bytes = 64;

struct State
{
  explicit State(SignatureAlgorithm which) : algorithm(which), message(message_bytes)
  {
    random.fill(message);
  }

  SignatureAlgorithm algorithm;
  SystemRandom random;
  Bytes message;
  SigningKeyPair pair;
  Bytes signature;
  Bytes signer;  // the public key that `signature` belongs to
  std::size_t shortest = SIZE_MAX;
  std::size_t longest = 0;
  bool verified = false;
};

Operation keygen(const std::shared_ptr<State> & state)
{
  return producing(
    "keygen", [state] { return generate_signing_key(state->algorithm, state->random); },
    [state](SigningKeyPair pair) { state->pair = std::move(pair); });
}

Operation sign_message(const std::shared_ptr<State> & state)
{
  return producing(
    "sign",
    [state] {
      return sign(state->algorithm, state->message, state->pair.secret_key, state->random);
    },
    [state](Bytes signature) {
      state->signature = std::move(signature);
      state->signer = state->pair.public_key;
      state->shortest = std::min(state->shortest, state->signature.size());
      state->longest = std::max(state->longest, state->signature.size());
    });
}

Operation verify_message(const std::shared_ptr<State> & state)
{
  Operation operation{.name = "verify"};
  operation.run = [state] {
    state->verified = verify(state->algorithm, state->message, state->signature, state->signer);
  };
  operation.check = [state] { return state->verified; };
  return operation;
}

}  // namespace

Subject make_subject(SignatureAlgorithm algorithm)
{
  Subject subject{
    .kind = Kind::signature,
    .token = std::string(token(algorithm)),
    .name = std::string(display_name(algorithm))};
  const auto state = std::make_shared<State>(algorithm);
  if (const auto & offered = availability(algorithm); !offered.available) {
    subject.unavailable = offered.reason;
  } else {
    subject.operations = {keygen(state), sign_message(state), verify_message(state)};
  }
  subject.properties = [algorithm, state] {
    const SignatureSizes & sizes = signature_sizes(algorithm);
    auto json = cli::JsonWriter::object();
    json.text("specification", specification(algorithm))
      .number("level", static_cast<int>(level(algorithm)))
      .number("public_key_bytes", sizes.public_key)
      .number("secret_key_bytes", sizes.secret_key)
      .number("signature_max_bytes", sizes.signature_max)
      .flag("signature_variable", sizes.variable)
      .number("message_bytes", message_bytes);
    if (state->longest > 0) {
      json.number("signature_shortest_bytes", state->shortest)
        .number("signature_longest_bytes", state->longest);
    }
    return json.str();
  };
  return subject;
}

}  // namespace pqc_tunnel::speed
