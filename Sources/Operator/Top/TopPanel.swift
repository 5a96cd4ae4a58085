// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
internal import Monitoring

/// One of the lists below the figures.
package enum TopPanel: Sendable, Hashable, CaseIterable {
    case origins, targets, errors

    /// A line of the list.
    package struct Row: Sendable {
        /// The origin, the target or the error's target, as the daemon reports it.
        package var name: String
        /// The figures, shown on the left.
        package var figures: String
        /// True if the row shows something wrong.
        package var isBad: Bool
    }

    /// The names of the sort orders that the key `s` cycles through.
    package var orders: [String] {
        switch self {
        case .origins: ["failures", "time", "fetches"]
        case .targets: ["requests", "bytes"]
        case .errors: ["latest", "count"]
        }
    }

    var title: String {
        switch self {
        case .origins: "ORIGINS"
        case .targets: "TARGETS"
        case .errors: "ERRORS"
        }
    }

    /// The headings of the figures, with the same width.
    var heading: String {
        switch self {
        case .origins: "failed  fetches      mean  state"
        case .targets: "requests    bytes"
        case .errors: "status  count  code"
        }
    }

    /// The next or previous panel; after the last comes the first.
    func neighbour(_ step: Int) -> TopPanel {
        let all = Self.allCases
        let place = (all.firstIndex(of: self) ?? 0) + step + all.count
        // Cannot trap: there are three panels.
        return all[place % all.count]
    }

    /// - Parameter sort: an index in `orders`.
    package func rows(_ moment: DaemonMoment, sort: Int) -> [Row] {
        switch self {
        case .origins: Self.origins(moment, sort)
        case .targets:
            moment.targets.sorted { sort == 1 ? $0.byteShare > $1.byteShare : $0.share > $1.share }.map {
                Row(
                    name: $0.target,
                    figures: CellText.right(Quantity.percent($0.share), 8)
                        + CellText.right(Quantity.percent($0.byteShare), 9), isBad: false)
            }
        case .errors:
            moment.errors.sorted { sort == 1 ? $0.count > $1.count : $0.time > $1.time }.map {
                Row(
                    name: $0.target,
                    figures: CellText.right("\($0.status)", 6) + CellText.right("\($0.count)", 7)
                        + "  \(CellText.cut($0.error ?? $0.outcome, 24))", isBad: $0.status >= 500)
            }
        }
    }

    /// Origins that rest, and origins from which pictures were fetched.
    private static func origins(_ moment: DaemonMoment, _ sort: Int) -> [Row] {
        let states = Dictionary(moment.origins.map { ($0.origin, $0) }) { first, _ in first }
        let known = Set(moment.fetchedOrigins.map(\.origin))
        let silent = moment.origins.filter { !known.contains($0.origin) }.map {
            Row(name: $0.origin, figures: figures(nil, $0), isBad: true)
        }
        let fetched = moment.fetchedOrigins.sorted {
            switch sort {
            case 1: $0.milliseconds > $1.milliseconds
            case 2: $0.fetches > $1.fetches
            default: ($0.failed * $0.fetches, $0.milliseconds) > ($1.failed * $1.fetches, $1.milliseconds)
            }
        }
        return silent
            + fetched.map {
                let state = states[$0.origin]
                return Row(
                    name: $0.origin, figures: figures($0, state),
                    isBad: $0.failed >= 0.1 || state.map { $0.state != "closed" } ?? false)
            }
    }

    private static func figures(_ origin: LiveReport.FetchedOrigin?, _ state: OriginReport?) -> String {
        let state = state.map { $0.retryAfter > 0 ? "\($0.state) \($0.retryAfter) s" : $0.state } ?? "closed"
        let figures =
            origin.map {
                CellText.right(Quantity.percent($0.failed), 6)
                    + CellText.right(Quantity.number($0.fetches), 9)
                    + CellText.right(Quantity.time(microseconds: Double($0.milliseconds) * 1e3), 10)
            } ?? CellText.right("–", 6) + CellText.right("–", 9) + CellText.right("–", 10)
        return figures + "  " + CellText.cut(state, 14)
    }
}
