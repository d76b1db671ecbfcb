// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__KEY_WITNESS_HPP_
#define SIMULATOR__WITNESSES__KEY_WITNESS_HPP_

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocol/session/installed_keys.hpp"
#include "protocol/wire/wire.hpp"
#include "simulator/witnesses/violation.hpp"
#include "support/pair/wired_pair.hpp"

namespace pqc_tunnel::test
{

using KeyTag = std::array<std::uint8_t, 16>;

// Watches which keys each end holds, from the first to the last, over restarts of its process.
class KeyWitness
{
public:
  // `longest_round_trip` bounds what the ends can measure: they keep old keys for three of them.
  KeyWitness(WiredPair & pair, Duration longest_round_trip);

  // To be called after everything that happens; throws Violation.
  void look(const Standings & ends);
  void restarted(Side side);
  // The drone has declared the peer lost. If nothing arrived under its newest keys, no datagram passes at all, and
  // sessions may end one after another without either end knowing the session of the other.
  void lost() { out_of_touch_ = true; }
  // An end has opened a datagram sealed under these keys.
  void opened(Side at, const KeyTag & keys);

  enum class Standing
  {
    never,      // no process at that end ever held them
    former,     // only one that has crashed
    gone,       // held once, not any more
    given_up,   // the same, and the drone had lost touch then, or they were wiped
    displaced,  // held once, then displaced by as many newer ones as an end keeps
    held,
  };
  Standing standing(Side at, const KeyTag & keys) const;
  std::uint32_t process(Side side) const { return sides_.at(side).process; }
  // Since when newer keys have been proved at that end, which makes what comes under these late.
  std::optional<Instant> superseded(Side at, const KeyTag & keys) const;

  // A hello with a challenge has been sent: both ends may make boot keys with these ids.
  void expect_boot(FrameKeyId of_drone, FrameKeyId of_gcs);
  struct SealedUnder
  {
    KeyTag tag;
    const Suite * suite;  // none: boot keys
  };
  // Keys under which an end may have sealed this just now.
  std::optional<SealedUnder> sealed_under(Side from, const FrameHeader & header) const;
  const InstalledKeys * sending(Side side) const;
  const std::vector<InstalledKeys> & held(Side side) const { return sides_.at(side).keys; }
  // Whether something arrived under the keys that the end sends under.
  bool proved(Side side) const;

private:
  struct Seen
  {
    std::uint32_t process = 0;  // the last one that held them
    bool held = false;
    bool given_up = false;
  };
  struct End
  {
    std::uint32_t process = 1;
    std::vector<InstalledKeys> keys;
    std::map<KeyTag, Seen> seen;
    std::set<KeyTag> proved;               // a datagram was opened under them, by this process
    std::map<KeyTag, Instant> superseded;  // when newer ones were proved
    std::set<FrameKeyId> boot;             // ids of its boot keys, ever
    std::optional<std::pair<SessionId, Epoch>> newest;
  };

  void update(Side side, const std::vector<InstalledKeys> & held);
  void check_slots(Side side) const;
  void check_sending(Side side) const;
  void check_epoch(Side side);
  void check_old_keys(Side side);

  WiredPair & pair_;
  Duration overlap_;
  bool out_of_touch_ = false;
  std::map<Side, End> sides_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__KEY_WITNESS_HPP_
