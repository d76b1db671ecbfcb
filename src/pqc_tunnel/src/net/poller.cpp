// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "poller.hpp"

#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace pqc_tunnel
{

namespace
{

constexpr std::int64_t second = 1'000'000'000;

}  // namespace

Poller::Poller()
: epoll_(::epoll_create1(EPOLL_CLOEXEC)),
  timer_(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC))
{
  if (!epoll_ || !timer_) {
    throw std::system_error(errno, std::generic_category(), "The packet loop can't be set up");
  }
  add(timer_.get(), {Source::timer}, EPOLLIN | EPOLLET);  // needs no reading
}

void Poller::add(int fd, ReadyTag tag, std::uint32_t events)
{
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag.pack();
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "A socket can't be watched");
  }
}

void Poller::modify(int fd, ReadyTag tag, std::uint32_t events)
{
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag.pack();
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Poller::remove(int fd) { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

[[gnu::hot]] void Poller::arm(Instant deadline)
{
  if (deadline == armed_) [[likely]] {
    return;
  }
  itimerspec when{};  // zeros disarm
  if (deadline != Instant::max()) {
    const auto nanoseconds = std::max<std::int64_t>(deadline.time_since_epoch().count(), 1);
    when.it_value.tv_sec = nanoseconds / second;
    when.it_value.tv_nsec = static_cast<decltype(when.it_value.tv_nsec)>(nanoseconds % second);
  }
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
  armed_ = deadline;
}

[[gnu::hot]] std::span<const epoll_event> Poller::wait(Instant deadline)
{
  arm(deadline);
  const int count = ::epoll_wait(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), -1);
  if (count < 0) [[unlikely]] {
    if (errno == EINTR) {
      return {};
    }
    throw std::system_error(errno, std::generic_category(), "Waiting for packets failed");
  }
  for (int i = 0; i < count; ++i) {
    if (ReadyTag::unpack(ready_[static_cast<std::size_t>(i)].data.u64).source == Source::timer)
      [[unlikely]]
    {
      armed_ = Instant::max();  // the timer has fired
    }
  }
  return {ready_.data(), static_cast<std::size_t>(count)};
}

}  // namespace pqc_tunnel
