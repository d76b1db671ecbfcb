// Copyright 2026 The PQC-MAV Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef PQC_TUNNEL__NODE__DIAGNOSIS__DIAGNOSIS_REPORT_HPP_
#define PQC_TUNNEL__NODE__DIAGNOSIS__DIAGNOSIS_REPORT_HPP_

#include <diagnostic_updater/diagnostic_updater.hpp>

#include "base/shown_text.hpp"
#include "diagnosis.hpp"

namespace pqc_tunnel
{

inline void report(
  const Diagnosis & diagnosis, diagnostic_updater::DiagnosticStatusWrapper & wrapper)
{
  wrapper.summary(static_cast<unsigned char>(diagnosis.level), shown(diagnosis.text));
  for (const auto & [key, value] : diagnosis.values) {
    wrapper.add(shown(key), shown(value));
  }
}

}  // namespace pqc_tunnel

#endif  // PQC_TUNNEL__NODE__DIAGNOSIS__DIAGNOSIS_REPORT_HPP_
