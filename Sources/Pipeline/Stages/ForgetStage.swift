// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

extension Pipeline {
    /// Forgets originals whose answers may be other URLs', with their ready answers and remembered failures. Once this returns
    /// none of them is served, and nothing of them that was under way meanwhile is kept (see `PurgeLog`).
    ///
    /// Their bytes stay where another original has the same, and renditions stay: both are found by the bytes alone, and are
    /// right for whatever URL leads to these. So an origin that answers with another's picture takes nothing from that one.
    /// - Throws: if a restart may bring some back. All is carried out as far as it can be.
    package func forget(doubtful keys: Set<OriginalKey>) async throws(IndexUnreadable) {
        let urls = Set(keys.map(\.url))
        let number = purges.open(urls)
        // By their URLs, because the key of a fetch has more than that of its original (`PipelineRequest.fetchKey`).
        _ = originals.closeToJoiners { urls.contains($0.url) }
        await purges.settle()
        var failure: IndexUnreadable?
        do throws(IndexUnreadable) { try await cache.forget(doubtful: keys) } catch { failure = error }
        purges.close(number, keys: [])
        await purges.settle()
        cache.forgetAnswers(of: keys)
        _ = failures.forget { keys.contains($0) }
        if let failure { throw failure }
    }
}
