# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tries to join a ROS graph, for some seconds or until nothing is closed; prints JSON."""

from __future__ import annotations

import json
import sys
import time

import rclpy
from mavros_msgs.msg import State
from rclpy.qos import qos_profile_sensor_data

from pqc_msgs.msg import LinkReport
from pqc_msgs.srv import Rekey

NAME = "stranger"
TOPICS = {"/pqc/link": LinkReport, "/gcs/pqc/link": LinkReport, "/mavros/state": State}


def main() -> None:
    """Look for nodes, listen, and ask for a rekey to a suite of level 1."""
    seconds = float(sys.argv[1])
    rclpy.init()
    node = rclpy.create_node(NAME, start_parameter_services=False)
    heard: set[str] = set()
    for topic, kind in TOPICS.items():
        node.create_subscription(
            kind, topic, lambda _, topic=topic: heard.add(topic), qos_profile_sensor_data
        )
    client = node.create_client(Rekey, "/pqc/rekey")
    request, future = Rekey.Request(suite="cs-mlkem512-aesgcm-mldsa44", reason="a stranger"), None
    answer, nodes = None, []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not (answer and heard and nodes):
        rclpy.spin_once(node, timeout_sec=0.1)
        if future is None and client.service_is_ready():
            future = client.call_async(request)
        if future is not None and future.done():
            answer = future.result().message
        nodes = [name for name in node.get_node_names() if name != NAME]
    print(json.dumps({"nodes": sorted(nodes), "heard": sorted(heard), "rekey": answer}))


if __name__ == "__main__":
    main()
