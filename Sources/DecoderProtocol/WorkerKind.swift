// SPDX-License-Identifier: Apache-2.0

/// The work of a worker process, which a zygote's fork is told of as it is ordered.
package enum WorkerKind: UInt8, Sendable, Hashable, CaseIterable {
    /// Makes pictures by libvips.
    case decoder = 1
    /// Reads headers and metadata, and unpacks compressed originals.
    case inspector = 2

    /// In log lines and names of threads.
    package var name: String {
        switch self {
        case .decoder: "decoder"
        case .inspector: "inspector"
        }
    }
}
