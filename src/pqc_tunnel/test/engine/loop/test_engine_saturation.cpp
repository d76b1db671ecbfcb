// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "control/status_text.hpp"
#include "engine/engine_fixture.hpp"
#include "link/shaping/shaped_line.hpp"
#include "support/pair/narrow_link.hpp"

// A link whose rate nobody has configured carries less than is offered, over real sockets.

namespace pqc_tunnel
{
namespace
{

using namespace std::chrono_literals;
using test::command_long;
using test::heartbeat;
using test::NarrowLink;

constexpr double narrow = 8'000;  // bytes/s
constexpr double wide = 10e6;
constexpr auto patience = 150s;

// What an autopilot sends: telemetry of many kinds, heartbeats, and commands to its gimbal.
class Autopilot
{
public:
  Autopilot(const Application & socket, std::chrono::milliseconds pause)
  : socket_(socket), pause_(pause), thread_([this] { fly(); })
  {
  }
  ~Autopilot()
  {
    stopping_ = true;
    thread_.join();
  }
  Autopilot(const Autopilot &) = delete;
  Autopilot & operator=(const Autopilot &) = delete;

private:
  void fly()
  {
    for (std::uint32_t i = 0; !stopping_; ++i) {
      socket_.send(test::mavlink(10'000 + i % 500, i, 60 + i * 37 % 150));
      if (i % 40 == 0) {
        socket_.send(test::mavlink(heartbeat, i, 9));
        socket_.send(test::mavlink(command_long, i, 33));
      }
      // Not in step with the link: else a full buffer never has room for certain frames.
      std::this_thread::sleep_for(pause_ * (5 + i * 7 % 11) / 10);
    }
  }

  const Application & socket_;
  std::chrono::milliseconds pause_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

class Saturation : public EngineFixture
{
protected:
  void start_over_narrow_link()
  {
    ASSERT_TRUE(gcs_ = start(gcs_config()));
    link_ = std::make_unique<NarrowLink>(gcs_->ports().datagram, wide);
    EngineConfig config = drone_config();
    config.links[0].gcs = {loopback, link_->port()};
    ASSERT_TRUE(drone_ = start(std::move(config)));
    ASSERT_TRUE(in_contact()) << history();
    connect_applications();
    // The shortest delays must be known before the queue stands.
    ASSERT_TRUE(eventually([this] { return drone_->snapshot().peers[0].clock_valid; }));
    link_->set_rate(narrow);
  }

  PathReport path() const { return drone_->snapshot().peers[0].paths.at(0); }
  bool is_limited() const { return path().rate_source == RateSource::saturation; }
  bool has_reported(const std::string & what)
  {
    for (const Event & event : drone_->take_events()) {
      reported_ += event.text + "\n";
    }
    return reported_.find(what) != std::string::npos;
  }

  // From now on.
  void expect_arriving(std::uint32_t message, int enough)
  {
    int count = 0;
    const auto take = [&] {
      while (const auto datagram = gcs_application_.receive(0)) {
        count += datagram->at(7) == message && datagram->at(8) == 0 ? 1 : 0;
      }
      return count >= enough;
    };
    take();
    count = 0;
    EXPECT_TRUE(eventually(take)) << message;
  }

  std::unique_ptr<NarrowLink> link_;
  std::string reported_;
};

TEST_F(Saturation, of_a_link_of_unknown_rate_is_found_and_forgotten_when_it_is_wide_again)
{
  start_over_narrow_link();
  EXPECT_FALSE(is_limited());
  const Autopilot autopilot(drone_application_, 9ms);  // twice what the link carries
  ASSERT_TRUE(eventually([this] { return has_reported("is saturated"); }, patience)) << reported_;
  ASSERT_TRUE(eventually([this] { return is_limited(); }));
  EXPECT_TRUE(eventually([this] {
    const double share = path().rate_bytes_s / narrow;
    return share > 0.5 && share < 1.3;
  }))
    << path().rate_bytes_s;
  EXPECT_NE(cli::status_json(*drone_).find("\"rate_source\": \"saturation\""), std::string::npos)
    << cli::status_json(*drone_);

  expect_arriving(heartbeat, 10);
  expect_arriving(command_long, 10);
  EXPECT_TRUE(rekey(*drone_, "cs-mlkem512-chacha20poly1305-falcon512").success);

  link_->set_rate(wide);
  EXPECT_TRUE(eventually([this] { return has_reported("no longer saturated"); }, patience))
    << reported_ << path().rate_bytes_s;
  EXPECT_TRUE(eventually([this] { return !is_limited(); }));
}

}  // namespace
}  // namespace pqc_tunnel
