/* Copyright 2026 The PQC-MAV Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rekeys with prekeys, and ratchets, in one session over two links that each have an order of their own, so that control
 * messages overtake each other across them, come twice, or never. Prekey and Rekey travel in streams: whole or not at all
 * (streams.pml shows that). Everything bad is counted: LOSSES, CUTS (exchanges given up), FETCH_CUTS (prekeys given up);
 * so is what is asked for: REKEYS, RATCHETS.
 * A key is a number, made by one exchange; a number that is nowhere any more is used again. So is a prekey.
 * A rekey that is refused goes on as a new session, which is not in here: here it is given up.
 * BROKEN_... leaves out one rule each. formal/README.md names the code that each part stands for.
 */
#ifndef KEYS
#define KEYS 8
#endif
#ifndef PREKEYS
#define PREKEYS 4
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef CUTS
#define CUTS 1
#endif
#ifndef FETCH_CUTS
#define FETCH_CUTS 0
#endif
#ifndef REKEYS
#define REKEYS 2
#endif
#ifndef RATCHETS
#define RATCHETS 0
#endif
#ifndef REPEATS
#define REPEATS 1        /* of RATCHET */
#endif
#ifndef FORGETS
#define FORGETS 0        /* prekeys that the GCS loses */
#endif

mtype = { idle, fetching, exchanging, ratcheting, unconfirmed };
mtype = { KEEPALIVE, CONFIRM, UNKNOWN_PREKEY, BUSY, FAILED, RATCHET, RATCHET_OK };

/* --- drone: KeySlots, Rekey, DroneEnd, PrekeyStock --- */
byte d_send = 1, d_old;
bool d_confirmed = true;
mtype d_phase = idle;
byte d_try;              /* Exchange: the client_random, or random_d, of what is under way */
byte d_stock;            /* the prekey that the drone holds */
byte d_fetch;            /* PrekeyFetch: its transaction */
bool d_refetched;        /* Rekey::fetched_again_ */

/* --- ground station: KeySlots, ServedDrone --- */
byte g_send = 1, g_old, g_new0, g_new1;
byte g_prekey;           /* Drone::prekeys, of one kind */
byte g_answered;         /* Drone::answered_want */
byte g_job;              /* Exchange: the key being made */
byte g_confirming;       /* ExchangeAnswer: CONFIRM */
byte g_random, g_answer; /* ExchangeAnswer: RATCHET_OK, its random_d and keys */
byte g_newest;           /* the newest exchange that the drone is known to have begun */

/* --- on their way --- */
byte want;               /* WANT: its transaction; repeated until the prekey comes */
byte s_prekey;           /* background stream: the newest prekey */
byte s_finish, s_using, s_after, s_order; /* foreground stream: Rekey and Finish, its prekey, the keys it follows */
/* Control: type, what it is about, and of RATCHET_OK the keys. Under which keys it is sealed. */
chan d2g0 = [1] of { mtype, byte, byte, byte };
chan d2g1 = [1] of { mtype, byte, byte, byte };
chan g2d0 = [1] of { mtype, byte, byte, byte };
chan g2d1 = [1] of { mtype, byte, byte, byte };

bool first_is_up = true, failure_shows;   /* PathHealth */

byte losses, cuts, fetch_cuts, rekeys, ratchets, tries, ratchet_repeats, forgets;

/* Ghosts. */
byte d_used, g_used;     /* the newest prekey that was encapsulated to; that was decapsulated with */

bool drone_uses_a_prekey_once = true;
bool gcs_uses_a_prekey_once = true;
bool drones_key_is_at_gcs = true;
bool gcs_key_is_at_drone = true;
bool a_new_prekey_is_fetched_once = true;

#define D_HOLDS(k) (k == d_send || k == d_old)
#define G_HOLDS(k) (k == g_send || k == g_old || k == g_new0 || k == g_new1)
#define TO_GCS(c, k) (c??[_, eval(k), _, _] || c??[_, _, _, eval(k)])
#define TO_DRONE(c, k) (TO_GCS(c, k) || c??[_, _, eval(k), _])
#define ANYWHERE(k) (D_HOLDS(k) || G_HOLDS(k) || k == d_try || k == g_job || k == g_confirming || k == g_random || \
                     k == g_answer || k == s_finish || k == s_after || \
                     TO_GCS(d2g0, k) || TO_GCS(d2g1, k) || TO_DRONE(g2d0, k) || TO_DRONE(g2d1, k))
#ifdef BROKEN_LATE_RATCHET
#define NO_LATER_ONE(order) true
#else
#define NO_LATER_ONE(order) (order >= g_newest)
#endif
#define SEALED_WITH(c, k) (c??[_, _, _, eval(k)])
#define SETTLED (d_phase == idle && d_send == g_send && d_confirmed && rekeys == REKEYS && ratchets == RATCHETS)

