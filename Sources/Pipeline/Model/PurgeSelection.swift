// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// The originals to purge, with everything made of them.
package enum PurgeSelection: Sendable, Hashable {
    /// The originals with this normalised URL, in all variants.
    case url(OriginalKey)
    /// Originals whose normalised URL begins so.
    case prefix(String)
    /// Originals of this host, with any scheme and port: a name in lower case and punycode, an address, or an IPv6 address in
    /// brackets. Also selects originals in a bucket, a container or a folder of this name.
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

    /// Prefixes that cover the selected keys' texts, for range queries of an index; empty for a tag.
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
    /// The selection's kind as a word, and the name that it selects, for files and for other nodes; empty for `all`.
    package var words: (kind: String, name: String) {
        switch self {
        case .url(let key): ("url", key.url)
        case .prefix(let prefix): ("prefix", prefix)
        case .host(let host): ("host", host)
        case .tag(let tag): ("tag", tag)
        case .all: ("all", "")
        }
    }

    /// Nil if `kind` is not a word that `words` returns.
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
