// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// An outcome as the one byte that travels with an answer through the server, to the log and the metrics.
extension Outcome {
    /// 0 stands for no outcome: the request never came as far as the pipeline.
    // Cannot trap: there are nine outcomes.
    var tag: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    init?(tag: UInt8) {
        guard tag > 0, Int(tag) <= Self.allCases.count else { return nil }
        self = Self.allCases[Int(tag) - 1]
    }
}
