// SPDX-License-Identifier: Apache-2.0

internal import Telemetry

extension MetricTable {
    /// Rows of the limits on resources. The present use of each has a row elsewhere.
    package static let limits: [Row] = [
        .gauge(
            "connections_limit", "connections", "Client connections that may be open.", \.limits.connections),
        .gauge("fetches_limit", "fetches", "Fetches that may be under way at once.", \.fetchLimit),
        .gauge(
            "decoders_limit", "processes",
            "Decoder processes that may be at work; a spare one is alive beside them.", \.limits.decoders),
        .gauge(
            "memory_limit_bytes", "bytes", "Bytes of renditions that memory may hold.", \.limits.memoryBytes),
        .gauge("disk_limit_bytes", "bytes", "Bytes of files that the disk may hold.", \.limits.diskBytes),
        .gauge(
            "decoder_memory_bytes", "bytes", "Memory that the pictures in work were admitted for.",
            \.decoderMemory),
        .gauge(
            "decoder_memory_limit_bytes", "bytes", "Memory that pictures in work may be admitted for.",
            \.decoderMemoryLimit),
    ]
}
