// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar

/// The dialect of a request's URL; `other` if no dialect has read it, because the path is another one or the request was refused
/// before.
package struct DialectLabel: LabelSet, Hashable {
    package static let name = "dialect"
    /// Indexed by the dialect's number.
    package static let values = ["other"] + DialectName.allCases.map(\.rawValue)
    package static let names = [name]
    package static let count = values.count

    /// The index in `values`; 0 stands for `other`.
    package let index: Int

    package init(_ dialect: DialectName?) {
        index = dialect.flatMap(DialectName.allCases.firstIndex).map { $0 + 1 } ?? 0
    }

    /// A number without a dialect becomes `other`.
    package init(number: Int) { index = Self.values.indices.contains(number) ? number : 0 }

    // Cannot trap: both initialisers make sure that the index exists.
    package var value: String { Self.values[index] }

    package static func values(at index: Int) -> [String] { [DialectLabel(number: index).value] }
}

/// The outcome of an answer, named as in the log and in `Cache-Status`.
package enum OutcomeLabel: Int, Label {
    case memoryHit, diskHit, sharedHit, stale, revalidated, rendered, coalesced, negative, bypassed, refused
    case synthetic
    package static var name: String { "outcome" }
}

/// The class of a status: 2xx, 3xx, 4xx, 5xx.
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

    /// Informational answers are not counted; any other status outside 200…499 counts as 5xx.
    package init(status: Int) {
        switch status {
        case 200...299: self = .success
        case 300...399: self = .redirection
        case 400...499: self = .clientError
        default: self = .serverError
        }
    }
}

/// The decoder that decoded and resized a JPEG.
package enum LaneLabel: Int, Label {
    case planar, libvips
    package static var name: String { "lane" }
}

/// The labels under which a request is counted.
package struct RequestLabels: LabelSet, Hashable {
    /// The dialect of its URL.
    package var dialect: DialectLabel
    /// The outcome of its answer.
    package var outcome: OutcomeLabel
    /// The class of its status.
    package var status: StatusClassLabel

    /// Takes one combination.
    package init(dialect: DialectLabel, outcome: OutcomeLabel, status: StatusClassLabel) {
        self.dialect = dialect
        self.outcome = outcome
        self.status = status
    }

    package static var names: [String] { [DialectLabel.name, OutcomeLabel.name, StatusClassLabel.name] }
    package static var count: Int { DialectLabel.count * outcomes * statuses }

    /// Stored properties, because `allCases` allocates an array and every request needs `index`.
    private static let outcomes = OutcomeLabel.count
    private static let statuses = StatusClassLabel.count

    package var index: Int {
        (dialect.index * Self.outcomes + outcome.rawValue) * Self.statuses + status.rawValue
    }

    package static func values(at index: Int) -> [String] {
        let (rest, status) = index.quotientAndRemainder(dividingBy: statuses)
        let (dialect, outcome) = rest.quotientAndRemainder(dividingBy: outcomes)
        return DialectLabel.values(at: dialect) + OutcomeLabel.values(at: outcome)
            + StatusClassLabel.values(at: status)
    }
}

/// A stage of a request.
package enum StageLabel: Int, Label {
    case cache, origin, inspect, queue, decode, encode
    package static var name: String { "stage" }
}

/// The result of a fetch from an origin.
package enum FetchResultLabel: Int, Label {
    case complete, notModified, clientError, serverError, refused, unresolved, unreachable, timeout
    case tooLarge, broken, overloaded, cancelled
    package static var name: String { "result" }
}

/// The format of a rendition, or of the original that a rendition describes (`output=json`). `other` stands for formats that
/// Pictor reads but does not write.
package enum FormatLabel: Int, Label {
    case jpeg, png, webp, avif, gif, tiff, jxl, svg, other
    package static var name: String { "format" }
}

/// The limit that a client has exceeded.
package enum LimitLabel: Int, Label {
    case requests, misses
    package static var name: String { "limit" }
}
