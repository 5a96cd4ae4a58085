// SPDX-License-Identifier: Apache-2.0

/// The lines of the view: the figures, one list, and a last line with the keys.
package struct TopFrame: Sendable {
    /// The size of a terminal in cells.
    package struct Size: Sendable, Hashable {
        package var width: Int
        package var height: Int

        /// Each side has at least one cell.
        package init(width: Int, height: Int) {
            self.width = min(max(width, 1), 1_000)
            self.height = min(max(height, 1), 1_000)
        }
    }

    let moment: DaemonMoment
    let stages: StageHistograms
    /// The address of the admin listener.
    let address: String

    /// - Parameter stages: the counts of the time for which percentiles are shown.
    package init(_ moment: DaemonMoment, stages: StageHistograms, address: String) {
        (self.moment, self.stages, self.address) = (moment, stages, address)
    }

    /// The complete view, of any length, for output that is not interactive.
    package func all(width: Int) -> [TopLine] {
        figures(width).long
            + TopPanel.allCases.flatMap { panel in
                let rows = panel.rows(moment, sort: 0)
                return [TopLine(width), Self.heading(panel, 0, width)]
                    + (rows.isEmpty
                        ? [TopLine("none", .faint, width: width)]
                        : rows.map { Self.line($0, isChosen: false, width) })
            }
    }

    /// Exactly as many lines as the terminal has.
    /// - Parameter trouble: why the figures are out of date; shown in place of the keys.
    package func lines(_ state: TopState, _ size: Size, trouble: String?) -> [TopLine] {
        let width = size.width
        var lines: [TopLine]
        if state.isHelp {
            lines = Self.help.map { TopLine($0, width: width) }
        } else {
            let long = figures(width).long
            lines = long.count + 8 <= size.height ? long : figures(width).short
            let room = max(size.height - lines.count - 2, 0)
            lines +=
                state.detail.map { Self.detail($0, state.scroll, room, width) } ?? list(state, room, width)
        }
        lines = Array(lines.prefix(size.height - 1))
        while lines.count < size.height - 1 { lines.append(TopLine(width)) }
        return lines + [Self.foot(state, trouble, width)]
    }

    private func figures(_ width: Int) -> TopFigures {
        TopFigures(moment: moment, stages: stages, address: address, width: width)
    }

    private func list(_ state: TopState, _ room: Int, _ width: Int) -> [TopLine] {
        let rows = state.panel.rows(moment, sort: state.sort)
        let heading = Self.heading(state.panel, state.sort, width)
        guard !rows.isEmpty else { return [heading, TopLine("none", .faint, width: width)] }
        let place = state.place(in: rows.map(\.name))
        // Scrolls so that the chosen row is visible.
        let first = max(place + 1 - room, 0)
        return [heading]
            + rows.enumerated().dropFirst(first).prefix(room).map {
                Self.line($1, isChosen: $0 == place, width)
            }
    }

    private static func heading(_ panel: TopPanel, _ sort: Int, _ width: Int) -> TopLine {
        var line = TopLine("\(panel.heading)  \(panel.title)", .title, width: width)
        line.add("  by \(panel.orders.indices.contains(sort) ? panel.orders[sort] : "")", .faint)
        return line
    }

    private static func line(_ row: TopPanel.Row, isChosen: Bool, _ width: Int) -> TopLine {
        let tone: TopLine.Tone = isChosen ? .chosen : row.isBad ? .bad : .plain
        var line = TopLine(row.figures, tone, width: width)
        line.add("  \(row.name)", tone)
        return line
    }

    private static func detail(
        _ detail: TopState.Detail, _ scroll: Int, _ room: Int, _ width: Int
    ) -> [TopLine] {
        [TopLine(detail.title, .title, width: width)]
            + (detail.lines ?? ["asking …"]).dropFirst(scroll).prefix(room).map { TopLine($0, width: width) }
    }

    private static func foot(_ state: TopState, _ trouble: String?, _ width: Int) -> TopLine {
        if let trouble { return TopLine(trouble, .bad, width: width) }
        let keys =
            state.isHelp
            ? "any key: back"
            : state.detail != nil
                ? "↑↓ scroll  Esc back  p pause  ? help"
                : "q quit  ? help  ↑↓ Enter  Tab list  s sort  p pause"
        return TopLine((state.isPaused ? "PAUSED  " : "") + keys, .faint, width: width)
    }

    private static let help = [
        "↑ ↓  k j     choose a row, or scroll", "g G          the first, the last",
        "Enter        look into an origin, a target or an error", "Esc          back to the list",
        "Tab  ← →     origins, targets, errors", "s            another order",
        "p            hold the figures", "q  Ctrl-C    quit", "",
        "Figures are of the last second. Stages are of the last looks;",
        "stage p50, p95 and p99 are read off histograms. Hits are answers",
        "from memory and disk, stale ones too.",
    ]
}
