/* Copyright 2026 The PQC-MAV Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The address of a peer on one link: PathSet of one end. The peer moves between two addresses, A and B, and frames that it
 * sent may be repeated by a relay from an address of its own, X, before they arrive themselves. Traffic that goes to X, or
 * to an address that the peer has left, is lost.
 * BROKEN_... leaves out one rule each. formal/README.md names the code that each part stands for.
 */
#ifndef MOVES
#define MOVES 2
#endif
#ifndef RELAYS
#define RELAYS 2         /* frames that arrive from X first */
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#define FRAMES 6         /* numbers of frames; the last one stands for all later ones */

mtype = { none, A, B, X };

/* --- this end: PathSet::Link --- */
mtype path = A, candidate = none;
byte newest;             /* FrameOrder of the newest frame */
byte patience;           /* of the candidate; ghost of candidate_patience */

/* --- the peer --- */
mtype peer = A;
byte sent;               /* frames */
byte moves, relays;

/* Frames of the peer: where from, number, and whether it answers the probe of the address in the last field. */
chan to_here = [DEPTH] of { mtype, byte, mtype };
/* Probes: to which address. */
chan probes = [1] of { mtype };

bool traffic_reaches_a_peer_that_stays = true;

#define REACHES(a) (path == a || candidate == a)

inline number()
{
  if :: sent < FRAMES -> sent++ :: else fi
}

active proctype peer_talks()
{
  do
  :: atomic { empty(to_here) -> number(); to_here!peer, sent, none }
  od
}

/* It answers what arrives where it is. */
active proctype peer_answers()
{
  mtype to;
  do
  :: atomic { probes?to ->
              if
              :: to == peer && nfull(to_here) -> number(); to_here!peer, sent, to
              :: to != peer || full(to_here) -> skip
              fi;
              to = none }
  od
}

/* PathSet::handle_frame, handle_answer, use_candidate */
active proctype hears()
{
  mtype from, answers; byte order;
  do
  :: atomic {
       to_here?from, order, answers ->
       if
       :: order > newest || order == FRAMES ->
          newest = order;
          if
          :: from != path && from != candidate ->
#ifdef BROKEN_NO_VALIDATION
             path = from
#else
             candidate = from
#endif
          :: else
          fi
       :: else
       fi;
       if
#ifdef BROKEN_ANY_ANSWER_PROVES
       :: answers != none && candidate != none ->
#else
       :: answers != none && answers == candidate ->
#endif
          path = candidate; candidate = none
       :: else
       fi;
       from = none; answers = none; order = 0
     }
  od
}

/* PathSet::take_probe; candidate_patience */
active proctype asks()
{
  do
  :: atomic { candidate != none && nfull(probes) -> probes!candidate }
  od
}
active proctype watches()
{
  do
  :: atomic { empty(probes) && candidate == none -> probes!path }
  od
}
active proctype gives_up()
{
  do
  :: atomic { candidate != none && candidate != peer -> candidate = none }
  od
}

active proctype mishaps()
{
  mtype from, answers; byte order;
end:
  do
  :: atomic { moves < MOVES -> moves++; if :: peer == A -> peer = B :: else -> peer = A fi }
  /* A relay repeats the next frame from X; its own copy comes too late and is refused. */
  :: atomic { relays < RELAYS && nempty(to_here) ->
              relays++; to_here?from, order, answers; to_here!X, order, answers; from = none; answers = none; order = 0 }
  od
}

#ifndef LIVENESS
active proctype watcher()
{
end:
  do
  :: atomic { MOVES == 0 && !REACHES(peer) ->
              traffic_reaches_a_peer_that_stays = false; assert(traffic_reaches_a_peer_that_stays) }
  od
}
#else
ltl the_peers_address_wins { <>[] (path == peer) }
#endif
