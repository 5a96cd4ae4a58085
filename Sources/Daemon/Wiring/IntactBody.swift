// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Glibc
internal import Hashing
internal import Kernel

/// Checks whether the bytes that a process was given are still those in the cache. If they differ, or cannot
/// be read, the file's store drops it. Blocks.
extension Body {
    /// Bytes read at a time.
    private static let pieceSize = 256 << 10

    /// True if the file was written to since its store verified it.
    var mayBeAltered: Bool {
        guard case .file(let file, _) = self else { return false }
        return file.isAltered
    }

    func isIntact(_ digest: Digest) -> Bool {
        guard case .file(let file, _) = self else { return true }
        var hash = SHA256()
        guard readThrough({ hash.update($0) }) else { return false }
        if hash.finish() == digest { return true }
        file.cannotBeRead(SystemError("altered while it was in use", code: EIO))
        return false
    }

    var canBeRead: Bool { readThrough { _ in } }

    private func readThrough(_ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
        guard case .file(let file, let length) = self else { return true }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { piece.deallocate() }
        for offset in stride(from: 0, to: length, by: piece.count) {
            let bytes = UnsafeMutableRawBufferPointer(rebasing: piece[..<min(piece.count, length - offset)])
            do throws(SystemError) {
                try file.read(from: offset, into: bytes)
            } catch {
                return false
            }
            take(UnsafeRawBufferPointer(bytes))
        }
        return true
    }
}
