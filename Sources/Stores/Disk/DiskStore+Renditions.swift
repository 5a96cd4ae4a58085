// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Glibc
package import Kernel
package import Pipeline
package import Recipes
internal import SourceURLs

extension DiskStore {
    /// The rendition of a key, from memory; nil if it is not held. Makes the rendition the most recently used.
    package func rendition(_ key: RenditionKey) -> Rendition? {
        touch(key.digest).map { Rendition($0) }
    }

    /// As `openRendition`, if the kernel has the file in memory and it is short; nil if that is not so, if it cannot be told
    /// without waiting, or if there is no rendition. Does not block: at most 64 KiB are hashed.
    /// - Parameter copying: a body of up to so many bytes is returned as a copy, so that its file need not be read again.
    package func openCachedRendition(
        _ key: RenditionKey, copying: Int = 0
    ) -> (rendition: Rendition, body: Body)? {
        guard let entry = touch(key.digest),
            let body = catalogue.renditions.openCached(entry, copying: copying)
        else { return nil }
        return (Rendition(entry), body)
    }

    /// Opens a rendition's file and checks it; nil if the rendition is not held, or if its file was damaged or missing and has
    /// been dropped.
    ///
    /// The first time since the process started, the whole body is read (about 30 µs for 50 KB); later, this takes one open, one
    /// read of the footer, and reads of pages that the kernel has dropped since, because a task or an event loop uses the body
    /// next and must not hang in a read. Blocks.
    package func openRendition(_ key: RenditionKey) -> (rendition: Rendition, body: Body)? {
        guard let entry = touch(key.digest) else { return nil }
        switch catalogue.renditions.openChecked(entry) {
        case .open(let file):
            // If the stamps differ, the whole file was read just now.
            if file.state?.stamp == entry.verified { FileIO.load(file.raw, length: entry.length) }
            return (Rendition(entry), .file(file, length: entry.length))
        // The rendition is made again and replaces the file.
        case .failed, .unreadable: return nil
        case .absent: counters.add(counters.vanished)
        case .damaged: noteDamage(.rendition, key.digest)
        }
        removeRendition(key.digest, length: entry.length)
        return nil
    }

    /// Keeps a rendition; reads its body once for the checksum. Returns the body to use from now on, whether it was kept or not.
    /// Blocks.
    /// - Parameters:
    ///   - original: the original from which it was made; only the digest and the URL are used.
    ///   - watermark: the original that it bears as a watermark; nil for none. Used as `original` is.
    package func keepRendition(
        _ rendition: Rendition, of original: Original, bearing watermark: Original? = nil, body: Body
    ) -> Body {
        let name = rendition.key.digest
        let moment = seconds
        var footer = Footer(
            kind: .rendition, format: rendition.format, width: rendition.picture.width,
            height: rendition.picture.height, pages: rendition.picture.pages, length: rendition.length,
            checksum: name)
        guard let checksum = body.digest(prefix: name.bytes + footer.head) else {
            counters.filesWritten(SystemError("the body cannot be read", code: EIO))
            return body
        }
        footer.checksum = checksum
        let file = FileEntry(
            key: name, length: rendition.length, picture: rendition.picture, accessed: moment,
            recorded: moment)
        let isKept = keep(file, body, footer, on: catalogue.renditions) {
            catalogue.renditions.noteRow(of: name) {
                let mark = watermark.map {
                    Change(.noteWatermark(name, of: $0.digest, url: $0.key.url))
                }
                let row = Change(
                    .putRendition(rendition, of: original.digest, url: original.key.url, accessed: moment))
                queue.push([mark, row].compactMap(\.self))
            }
        }
        return isKept ? settled(body, as: name, on: catalogue.renditions) : body
    }

    /// Drops a rendition.
    package func forgetRendition(_ key: RenditionKey) { removeRendition(key.digest) }

    /// Removes a rendition; with `length`, only if it still has that length. Only touches memory.
    /// - Returns: the change, which is queued.
    @discardableResult
    func removeRendition(_ key: Digest, length: Int? = nil) -> [Change] {
        catalogue.removeRendition(key, length: length) { queue.push([$0]) }
    }

    private func touch(_ key: Digest) -> FileEntry? {
        let moment = seconds
        let (entry, isLate) = catalogue.renditions.table.touch(
            key, at: moment, precision: Self.accessPrecision)
        if isLate, !queue.isFull { queue.push(.touchRendition(key, accessed: moment)) }
        return entry
    }
}
