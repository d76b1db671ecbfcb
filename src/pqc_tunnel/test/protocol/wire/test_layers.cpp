// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#include "protocol/wire/layers.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

// The list of what keys depend on, and its words.

namespace pqc_tunnel
{
namespace
{

using namespace std::chrono_literals;

constexpr Instant first{1s};
constexpr Instant second{2s};

Layers anchored()
{
  Layers layers;
  add_anchor(layers, {KemAlgorithm::classic_mceliece_460896, true}, first);
  add_ephemeral(layers, KemAlgorithm::ml_kem_768, first);
  return layers;
}

TEST(Layers, names_family_and_form_of_every_kem)
{
  std::set<std::string_view> forms;
  for (const KemAlgorithm kem : all_kems()) {
    const auto & [family, form] = names(problem(kem));
    EXPECT_EQ(family == "lattices", form == "structured" || form == "plain") << display_name(kem);
    EXPECT_EQ(family == "codes", form == "goppa" || form == "quasi_cyclic") << display_name(kem);
    forms.insert(form);
  }
  EXPECT_EQ(forms.size(), 4U);
  EXPECT_EQ(names(problem(KemAlgorithm::ml_kem_512)).form, "structured");
  EXPECT_EQ(names(problem(KemAlgorithm::frodokem_640_aes)).form, "plain");
  EXPECT_EQ(names(problem(KemAlgorithm::classic_mceliece_348864)).form, "goppa");
  EXPECT_EQ(names(problem(KemAlgorithm::hqc_128)).form, "quasi_cyclic");
  EXPECT_EQ(names(Problem::curves).family, "curves");
}

TEST(Layers, keep_the_newest_of_each_form_and_key)
{
  Layers layers = anchored();
  add_ephemeral(layers, KemAlgorithm::ml_kem_1024, second);
  add_ephemeral(layers, KemAlgorithm::classic_mceliece_8192128, second);
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].kem, "ML-KEM-1024");
  EXPECT_EQ(layers[0].since, second);
  EXPECT_EQ(layers[1].key, LayerKey::ephemeral);
  EXPECT_EQ(layers[2].key, LayerKey::one_time);
  EXPECT_EQ(layers[2].since, first);
  add_anchor(layers, {KemAlgorithm::classic_mceliece_460896, false}, second);
  EXPECT_EQ(layers.size(), 4U);
}

TEST(Layers, count_families_that_a_quantum_computer_does_not_solve)
{
  Layers layers;
  EXPECT_EQ(quantum_safe_families(layers), 0U);
  add_x25519(layers, first);
  EXPECT_EQ(quantum_safe_families(layers), 0U);
  add_ephemeral(layers, KemAlgorithm::ml_kem_768, first);
  add_ephemeral(layers, KemAlgorithm::frodokem_976_aes, first);
  EXPECT_EQ(quantum_safe_families(layers), 1U);
  EXPECT_EQ(quantum_safe_families(anchored()), 2U);
}

TEST(Layers, are_told_in_words)
{
  EXPECT_EQ(families_text({}), "");
  EXPECT_EQ(protection_text({}), "");
  Layers layers = anchored();
  EXPECT_EQ(families_text(layers), "lattices + codes");
  EXPECT_EQ(
    protection_text(layers),
    "ML-KEM-768 and Classic McEliece 460896 (one-time): lattices and codes");
  add_anchor(layers, {KemAlgorithm::classic_mceliece_460896, false}, second);
  add_x25519(layers, second);
  EXPECT_EQ(families_text(layers), "lattices + codes + curves");
  EXPECT_EQ(
    protection_text(layers),
    "ML-KEM-768, Classic McEliece 460896 (one-time), Classic McEliece 460896 (last-resort) and "
    "X25519: lattices, codes and curves");
}

TEST(Layers, are_named_by_their_problems_each_once)
{
  Layers layers = anchored();
  add_anchor(layers, {KemAlgorithm::classic_mceliece_460896, false}, second);
  EXPECT_EQ(problems_of(layers), (std::vector{Problem::structured_lattices, Problem::goppa_codes}));
}

}  // namespace
}  // namespace pqc_tunnel
