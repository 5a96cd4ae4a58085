// SPDX-License-Identifier: Apache-2.0

package import DecoderPool
package import Fleet
package import HTTPServer
package import Kernel
internal import Origin
package import Pipeline
package import Stores
internal import TraceExport

/// The modules' numbers for one page of metrics, from which `MetricTable` reads its rows.
///
/// All of them are `Int`, so that a test can give each a different value.
package struct Readings: Sendable {
    /// Client connections.
    package var connections: ConnectionCounters
    var requestsInFlight: Int

    // The pipeline.
    var originalsInFlight: Int
    var renditionsInFlight: Int
    var waitingFetches: Int
    var waitingDecodes: Int
    /// Renditions that are made behind answers, or wait for that.
    var laterInFlight: Int
    /// Answers that stood in for an AVIF, in total.
    var substitutes: Int
    /// Renditions made behind answers, in total.
    var laterRenditions: Int
    var slowedOrigins: Int
    /// Requests, in total.
    package var refusedRenditions: Int

    // The health of origins.
    var restingOrigins: Int
    /// Rests begun, in total.
    package var originRests: Int
    var originRefusals: Int
    var originProbes: Int

    var downloads: DownloadCounters
    /// Processes and jobs of the decoders.
    package var decoders: DecoderPoolStatus
    /// Processes and questions of the inspectors.
    package var inspectors: DecoderPoolStatus
    /// Ready answers in memory.
    package var memory: MemoryStatistics
    var memoryHits: Int
    var memoryMisses: Int
    /// Files and bytes on disk.
    package var disk: DiskStatistics
    /// Bytes of files that no cache counts.
    package var held: HeldStatistics
    /// Reads and writes of the shared store.
    package var shared: SharedStatistics
    /// Requests that asked the origin beside a late look into the shared store.
    package var hedges: HedgeStatistics
    /// Work that waits for other nodes, and does not.
    package var leases: LeaseStatistics
    /// Questions to the fleet about the limits of clients.
    package var fleetClients: LimitStatistics
    /// Fetches that asked the fleet for a slot.
    package var fleetOrigins: OriginTurnStatistics
    /// Purges of the fleet.
    package var fleet: NewsStatistics
    /// 1 if the disk keeps new pictures, else 0.
    var diskKeeps: Int
    var logLinesDropped: Int
    var accessLinesDropped: Int
    var spans: SpanExporter.Counters
    var limits: ResourceLimits
    /// Fetches that may be under way at once.
    var fetchLimit: Int
    /// Bytes that the pictures in work were admitted for, and may be in all.
    var decoderMemory: Int
    var decoderMemoryLimit: Int
}

/// The bounds that the settings set, as far as they do not change while the daemon runs.
package struct ResourceLimits: Sendable, Hashable {
    /// Client connections.
    package var connections: Int
    /// Decoder processes.
    package var decoders: Int
    /// Bytes of renditions in memory.
    package var memoryBytes: Int
    /// Bytes of files on disk.
    package var diskBytes: Int

    /// Takes the settings in force.
    package init(connections: Int, decoders: Int, memoryBytes: Int, diskBytes: Int) {
        self.connections = connections
        self.decoders = decoders
        self.memoryBytes = memoryBytes
        self.diskBytes = diskBytes
    }
}
