// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
package import Stores

/// The answer of `GET /admin/list`: originals in the order of their URLs.
package struct ListReport: Sendable, Codable {
    /// One page, at most `ListQuery.limit` long.
    package var originals: [ListedOriginal]
    /// The `after` of the next page; nil on the last page.
    package var next: String?
}

/// A page of the list of originals, as requested.
package struct ListQuery: Sendable {
    /// The most originals in one answer.
    package static let limit = 1_000

    /// The host, bucket, container or folder of the originals; nil for all.
    package var host: String?
    /// The page begins after this URL; empty for the first page.
    package var after: String
    /// The length of a page; `run` clamps it to 1…`limit`.
    package var count: Int

    /// By default the first 100 originals of all hosts.
    package init(host: String? = nil, after: String = "", count: Int = 100) {
        self.host = host
        self.after = after
        self.count = count
    }

    /// Reads the index, which blocks.
    /// - Throws: `AdminQuery.Mistake` for an invalid host, `IndexUnreadable` if the index cannot be read.
    package func run(on disk: DiskStore) throws -> ListReport {
        let selection = try selection
        let count = min(max(count, 1), Self.limit)
        // One original more than wanted shows that there is a next page.
        var found = try disk.list(selection, after: after, limit: count + 1)
        guard found.count > count else { return ListReport(originals: found, next: nil) }
        // Cannot trap: there is one more than wanted.
        found.removeLast()
        return ListReport(originals: found, next: found.last?.url)
    }

    /// As `run`, on a thread that may wait for the disk.
    /// - Throws: also if there is no disk cache, or it does not answer, because its contents are unknown then.
    func run(on cache: DiskCache) async throws -> ListReport {
        guard let report = await cache.performOrder({ disk in Result { try run(on: disk) } }) else {
            throw IndexUnreadable("There is no cache on disk at present.")
        }
        return try report.get()
    }

    private var selection: PurgeSelection {
        get throws(AdminQuery.Mistake) {
            guard let host else { return .all }
            do throws(PurgeBody.Mistake) {
                return try PurgeBody(host: host).order.selection
            } catch {
                throw AdminQuery.Mistake(description: error.description)
            }
        }
    }
}
