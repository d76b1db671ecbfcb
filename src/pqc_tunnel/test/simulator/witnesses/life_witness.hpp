// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WITNESSES__LIFE_WITNESS_HPP_
#define SIMULATOR__WITNESSES__LIFE_WITNESS_HPP_

#include <map>

#include "simulator/witnesses/key_witness.hpp"

namespace pqc_tunnel::test
{

// Watches that keys end: only an answer to a question of this end, a handshake and the use of new keys prove that the peer
// is there, and an end without such proof wipes its keys, whatever arrives.
class LifeWitness
{
public:
  LifeWitness(WiredPair & pair, Duration wipe_after) : pair_(pair), wipe_after_(wipe_after) {}

  // A control frame has been sealed just now.
  void sealed(Side from, const Bytes & frame);
  // An end has opened a control frame of its peer, or data, under these keys of a session.
  void opened(Side to, const KeyTag & keys);
  void opened_control(Side to, const Bytes & frame, Instant sealed_at);
  // A hello has arrived there; it may be authentic.
  void touched(Side at) { ends_[at].latest = pair_.now(); }
  void restarted(Side side) { ends_[side] = {}; }
  // To be called after everything that happens, while its events are there.
  void look_at_events();
  // … and after everything that happens; throws Violation.
  void look(const Standings & ends);

private:
  // Two bounds of a time, as frames of one size look alike from outside.
  struct Asked
  {
    Instant earliest;
    Instant latest;
  };
  struct End
  {
    // When the peer was there, as is proved to this end.
    Instant earliest;
    Instant latest;
    bool holds_keys = false;
    std::map<KeyTag, Instant> installed;
    Instant questioned;  // what may be questions arrived
    Asked question;
  };

  WiredPair & pair_;
  Duration wipe_after_;
  std::map<Side, End> ends_;
  std::map<Bytes, Asked> answers_;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WITNESSES__LIFE_WITNESS_HPP_
