// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/hello_gate.hpp"

#include "byte_program.hpp"
#include "property.hpp"
#include "support/identities.hpp"

// Hellos of strangers, who have recorded those of a drone: none is admitted, and none without the drone's MAC is answered.

namespace pqc_tunnel::fuzz
{
namespace
{

using test::Identities;

Endpoint address(std::uint8_t last)
{
  Endpoint endpoint;
  endpoint.family = AddressFamily::ipv4;
  endpoint.address = {192, 0, 2, last};
  endpoint.port = 4600;
  return endpoint;
}

class Door
{
public:
  Door() : random_(1), gate_(random_)
  {
    const auto record = Identities::for_signature(SignatureAlgorithm::ml_dsa_44).record();
    const auto psk = std::make_shared<PskKeySet>(PskKeySet::derive(record.psk));
    gate_.add({record.id, psk});
    ClientHello hello;
    hello.drone_id = record.id;
    random_.fill(hello.client_random);
    hello.suite = test::suite("cs-mlkem512-aesgcm-mldsa44").wire_id;
    const PskKeys & keys = psk->of(hello.suite);
    first_ = encode(hello);
    append_mac(first_, keys, keys.hello);
    const auto challenged = std::get<HelloGate::Challenged>(gate_.handle(first_, address(1), now_));
    hello.challenge = parse_hello_retry(challenged.retry);
    second_ = encode(hello);
    append_mac(second_, keys, keys.hello);
  }

  void run(ByteProgram program)
  {
    const std::uint8_t source = program.u8();
    const Duration later = std::chrono::milliseconds(program.u16());
    Bytes frame;
    switch (program.pick(3)) {
      case 0: {
        const ByteView bytes = program.rest();
        frame.assign(bytes.begin(), bytes.end());
        break;
      }
      case 1:
        frame = first_;
        break;
      case 2:
        frame = second_;
        break;
    }
    const Bytes genuine = frame;
    while (!program.done()) {
      const std::size_t place = program.u16();
      spoil(frame, place, program.u8());
    }
    const auto verdict = gate_.handle(frame, address(source), now_ + later);
    const bool recorded = frame == genuine && (frame == first_ || frame == second_);
    const bool proves = frame == second_ && source == 1 && later <= 2 * challenge_bucket;
    must(
      recorded || std::holds_alternative<HelloGate::TurnedAway>(verdict),
      "a hello without the drone's MAC is turned away");
    must(
      proves || !std::holds_alternative<HelloGate::Admitted>(verdict),
      "a hello is admitted from its own address and in its time only");
  }

private:
  test::SeededRandom random_;
  HelloGate gate_;
  Instant now_{std::chrono::seconds(1000)};
  Bytes first_;
  Bytes second_;
};

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::Door().run(pqc_tunnel::fuzz::ByteProgram({data, size}));
  return 0;
}
