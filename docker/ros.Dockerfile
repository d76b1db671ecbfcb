# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# The tunnel on a ROS 2 distribution. Targets: drone (with the policy) and ground.
#   docker build -f docker/ros.Dockerfile --target drone -t pqc-mav-drone .
# BASE is any image with a ROS 2 distribution in /opt/ros, named in ROS_DISTRO, rosdep and colcon.
ARG ROS_DISTRO=kilted
ARG BASE=ros:${ROS_DISTRO}-ros-base

FROM ${BASE} AS build
WORKDIR /src
COPY . .
RUN apt-get update \
 && rosdep update --rosdistro "$ROS_DISTRO" \
 && ./dev install /opt/pqc_mav

FROM ${BASE} AS runtime
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# For instance ros-kilted-mavros and ros-kilted-rosbag2, for mavros:=true and record:=true.
ARG EXTRA_PACKAGES=""
RUN --mount=type=bind,source=src,target=/src/src \
    apt-get update \
 && rosdep update --rosdistro "$ROS_DISTRO" \
 && rosdep install -y --ignore-src --skip-keys ament_python \
      --from-paths /src/src/liboqs_vendor /src/src/pqc_msgs /src/src/pqc_tunnel /src/src/pqc_exposure \
        /src/src/pqc_policy --dependency-types exec \
 && if [ -n "$EXTRA_PACKAGES" ]; then apt-get install -y --no-install-recommends $EXTRA_PACKAGES; fi \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/pqc_mav /opt/pqc_mav
COPY docker/entrypoint.sh /usr/local/bin/pqc_entrypoint
# The user whose keys are mounted; keys of anybody else are refused.
ARG PQC_UID=10001
RUN useradd --non-unique --uid "$PQC_UID" --no-create-home --home-dir /tmp --shell /usr/sbin/nologin pqc
USER ${PQC_UID}
ENV HOME=/tmp \
    ROS_LOG_DIR=/tmp/ros \
    PQC_RUN_DIR=/tmp/pqc
STOPSIGNAL SIGINT
ENTRYPOINT ["/usr/local/bin/pqc_entrypoint"]

FROM runtime AS drone
CMD ["ros2", "launch", "pqc_tunnel", "drone.launch.py", "params_file:=/etc/pqc/parameters.yaml"]

FROM runtime AS ground
CMD ["ros2", "launch", "pqc_tunnel", "gcs.launch.py", "params_file:=/etc/pqc/parameters.yaml"]
