# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The status of the policy on /diagnostics."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper

from pqc_policy.nodes.rekey_caller import RekeyCaller
from pqc_policy.policy.decision import INTERRUPTION, RETRY, Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.explain.explain import freshness_of
from pqc_policy.policy.guards.safety import SAFETY
from pqc_policy.policy.state import PolicyState

_TROUBLE = (RETRY, INTERRUPTION)


def diagnose(
    status: DiagnosticStatusWrapper,
    policy: Policy,
    state: PolicyState,
    decision: Decision | None,
    caller: RekeyCaller,
    advice: str = "",
    doubled: str = "",
) -> DiagnosticStatusWrapper:
    """Fill in the status: a warning while the policy can't decide or act."""
    level, summary = _summary(decision, caller)
    if doubled and level in (DiagnosticStatus.OK, DiagnosticStatus.WARN):
        level, summary = DiagnosticStatus.WARN, f"{doubled} {summary}"
    status.summary(level, f"{summary} {advice}".rstrip())
    config = policy.config
    status.add("strategy", config.strategy)
    status.add("profile", policy.profile.name)
    status.add("rekey service", "available" if caller.available else "not available")
    status.add("newest answer", caller.newest_answer)
    window = f"within {config.rekey_window_s:g} s, of at most {config.rekey_limit}"
    status.add("rekeys requested", f"{len(state.rekeys_s)} {window}")
    if decision is None:
        return status
    status.add("event", decision.event)
    status.add("decision", f"{decision.action} by {decision.rule}")
    status.add("reason", decision.reason)
    status.add("suite", decision.from_suite or "none")
    status.add("missing inputs", ", ".join(decision.missing) or "none")
    status.add("rules that lack an input", ", ".join(decision.inactive) or "none")
    for label, freshness in freshness_of(decision, config):
        status.add(label.lower(), freshness)
    own = [f"{suite} for {until_s - decision.t:.0f} s" for suite, until_s in state.blacklist]
    status.add("blacklist", ", ".join(own) or "empty")
    session = decision.inputs.session.value
    barred = len(session.blacklisted) if session is not None else 0
    status.add("excluded by the tunnel", f"{barred} suites")
    return status


def _summary(decision: Decision | None, caller: RekeyCaller) -> tuple[bytes, str]:
    if decision is None:
        return DiagnosticStatus.WARN, "No decision yet: the clock is zero or has just started."
    if caller.trouble is not None:
        return DiagnosticStatus.WARN, caller.trouble
    held = decision.hold_reason
    if decision.rule == "emergency" and decision.to_suite is None and held is None:
        return DiagnosticStatus.ERROR, decision.reason
    # A request that only waits its turn is no trouble, however long it waits.
    if decision.missing or decision.rule == SAFETY or (held is not None and held.kind in _TROUBLE):
        return DiagnosticStatus.WARN, decision.reason
    if decision.cue:
        return DiagnosticStatus.WARN, decision.cue
    return DiagnosticStatus.OK, f"{decision.action} by {decision.rule}: {decision.reason}"
