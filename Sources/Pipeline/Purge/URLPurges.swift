// SPDX-License-Identifier: Apache-2.0

/// The purges of URLs by these, on the clock of `PurgeLog`: however many there are, work looks at those of its own.
struct URLPurges: Sendable {
    /// The purges of one URL.
    private struct Entry {
        /// Those that are under way.
        var open = 0
        /// When the last one closed; 0 for none.
        var closedAt = 0
    }

    private let limit: Int
    private var entries: [String: Entry] = [:]
    /// The URLs of the purges that are under way, by number.
    private var open: [Int: Set<String>] = [:]

    /// - Parameter limit: URLs. Some stay beyond it while their purges are under way.
    init(limit: Int) { self.limit = limit }

    mutating func open(_ number: Int, of urls: Set<String>) {
        open[number] = urls
        for url in urls { entries[url, default: Entry()].open += 1 }
    }

    /// - Returns: false if no purge of URLs with this number is under way.
    mutating func close(_ number: Int, at clock: Int) -> Bool {
        guard let urls = open.removeValue(forKey: number) else { return false }
        for url in urls {
            entries[url]?.open -= 1
            entries[url]?.closedAt = clock
        }
        return true
    }

    /// True if a purge of the URL was under way since `number`.
    func isPurged(_ url: String, since number: Int) -> Bool {
        guard let entry = entries[url] else { return false }
        return entry.open > 0 || number < entry.closedAt
    }

    /// Forgets a tenth, the oldest, where there are more than the limit: not each purge is to sort them.
    /// - Returns: when the last of those closed; nil if none was forgotten.
    mutating func forgetOldest() -> Int? {
        guard entries.count > limit else { return nil }
        let closed = entries.filter { $0.value.open == 0 }.sorted { $0.value.closedAt < $1.value.closedAt }
        let forgotten = closed.prefix(entries.count - limit + limit / 10)
        for (url, _) in forgotten { entries[url] = nil }
        return forgotten.last?.value.closedAt
    }
}
