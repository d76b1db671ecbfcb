/* Copyright 2026 The PQC-MAV Authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A stream: messages in parts over two links, each with an order of its own, so that frames overtake across them. Parts
 * and acknowledgements are lost; a message is cut off anywhere by the next one; the session's parts are sent again until
 * they are acknowledged. Each part carries, as a ghost, the message that it is of.
 * BROKEN_... leaves out one rule each. formal/README.md names the code that each part stands for.
 */
#ifndef PARTS
#define PARTS 2
#endif
#ifndef IDS
#define IDS 8            /* of the class: 128 in the code */
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef CUTS
#define CUTS 2           /* messages that the next one replaces, or that are given up */
#endif
#ifndef MESSAGES
#define MESSAGES 3
#endif
#ifndef DEPTH
#define DEPTH 1          /* frames on their way on each link, each direction */
#endif
#define ALL ((1 << PARTS) - 1)

/* --- sender: StreamSender's Outbox --- */
byte s_id;               /* Outbox::id */
byte s_message;          /* which one; 0: nothing under way */
byte s_acked;            /* bit mask of parts */
byte messages, cuts, losses;

/* --- receiver: StreamReceiver's Inbox --- */
byte r_id;
bool r_any;              /* it has a value */
bool r_quiet;            /* no part has come for id_memory */
bool r_complete;
byte r_parts;            /* bit mask */
byte r_of[PARTS];        /* the message that each part is of */
byte r_delivered;        /* the newest message that was handed up */

/* id, message, part */
chan part0 = [DEPTH] of { byte, byte, byte };
chan part1 = [DEPTH] of { byte, byte, byte };
/* id, mask of what is here */
chan ack0 = [DEPTH] of { byte, byte };
chan ack1 = [DEPTH] of { byte, byte };
bool up0 = true;         /* the first link delivers; it fails at most once, and for ever if LINK_FAILS */

bool a_message_is_whole = true;
bool each_message_arrives_once = true;
bool acknowledged_means_received = true;
bool parts_only_of_the_newest = true;

#define AHEAD(a, b) ((a + IDS - b) % IDS)
#define NEWER(a, b) (AHEAD(a, b) >= 1 && AHEAD(a, b) < IDS / 2)
/* Half the ids are not used up while a part of before is on its way: an exchange that is given up took seconds. */
#ifdef BROKEN_IDS_FOR_EVER
#define UNHURRIED true
#else
#define OLD_ON_ITS_WAY(m) (m + IDS / 2 <= messages + 1 && (part0??[_, m, _] || part1??[_, m, _]))
#define UNHURRIED ((!r_any || r_quiet || AHEAD((s_id + 1) % IDS, r_id) < IDS / 2) && \
                   !OLD_ON_ITS_WAY(1) && !OLD_ON_ITS_WAY(2) && !OLD_ON_ITS_WAY(3))
#endif
#define DONE (messages == MESSAGES && s_message == 0 && r_delivered == MESSAGES)

/* StreamSender::send */
inline begin_message()
{
  messages++;
  s_message = messages; s_acked = 0;
#ifndef BROKEN_SAME_ID
  s_id = (s_id + 1) % IDS
#endif
}

active proctype owner()
{
end:
  do
  :: atomic { s_message == 0 && messages < MESSAGES && UNHURRIED -> begin_message() }
  /* Another rekey, another prekey: the message under way is replaced, or given up (cancel). */
  :: atomic { s_message != 0 && messages < MESSAGES && UNHURRIED && cuts < CUTS -> cuts++; begin_message() }
  :: atomic { s_message != 0 && messages < MESSAGES && cuts < CUTS -> cuts++; s_message = 0 }
  od
}

/* StreamSender::next: whatever is not acknowledged goes again. */
inline send_part(c, p)
{
  atomic {
    s_message != 0 && !(s_acked & (1 << p)) && nfull(c) -> c!s_id, s_message, p
  }
}

active proctype sends()
{
end:
  do
  :: send_part(part0, 0)
  :: send_part(part0, PARTS - 1)
  :: send_part(part1, 0)
  :: send_part(part1, PARTS - 1)
  od
}

