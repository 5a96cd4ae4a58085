// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Kernel
internal import Recipes

/// Files that are not what was written: a failing disk's, or other people's doing.
extension DiskStore {
    /// A file that was read does not match.
    func noteDamage(_ kind: Footer.Kind, _ name: Digest) {
        counters.add(counters.damaged)
        counters.drop(kind, name, because: "its length, its footer or its checksum is wrong")
    }

    /// A file that is open could not be read, or ended too early, when its bytes were wanted. Touches memory only, because an
    /// event loop calls it.
    func lose(_ loss: FileLosses.Loss) {
        // Whatever is there by now: who has it open lets it go.
        if loss.kind == .rendition { released(.renditions([RenditionKey(loss.name)])) }
        // Kept anew since: that is another file.
        guard catalogue.partition(loss.kind).table[loss.name]?.verified == loss.stamp else { return }
        counters.add(counters.unreadable)
        counters.drop(loss.kind, loss.name, because: "\(loss.error)")
        switch loss.kind {
        case .original: queue.push(catalogue.removeOriginal(loss.name))
        case .rendition: queue.push(catalogue.removeRendition(loss.name))
        }
    }
}
