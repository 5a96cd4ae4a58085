// SPDX-License-Identifier: Apache-2.0
//
//   u/<SHA-256 of the key's text>          an entry: whose bytes the URL has, for how long, and by which validators; and
//                                          these bytes, if they are few
//   o/<digest>                             an original's bytes, if they are many
//   r/<digest of the original>/<key>       a rendition
//
// An entry is rewritten at each 304, including its bytes. The two others are named by their contents, so writing one again
// changes nothing, and two nodes cannot disagree. Lifetime rules of a bucket can distinguish the three by their first letter.

internal import Bytes
internal import Hashing
internal import Recipes
internal import SourceURLs

/// The kinds of objects in the shared store. The numbers are in the objects.
package enum ObjectKind: UInt8, Sendable, Hashable, CaseIterable {
    case entry = 1
    case original = 2
    case rendition = 3
}

/// The name of an object in the shared store, below the settings' prefix.
struct ObjectName: Sendable, Hashable {
    let kind: ObjectKind
    /// The name, which has only letters, digits and slashes.
    let text: String

    private init(_ kind: ObjectKind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// The name of a URL's entry.
    static func entry(_ key: OriginalKey) -> ObjectName {
        ObjectName(.entry, "u/\(SHA256.digest(of: key.text.utf8).hex)")
    }

    static func original(_ digest: OriginalDigest) -> ObjectName {
        ObjectName(.original, "o/\(digest.digest.hex)")
    }

    static func rendition(_ key: RenditionKey, of original: OriginalDigest) -> ObjectName {
        ObjectName(.rendition, folder(of: original) + key.digest.hex)
    }

    /// The beginning of the names of all renditions made from these bytes.
    static func folder(of original: OriginalDigest) -> String { "r/\(original.digest.hex)/" }
}