byte new;                /* a number that is nowhere */

inline fresh()
{
  new = 1;
  do
  :: new < KEYS && ANYWHERE(new) -> new++
  :: else -> break
  od;
  assert(!ANYWHERE(new))   /* the model is large enough for whatever can be there at once */
}

#define PREKEY_ANYWHERE(p) (p == d_stock || p == s_prekey || p == s_using || p == d_used || p == g_used)

inline fresh_prekey()
{
  new = 1;
  do
  :: new < PREKEYS && PREKEY_ANYWHERE(new) -> new++
  :: else -> break
  od;
  assert(!PREKEY_ANYWHERE(new))
}

/* Over either link. What goes to a full one, or to one that has failed before its failure shows, is lost. */
inline drone_sends(type, about)
{
  if
  :: first_is_up && nfull(d2g0) -> d2g0!type, about, 0, d_send
  :: nfull(d2g1) -> d2g1!type, about, 0, d_send
  :: (!first_is_up || full(d2g0)) && (!failure_shows || full(d2g1)) -> skip
  fi
}
inline gcs_sends(type, about, keys)
{
  if
  :: first_is_up && nfull(g2d0) -> g2d0!type, about, keys, g_send
  :: nfull(g2d1) -> g2d1!type, about, keys, g_send
  :: (!first_is_up || full(g2d0)) && (!failure_shows || full(g2d1)) -> skip
  fi
}

/* In which order the drone began its exchanges the code knows by the sequence of frames. */
inline drone_sends_ratchet()
{
  if
  :: first_is_up && nfull(d2g0) -> d2g0!RATCHET, d_try, tries, d_send
  :: nfull(d2g1) -> d2g1!RATCHET, d_try, tries, d_send
  :: (!first_is_up || full(d2g0)) && (!failure_shows || full(d2g1)) -> skip
  fi
}

/* --- the drone --- */

/* KeySlots::install_for_sending, DroneEnd::install */
inline drone_installs(k)
{
  d_old = d_send; d_send = k; d_confirmed = false;
  d_phase = unconfirmed; d_try = 0; s_finish = 0; s_using = 0; s_after = 0
}

/* DroneEnd::fetch */
inline begin_fetch()
{
  if
  :: d_fetch == 0 -> d_fetch = (g_answered % 3) + 1; want = d_fetch
  :: else
  fi
}

/* DroneEnd::make_finish */
inline make_finish()
{
  drone_uses_a_prekey_once = (d_stock != d_used);
  tries++; d_phase = exchanging; fresh(); d_try = new; new = 0;
  s_finish = d_try; s_using = d_stock; s_after = d_send; s_order = tries;
  d_used = d_stock;
#if !defined(BROKEN_DRONE_KEEPS_PREKEY) && !defined(FAULTY_DRONE)
  d_stock = 0
#endif
}

/* DroneEnd::act, give_up: the GCS may have installed the keys, and need not confirm them any more. */
inline give_up()
{
  drone_sends(FAILED, d_try);
  d_phase = idle; d_try = 0;
  if :: s_finish = 0; s_using = 0; s_after = 0 :: s_finish != 0 -> skip fi   /* its last part may be on its way */
}

active proctype drone_rekeys()
{
  do
  :: atomic {
       d_phase == idle && d_confirmed && rekeys < REKEYS ->
       rekeys++; d_refetched = false;
       if
       :: d_stock != 0 -> make_finish()
       :: else -> d_phase = fetching; begin_fetch()
       fi
     }
  od
}

active proctype drone_ratchets()
{
  do
  :: atomic {
       d_phase == idle && d_confirmed && ratchets < RATCHETS ->
       ratchets++; tries++; d_phase = ratcheting; fresh(); d_try = new; new = 0; drone_sends_ratchet()
     }
  :: atomic {
       d_phase == ratcheting && ratchet_repeats < REPEATS ->
       ratchet_repeats++; drone_sends_ratchet()
     }
  od
}

/* Rekey::handle_timeout, send_ratchet: at the latest when nothing is on its way any more. */
active proctype drone_repeats()
{
  do
  :: atomic { d_phase == ratcheting && empty(d2g0) && empty(d2g1) -> drone_sends_ratchet() }
  od
}

/* DroneEnd::prefetch */
active proctype drone_prefetches()
{
  do
  :: atomic { d_phase == idle && d_confirmed && d_stock == 0 && d_fetch == 0 && rekeys < REKEYS -> begin_fetch() }
  od
}

