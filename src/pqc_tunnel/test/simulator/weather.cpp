// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "simulator/weather.hpp"

namespace pqc_tunnel::test
{

using namespace std::chrono_literals;

namespace
{

// Draws how much of a kind of trouble there is; each kind is left out in half of the schedules that have any.
class Draw
{
public:
  explicit Draw(SeededRandom & dice) : dice_(dice), badness_(dice.uniform()) {}

  double some(double most)
  {
    const bool there = dice_.uniform() < 0.5;
    return there ? most * badness_ * dice_.uniform() : 0;
  }
  Duration up_to(Duration most)
  {
    return std::chrono::duration_cast<Duration>(most * dice_.uniform());
  }
  LinkWeather link()
  {
    LinkWeather weather;
    weather.loss = some(0.7);
    weather.duplication = some(0.4);
    weather.replay = some(0.1);
    weather.corruption = some(0.2);
    weather.jitter = dice_.uniform() < 0.5 ? up_to(100ms) : 0ms;
    weather.hold = some(0.1);
    weather.large_loss = some(1.0);
    return weather;
  }

private:
  SeededRandom & dice_;
  double badness_;
};

}  // namespace

Weather Weather::draw(SeededRandom & dice, SeededRandom & second_link)
{
  Draw draw(dice);
  const auto some = [&](double most) { return draw.some(most); };
  const auto up_to = [&](Duration most) { return draw.up_to(most); };
  Weather weather;
  weather.links = {draw.link(), Draw(second_link).link()};
  if (dice.uniform() < 0.1) {
    weather.largest = 560 + static_cast<std::size_t>(600 * dice.uniform());
  }
  weather.attack = some(0.5);
  weather.stretch = some(0.02);
  weather.silence = some(0.1);
  weather.longest_silence = up_to(20s);
  weather.crash = some(0.1);
  weather.longest_downtime = up_to(5s);
  weather.roam = some(0.02);
  weather.rekey = 0.5 * dice.uniform();
  weather.cut = some(0.1);
  weather.longest_cut = up_to(10s);
  weather.second_is_slower = up_to(60ms);
  weather.slow_job = some(0.5);
  weather.longest_job = up_to(4s);
  return weather;
}

Weather Weather::without_network() const
{
  Weather weather = *this;
  weather.links = {};
  weather.largest = SIZE_MAX;
  weather.attack = weather.stretch = weather.silence = weather.cut = 0;
  return weather;
}

}  // namespace pqc_tunnel::test
