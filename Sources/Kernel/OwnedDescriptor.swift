// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file descriptor with one owner: it is closed when the last reference goes.
///
/// A class and not a `~Copyable` struct, because a descriptor travels through async calls and is held by several
/// answers at once while a file is being sent.
///
/// **Isolation:** immutable; reads and writes through it are positional (`pread`, `pwrite`, `sendfile`).
package final class OwnedDescriptor: Sendable {
    package let raw: Int32
    /// How the file was when a store opened it, which has verified it in that state; nil: no store answers for it.
    package let state: FileState?
    private let whenBroken: (@Sendable (OwnedDescriptor, SystemError) -> Void)?

    /// Takes over a descriptor that is open.
    package init(adopting raw: Int32) {
        self.raw = raw
        (state, whenBroken) = (nil, nil)
    }

    /// Takes over a file that a store has opened.
    ///
    /// - Parameter whenBroken: told when the file cannot be read any more, on the thread that tried; must not wait.
    package init(
        adopting raw: Int32, in state: FileState,
        whenBroken: @escaping @Sendable (OwnedDescriptor, SystemError) -> Void
    ) {
        self.raw = raw
        self.state = state
        self.whenBroken = whenBroken
    }

    deinit { close(raw) }

    /// The file is as its store verified it: nobody has written to it, cut it, or taken its name away. One fstat(2).
    package var isUnchanged: Bool { state.map { FileState(raw) == $0 } ?? false }

    /// Its bytes may be others than those that its store verified. A file that only lost its name has the same. One fstat(2).
    package var isAltered: Bool {
        guard let state else { return false }
        guard let now = FileState(raw) else { return true }
        return now != state && !(now.links < state.links && now.hasContents(of: state))
    }

    /// Tells the file's store, if it has one, that a read of it failed or ended too early.
    package func cannotBeRead(_ error: SystemError) { whenBroken?(self, error) }
}
