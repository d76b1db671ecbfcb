/* Copyright 2026 The PQC-MAV Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rekey: which keys each end holds and sends under, over a network and with crashes that do their worst.
 * A key is a number from 1 to KEYS, made by one handshake; a number that is nowhere any more is used again.
 * Everything bad is counted: LOSSES, SWAPS, CUTS, CRASHES, FALSE_DEATHS; so is what is asked for: REKEYS.
 * BROKEN_... leaves out one rule each. formal/README.md names the code that each part stands for.
 */
#ifndef KEYS
#define KEYS 8
#endif
#ifndef DEPTH
#define DEPTH 2          /* datagrams on their way, each direction */
#endif
#ifndef LOSSES
#define LOSSES 2
#endif
#ifndef SWAPS
#define SWAPS 1
#endif
#ifndef CUTS
#define CUTS 1
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef FALSE_DEATHS
#define FALSE_DEATHS 0
#endif
#ifndef REKEYS
#define REKEYS 2
#endif
#ifndef REPEATS
#define REPEATS 2        /* of CONFIRM */
#endif

/* --- drone: KeySlots, Rekey, DroneEnd --- */
byte d_send;             /* sending_ */
byte d_old0, d_old1;     /* standby_[0], standby_[1] */
bool d_confirmed;
bool d_lost = true;      /* lost_, or no keys yet: it wants a new session */
byte d_try;              /* attempt_: the key that the handshake under way would make */
bool d_try_is_rekey;

/* --- ground station: KeySlots, ServedDrone --- */
byte g_send;             /* sending_ */
byte g_old;              /* standby_[0] */
byte g_new0, g_new1;     /* pending_[0], pending_[1] */
byte g_job;              /* Exchange: the key being made */
bool g_open;             /* the drone has not given it up */

/* --- on their way --- */
chan d2g = [DEPTH] of { byte };
chan g2d = [DEPTH] of { byte };
byte hello, hello_prev;  /* all that the drone sends for new keys, up to Finish or RATCHET; and the keys it follows */
byte confirm;            /* CONFIRM or RATCHET_OK */

byte losses, swaps, cuts, crashes, false_deaths, rekeys, repeats;
bool g_forgot;           /* the GCS crashed since the drone got its keys */
bool d_forgot = true;    /* the drone crashed since the GCS promoted keys */

/* Named so that the verdict says which rule was broken. */
bool drones_key_is_at_gcs = true;
bool gcs_key_is_at_drone = true;
bool rekeys_only_when_confirmed = true;
bool nothing_is_lost_to_rekeying = true;

#define D_HOLDS(k) (k == d_send || k == d_old0 || k == d_old1)
#define G_HOLDS(k) (k == g_send || k == g_old || k == g_new0 || k == g_new1)
#define AGREED (d_send != 0 && d_send == g_send && d_confirmed && !d_lost)
#define WIPED (d_old0 == 0 && d_old1 == 0 && g_old == 0)
#define ON_ITS_WAY(c, k) (c??[eval(k)])

/* What an end can't open: after a crash, or after more false deaths than a run allows for, that may happen. */
#ifndef HARMLESS_DEATHS
#define HARMLESS_DEATHS 0
#endif
#define EXCUSED (crashes > 0 || false_deaths > HARMLESS_DEATHS)

#define DRONE_IS_BACK(k) d_forgot = (d_forgot && !D_HOLDS(k))

inline fresh(k)
{
  k = 1;
  do
  :: k < KEYS && (D_HOLDS(k) || G_HOLDS(k) || k == g_job || k == confirm || k == hello ||
                  ON_ITS_WAY(d2g, k) || ON_ITS_WAY(g2d, k)) -> k++
  :: else -> break
  od;
  /* The model is large enough for whatever can be held at once. */
  assert(!(D_HOLDS(k) || G_HOLDS(k) || k == g_job || k == confirm || k == hello ||
           ON_ITS_WAY(d2g, k) || ON_ITS_WAY(g2d, k)))
}

/* KeySlots::install_for_sending */
inline drone_installs(k)
{
  if
  :: d_send != 0 && d_confirmed -> d_old0 = d_send; d_old1 = 0
  :: d_send != 0 && !d_confirmed -> d_old1 = d_send
  :: else
  fi;
  d_send = k; d_confirmed = false; d_lost = false
}