/* DroneEnd::handle_prekey_message, handle_prekey_job */
active proctype drone_takes_prekeys()
{
  do
  :: atomic {
       s_prekey != 0 ->
       if
       :: d_fetch != 0 ->
          d_stock = s_prekey; d_fetch = 0;
          if :: want = 0 :: skip fi;       /* a WANT that is on its way arrives all the same */
          if
          :: d_phase == fetching -> make_finish()
          :: else
          fi
       :: else
       fi;
       s_prekey = 0
     }
  od
}

inline drone_hears(type, about, keys, k)
{
  if
  :: D_HOLDS(k) ->
     if
     :: k == d_send && !d_confirmed ->
        d_confirmed = true;
        if :: d_phase == unconfirmed -> d_phase = idle :: else fi
     :: else
     fi;
     if
     :: type == CONFIRM && d_phase == exchanging && about == d_try ->
        drone_installs(about); drone_sends(KEEPALIVE, 0)
     :: type == RATCHET_OK && d_phase == ratcheting && about == d_try ->
        drone_installs(keys); drone_sends(KEEPALIVE, 0)
     :: type == UNKNOWN_PREKEY && d_phase == exchanging && about == d_try ->
        if
#ifndef BROKEN_FETCHES_FOR_EVER
        :: d_refetched -> give_up()
#endif
        :: else ->
           a_new_prekey_is_fetched_once = !d_refetched;
           d_refetched = true; d_phase = fetching; d_try = 0; s_finish = 0; s_using = 0; s_after = 0; begin_fetch()
        fi
     :: type == BUSY && d_phase == exchanging && about == d_try -> give_up()
     :: else
     fi
  :: else
  fi
}

#define HEARD type = KEEPALIVE; about = 0; keys = 0; k = 0

proctype drone_listens(chan link)
{
  mtype type; byte about, keys, k;
  do
  :: atomic { link?type, about, keys, k -> drone_hears(type, about, keys, k); HEARD }
  od
}

/* --- the ground station --- */

/* ServedRekeys::handle_want, handle_issued: a prekey for each transaction; it takes the place of an older one. */
active proctype gcs_issues()
{
  do
  :: atomic {
       want != 0 && want != g_answered ->
       g_answered = want; fresh_prekey(); g_prekey = new; s_prekey = new; new = 0
     }
  od
}

/* KeySlots::install_pending */
inline gcs_installs(k)
{
  g_new1 = g_new0; g_new0 = k
}

/* ServedRekeys::handle_message */
active proctype gcs_accepts()
{
  do
  :: atomic {
       s_finish != 0 && G_HOLDS(d_send) ->
       if
       :: !NO_LATER_ONE(s_order) -> skip
       :: NO_LATER_ONE(s_order) && s_using != g_prekey -> gcs_sends(UNKNOWN_PREKEY, s_finish, 0)
       :: NO_LATER_ONE(s_order) && s_using == g_prekey && s_after != g_send -> gcs_sends(BUSY, s_finish, 0)
       :: else ->
          gcs_uses_a_prekey_once = (g_used != g_prekey);
          g_used = g_prekey; g_job = s_finish; g_newest = s_order;
#ifndef BROKEN_GCS_KEEPS_PREKEY
          g_prekey = 0
#endif
       fi;
       s_finish = 0; s_using = 0; s_after = 0; s_order = 0   /* acknowledged */
     }
  od
}

/* ServedContext::install, send_answers */
active proctype gcs_completes()
{
  do
  :: atomic { g_job != 0 -> gcs_installs(g_job); g_confirming = g_job; g_job = 0; gcs_sends(CONFIRM, g_confirming, 0) }
  od
}

#ifndef BROKEN_CONFIRM_ONCE
active proctype gcs_repeats()
{
  do
  :: atomic { g_confirming != 0 && empty(g2d0) && empty(g2d1) -> gcs_sends(CONFIRM, g_confirming, 0) }
  od
}
#endif

/* KeySlots::note_received, ServedDrone::handle_proved, ServedRekeys::handle_control */
inline gcs_hears(type, about, order, k)
{
  if
  :: G_HOLDS(k) ->
     if
     :: k == g_new0 ->
        g_old = g_send; g_send = k; g_new0 = 0; g_new1 = 0; g_confirming = 0; gcs_sends(KEEPALIVE, 0, 0)
     :: k == g_new1 && k != g_new0 ->
        g_old = g_send; g_send = k; g_new1 = 0; g_confirming = 0; gcs_sends(KEEPALIVE, 0, 0)
     :: else
     fi;
     if
     :: type == FAILED && about == g_confirming -> g_confirming = 0
     :: type == RATCHET && about == g_random -> gcs_sends(RATCHET_OK, about, g_answer)
     :: type == RATCHET && about != g_random && k == g_send && NO_LATER_ONE(order) ->   /* its MAC is of the live keys */
        g_random = about; g_newest = order; fresh(); g_answer = new; new = 0; gcs_installs(g_answer); gcs_sends(RATCHET_OK, about, g_answer)
     :: else
     fi
  :: else
  fi
}

