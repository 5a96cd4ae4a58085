// SPDX-License-Identifier: Apache-2.0

/// How long one request spent in each stage, in microseconds; nil for a stage that it did not go through.
package struct StageTimes: Sendable, Hashable {
    /// One lane a stage, −1 for none; more than half an hour is written as that.
    private var lanes = SIMD8<Int32>(repeating: -1)

    package init() {}

    package subscript(stage: StageLabel) -> Int? {
        get { lanes[stage.rawValue] < 0 ? nil : Int(lanes[stage.rawValue]) }
        set { lanes[stage.rawValue] = newValue.map { Int32(clamping: max($0, 0)) } ?? -1 }
    }

    /// The `Server-Timing` value, in milliseconds: https://www.w3.org/TR/server-timing/. Empty without any
    /// stage.
    package var serverTiming: String {
        StageLabel.allCases.compactMap { stage in
            self[stage].map { "\(stage.value);dur=\($0 / 1000).\(String(1000 + $0 % 1000).dropFirst())" }
        }
        .joined(separator: ", ")
    }
}

extension Metrics {
    /// Records every stage that the request went through.
    package func record(_ times: StageTimes) {
        for stage in StageLabel.allCases {
            if let duration = times[stage] { stages.record(stage, microseconds: duration) }
        }
    }
}
