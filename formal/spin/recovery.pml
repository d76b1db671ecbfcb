/* Copyright 2026 The PQC-MAV Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The drone's recovery from silence, and an adversary who holds authentic frames back. The drone has keys that are
 * confirmed; the ground station may crash and then has none. Silence for long enough makes the drone begin new sessions,
 * until something calls that off. What may do so is the question.
 * BROKEN_... leaves out one rule each. formal/README.md names the code that each part stands for.
 */
#ifndef SILENCES
#define SILENCES 2
#endif
#ifndef HELD
#define HELD 2           /* frames that the adversary holds at a time */
#endif
#ifndef HOLDS
#define HOLDS 3          /* in all */
#endif

mtype = { DATA, ANSWER };

/* --- the drone: DroneEnd --- */
bool lost;               /* lost_since_ */
byte asked;              /* the newest TIME_REQ: a number in place of a time */
byte asked_when_lost;    /* the newest one of before the loss */
byte silences, holds;

/* --- the ground station --- */
bool has_keys = true;

/* --- on their way; what the adversary holds back --- */
chan d2g = [1] of { byte };              /* TIME_REQ */
chan g2d = [2] of { mtype, byte };       /* data, or TIME_RSP to that question */
chan held = [HELD] of { mtype, byte };

bool alive_since = true; /* ghost: the GCS has answered a question that was asked since the loss */
bool only_the_living_end_recovery = true;

active proctype drone_asks()
{
  do
  :: atomic { nfull(d2g) && asked < 7 -> asked++; d2g!asked }
  /* The last number stands for all later ones. */
  :: atomic { nfull(d2g) && asked == 7 -> d2g!asked }
  od
}

active proctype gcs_answers()
{
  byte question;
  do
  :: atomic {
       d2g?question ->
       if
       :: has_keys && nfull(g2d) ->
          g2d!ANSWER, question;
          alive_since = (alive_since || question > asked_when_lost)
       :: !has_keys || full(g2d) -> skip
       fi;
       question = 0
     }
  od
}

active proctype gcs_talks()
{
  do
  :: atomic { has_keys && empty(g2d) -> g2d!DATA, 0 }
  od
}

/* Peer::handle_time_response, DroneEnd::handle_return */
active proctype drone_hears()
{
  mtype type; byte question;
  do
  :: atomic {
       g2d?type, question ->
       if
#ifdef BROKEN_ANY_FRAME
       :: lost -> lost = false
#endif
#ifdef BROKEN_ANY_ANSWER
       :: lost && type == ANSWER -> lost = false
#endif
       :: lost && type == ANSWER && question > asked_when_lost -> lost = false
       :: else
       fi;
       if
       :: !lost && !alive_since -> only_the_living_end_recovery = false; assert(only_the_living_end_recovery)
       :: else
       fi;
       type = DATA; question = 0
     }
  od
}

/* DroneEnd::handle_loss */
active proctype silence()
{
end:
  do
  :: atomic { !lost && silences < SILENCES && asked < 6 ->
              silences++; lost = true; asked_when_lost = asked; alive_since = false }
  od
}

active proctype adversary()
{
  mtype type; byte question;
end:
  do
  :: atomic { holds < HOLDS && nempty(g2d) && nfull(held) -> holds++; g2d?type, question; held!type, question; type = DATA; question = 0 }
  :: atomic { nempty(held) && nfull(g2d) -> held?type, question; g2d!type, question; type = DATA; question = 0 }
  :: atomic { nempty(held) -> held?type, question; type = DATA; question = 0 }
#ifdef GCS_CRASHES
  :: atomic { has_keys -> has_keys = false }
#endif
  od
}

#ifdef LIVENESS
/* Silences end, and nobody holds anything back for ever: then the living ground station is believed. */
ltl a_living_peer_is_believed { <>[] !lost }
#endif
