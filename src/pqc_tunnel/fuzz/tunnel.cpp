// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "byte_program.hpp"
#include "mad_peer.hpp"
#include "property.hpp"
#include "support/pair/wired_pair.hpp"

// The whole tunnel, both ends under a virtual clock, with an attacker on the network, crashes, failing jobs and calls
// that no shell makes. The wired pair ends the run if an end spins, uses a nonce twice, or reports a text that is no
// sentence.

namespace pqc_tunnel::fuzz
{
namespace
{

using test::Side;
using test::WiredPair;
using namespace std::chrono_literals;

const std::vector<const Suite *> & suites()
{
  static const std::vector<const Suite *> cheap = {
    &test::suite("cs-mlkem512-aesgcm-mldsa44"), &test::suite("cs-mlkem512-ascon128a-falcon512"),
    &test::suite("cs-mlkem768-chacha20poly1305-mldsa65")};
  return cheap;
}

// What happens to the next datagrams of one end.
struct Mishap
{
  std::size_t left = 0;  // how many more it happens to
  std::size_t kind = 0;
  std::size_t place = 0;
  std::uint8_t change = 0;
};

class World
{
public:
  explicit World(ByteProgram program) : program_(program), pair_(options(program_)), mad_(pair_)
  {
    pair_.set_channel([this](Side from, Bytes & bytes) { return travel(from, bytes); });
    pair_.set_link_weather([this](Side from, std::uint8_t link) {
      return cut_links_.contains({from, link}) ? std::nullopt : std::optional(Duration{});
    });
    pair_.set_job_filter([this](Side at, Job & job) { return job_result(at, job); });
    pair_.watch_arrivals(
      [this](Side to, const Endpoint &, ByteView, const Opened & opened) { arrived(to, opened); });
  }

  void run()
  {
    for (int step = 0; step < most_steps && !program_.done(); ++step) {
      operate();
      check();
    }
    if (settles_ && !mad_.spoke()) {
      settle();
    }
  }

private:
  static constexpr int most_steps = 200;
  static constexpr std::uint8_t change_of_links = 0x7e;

  static WiredPair::Options options(ByteProgram & program)
  {
    WiredPair::Options options;
    const std::uint8_t first = program.u8();
    options.settings.mode = {(first & 1) != 0, (first & 2) != 0};
    options.settings.initial_suite = suites()[first / 4 % suites().size()];
    options.settings.suites = SuitePolicy(suites());
    if ((first & 0x40) != 0) {
      options.settings.paths.links = {{.name = "one"}, {.name = "other", .mtu = 400}};
      options.settings.paths.schedule =
        (first & 0x80) != 0 ? Schedule::redundant : Schedule::failover;
    }
    options.settings.packet_limits = {.ask_rekey = 60, .refuse = 120};
    for (const Suite * one : suites()) {
      options.identities.push_back(one->signature);
    }
    return options;
  }

  // --- One operation ---

  void operate()
  {
    const std::uint8_t code = program_.u8();
    const Side side = (code & 0x80) != 0 ? Side::gcs : Side::drone;
    if (code % 0x80 >= change_of_links) {
      change_link(side);
      return;
    }
    switch (code % 0x80 % 18) {
      case 0:
        pair_.run_for(std::chrono::milliseconds(program_.u8()));
        break;
      case 1:
        pair_.run_for(std::chrono::milliseconds(40 * program_.u8()));
        break;
      case 2:
        send(side, program_.u16() % 1500);
        break;
      case 3:
        datagram_mishap_[side] = mishap();
        break;
      case 4:
        inject(side, program_.bytes(program_.u8()));
        break;
      case 5:
        inject_again(side);
        break;
      case 6:
        pair_.end(side).wipe(PeerIndex{0}, "on request", pair_.now());
        pair_.pump();
        break;
      case 7: {
        RekeyCommand command = test::rekey_to(nullptr);
        command.ratchet = true;
        pair_.end(side).request_rekey(command, pair_.now());
        pair_.pump();
        break;
      }
      case 8:
        mad_.say(side, FrameKind::stream, program_.bytes(program_.pick(80)));
        break;
      case 9:
        say_pieces(side, program_.bytes(program_.pick(80)));
        break;
      case 10:
        pair_.restart(side);
        pair_.pump();
        break;
      case 11:
        pair_.end(side).request_rekey(test::rekey_to(any_suite()), pair_.now());
        pair_.pump();
        break;
      case 12:
        failing_jobs_[side] = program_.pick(4);
        job_error_ = JobError{static_cast<std::uint8_t>(program_.pick(3))};
        break;
      case 13:
        stray_call(side);
        break;
      case 14:
        mad_.say(
          side, program_.flag() ? FrameKind::control : FrameKind::data,
          program_.bytes(program_.pick(80)));
        break;
      case 15:
        pair_.move_to(side, WiredPair::stranger(static_cast<std::uint8_t>(program_.pick(4) + 1)));
        break;
      case 16:
        calm();
        break;
      case 17:
        settles_ = true;
        break;
    }
  }

