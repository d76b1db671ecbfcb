// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <utility>

#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/crypto/kem.hpp"
#include "producing.hpp"
#include "subject.hpp"

namespace pqc_tunnel::speed
{
namespace
{

struct State
{
  explicit State(Kem opened) : kem(std::move(opened)) {}

  Kem kem;
  SystemRandom random;
  KemKeyPair pair;
  Encapsulation sent;
};

Operation keygen(const std::shared_ptr<State> & state)
{
  return producing(
    "keygen", [state] { return state->kem.keygen(state->random); },
    [state](KemKeyPair pair) { state->pair = std::move(pair); });
}

Operation encapsulate(const std::shared_ptr<State> & state)
{
  return producing(
    "encapsulate",
    [state] { return state->kem.encapsulate(state->pair.public_key, state->random); },
    [state](Encapsulation sent) { state->sent = std::move(sent); });
}

Operation decapsulate(const std::shared_ptr<State> & state)
{
  Operation operation = producing(
    "decapsulate",
    [state] { return state->kem.decapsulate(state->sent.ciphertext, state->pair.secret_key); },
    [state](const SecretBytes & received) {
      return constant_time_equal(received.view(), state->sent.shared_secret.view());
    });
  operation.prepare = [state, reset = std::move(operation.prepare)] {
    reset();
    // The newest key pair may be younger than the newest ciphertext.
    if (auto sent = state->kem.encapsulate(state->pair.public_key, state->random)) {
      state->sent = std::move(*sent);
    }
  };
  return operation;
}

}  // namespace

Subject make_subject(KemAlgorithm algorithm)
{
  Subject subject{
    .kind = Kind::kem,
    .token = std::string(token(algorithm)),
    .name = std::string(display_name(algorithm))};
  auto opened = Kem::open(algorithm);
  if (!opened) {
    subject.unavailable = opened.error().message;
  } else {
    const auto state = std::make_shared<State>(std::move(*opened));
    subject.operations = {keygen(state), encapsulate(state), decapsulate(state)};
  }
  subject.properties = [algorithm] {
    const KemSizes & sizes = kem_sizes(algorithm);
    return cli::JsonWriter::object()
      .text("specification", specification(algorithm))
      .number("level", static_cast<int>(level(algorithm)))
      .number("public_key_bytes", sizes.public_key)
      .number("secret_key_bytes", sizes.secret_key)
      .number("ciphertext_bytes", sizes.ciphertext)
      .number("shared_secret_bytes", sizes.shared_secret)
      .str();
  };
  return subject;
}

}  // namespace pqc_tunnel::speed
