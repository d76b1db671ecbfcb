// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/handshake/hello_gate.hpp"

#include <chrono>
#include <utility>

#include "byte_program.hpp"
#include "property.hpp"
#include "support/identities.hpp"

// A drone's hellos, and a stranger who has recorded them, changes them, repeats them from elsewhere and invents others. The
// stranger gets nothing and leaves no trace: a second gate, which never hears of the stranger, treats the drone the same.

namespace pqc_tunnel::fuzz
{
namespace
{

using namespace std::chrono_literals;

Endpoint address(std::uint8_t last)
{
  Endpoint endpoint;
  endpoint.family = AddressFamily::ipv4;
  endpoint.address = {192, 0, 2, last};
  endpoint.port = 4600;
  return endpoint;
}

bool no_live_host(PeerIndex, const Endpoint &) { return false; }

class Door
{
public:
  explicit Door(ByteProgram program)
  : program_(program),
    secret_(1),
    same_secret_(1),
    gate_(paths_, secret_, no_live_host),
    twin_(paths_, same_secret_, no_live_host)
  {
    gate_.set(PeerIndex{0}, {drone_, {psk_}});
    twin_.set(PeerIndex{0}, {drone_, {psk_}});
  }

  void run()
  {
    for (int step = 0; step < 200 && !program_.done(); ++step) {
      operate();
    }
  }

private:
  struct Hello
  {
    Bytes frame;
    std::uint8_t from = 0;
    Instant at;
    bool has_challenge = false;
    bool admitted = false;
  };

  void operate()
  {
    switch (program_.pick(6)) {
      case 0:
        now_ += std::chrono::milliseconds(program_.u16());
        break;
      case 1:
        begin();
        break;
      case 2:
        if (Hello * hello = pick()) {
          repeat(*hello);
        }
        break;
      case 3:
        if (const Hello * hello = pick()) {
          must(
            !std::holds_alternative<HelloGate::Admitted>(
              gate_.handle(hello->frame, address(other_than(hello->from)), now_)),
            "a hello is admitted from its own address only");
        }
        break;
      case 4:
        if (const Hello * hello = pick()) {
          Bytes frame = hello->frame;
          spoil(frame, program_.u16(), static_cast<std::uint8_t>(1 + program_.pick(255)));
          turn_away(frame);
        }
        break;
      case 5:
        turn_away(program_.bytes(program_.u8()));
        break;
    }
  }

  // The drone's first hello, and the second with the challenge that it gets; repeat() sends that.
  void begin()
  {
    ClientHello hello;
    hello.drone_id = drone_;
    hello.client_random[0] = program_.u8();
    hello.suite = test::suite("cs-mlkem512-aesgcm-mldsa44").wire_id;
    Hello first{signed_with_psk(hello), static_cast<std::uint8_t>(program_.pick(3)), now_};
    const auto verdict = both(first);
    if (std::holds_alternative<HelloGate::Unanswered>(verdict)) {
      return;
    }
    must(
      std::holds_alternative<HelloGate::Challenged>(verdict),
      "a hello without a challenge gets one");
    hello.challenge = parse_hello_retry(std::get<HelloGate::Challenged>(verdict).retry);
    Hello second{signed_with_psk(hello), first.from, now_, true};
    const bool known =
      std::ranges::any_of(hellos_, [&](const Hello & one) { return one.frame == second.frame; });
    hellos_.push_back(std::move(first));
    if (!known) {
      hellos_.push_back(std::move(second));
    }
  }

  void repeat(Hello & hello)
  {
    const auto verdict = both(hello);
    if (!std::holds_alternative<HelloGate::Admitted>(verdict)) {
      return;
    }
    must(hello.has_challenge, "a hello is admitted with its challenge only");
    must(
      now_ < hello.at + challenge_buckets * challenge_bucket,
      "a hello is admitted in its time only");
    must(!std::exchange(hello.admitted, true), "a hello is admitted once");
    ++admitted_;
    must(admitted_ <= 3 + (now_ - start_) / 1s, "hellos are admitted at a limited rate");
  }

  HelloGate::Verdict both(const Hello & hello)
  {
    auto verdict = gate_.handle(hello.frame, address(hello.from), now_);
    const auto undisturbed = twin_.handle(hello.frame, address(hello.from), now_);
    must(
      verdict.index() == undisturbed.index() || (is_answered(verdict) && is_answered(undisturbed)),
      "what a stranger sends makes no difference to the drone");
    return verdict;
  }

  // Now, or a moment ago at the same address, whoever asked.
  static bool is_answered(const HelloGate::Verdict & verdict)
  {
    return std::holds_alternative<HelloGate::Challenged>(verdict) ||
           std::holds_alternative<HelloGate::Unanswered>(verdict);
  }

  void turn_away(ByteView frame)
  {
    // A forged one may bear the MAC of one that was answered.
    const auto verdict = gate_.handle(frame, address(program_.u8()), now_);
    must(
      std::holds_alternative<HelloGate::TurnedAway>(verdict) ||
        std::holds_alternative<HelloGate::Unanswered>(verdict),
      "a hello without the drone's MAC is turned away");
  }

  Bytes signed_with_psk(const ClientHello & hello) const
  {
    const PskKeys & keys = psk_->of(hello.suite);
    Bytes frame = encode(hello);
    append_mac(frame, keys, keys.hello);
    return frame;
  }

  Hello * pick() { return hellos_.empty() ? nullptr : &hellos_[program_.u8() % hellos_.size()]; }

  std::uint8_t other_than(std::uint8_t from)
  {
    const std::uint8_t other = program_.u8();
    return other == from ? static_cast<std::uint8_t>(other + 1) : other;
  }

  ByteProgram program_;
  const DroneId drone_{{1}};
  const SharedPskKeys psk_ =
    std::make_shared<const PskKeySet>(PskKeySet::derive(Psk(std::array<std::uint8_t, 32>{5})));
  test::SeededRandom secret_;
  test::SeededRandom same_secret_;
  PathSettings paths_{{LinkSettings{"udp"}}};
  HelloGate gate_;
  HelloGate twin_;  // never hears of the stranger
  const Instant start_{1000s};
  Instant now_ = start_;
  std::vector<Hello> hellos_;
  int admitted_ = 0;
};

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::Door(pqc_tunnel::fuzz::ByteProgram({data, size})).run();
  return 0;
}
