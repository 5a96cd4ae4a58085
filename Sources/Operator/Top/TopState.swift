// SPDX-License-Identifier: Apache-2.0
//
//     list ── Enter ─▶ detail ── Escape, Enter, q ─▶ list
//       └──── ? ────▶ help ──── any key ──────────▶ list

/// The state of the view, which keys change.
package struct TopState: Sendable {
    /// What a key requests beyond a change of this state.
    package enum Action: Sendable, Hashable {
        case none, quit
        /// Show the details of the chosen row.
        case look(TopPanel, String)
    }

    /// The details of one row.
    package struct Detail: Sendable {
        /// The row's name.
        package var title: String
        /// The details as received; nil while they are being asked for.
        package var lines: [String]?

        /// Takes lines for a title.
        package init(title: String, lines: [String]?) {
            self.title = title
            self.lines = lines
        }
    }

    package private(set) var panel = TopPanel.origins
    /// For each panel, an index in its `orders`.
    private(set) var sorts: [TopPanel: Int] = [:]
    /// The name of the chosen row, so that the row stays chosen when the order changes.
    package private(set) var chosen: String?
    package private(set) var isPaused = false
    package private(set) var isHelp = false
    package private(set) var detail: Detail?
    /// The first line of the details that is shown.
    package private(set) var scroll = 0

    /// Begins with the list of origins.
    package init() {}

    /// The sort order of the present panel, as an index in its `orders`.
    package var sort: Int { sorts[panel] ?? 0 }

    /// The index of the chosen row; 0 if it is gone.
    package func place(in names: [String]) -> Int { names.firstIndex { $0 == chosen } ?? 0 }

    /// - Parameter names: the names of the panel's rows, in their order.
    package mutating func press(_ key: TopKey, names: [String]) -> Action {
        if isHelp {
            isHelp = false
            return .none
        }
        if detail != nil { return pressInDetail(key) }
        switch key {
        case .quit: return .quit
        case .help: isHelp = true
        case .pause: isPaused.toggle()
        case .sort: sorts[panel] = (sort + 1) % max(panel.orders.count, 1)
        case .nextPanel, .lastPanel:
            panel = panel.neighbour(key == .nextPanel ? 1 : -1)
            chosen = nil
        case .up: choose(place(in: names) - 1, names)
        case .down: choose(place(in: names) + 1, names)
        case .top: choose(0, names)
        case .bottom: choose(names.count - 1, names)
        case .back, .other: break
        case .look:
            choose(place(in: names), names)
            guard let chosen else { break }
            (detail, scroll) = (Detail(title: chosen), 0)
            return .look(panel, chosen)
        }
        return .none
    }

    /// Shows the details that `look` requested, unless something else is shown by now.
    package mutating func show(_ lines: [String], of title: String) {
        if detail?.title == title { detail?.lines = lines }
    }

    private mutating func choose(_ place: Int, _ names: [String]) {
        chosen = names.isEmpty ? nil : names[min(max(place, 0), names.count - 1)]
    }

    private mutating func pressInDetail(_ key: TopKey) -> Action {
        let last = max((detail?.lines?.count ?? 1) - 1, 0)
        switch key {
        case .up: scroll = max(scroll - 1, 0)
        case .down: scroll = min(scroll + 1, last)
        case .top: scroll = 0
        case .bottom: scroll = last
        case .pause: isPaused.toggle()
        case .help: isHelp = true
        case .quit, .back, .look: detail = nil
        case .sort, .nextPanel, .lastPanel, .other: break
        }
        return .none
    }
}

extension TopState.Detail {
    fileprivate init(title: String) { self.init(title: title, lines: nil) }
}
