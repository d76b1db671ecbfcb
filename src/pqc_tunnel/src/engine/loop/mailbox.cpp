// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "mailbox.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "base/shown_text.hpp"
#include "os/clock.hpp"

namespace pqc_tunnel
{

namespace
{

constexpr Duration snapshot_age = std::chrono::milliseconds(100);
constexpr std::size_t max_kept = 1024;  // events, notices or replies that nobody has taken

template <class T>
void push_bounded(std::deque<T> & queue, T item)
{
  if (queue.size() == max_kept) {
    queue.pop_front();
  }
  queue.push_back(std::move(item));
}

// Adds an item of a peer, or of none. A full queue drops the oldest item of the peer that has the most.
template <class T>
void push_fairly(std::deque<T> & queue, T item)
{
  if (queue.size() == max_kept) {
    std::map<std::optional<PeerIndex>, std::size_t> counts;
    std::ranges::for_each(queue, [&](const T & kept) { ++counts[kept.peer]; });
    const auto busiest =
      std::ranges::max_element(counts, {}, [](const auto & entry) { return entry.second; });
    queue.erase(
      std::ranges::find_if(queue, [&](const T & kept) { return kept.peer == busiest->first; }));
  }
  queue.push_back(std::move(item));
}

template <class T>
std::vector<T> take_all(std::deque<T> & queue)
{
  std::vector<T> all(std::make_move_iterator(queue.begin()), std::make_move_iterator(queue.end()));
  queue.clear();
  return all;
}

RekeyReply stopped_reply(RekeyId id)
{
  return {id, false, "The tunnel has stopped.", nullptr, Epoch{}, {}};
}

}  // namespace

RekeyId Mailbox::post_rekey(RekeyCommand command)
{
  RekeyId id{};
  {
    const std::scoped_lock lock(mutex_);
    command.id = id = RekeyId{++last_rekey_};
    if (!closed_) {
      unanswered_.insert(id);
      commands_.push_back(std::move(command));
      wake_up_.notify();
      return id;
    }
    push_bounded(replies_, stopped_reply(id));
  }
  announce();
  return id;
}

template <class Command>
std::future<bool> Mailbox::post(std::vector<Command> & to, Command command)
{
  std::future<bool> done = command.done.get_future();
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) {
      command.done.set_value(false);
      return done;
    }
    to.push_back(std::move(command));
  }
  wake_up_.notify();
  return done;
}

std::future<bool> Mailbox::post_wipe(PeerIndex peer) { return post(wipes_, WipeCommand{peer, {}}); }

std::future<bool> Mailbox::post_changes(std::vector<PeerChange> changes, OwnKeys own)
{
  return post(changes_, ChangeCommand{std::move(own), std::move(changes), {}});
}

void Mailbox::close()
{
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  commands_.clear();
  for (const RekeyId id : std::exchange(unanswered_, {})) {
    push_bounded(replies_, stopped_reply(id));
  }
  for (WipeCommand & wipe : std::exchange(wipes_, {})) {
    wipe.done.set_value(false);
  }
  for (EchoCommand & echo : std::exchange(echoes_, {})) {
    echo.reply.set_value({});
  }
  for (ChangeCommand & change : std::exchange(changes_, {})) {
    change.done.set_value(false);
  }
  for (std::promise<void> & one : std::exchange(waiting_, {})) {
    one.set_value();
  }
}

void Mailbox::post_notice(PeerIndex peer, const Notice & notice)
{
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) {
      return;
    }
    notice_commands_.push_back({peer, notice});
  }
  wake_up_.notify();
}

PendingEcho Mailbox::post_echo(PeerIndex peer, std::size_t frame_bytes)
{
  EchoCommand command{peer, {0, frame_bytes}, {}};
  PendingEcho pending{0, command.reply.get_future()};
  {
    const std::scoped_lock lock(mutex_);
    pending.number = command.echo.number = ++last_echo_;
    if (closed_) {
      command.reply.set_value({});
      return pending;
    }
    echoes_.push_back(std::move(command));
  }
  wake_up_.notify();
  return pending;
}

std::vector<NoticeArrived> Mailbox::take_notices()
{
  const std::scoped_lock lock(mutex_);
  return take_all(notices_);
}

std::vector<NoticeCommand> Mailbox::take_notice_commands()
{
  const std::scoped_lock lock(mutex_);
  return std::exchange(notice_commands_, {});
}

void Mailbox::add_notice(const NoticeArrived & notice)
{
  const std::scoped_lock lock(mutex_);
  push_fairly(notices_, notice);
}

void Mailbox::post_stop()
{
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  wake_up_.notify();
}

std::shared_ptr<const EngineSnapshot> Mailbox::snapshot()
{
  std::future<void> taken;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_ || monotonic_now() <= snapshot_->oldest + snapshot_age) {
      return snapshot_;
    }
    taken = waiting_.emplace_back().get_future();
  }
  wake_up_.notify();
  taken.wait_for(snapshot_age);
  return latest();
}

std::shared_ptr<const EngineSnapshot> Mailbox::latest() const
{
  const std::scoped_lock lock(mutex_);
  return snapshot_;
}

bool Mailbox::snapshot_asked() const
{
  const std::scoped_lock lock(mutex_);
  return !waiting_.empty();
}

std::vector<Event> Mailbox::take_events()
{
  const std::scoped_lock lock(mutex_);
  return take_all(events_);
}

std::vector<RekeyReply> Mailbox::take_replies()
{
  const std::scoped_lock lock(mutex_);
  return take_all(replies_);
}

std::vector<RekeyCommand> Mailbox::take_commands()
{
  const std::scoped_lock lock(mutex_);
  return std::exchange(commands_, {});
}

std::vector<EchoCommand> Mailbox::take_echoes()
{
  const std::scoped_lock lock(mutex_);
  return std::exchange(echoes_, {});
}

std::vector<WipeCommand> Mailbox::take_wipes()
{
  const std::scoped_lock lock(mutex_);
  return std::exchange(wipes_, {});
}

std::vector<ChangeCommand> Mailbox::take_changes()
{
  const std::scoped_lock lock(mutex_);
  return std::exchange(changes_, {});
}

bool Mailbox::stop_asked() const
{
  const std::scoped_lock lock(mutex_);
  return stop_;
}

void Mailbox::publish(std::shared_ptr<const EngineSnapshot> snapshot, bool complete)
{
  // The old snapshot is freed, and who waits wakes up, after the lock is released.
  std::vector<std::promise<void>> served;
  {
    const std::scoped_lock lock(mutex_);
    snapshot_.swap(snapshot);
    if (complete) {
      served.swap(waiting_);
    }
  }
  std::ranges::for_each(served, [](std::promise<void> & one) { one.set_value(); });
}

void Mailbox::add_event(Event event)
{
  event.text = shown(std::move(event.text));
  const std::scoped_lock lock(mutex_);
  push_fairly(events_, std::move(event));
}

void Mailbox::add_reply(RekeyReply reply)
{
  reply.message = shown(std::move(reply.message));
  const std::scoped_lock lock(mutex_);
  unanswered_.erase(reply.id);
  push_bounded(replies_, std::move(reply));
}

void Mailbox::announce() const
{
  if (on_activity_) {
    on_activity_();
  }
}

}  // namespace pqc_tunnel
