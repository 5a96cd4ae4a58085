# SPDX-License-Identifier: Apache-2.0
#
# `docker build .` takes the base images by their tags. `scripts/image` asks the registry for their digests, prints them, and
# builds on those. So the same image can be built again later, even if a tag names another base image by then.
#
# Swift has no image on Debian 13 yet, so Pictor is built on Debian 12 and runs on 13. The newer libraries there take less time for a
# picture, and keep their names and interfaces; a step below fails if a library is missing.
ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG DEBIAN_IMAGE=debian:trixie-slim

FROM ${SWIFT_IMAGE} AS build
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        libcurl4-openssl-dev libvips-dev libsqlite3-dev libseccomp-dev libhiredis-dev libssl-dev pkg-config python3-minimal \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /pictor
# A layer of its own, so that the packages are fetched anew only when the manifest changes. The brackets make Package.resolved optional.
COPY Package.swift Package.resolve[d] ./
RUN swift package resolve
COPY Sources Sources
# The manifest names the targets of the tests, so the folder must exist; the product does not contain them.
COPY Tests Tests
RUN swift build -c release --product pictor --static-swift-stdlib \
    && strip -o /usr/bin/pictor .build/release/pictor

FROM ${DEBIAN_IMAGE} AS system
# The libraries that the executable is linked with, libheif's plug-ins for AVIF and HEIC, and the certificate authorities for origins.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates libcurl4t64 libheif1 libheif-plugin-aomenc libheif-plugin-dav1d libheif-plugin-libde265 \
        libbrotli1 libjpeg62-turbo libseccomp2 libsqlite3-0 libssl3t64 libvips42t64 libwebp7 libzstd1 zlib1g \
    && apt-get clean \
    && rm -rf /var/lib/apt/lists/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/log/apt /var/log/dpkg.log /var/log/alternatives.log \
    && install -d -o 65534 -g 65534 -m 0700 /var/cache/pictor
COPY --from=build /usr/bin/pictor /usr/bin/pictor
COPY config/pictor.yaml /etc/pictor/pictor.yaml
COPY LICENSE /usr/share/doc/pictor/copyright
RUN libraries=$(ldd /usr/bin/pictor) && ! echo "$libraries" | grep 'not found'

FROM build AS contents
COPY scripts/sbom scripts/sbom
COPY --from=system /etc/os-release /system/etc/os-release
COPY --from=system /usr/bin/pictor /system/usr/bin/pictor
COPY --from=system /usr/share/doc /system/usr/share/doc
COPY --from=system /var/lib/dpkg /system/var/lib/dpkg
ARG SOURCE_DATE_EPOCH=
RUN SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH scripts/sbom /system "$(pictor --version)" > /pictor.spdx.json

FROM system
COPY --from=contents /pictor.spdx.json /usr/share/doc/pictor/pictor.spdx.json
# `scripts/image` fills these in.
ARG VERSION=
ARG REVISION=
ARG CREATED=
ARG DEBIAN_IMAGE
LABEL org.opencontainers.image.title="Pictor" \
      org.opencontainers.image.description="HTTP image proxy and resizing daemon" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.base.name="${DEBIAN_IMAGE}"
# The admin listener (metrics, health) stays on the container's own loopback. The drain takes 8 s, because `docker stop` kills after 10.
ENV CACHE_DIRECTORY=/var/cache/pictor \
    LIBDISPATCH_LOG=NO \
    PICTOR_DECODER_JAIL=require \
    PICTOR_SERVER_DRAIN_TIMEOUT=8s \
    PICTOR_SERVER_LISTEN=0.0.0.0:8080
USER 65534:65534
VOLUME /var/cache/pictor
EXPOSE 8080
STOPSIGNAL SIGTERM
# The start period is long because a node of a fleet is ready only once it has carried out what others purged while it was away.
HEALTHCHECK --interval=10s --timeout=6s --start-period=30m CMD ["pictor", "health"]
ENTRYPOINT ["pictor"]
CMD ["serve"]
