// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Tells the next start that the disk may still have what was purged. The note is an empty file in another place, because a disk
/// that is away or cannot be written takes no note. The place is in memory, so writing does not wait; the note survives a restart
/// of the daemon but not of the machine.
///
/// **Isolation:** a `Mutex` around the count, held while the file is made or removed.
final class PurgeNote: Sendable {
    /// Nil if there is no such place.
    private let path: String?
    private let count = Mutex(0)

    init(path: String?) { self.path = path }

    var isThere: Bool { path.map { access($0, F_OK) == 0 } ?? false }

    /// How often the note was left.
    var times: Int { count.withLock { $0 } }

    /// Leaves the note. False if the next start will not find it.
    @discardableResult
    func leave() -> Bool {
        guard let path else { return false }
        return count.withLock { count in
            count &+= 1
            let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else { return false }
            close(file)
            return true
        }
    }

    /// Removes the note, unless it was left again for another purge or `isOver` returns false. No purge can be noted meanwhile.
    /// - Parameter times: how often the note had been left when the making up for its purges began.
    func remove(leftOnly times: Int, if isOver: () -> Bool) {
        guard let path else { return }
        count.withLock { count in
            if count == times, isOver() { unlink(path) }
        }
    }
}