proctype gcs_listens(chan link)
{
  mtype type; byte about, keys, k;
  do
  :: atomic { link?type, about, keys, k -> gcs_hears(type, about, keys, k); HEARD }
  od
}

init
{
  atomic { run drone_listens(g2d0); run drone_listens(g2d1); run gcs_listens(d2g0); run gcs_listens(d2g1) }
}

/* --- time --- */

/* RekeyStep::send_keepalive: the drone proves new keys until it is answered. */
active proctype drone_proves()
{
  do
  :: atomic { d_phase == unconfirmed && empty(d2g0) && empty(d2g1) -> drone_sends(KEEPALIVE, 0) }
  od
}

/* Whatever the ground station sends under new keys confirms them. */
active proctype gcs_talks()
{
  do
  :: atomic { d_phase == unconfirmed && g_send == d_send && empty(g2d0) && empty(g2d1) -> gcs_sends(KEEPALIVE, 0, 0) }
  od
}

/* KeySlots::retire_older_at: the overlap lasts longer than any datagram is on its way. */
active proctype drone_wipes()
{
  do
  :: atomic { d_old != 0 && d_confirmed && !SEALED_WITH(g2d0, d_old) && !SEALED_WITH(g2d1, d_old) -> d_old = 0 }
  od
}
active proctype gcs_wipes()
{
  do
  :: atomic { g_old != 0 && !SEALED_WITH(d2g0, g_old) && !SEALED_WITH(d2g1, g_old) -> g_old = 0 }
  od
}

/* --- what goes wrong --- */

active proctype mishaps()
{
  mtype type; byte about, keys, k;
end:
  do
  :: atomic { losses < LOSSES && nempty(d2g0) -> losses++; d2g0?type, about, keys, k; HEARD }
  :: atomic { losses < LOSSES && nempty(d2g1) -> losses++; d2g1?type, about, keys, k; HEARD }
  :: atomic { losses < LOSSES && nempty(g2d0) -> losses++; g2d0?type, about, keys, k; HEARD }
  :: atomic { losses < LOSSES && nempty(g2d1) -> losses++; g2d1?type, about, keys, k; HEARD }
  /* Rekey::is_stuck */
  :: atomic { cuts < CUTS && (d_phase == exchanging || d_phase == ratcheting) -> cuts++; give_up() }
  /* PrekeyFetch::is_stuck; the prekey may be on its way */
  :: atomic { fetch_cuts < FETCH_CUTS && d_fetch != 0 ->
              fetch_cuts++; d_fetch = 0; want = 0; if :: d_phase == fetching -> d_phase = idle :: else fi }
#ifdef LINK_FAILS
  /* The first link fails for ever, with all that is on it. */
  :: atomic { first_is_up -> first_is_up = false;
              do :: d2g0?type, about, keys, k :: empty(d2g0) -> break od;
              do :: g2d0?type, about, keys, k :: empty(g2d0) -> break od;
              HEARD }
#endif
  :: atomic { forgets < FORGETS && g_prekey != 0 -> forgets++; g_prekey = 0 }
  od
}

#ifdef LINK_FAILS
active proctype failover()
{
end:
  do
  :: atomic { !first_is_up && !failure_shows -> failure_shows = true }
  od
}
#endif

/* --- what must hold --- */

#ifndef LIVENESS
active proctype watcher()
{
end:
  do
#ifndef FAULTY_DRONE
  :: atomic { !drone_uses_a_prekey_once -> assert(drone_uses_a_prekey_once) }
#endif
  :: atomic { !gcs_uses_a_prekey_once -> assert(gcs_uses_a_prekey_once) }
  :: atomic { !G_HOLDS(d_send) -> drones_key_is_at_gcs = false; assert(drones_key_is_at_gcs) }
  :: atomic { !D_HOLDS(g_send) -> gcs_key_is_at_drone = false; assert(gcs_key_is_at_drone) }
  :: atomic { !a_new_prekey_is_fetched_once -> assert(a_new_prekey_is_fetched_once) }
  od
}
#else
/* Time goes on even if nothing else does: a standstill counts as a cycle. */
bool tick;
active proctype clock() { do :: tick = !tick od }

ltl every_rekey_ends { <>[] SETTLED }
#endif
