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
/// Every number is an `Int`, so that a test can give each a different value.
package struct Readings: Sendable {
    /// Client connections.
    package var connections: ConnectionCounters
    var requestsInFlight: Int

    // Numbers of the pipeline.
    var originalsInFlight: Int
    var renditionsInFlight: Int
    var waitingFetches: Int
    var waitingDecodes: Int
    /// Renditions that are made after the answer was sent, or wait for that.
    var laterInFlight: Int
    /// Answers that were sent in place of an AVIF, in total.
    var substitutes: Int
    /// Renditions made after the answer was sent, in total.
    var laterRenditions: Int
    var slowedOrigins: Int
    /// Refused requests for renditions, in total.
    package var refusedRenditions: Int

    // Numbers of the origins' health.
    var restingOrigins: Int
    /// Rests of origins that have begun, in total.
    package var originRests: Int
    var originRefusals: Int
    var originProbes: Int

    var downloads: DownloadCounters
    /// Processes and jobs of the decoders.
    package var decoders: WorkerPoolStatus
    /// Processes and jobs of the inspectors.
    package var inspectors: WorkerPoolStatus
    /// Ready answers in memory.
    package var memory: MemoryStatistics
    var memoryHits: Int
    var memoryMisses: Int
    /// Files and bytes on disk.
    package var disk: DiskStatistics
    /// Bytes of files that are held outside of any cache.
    package var held: HeldStatistics
    /// Reads and writes of the shared store.
    package var shared: SharedStatistics
    /// Requests to an origin that were made because a look into the shared store took too long.
    package var hedges: HedgeStatistics
    /// Work that waits, or does not wait, for other nodes.
    package var leases: LeaseStatistics
    /// Requests to the fleet for the limits on clients.
    package var fleetClients: LimitStatistics
    /// Fetches that asked the fleet for a slot.
    var fleetOrigins: OriginTurnStatistics
    /// Purges of the fleet.
    package var fleet: NewsStatistics
    /// 1 if the disk keeps new pictures, else 0.
    var diskKeeps: Int
    var logLinesDropped: Int
    var accessLinesDropped: Int
    var spans: SpanExporter.Counters
    var limits: ResourceLimits
    /// The most fetches at once.
    var fetchLimit: Int
    /// Bytes of memory that pictures in work were admitted for, and their limit.
    var decoderMemory: Int
    var decoderMemoryLimit: Int
}

/// The limits from the settings that do not change while the daemon runs.
package struct ResourceLimits: Sendable, Hashable {
    /// The most client connections.
    package var connections: Int
    /// The number of decoder processes.
    package var decoders: Int
    /// The most bytes of renditions in memory.
    package var memoryBytes: Int
    /// The most bytes of files on disk.
    package var diskBytes: Int

    package init(connections: Int, decoders: Int, memoryBytes: Int, diskBytes: Int) {
        self.connections = connections
        self.decoders = decoders
        self.memoryBytes = memoryBytes
        self.diskBytes = diskBytes
    }
}
