// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

extension Pipeline {
    /// Forgets originals that may hold another URL's answer, with their ready answers and remembered failures. Once this returns none
    /// of them is served, and nothing made of them meanwhile is kept (see `PurgeLog`).
    ///
    /// Their bytes stay if another original has the same bytes, and renditions stay: both are found by the bytes alone, and so are
    /// right for every URL that leads to these bytes. So an origin that answers with another URL's picture does not remove that
    /// URL's.
    /// - Throws: if a restart may bring some back. The originals are forgotten as far as possible then.
    package func forget(doubtful keys: Set<OriginalKey>) async throws(IndexUnreadable) {
        let urls = Set(keys.map(\.url))
        let number = purges.open(urls)
        // Selected by URL, because a fetch's key holds more than its original's key (`PipelineRequest.fetchKey`).
        _ = originals.closeToJoiners { urls.contains($0.original.url) }
        await purges.settle()
        var failure: IndexUnreadable?
        do throws(IndexUnreadable) { try await cache.forget(doubtful: keys) } catch { failure = error }
        purges.close(number, keys: [])
        await purges.settle()
        cache.forgetAnswers(of: keys)
        _ = failures.forget { key, _ in keys.contains(key) }
        if let failure { throw failure }
    }
}