  // One direction of a link fails or works again, or the system takes a link of one end away or gives it back.
  void change_link(Side side)
  {
    const auto link = static_cast<std::uint8_t>(program_.pick(links()));
    switch (program_.pick(4)) {
      case 0:
        cut_links_.emplace(side, link);
        break;
      case 1:
        cut_links_.erase({side, link});
        break;
      case 2:
        pair_.end(side).handle_change(LinkChange{link, LinkState::down}, pair_.now());
        break;
      case 3:
        pair_.end(side).handle_change(LinkChange{link, LinkState::up}, pair_.now());
        break;
    }
    pair_.pump();
  }

  std::size_t links() { return pair_.snapshot(Side::drone).paths.size(); }

  const Suite * any_suite()
  {
    const std::size_t choice = program_.pick(suites().size() + 1);
    return choice < suites().size() ? suites()[choice] : nullptr;
  }

  Mishap mishap()
  {
    Mishap made;
    made.left = program_.u8();
    made.kind = program_.pick(4);
    made.place = program_.u16();
    made.change = program_.u8();
    return made;
  }

  // Each datagram contains its number, if it is long enough.
  void send(Side from, std::size_t size)
  {
    Bytes bytes(std::max<std::size_t>(size, 4), next_number_ & 0x7f);  // like no frames of MAVLink
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[i] = static_cast<std::uint8_t>(next_number_ >> (8 * i));
    }
    ++next_number_;
    if (pair_.send(from, bytes)) {
      sent_[from].emplace(std::move(bytes), false);
    }
  }

  // From a stranger or from the peer's address: neither makes it genuine.
  void inject(Side to, ByteView datagram)
  {
    Bytes bytes(datagram.begin(), datagram.end());
    const Endpoint from = program_.flag() ? WiredPair::stranger() : address_of_peer(to);
    const auto keys = keys_of(to);
    const Endpoint destination = pair_.snapshot(to).address;
    const Opened opened = pair_.end(to).handle_datagram(bytes, from, pair_.now());
    arrived(to, opened);
    if (!opened.peer) {
      must(keys_of(to) == keys, "a datagram that no key authenticates changes no keys");
      must(
        keys.empty() || pair_.snapshot(to).address == destination,
        "nor where a session's datagrams go");
    }
    pair_.pump();
  }

  // Which keys an end holds, and what for.
  std::vector<std::pair<KeyUse, FrameKeyId>> keys_of(Side side)
  {
    std::vector<std::pair<KeyUse, FrameKeyId>> keys;
    for (const InstalledKeys & held : pair_.standing(side).keys) {
      keys.emplace_back(held.use, held.receive_id);
    }
    return keys;
  }

  static Endpoint address_of_peer(Side side) { return WiredPair::address_of(test::other(side)); }

  // An earlier datagram, perhaps changed, perhaps back to its sender.
  void inject_again(Side to)
  {
    const auto & said = pair_.datagrams_sent(program_.flag() ? Side::drone : Side::gcs);
    if (said.empty()) {
      return;
    }
    Bytes bytes = said[program_.u16() % said.size()];
    spoil(bytes, program_.u16(), program_.u8());
    inject(to, bytes);
  }

  // Several datagrams, or a part of one.
  void say_pieces(Side side, ByteView text)
  {
    static constexpr std::array kinds{
      FrameKind::bundle, FrameKind::fragment, FrameKind::control_fragment};
    mad_.say(side, kinds.at(text.size() % kinds.size()), text);
  }