inline acknowledge(i, mask)
{
  if
  :: nfull(ack0) && up0 -> ack0!i, mask
  :: nfull(ack1) -> ack1!i, mask
  :: full(ack1) -> skip            /* as if it was lost; every part that comes again is answered again */
  fi
}

/* StreamReceiver::handle_part */
inline handle_part(i, m, p)
{
  if
  :: r_any && i != r_id && !NEWER(i, r_id) && !r_quiet ->
#ifndef BROKEN_OLDER_REPLACES
     acknowledge(i, ALL)           /* its sender has given it up, or missed that it is complete */
#else
     r_id = i; r_complete = false; r_parts = 1 << p; r_of[p] = m; acknowledge(i, r_parts)
#endif
  :: else ->
     if
     :: !r_any || i != r_id -> r_any = true; r_id = i; r_complete = false; r_parts = 0;
                               r_of[0] = 0; r_of[PARTS - 1] = 0
     :: else
     fi;
     if
#ifndef BROKEN_DELIVERED_AGAIN
     :: r_complete
#else
     :: false
#endif
     :: else ->
        if
        :: !(r_parts & (1 << p)) -> r_parts = r_parts | (1 << p); r_of[p] = m
        :: else
        fi;
        if
        :: r_parts == ALL ->
           a_message_is_whole = (r_of[0] == r_of[PARTS - 1]);
           each_message_arrives_once = (r_of[0] > r_delivered);
           r_complete = true; r_delivered = r_of[0]
        :: else
        fi
     fi;
     r_quiet = false;
     acknowledge(i, r_parts)
  fi
}

#ifndef BROKEN_IDS_FOR_EVER
active proctype time_passes()
{
end:
  do
  :: atomic { r_any && !r_quiet && empty(part0) && empty(part1) -> r_quiet = true }
  od
}
#endif

active proctype receives()
{
  byte i, m, p;
end:
  do
  :: atomic { up0 && nempty(part0) -> part0?i, m, p; handle_part(i, m, p); i = 0; m = 0; p = 0 }
  :: atomic { part1?i, m, p -> handle_part(i, m, p); i = 0; m = 0; p = 0 }
  od
}

/* StreamSender::handle_ack */
inline handle_ack(i, mask)
{
  if
  :: s_message != 0 && i == s_id ->
     s_acked = s_acked | mask;
     if
     :: s_acked == ALL ->
        acknowledged_means_received = (r_delivered >= s_message);
        s_message = 0; s_acked = 0
     :: else
     fi
  :: else
  fi
}

active proctype hears()
{
  byte i, mask;
end:
  do
  :: atomic { up0 && nempty(ack0) -> ack0?i, mask; handle_ack(i, mask); i = 0; mask = 0 }
  :: atomic { ack1?i, mask -> handle_ack(i, mask); i = 0; mask = 0 }
  od
}

active proctype mishaps()
{
  byte i, m, p;
end:
  do
  :: atomic { losses < LOSSES && nempty(part0) -> losses++; part0?i, m, p; i = 0; m = 0; p = 0 }
  :: atomic { losses < LOSSES && nempty(part1) -> losses++; part1?i, m, p; i = 0; m = 0; p = 0 }
  :: atomic { losses < LOSSES && nempty(ack0) -> losses++; ack0?i, m; i = 0; m = 0 }
  :: atomic { losses < LOSSES && nempty(ack1) -> losses++; ack1?i, m; i = 0; m = 0 }
#ifdef LINK_FAILS
  /* The first link fails for ever, with all that is on it. */
  :: atomic { up0 -> up0 = false;
              do :: part0?i, m, p :: empty(part0) -> break od;
              do :: ack0?i, m :: empty(ack0) -> break od;
              i = 0; m = 0; p = 0 }
#endif
  od
}

#ifndef LIVENESS
active proctype watcher()
{
end:
  do
  :: atomic { !a_message_is_whole -> assert(a_message_is_whole) }
  :: atomic { !each_message_arrives_once -> assert(each_message_arrives_once) }
  :: atomic { !acknowledged_means_received -> assert(acknowledged_means_received) }
  od
}
#else
/* The last message arrives, whatever came before. */
ltl the_newest_arrives { <>[] DONE }
#endif
