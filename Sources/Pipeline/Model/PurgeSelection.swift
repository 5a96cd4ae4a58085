// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Recipes
package import SourceURLs

/// The originals to purge, with everything made of them.
package enum PurgeSelection: Sendable, Hashable {
    /// The originals with this normalised URL, of whatever variant.
    case url(OriginalKey)
    /// Originals whose normalised URL begins so.
    case prefix(String)
    /// Originals of this host, with any scheme and port: a name in lower case and punycode, an address, or an
    /// IPv6 address in brackets. What is in a bucket, a container or a folder of this name is meant as well.
    case host(String)
    /// Originals with this tag from their origin (`Cache-Tag`, `Surrogate-Key`).
    case tag(String)
    case all

    /// True if the URL alone selects the original; false for a tag.
    package func matches(_ key: OriginalKey) -> Bool {
        switch self {
        case .url(let wanted): key.url == wanted.url
        case .prefix(let prefix): key.url.utf8.starts(with: prefix.utf8)
        case .host: prefixes.contains { key.url.utf8.starts(with: $0.utf8) }
        case .tag: false
        case .all: true
        }
    }

    /// True if the URL or one of the tags selects the original.
    package func matches(_ key: OriginalKey, tags: [String]) -> Bool {
        if case .tag(let tag) = self { tags.contains(tag) } else { matches(key) }
    }

    /// Prefixes of the selected keys' texts, for range queries of an index; empty for a tag.
    package var prefixes: [String] {
        switch self {
        case .url(let key): [key.url]
        case .prefix(let prefix): [prefix]
        case .host(let host):
            ["http://\(host)/", "http://\(host):", "https://\(host)/", "https://\(host):"]
                + [SourceURL.Scheme.file, .s3, .azure].map { "\($0.rawValue)://\(host)/" }
        case .tag: []
        case .all: [""]
        }
    }
}

// MARK: As text

extension PurgeSelection {
    /// The selection's kind, as a word, and what it names, for files and for other nodes; `all` names nothing.
    package var words: (kind: String, name: String) {
        switch self {
        case .url(let key): ("url", key.url)
        case .prefix(let prefix): ("prefix", prefix)
        case .host(let host): ("host", host)
        case .tag(let tag): ("tag", tag)
        case .all: ("all", "")
        }
    }

    /// Nil for a kind that `words` does not write.
    package init?(kind: some StringProtocol, name: String) {
        switch kind {
        case "url": self = .url(OriginalKey(url: name))
        case "prefix": self = .prefix(name)
        case "host": self = .host(name)
        case "tag": self = .tag(name)
        case "all": self = .all
        default: return nil
        }
    }
}

/// A purge as requested.
package struct PurgeOrder: Sendable, Hashable {
    /// The originals to purge.
    package var selection: PurgeSelection
    /// True to delete nothing: held originals are stale from now on, and revalidated before they are served
    /// as fresh again.
    package var isSoft: Bool
    /// When it was ordered; nil = now. Objects that other nodes wrote into a shared store before that count as purged, and
    /// originals are stale from then on.
    package var time: Timestamp?
    /// When the fleet's Redis took it, by its clock; nil for an order of this node.
    package var announced: Timestamp?
    /// True for another node's order: what is to be deleted in a shared store is deleted by that node.
    package var isRelayed = false
    /// True for a soft one after which nothing is served before its origin has confirmed it.
    package var isStrict = false

    /// Hard by default.
    package init(_ selection: PurgeSelection, isSoft: Bool = false) {
        self.selection = selection
        self.isSoft = isSoft
    }
}

/// The cache cannot tell its contents, so a purge cannot promise that a picture is gone.
package struct IndexUnreadable: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for operators.
    package let description: String
    /// True if all is out of the caches, and only a restart may bring it back: the disk does not take that it is gone.
    package let isCarriedOut: Bool

    /// Takes a sentence for operators.
    package init(_ description: String, isCarriedOut: Bool = false) {
        self.description = description
        self.isCarriedOut = isCarriedOut
    }
}

/// The numbers of a purge: things removed, or made stale.
package struct PurgeResult: Sendable, Hashable {
    /// Originals, by URL.
    package var originals = 0
    /// Renditions on disk.
    package var renditions = 0
    /// Ready answers in memory.
    package var answers = 0
    /// Remembered failures.
    package var failures = 0
    /// Fetches under way that can no longer be joined, and whose result is not kept.
    package var fetches = 0

    /// Nothing purged.
    package init() {}
}

/// The originals that a cache removed, or made stale, for a purge.
package struct PurgedOriginals: Sendable, Hashable {
    /// Originals, by URL.
    package var count = 0
    /// Keys of the originals with the tag, and of the variants of a URL; empty for other selections. All but tags match keys
    /// by themselves.
    package var keys: Set<OriginalKey> = []
    /// Keys of the originals of a host or with a prefix; empty for other selections.
    package var matched: Set<OriginalKey> = []
    /// Digests of bytes to which no original refers any more.
    package var orphans: Set<OriginalDigest> = []
    /// Why variants of the URL may be left, or a restart may bring something back. Thrown once what is known to be gone is
    /// gone everywhere.
    package var failure: IndexUnreadable?

    /// Nothing purged.
    package init() {}

    /// True for an original that the order meant: by its URL, by its tags, or by what the cache knew of it.
    package func include(_ key: OriginalKey, tags: [String] = [], of order: PurgeOrder) -> Bool {
        order.selection.matches(key, tags: tags) || keys.contains(key)
    }
}