  // Calls that no shell makes: ids that are unknown or no longer valid.
  void stray_call(Side side)
  {
    Tunnel & tunnel = pair_.end(side);
    const auto number = program_.pick(8);
    switch (program_.pick(4)) {
      case 0:
        tunnel.handle_change(
          GcsAddresses{{WiredPair::stranger(), WiredPair::address_of(Side::gcs)}}, pair_.now());
        break;
      case 1:
      case 2: {
        const ByteView drawn = program_.bytes(program_.u8());
        Bytes bytes(drawn.begin(), drawn.end());
        tunnel.handle_datagram(bytes, WiredPair::stranger(), pair_.now(), number * 1s);
        break;
      }
      case 3:
        tunnel.handle_job_result(JobId{1000 + number}, JobFailed{}, pair_.now());
        break;
    }
    pair_.pump();
  }

  void calm()
  {
    datagram_mishap_.clear();
    failing_jobs_.clear();
    cut_links_.clear();
    for (const Side side : test::both_sides) {
      pair_.move_to(side, WiredPair::address_of(side));
      for (std::size_t link = 0; link < links(); ++link) {
        pair_.end(side).handle_change(
          LinkChange{static_cast<std::uint8_t>(link), LinkState::up}, pair_.now());
      }
      pair_.pump();
    }
  }

  // Without disturbances both ends reach the same keys.
  void settle()
  {
    calm();
    must(pair_.run_until([this] { return pair_.agreed(); }, 120s), "both ends agree in the end");
    pair_.run_for(10s);
    must(pair_.run_until([this] { return pair_.agreed(); }, 10s), "both ends stay agreed");
    check();
  }

  // --- The network and the workers ---

  std::vector<Duration> travel(Side from, Bytes & bytes)
  {
    Mishap & mishap = datagram_mishap_[from];
    if (mishap.left == 0) {
      return {Duration{}};
    }
    --mishap.left;
    switch (mishap.kind) {
      case 0:
        return {};
      case 1:
        return {Duration{}, std::chrono::milliseconds(mishap.place)};
      case 2:
        return {std::chrono::milliseconds(mishap.change)};
      default:
        spoil(bytes, mishap.place, mishap.change);
        return {Duration{}};
    }
  }

  std::optional<JobResult> job_result(Side at, Job & job)
  {
    if (failing_jobs_[at] > 0) {
      --failing_jobs_[at];
      return JobFailed{job_error_, "it failed"};
    }
    return mad_.watch_job(job);
  }

  // --- What holds ---

  void arrived(Side to, const Opened & opened)
  {
    if (!opened.forward) {
      return;
    }
    must(opened.peer == PeerIndex{0}, "what is forwarded has a sender");
    const Bytes bytes(opened.plaintext.begin(), opened.plaintext.end());
    if (mad_.said(bytes) || (opened.assembled && mad_.spoke())) {
      return;
    }
    const auto found = sent_[test::other(to)].find(bytes);
    must(found != sent_[test::other(to)].end(), "what is forwarded was sent by the other end");
    must(!std::exchange(found->second, true), "what is forwarded was not forwarded before");
  }

  void check()
  {
    for (const Side side : test::both_sides) {
      const auto snapshot = pair_.snapshot(side);
      must(snapshot.keys.size() <= 8, "few keys are held");
      must(snapshot.blacklist.size() <= suites().size(), "only suites that exist are blacklisted");
      must(
        snapshot.suite == nullptr || std::ranges::count(suites(), snapshot.suite) == 1,
        "only allowed suites are used");
      must(snapshot.pool.bytes <= (std::size_t{16} << 20), "the pool keeps to its bytes");
      must(!pair_.end(side).poll_output(), "all that was wanted has been done");
    }
  }

  ByteProgram program_;
  WiredPair pair_;
  MadPeer mad_;
  std::map<Side, Mishap> datagram_mishap_;
  std::map<Side, std::size_t> failing_jobs_;
  std::set<std::pair<Side, std::uint8_t>> cut_links_;  // what that end sends on the link is lost
  JobError job_error_ = JobError::unauthenticated;
  std::map<Side, std::map<Bytes, bool>> sent_;  // and whether it arrived
  std::uint32_t next_number_ = 0;
  bool settles_ = false;
};

}  // namespace
}  // namespace pqc_tunnel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  pqc_tunnel::fuzz::World(pqc_tunnel::fuzz::ByteProgram({data, size})).run();
  return 0;
}
