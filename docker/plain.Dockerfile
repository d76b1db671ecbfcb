# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
#
# The tunnel without ROS, for a drone or a ground station: ./dev images builds it. Its folder has only root.tar, a system that
# mmdebstrap has made with the Debian package of the tunnel.
FROM scratch
ADD root.tar /
ENV PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/tmp \
    PQC_RUN_DIR=/tmp/pqc
# Keys of another user, or readable by others, are refused.
USER 10001:10001
STOPSIGNAL SIGINT
ENTRYPOINT ["pqc_tunneld", "--config"]
CMD ["/etc/pqc/parameters.yaml"]
