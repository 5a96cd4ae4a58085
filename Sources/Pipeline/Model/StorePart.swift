// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching

/// The result of a look into the shared store.
package enum LookResult<Found: Sendable>: Sendable {
    case found(Found)
    /// The store has none, or none that is of use.
    case absent
    /// The store failed, did not answer in time, or was not asked because it fails repeatedly.
    case silent

    /// What was found; nil for none.
    package var found: Found? {
        if case .found(let found) = self { found } else { nil }
    }

    /// The word for this look in `Cache-Status`, if the origin was asked after it.
    var word: StorePart.Word {
        if case .silent = self { .silent } else { .absent }
    }
}

/// The shared store's part in an answer: the store gave the original or the rendition, or the origin was asked because the store did
/// not. If this node made the answer from an original that it held, the answer has no part of the store, even if a look there was in
/// vain.
package struct StorePart: Sendable, Hashable {
    package enum Word: Sendable, Hashable {
        /// The store had the original or the rendition; this node asked it for the given reason. The origin was not asked.
        case hit(for: CacheStatus.Forward)
        /// The store had the rendition. The origin was asked for the original; the store was passed by for the given reason.
        case rendition(past: CacheStatus.Forward)
        /// The store's original was past its lifetime.
        case stale
        case absent
        /// The origin was asked while the store was late, and gave the original.
        case late
        /// The store did not answer.
        case silent
    }

    /// The store's part.
    package var word: Word
    /// True if the request shared another request's look (RFC 9211 §2.6).
    package var isCollapsed: Bool
    /// False if this node's disk cache refused what the store gave (RFC 9211 §2.5).
    package var isStored = true

    /// By default not collapsed.
    package init(_ word: Word, isCollapsed: Bool = false) {
        (self.word, self.isCollapsed) = (word, isCollapsed)
    }

    /// Why this node asked the store; nil if the store had nothing of use.
    package var reason: CacheStatus.Forward? {
        if case .hit(let reason) = word { reason } else { nil }
    }

    /// Why the origin was asked instead of the store; nil if it was not asked.
    var passed: CacheStatus.Forward? {
        if case .forwarded(let reason) = status.handling { reason } else { nil }
    }

    /// The store's member of `Cache-Status`. A store that did not answer counts as bypassed. An answer for which the origin was asked
    /// is no hit (RFC 9211 §2.1).
    package var status: CacheStatus {
        switch word {
        case .hit: CacheStatus(.hit, of: .store)
        case .rendition(let reason): CacheStatus(.forwarded(reason), of: .store, detail: "rendition")
        case .stale: CacheStatus(.forwarded(.stale), of: .store)
        // Also if the store's original is no newer than the one that this node holds.
        case .absent: CacheStatus(.forwarded(.miss), of: .store)
        case .late: CacheStatus(.forwarded(.bypass), of: .store, detail: "late")
        case .silent: CacheStatus(.forwarded(.bypass), of: .store, detail: "silent")
        }
    }
}
