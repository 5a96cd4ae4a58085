// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
internal import Monitoring

/// The recent errors and failed fetches of `GET /admin/live`. They are not a fault of the daemon, but often explain a complaint.
struct RecentTrouble: Decodable {
    let errors: [RecentErrors.Entry]
    let fetchedOrigins: [LiveReport.FetchedOrigin]

    /// The most kinds of errors, and the most origins, that are reported.
    private static let longest = 5
    /// An origin is reported if at least this share of its fetches brought no picture.
    private static let notable = 0.05

    /// One sentence for each kind of error and each origin.
    var remarks: [String] { errorRemarks + originRemarks }

    private struct Kind: Hashable {
        let status: Int
        let error: String
    }

    private var errorRemarks: [String] {
        let kinds = Dictionary(grouping: errors) {
            Kind(status: $0.status, error: $0.error ?? "without a code")
        }
        let counted = kinds.map { kind, mistakes in
            (kind, count: mistakes.reduce(0) { $0 + $1.count }, last: mistakes.max { $0.time < $1.time })
        }
        let sorted = counted.sorted { ($0.count, $0.last?.time ?? 0) > ($1.count, $1.last?.time ?? 0) }
        return sorted.prefix(Self.longest).map { kind, count, last in
            "Of late \(count) × \(kind.status) \(kind.error), the last for \((last?.target ?? "").debugDescription)."
        }
    }

    private var originRemarks: [String] {
        let failing = fetchedOrigins.filter { $0.failed >= Self.notable }
        return failing.prefix(Self.longest).map { origin in
            "The origin \(origin.origin) left \(Int((origin.failed * 100).rounded(), within: 0...100)) % of its last fetches without a picture; "
                + "one took \(origin.milliseconds) ms on average."
        }
    }
}

extension Int {
    fileprivate init(_ value: Double, within range: ClosedRange<Int>) {
        // Pictor's daemon never sends NaN or a number out of the range.
        self =
            Int(exactly: value).map { Swift.min(Swift.max($0, range.lowerBound), range.upperBound) }
            ?? range.upperBound
    }
}
