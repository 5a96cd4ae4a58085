// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import HTTPServer
internal import Origin
internal import Stores

/// What the rooms say of themselves when somebody asks for the metrics, read once for a page. The rows of `MetricTable`
/// are read of it.
///
/// Numbers alone, all of them `Int`, so that a test can give each another value.
struct RoomReadings: Sendable {
    var connections: ConnectionCounters
    var requestsInFlight: Int

    // The pipeline.
    var originalFlights: Int
    var renditionFlights: Int
    var waitingFetches: Int
    var waitingDecodes: Int
    var slowedOrigins: Int
    var refusedRenditions: Int

    // The health of origins.
    var restingOrigins: Int
    var originRests: Int
    var originRefusals: Int
    var originProbes: Int

    var downloads: DownloadCounters
    var decoders: DecoderPoolStatus
    var inspectors: DecoderPoolStatus
    /// Ready answers in memory, and those that are open files.
    var memory: MemoryStatistics
    var openFiles: MemoryStatistics
    var disk: DiskStatistics
    /// 1 or 0.
    var diskKeeps: Int
    var logLinesDropped: Int
    var accessLinesDropped: Int
}
