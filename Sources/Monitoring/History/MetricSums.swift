// SPDX-License-Identifier: Apache-2.0

internal import RequestGrammar
internal import Telemetry

// Sums over the labels that the history does not distinguish.

extension Metrics {
    /// Answers by outcome, summed over all dialects and statuses.
    var answersByOutcome: [HistorySeries: Int] {
        var sums: [HistorySeries: Int] = [:]
        for outcome in OutcomeLabel.allCases { sums[outcome.series] = sum { $0.outcome == outcome } }
        return sums
    }

    /// Answers with an error status, by the class of the status.
    var errorsByClass: [HistorySeries: Int] {
        [.clientErrors: sum { $0.status == .clientError }, .serverErrors: sum { $0.status == .serverError }]
    }

    /// Bytes of the bodies of all answers.
    var sentBytes: Int { DialectLabel.all.reduce(0) { $0 + responseBytes.value($1) } }

    /// Fetches from origins: all, and those that brought neither a picture nor a 304.
    var fetches: (all: Int, failed: Int) {
        let all = FetchResultLabel.allCases.reduce(0) { $0 + originFetches.value($1) }
        let good = originFetches.value(.complete) + originFetches.value(.notModified)
        return (all, all - good - originFetches.value(.cancelled))
    }

    /// Renditions in all formats.
    var renderings: Int { FormatLabel.allCases.reduce(0) { $0 + renders.value($1) } }

    private func sum(where isMeant: (RequestLabels) -> Bool) -> Int {
        var sum = 0
        for dialect in DialectLabel.all {
            for outcome in OutcomeLabel.allCases {
                for status in StatusClassLabel.allCases {
                    let labels = RequestLabels(dialect: dialect, outcome: outcome, status: status)
                    if isMeant(labels) { sum += requests.value(labels) }
                }
            }
        }
        return sum
    }
}

extension DialectLabel {
    fileprivate static var all: [DialectLabel] { values.indices.map(DialectLabel.init(number:)) }
}

extension OutcomeLabel {
    fileprivate var series: HistorySeries {
        switch self {
        case .memoryHit: .memoryHits
        case .diskHit: .diskHits
        case .sharedHit: .sharedHits
        case .stale: .staleAnswers
        case .revalidated: .revalidated
        case .rendered: .rendered
        case .coalesced: .coalesced
        case .negative: .negative
        case .bypassed: .bypassed
        case .refused: .refused
        case .synthetic: .syntheticAnswers
        }
    }
}
