# SPDX-License-Identifier: Apache-2.0
#
# `docker build .` takes the base images by their tags. `scripts/image` asks the registry for their digests, prints them, and
# builds on those, so that an image can be built again on what was looked at, whatever a tag comes to mean.
ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${SWIFT_IMAGE} AS build
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        libcurl4-openssl-dev libvips-dev libsqlite3-dev libseccomp-dev libssl-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /pictor
# Alone, so that the packages are fetched anew only when the manifest changes. The * makes the file optional.
COPY Package.swift Package.resolve[d] ./
RUN swift package resolve
COPY Sources Sources
# The manifest names their targets; the product does not contain them.
COPY Tests Tests
RUN swift build -c release --product pictor --static-swift-stdlib \
    && strip -o /usr/bin/pictor .build/release/pictor

FROM ${DEBIAN_IMAGE}
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates libcurl4 libvips42 libseccomp2 libsqlite3-0 libssl3 \
    && apt-get clean \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o 65534 -g 65534 -m 0700 /var/cache/pictor
COPY --from=build /usr/bin/pictor /usr/bin/pictor
COPY config/pictor.yaml /etc/pictor/pictor.yaml
# The admin listener (metrics, health) stays on the container's own loopback. `docker stop` kills after 10 s.
ENV CACHE_DIRECTORY=/var/cache/pictor \
    LIBDISPATCH_LOG=NO \
    PICTOR_DECODER_JAIL=require \
    PICTOR_SERVER_DRAIN_TIMEOUT=8s \
    PICTOR_SERVER_LISTEN=0.0.0.0:8080
USER 65534:65534
VOLUME /var/cache/pictor
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s CMD ["pictor", "health"]
ENTRYPOINT ["pictor"]
CMD ["serve"]
