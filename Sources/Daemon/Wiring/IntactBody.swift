// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Glibc
internal import Hashing
internal import Kernel

/// Checks that the bytes given to a process are those that the cache has verified. If they differ or cannot be read, the store
/// drops the file. Blocks.
extension Body {
    /// True if the file may have been written to since its store verified it.
    var mayBeAltered: Bool {
        guard case .file(let file, _) = self else { return false }
        return file.isAltered
    }

    func isIntact(_ digest: Digest) -> Bool {
        guard case .file(let file, let length) = self else { return true }
        guard let found = try? file.digest(length: length) else { return false }
        if found == digest { return true }
        file.cannotBeRead(SystemError("altered while it was in use", code: EIO))
        return false
    }

    var canBeRead: Bool {
        guard case .file(let file, let length) = self else { return true }
        return (try? file.readThrough(length) { _, _ in }) != nil
    }
}

extension OwnedDescriptor {
    /// The digest of the file's first `length` bytes. Blocks.
    func digest(length: Int) throws(SystemError) -> Digest {
        var hash = SHA256()
        try readThrough(length) { piece, _ in hash.update(piece) }
        return hash.finish()
    }
}
