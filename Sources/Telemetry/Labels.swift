// SPDX-License-Identifier: Apache-2.0

/// The language of a request's URL; `other` where no dialect has read it: another path, or a request that was refused
/// before its URL was read.
package enum DialectLabel: Int, Label {
    case other, native, weserv, next
    package static var name: String { "dialect" }

    /// Spelled out, because the access log writes it for every request.
    package var value: String {
        switch self {
        case .other: "other"
        case .native: "native"
        case .weserv: "weserv"
        case .next: "next"
        }
    }
}

/// How an answer came about, in the words of the log and of `Cache-Status`.
package enum OutcomeLabel: Int, Label {
    case memoryHit, diskHit, stale, revalidated, rendered, coalesced, negative, bypassed, refused
    package static var name: String { "outcome" }
}

/// 2xx, 3xx, 4xx, 5xx.
package enum StatusClassLabel: Int, Label {
    case success, redirection, clientError, serverError
    package static var name: String { "status" }

    package var value: String {
        switch self {
        case .success: "2xx"
        case .redirection: "3xx"
        case .clientError: "4xx"
        case .serverError: "5xx"
        }
    }

    /// Informational answers are not counted; anything else outside 200…499 is the server's fault.
    package init(status: Int) {
        switch status {
        case 200...299: self = .success
        case 300...399: self = .redirection
        case 400...499: self = .clientError
        default: self = .serverError
        }
    }
}

/// Who decoded and resized a JPEG.
package enum LaneLabel: Int, Label {
    case planar, libvips
    package static var name: String { "lane" }
}

/// What a request is counted under.
package struct RequestLabels: LabelSet, Hashable {
    package var dialect: DialectLabel
    package var outcome: OutcomeLabel
    package var status: StatusClassLabel

    package init(dialect: DialectLabel, outcome: OutcomeLabel, status: StatusClassLabel) {
        self.dialect = dialect
        self.outcome = outcome
        self.status = status
    }

    package static var names: [String] { [DialectLabel.name, OutcomeLabel.name, StatusClassLabel.name] }
    package static var count: Int { DialectLabel.count * outcomes * statuses }

    /// Counted once: `allCases` makes an array, and `index` is asked for on every request.
    private static let outcomes = OutcomeLabel.count
    private static let statuses = StatusClassLabel.count

    package var index: Int {
        (dialect.rawValue * Self.outcomes + outcome.rawValue) * Self.statuses + status.rawValue
    }

    package static func values(at index: Int) -> [String] {
        let (rest, status) = index.quotientAndRemainder(dividingBy: statuses)
        let (dialect, outcome) = rest.quotientAndRemainder(dividingBy: outcomes)
        return DialectLabel.values(at: dialect) + OutcomeLabel.values(at: outcome)
            + StatusClassLabel.values(at: status)
    }
}

/// A part of the way of a request; `total` is from the request's last byte to the answer's first.
package enum StageLabel: Int, Label {
    case cache, origin, inspect, queue, decode, encode, total
    package static var name: String { "stage" }
}

/// How a fetch from an origin ended.
package enum FetchResultLabel: Int, Label {
    case complete, notModified, clientError, serverError, refused, unresolved, unreachable, timeout
    case tooLarge, broken, overloaded, cancelled
    package static var name: String { "result" }
}

/// A format that is written.
package enum FormatLabel: Int, Label {
    case jpeg, png, webp, avif, gif, other
    package static var name: String { "format" }
}

/// What a client asked for once too often.
package enum LimitLabel: Int, Label {
    case requests, misses
    package static var name: String { "limit" }
}
