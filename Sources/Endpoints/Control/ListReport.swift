// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
package import Stores

/// Originals in the order of their URLs.
package struct ListReport: Sendable, Codable {
    package var originals: [ListedOriginal]
    /// There are more: to be asked for next, as `after`.
    package var next: String?
}

/// Which ones.
package struct ListQuery: Sendable {
    /// The most that one answer holds.
    package static let limit = 1_000

    /// Nil: of all.
    package var host: String?
    package var after: String
    package var count: Int

    package init(host: String? = nil, after: String = "", count: Int = 100) {
        self.host = host
        self.after = after
        self.count = count
    }

    package func run(on disk: DiskStore) throws -> ListReport {
        let selection = try host.map { try PurgeBody(host: $0).order.selection } ?? .all
        let count = min(max(count, 1), Self.limit)
        // One more than wanted tells whether there are more.
        var found = try disk.list(selection, after: after, limit: count + 1)
        guard found.count > count else { return ListReport(originals: found, next: nil) }
        // Cannot trap: there is one more than wanted.
        found.removeLast()
        return ListReport(originals: found, next: found.last?.url)
    }
}
