// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef SIMULATOR__WEATHER_HPP_
#define SIMULATOR__WEATHER_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/time.hpp"
#include "support/identities.hpp"

namespace pqc_tunnel::test
{

// Of one link: probabilities of what befalls a datagram.
struct LinkWeather
{
  double loss = 0;
  double duplication = 0;
  double replay = 0;      // a copy arrives seconds later
  double hold = 0;        // it arrives seconds later
  double large_loss = 0;  // beside `loss`, of large datagrams
  double corruption = 0;
  Duration jitter{};  // the longest extra delay: what reorders
};

// Probabilities of mishaps in a schedule, per datagram, per step or per job.
struct Weather
{
  std::array<LinkWeather, 2> links;
  std::size_t largest = SIZE_MAX;  // bytes that pass at all, in calm too

  // Per step.
  double attack = 0;   // somebody else sends what has been recorded, or a piece of it
  double stretch = 0;  // for a while every datagram takes seconds longer
  double silence = 0;  // no datagram passes, in one direction or both
  Duration longest_silence{};
  double crash = 0;
  Duration longest_downtime{};
  double roam = 0;  // the drone's address changes
  double rekey = 0;

  // With two links, per step.
  double cut = 0;  // of one of them
  Duration longest_cut{};
  Duration second_is_slower{};

  // Per job.
  double slow_job = 0;
  Duration longest_job{};

  // Some of it, drawn at random; now and then hardly any. The second link has its own, from its own dice.
  static Weather draw(SeededRandom & dice, SeededRandom & second_link);
  // The same, but the network does no harm by itself.
  Weather without_network() const;
};

}  // namespace pqc_tunnel::test

#endif  // SIMULATOR__WEATHER_HPP_
