# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# A ground station without ROS: pqc_tunneld and pqc_identity.
#   docker build -f docker/plain.Dockerfile -t pqc-mav-ground-plain .
# BASE is Debian 12; where cargo itself is 1.68 or newer, CARGO=cargo.
ARG BASE=debian:12-slim

FROM ${BASE} AS build
ARG CARGO=cargo-web
WORKDIR /src
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates \
      build-essential cmake libexpected-dev libssl-dev libyaml-cpp-dev ninja-build pkg-config "$CARGO" \
 && rm -rf /var/lib/apt/lists/*
COPY src/liboqs_vendor src/liboqs_vendor
COPY src/pqc_tunnel src/pqc_tunnel
# As README says under "On a ROS 2 distribution".
RUN cmake -S src/liboqs_vendor -B build/oqs -G Ninja -DCMAKE_BUILD_TYPE=Release \
      -DLIBOQS_VENDOR_ROS=OFF -DCMAKE_INSTALL_PREFIX=/opt/pqc \
 && cmake --build build/oqs --target install \
 && cmake -S src/pqc_tunnel -B build/tunnel -G Ninja -DPQC_TUNNEL_ROS=OFF -DPQC_TUNNEL_TESTS=OFF \
      -DCMAKE_PREFIX_PATH=/opt/pqc -DCMAKE_INSTALL_PREFIX=/opt/pqc \
 && cmake --build build/tunnel --target install

FROM ${BASE} AS ground-plain
RUN apt-get update \
 && apt-get install -y --no-install-recommends libssl3 libyaml-cpp0.7 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/pqc/bin/pqc_tunneld /opt/pqc/bin/pqc_identity /opt/pqc/bin/
COPY --from=build /opt/pqc/lib/liboqs.so* /opt/pqc/lib/
ENV PATH=/opt/pqc/bin:$PATH \
    LD_LIBRARY_PATH=/opt/pqc/lib
# The user whose keys are mounted; keys of anybody else are refused.
ARG PQC_UID=10001
RUN useradd --non-unique --uid "$PQC_UID" --no-create-home --home-dir /tmp --shell /usr/sbin/nologin pqc
USER ${PQC_UID}
STOPSIGNAL SIGINT
ENTRYPOINT ["pqc_tunneld"]
CMD ["--role", "gcs", "--config", "/etc/pqc/parameters.yaml"]
