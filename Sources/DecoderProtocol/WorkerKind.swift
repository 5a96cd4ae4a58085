// SPDX-License-Identifier: Apache-2.0

/// The work of a worker process, which the order for its fork names.
package enum WorkerKind: UInt8, Sendable, Hashable, CaseIterable {
    /// Renders pictures with libvips.
    case decoder = 1
    /// Reads headers and metadata, and unpacks compressed originals.
    case inspector = 2

    /// The name in log lines and of threads.
    package var name: String {
        switch self {
        case .decoder: "decoder"
        case .inspector: "inspector"
        }
    }
}
