// SPDX-License-Identifier: Apache-2.0

package import DecoderPool
package import HTTPServer
internal import Origin
package import Stores

/// What the modules say of themselves when somebody asks for the metrics, read once for a page. The rows of `MetricTable`
/// are read of it.
///
/// Numbers alone, all of them `Int`, so that a test can give each another value.
package struct Readings: Sendable {
    package var connections: ConnectionCounters
    var requestsInFlight: Int

    // The pipeline.
    var originalsInFlight: Int
    var renditionsInFlight: Int
    var waitingFetches: Int
    var waitingDecodes: Int
    var slowedOrigins: Int
    package var refusedRenditions: Int

    // The health of origins.
    var restingOrigins: Int
    package var originRests: Int
    var originRefusals: Int
    var originProbes: Int

    var downloads: DownloadCounters
    package var decoders: DecoderPoolStatus
    package var inspectors: DecoderPoolStatus
    /// Ready answers in memory, and those that are open files.
    package var memory: MemoryStatistics
    package var openFiles: MemoryStatistics
    package var disk: DiskStatistics
    /// 1 or 0.
    var diskKeeps: Int
    var logLinesDropped: Int
    var accessLinesDropped: Int
}
