// SPDX-License-Identifier: Apache-2.0

/// The purges of single URLs, on the clock of `PurgeLog`. Stored by URL, so that work looks only at the purges of its own URL.
struct URLPurges: Sendable {
    /// The purges of one URL.
    private struct Entry {
        /// The number of purges under way.
        var open = 0
        /// When the last one closed; 0 for none.
        var closedAt = 0
    }

    private let limit: Int
    private var entries: [String: Entry] = [:]
    /// The URLs of each purge under way, by the purge's number.
    private var open: [Int: Set<String>] = [:]

    /// - Parameter limit: URLs that are remembered. URLs whose purges are under way are kept beyond it.
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

    /// True if a purge of the URL is under way, or closed after `number`.
    func isPurged(_ url: String, since number: Int) -> Bool {
        guard let entry = entries[url] else { return false }
        return entry.open > 0 || number < entry.closedAt
    }

    /// If there are more URLs than the limit, forgets the excess and a tenth of the limit, the oldest first, so that not each purge
    /// sorts the entries.
    /// - Returns: when the last of the forgotten purges closed; nil if none was forgotten.
    mutating func forgetOldest() -> Int? {
        guard entries.count > limit else { return nil }
        let closed = entries.filter { $0.value.open == 0 }.sorted { $0.value.closedAt < $1.value.closedAt }
        let forgotten = closed.prefix(entries.count - limit + limit / 10)
        for (url, _) in forgotten { entries[url] = nil }
        return forgotten.last?.value.closedAt
    }
}
