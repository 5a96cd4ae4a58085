// SPDX-License-Identifier: Apache-2.0

package import Recipes
package import SourceURLs

/// Which originals are to go, with everything that was made of them.
package enum PurgeSelection: Sendable, Hashable {
    /// The one with this normalised URL.
    case url(OriginalKey)
    /// Those whose normalised URL begins so.
    case prefix(String)
    /// Those of this host, of any scheme and port: a name in lower case and punycode, an address, an IPv6
    /// address in brackets.
    case host(String)
    /// Those whose origin gave them this tag (`Cache-Tag`, `Surrogate-Key`).
    case tag(String)
    case all

    /// Decided by the URL alone, so false for a tag.
    package func matches(_ key: OriginalKey) -> Bool {
        switch self {
        case .url(let wanted): key == wanted
        case .prefix(let prefix): key.url.utf8.starts(with: prefix.utf8)
        case .host: prefixes.contains { key.url.utf8.starts(with: $0.utf8) }
        case .tag: false
        case .all: true
        }
    }

    package func matches(_ key: OriginalKey, tags: [String]) -> Bool {
        if case .tag(let tag) = self { tags.contains(tag) } else { matches(key) }
    }

    /// The beginnings of the selected URLs; none for a tag. An index over the URLs finds them by ranges.
    package var prefixes: [String] {
        switch self {
        case .url(let key): [key.url]
        case .prefix(let prefix): [prefix]
        case .host(let host): ["http://\(host)/", "http://\(host):", "https://\(host)/", "https://\(host):"]
        case .tag: []
        case .all: [""]
        }
    }
}

/// A purge as it was asked for.
package struct PurgeOrder: Sendable, Hashable {
    package var selection: PurgeSelection
    /// Nothing is deleted: held originals are stale from now on, and are revalidated before they are served as fresh again.
    package var isSoft: Bool

    package init(_ selection: PurgeSelection, isSoft: Bool = false) {
        self.selection = selection
        self.isSoft = isSoft
    }
}

/// The cache cannot tell its contents, so a purge cannot promise that a picture is gone.
package struct IndexUnreadable: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The numbers of a purge: things that it took away or made stale.
package struct PurgeResult: Sendable, Hashable {
    package var originals = 0
    /// On disk.
    package var renditions = 0
    /// Ready answers in memory.
    package var answers = 0
    /// Remembered failures.
    package var failures = 0
    /// Fetches under way that nobody joins any more and whose result is not kept.
    package var fetches = 0

    package init() {}
}

/// The originals that a cache gave up, or made stale, for a purge.
package struct PurgedOriginals: Sendable, Hashable {
    package var count = 0
    /// The originals with the tag. Other selections tell the originals by themselves.
    package var keys: Set<OriginalKey> = []
    /// Of bytes that no original refers to any more.
    package var orphans: Set<OriginalDigest> = []

    package init() {}
}
