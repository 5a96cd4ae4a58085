// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import Pipeline
internal import Recipes
internal import SourceURLs

/// Counts the entries that a purge would remove, without changing anything. Both functions block on the disk, as a purge does.
extension DiskStore {
    /// The originals that `purgeOriginals` would remove or make stale now.
    /// - Throws: if the index cannot be read.
    package func countOriginals(_ order: PurgeOrder) throws(IndexUnreadable) -> PurgedOriginals {
        var found = PurgedOriginals()
        let keys: [NameKey]
        switch order.selection {
        case .url(let key):
            let variants = try variants(of: key)
            found.keys = variants.keys
            keys = [NameKey(OriginalKey(url: key.url))] + variants.names
        case .all:
            // All bytes go, so no names need be looked up.
            found.count = catalogue.names.count
            return found
        case .prefix, .host, .tag:
            let named = try originals(of: order.selection, beside: waiting(order.selection))
            if case .tag = order.selection { found.keys = named.keys }
            keys = named.names
        }
        var names: [Digest: Int] = [:]
        for digest in keys.compactMap({ catalogue.names[$0]?.digest }) { names[digest, default: 0] += 1 }
        found.count = names.values.reduce(0, +)
        if order.isSoft { return found }
        for (digest, count) in names
        where catalogue.originals.table[digest].map({ $0.references <= count }) ?? true {
            found.orphans.insert(OriginalDigest(digest))
        }
        return found
    }

    /// The number of renditions that `purgeRenditions` would remove now.
    /// - Throws: if the index cannot be read.
    package func countRenditions(
        _ order: PurgeOrder, of found: PurgedOriginals
    ) throws(IndexUnreadable) -> Int {
        if order.isSoft { return 0 }
        if order.selection == .all { return catalogue.renditions.table.count }
        return Set(try renditions(order, of: found)).count { catalogue.renditions.table[$0] != nil }
    }
}