/* DroneEnd::handle_received */
inline drone_hears(k)
{
  if
  :: D_HOLDS(k) ->
     if
     :: k == d_send -> d_confirmed = true
     :: else
     fi;
#ifdef BROKEN_OLD_KEYS_BRING_BACK
     if
     :: d_lost -> d_lost = false; d_try = 0
     :: else
     fi
#else
     if
     :: d_lost && d_confirmed -> d_lost = false; d_try = 0
     :: else
     fi
#endif
  :: else ->
     nothing_is_lost_to_rekeying = EXCUSED
  fi
}

/* KeySlots::note_received, for the GCS */
inline gcs_hears(k)
{
  if
  :: k == g_new0 ->
     g_old = g_send; g_send = k; g_new0 = 0; g_new1 = 0; DRONE_IS_BACK(k);
#ifdef BROKEN_NO_OVERLAP
     g_old = 0
#endif
  :: k == g_new1 && k != g_new0 ->
     g_old = g_send; g_send = k; g_new1 = 0; DRONE_IS_BACK(k)
  :: !G_HOLDS(k) ->
     nothing_is_lost_to_rekeying = EXCUSED
  :: else -> DRONE_IS_BACK(k)
  fi
}

/* KeySlots::install_pending */
inline gcs_installs(k)
{
#ifndef BROKEN_ONE_PENDING
  g_new1 = g_new0;
#endif
  g_new0 = k;
#ifdef BROKEN_GCS_SENDS_AT_ONCE
  g_old = g_send; g_send = k; g_new0 = 0; DRONE_IS_BACK(k)
#endif
}

/* --- both ends talk, and are heard --- */

active proctype drone_talks()
{
  do
  :: atomic { d_send != 0 && nfull(d2g) -> d2g!d_send }
  od
}

active proctype gcs_talks()
{
  do
  :: atomic { g_send != 0 && nfull(g2d) -> g2d!g_send }
  od
}

active proctype gcs_listens()
{
  byte k;
  do
  :: atomic { d2g?k -> gcs_hears(k); k = 0 }
  od
}

active proctype drone_listens()
{
  byte k;
  do
  :: atomic { g2d?k -> drone_hears(k); k = 0 }
  od
}

/* --- new keys: DroneEnd::begin_session, make_finish, send_ratchet; ServedSession::admit, ServedRekeys::handle_message, ServedContext::install; DroneEnd::handle_session_made, install --- */

#ifdef BROKEN_REKEY_UNCONFIRMED
#define MAY_REKEY (d_send != 0 && !d_lost)
#else
#define MAY_REKEY (d_send != 0 && !d_lost && d_confirmed)
#endif

/* A rekey takes round trips; a datagram that a whole rekey overtakes comes too late. */
#ifdef BROKEN_OVERTAKEN_BY_A_REKEY
#define UNHURRIED true
#else
#define UNHURRIED !(ON_ITS_WAY(g2d, d_old0) || ON_ITS_WAY(g2d, d_old1) || ON_ITS_WAY(d2g, g_old))
#endif

active proctype drone_rekeys()
{
  do
  :: atomic {
       d_try == 0 && MAY_REKEY && UNHURRIED && rekeys < REKEYS ->
       rekeys++;
       rekeys_only_when_confirmed = d_confirmed;
       fresh(d_try); d_try_is_rekey = true; hello = d_try; hello_prev = d_send
     }
  od
}

active proctype drone_reconnects()
{
  do
  :: atomic {
#ifdef BROKEN_NO_RECONNECT
       d_send == 0 &&
#endif
       d_try == 0 && d_lost ->
       fresh(d_try); d_try_is_rekey = false; hello = d_try; hello_prev = 0
     }
  od
}

active proctype gcs_accepts()
{
  do
  :: atomic {
       hello != 0 ->
       if
       :: hello_prev != 0 && (g_job != 0 || hello_prev != g_send) ->   /* ABORT: busy, or not the live keys */
          if :: d_try == hello -> d_try = 0 :: else fi
       :: else -> g_job = hello; g_open = true;        /* a new session replaces the attempt before it */
#ifdef BROKEN_DRONE_SENDS_EARLY
          if :: d_try == hello -> drone_installs(d_try) :: else fi
#endif
       fi;
       hello = 0; hello_prev = 0
     }
  od
}

active proctype gcs_completes()
{
  do
  :: atomic {
       g_job != 0 ->
       if
       :: g_open -> gcs_installs(g_job); confirm = g_job
       :: else
       fi;
       g_job = 0; g_open = false
     }
  /* The drone gave up, and the GCS hears of it before it is done. */
  :: atomic { g_job != 0 && g_open && d_try != g_job -> g_open = false }
  od
}

