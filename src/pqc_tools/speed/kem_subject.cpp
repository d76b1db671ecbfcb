// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <optional>
#include <utility>

#include "pqc_tunnel/command_line/json_writer.hpp"
#include "pqc_tunnel/crypto/kem.hpp"
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
  // Outcomes of what runs now; what was there before is freed and wiped outside the timed part.
  std::optional<Result<KemKeyPair>> new_pair;
  std::optional<Result<Encapsulation>> new_sent;
  std::optional<Result<SecretBytes>> received;
};

Operation keygen(const std::shared_ptr<State> & state)
{
  Operation operation{.name = "keygen"};
  operation.prepare = [state] { state->new_pair.reset(); };
  operation.run = [state] { state->new_pair = state->kem.keygen(state->random); };
  operation.check = [state] {
    if (!*state->new_pair) {
      return false;
    }
    state->pair = std::move(**state->new_pair);
    return true;
  };
  return operation;
}

Operation encapsulate(const std::shared_ptr<State> & state)
{
  Operation operation{.name = "encapsulate"};
  operation.prepare = [state] { state->new_sent.reset(); };
  operation.run = [state] {
    state->new_sent = state->kem.encapsulate(state->pair.public_key, state->random);
  };
  operation.check = [state] {
    if (!*state->new_sent) {
      return false;
    }
    state->sent = std::move(**state->new_sent);
    return true;
  };
  return operation;
}

Operation decapsulate(const std::shared_ptr<State> & state)
{
  Operation operation{.name = "decapsulate"};
  operation.prepare = [state] {
    state->received.reset();
    // The newest key pair may be younger than the newest ciphertext.
    if (auto sent = state->kem.encapsulate(state->pair.public_key, state->random)) {
      state->sent = std::move(*sent);
    }
  };
  operation.run = [state] {
    state->received = state->kem.decapsulate(state->sent.ciphertext, state->pair.secret_key);
  };
  operation.check = [state] {
    return *state->received &&
           constant_time_equal((*state->received)->view(), state->sent.shared_secret.view());
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
