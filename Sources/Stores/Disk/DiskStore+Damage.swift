// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Kernel
internal import Recipes

/// Files that differ from what was written, because of a failing disk or because other processes changed them.
extension DiskStore {
    /// Records a file whose check failed.
    func noteDamage(_ kind: Footer.Kind, _ name: Digest) {
        counters.add(counters.damaged)
        counters.drop(kind, name, because: "its length, its footer or its checksum is wrong")
    }

    /// Records a file that cannot be read.
    func noteUnreadable(_ kind: Footer.Kind, _ name: Digest, _ error: SystemError) {
        counters.add(counters.unreadable)
        counters.drop(kind, name, because: "\(error)")
    }

    /// Drops a file that could not be read while it was open. Touches memory only, because an event loop
    /// calls it.
    func lose(_ loss: FileLosses.Loss) {
        // Other open files of that name must be closed as well.
        released(ReleasedFiles(loss.kind, [loss.name]))
        // A file that was kept again since is a different one.
        guard catalogue.partition(loss.kind).table[loss.name]?.verified == loss.stamp else { return }
        noteUnreadable(loss.kind, loss.name, loss.error)
        switch loss.kind {
        case .original: remove(OriginalDigest(loss.name))
        case .rendition: removeRendition(loss.name)
        }
    }
}