active proctype drone_completes()
{
  do
  :: atomic {
       confirm != 0 ->
       if
       :: d_try == confirm ->
          if :: d_send != confirm -> drone_installs(confirm) :: else fi;
          d_try = 0; g_forgot = false
       :: else
       fi;
       confirm = 0
     }
  od
}

/* ServedContext::send_answers: until a frame under the new keys comes. */
active proctype gcs_repeats()
{
end:
  do
  :: atomic { g_new0 != 0 && confirm == 0 && repeats < REPEATS -> repeats++; confirm = g_new0 }
  od
}

/* --- time --- */

/* Peer::handle_timeout: the overlap lasts longer than any datagram is on its way. */
active proctype drone_wipes()
{
  do
#ifndef BROKEN_NEVER_WIPES
  :: atomic {
       d_confirmed && (d_old0 != 0 || d_old1 != 0) &&
       !ON_ITS_WAY(g2d, d_old0) && !ON_ITS_WAY(g2d, d_old1) -> d_old0 = 0; d_old1 = 0
     }
#else
  :: false
#endif
  od
}

active proctype gcs_wipes()
{
  do
  :: atomic { g_old != 0 && !ON_ITS_WAY(d2g, g_old) -> g_old = 0 }
  od
}

/* DroneEnd::handle_timeout: nothing is heard from a GCS that doesn't hold the drone's keys nor sends under any that
 * the drone holds. (Silence of any other is a false death: everything sent for seconds was lost.) */
active proctype drone_despairs()
{
  do
  :: atomic {
       d_send != 0 && !d_lost && !G_HOLDS(d_send) && empty(g2d) && !(g_send != 0 && D_HOLDS(g_send)) ->
       d_lost = true; d_try = 0
     }
  od
}

/* --- what goes wrong --- */

active proctype mishaps()
{
  byte k;
end:
  do
  :: atomic { losses < LOSSES && nempty(d2g) -> losses++; d2g?k; k = 0 }
  :: atomic { losses < LOSSES && nempty(g2d) -> losses++; g2d?k; k = 0 }
  :: atomic { swaps < SWAPS && len(d2g) > 1 -> swaps++; d2g?k; d2g!k; k = 0 }
  :: atomic { swaps < SWAPS && len(g2d) > 1 -> swaps++; g2d?k; g2d!k; k = 0 }
  :: atomic { cuts < CUTS && d_try != 0 -> cuts++; d_try = 0 }
  :: atomic { cuts < CUTS && hello != 0 -> cuts++;
              if :: d_try == hello -> d_try = 0 :: else fi; hello = 0; hello_prev = 0 }
  :: atomic { cuts < CUTS && confirm != 0 -> cuts++;
              if :: d_try == confirm -> d_try = 0 :: else fi; confirm = 0 }
  :: atomic { false_deaths < FALSE_DEATHS && d_send != 0 && !d_lost ->
              false_deaths++; d_lost = true; d_try = 0 }
  :: atomic { crashes < CRASHES ->                      /* of the GCS */
              crashes++; g_send = 0; g_old = 0; g_new0 = 0; g_new1 = 0; g_job = 0; g_open = false;
              if :: d_try != 0 && d_try == hello -> hello = 0; hello_prev = 0 :: else fi;
              confirm = 0; d_try = 0; g_forgot = true }
  :: atomic { crashes < CRASHES ->                      /* of the drone */
              crashes++; d_send = 0; d_old0 = 0; d_old1 = 0; d_confirmed = false;
              d_lost = true; d_try = 0; hello = 0; hello_prev = 0; d_forgot = true }
  od
}

/* --- what must hold --- */

#ifndef LIVENESS
active proctype watcher()
{
end:
  do
  :: atomic { !(d_send == 0 || d_lost || g_forgot || G_HOLDS(d_send)) ->
              drones_key_is_at_gcs = false; assert(drones_key_is_at_gcs) }
  :: atomic { !(g_send == 0 || d_lost || d_forgot || g_forgot || D_HOLDS(g_send)) ->
              gcs_key_is_at_drone = false; assert(gcs_key_is_at_drone) }
  :: atomic { !rekeys_only_when_confirmed -> assert(rekeys_only_when_confirmed) }
  :: atomic { !nothing_is_lost_to_rekeying -> assert(nothing_is_lost_to_rekeying) }
  od
}

#else
ltl both_ends_agree { <>[] AGREED }
ltl old_keys_are_wiped { <>[] WIPED }
#endif
