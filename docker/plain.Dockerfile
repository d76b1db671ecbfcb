# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# A ground station without ROS: pqc_tunneld and pqc.
#   docker build -f docker/plain.Dockerfile -t pqc-mav-ground-plain .
# BASE is Debian 12; another one has the libraries of the second stage under other names.
ARG BASE=debian:12-slim

FROM ${BASE} AS build
WORKDIR /src
COPY dev ./
COPY setup setup
COPY src/liboqs_vendor src/liboqs_vendor
COPY src/pqc_tunnel src/pqc_tunnel
COPY src/pqc_exposure src/pqc_exposure
RUN ./dev plain /opt/pqc

FROM ${BASE} AS ground-plain
RUN apt-get update \
 && apt-get install -y --no-install-recommends libqrencode4 libsodium23 libssl3 libyaml-cpp0.7 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/pqc/bin/pqc /opt/pqc/bin/pqc-exposure /opt/pqc/bin/pqc_tunneld /opt/pqc/bin/
COPY --from=build /opt/pqc/lib/liboqs.so* /opt/pqc/lib/
ENV PATH=/opt/pqc/bin:$PATH \
    LD_LIBRARY_PATH=/opt/pqc/lib \
    PQC_RUN_DIR=/tmp/pqc
# The user whose keys are mounted; keys of anybody else are refused.
ARG PQC_UID=10001
RUN useradd --non-unique --uid "$PQC_UID" --no-create-home --home-dir /tmp --shell /usr/sbin/nologin pqc
USER ${PQC_UID}
STOPSIGNAL SIGINT
ENTRYPOINT ["pqc_tunneld"]
CMD ["--role", "gcs", "--config", "/etc/pqc/parameters.yaml"]
