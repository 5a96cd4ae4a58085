// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file descriptor with one owner: it is closed when the last reference goes.
///
/// A class and not a `~Copyable` struct, because a descriptor travels through async calls and is held by several
/// answers at once while a file is being sent.
///
/// **Isolation:** immutable; reads and writes through it are positional (`pread`, `pwrite`, `sendfile`).
package final class OwnedDescriptor: Sendable {
    /// The descriptor's number; valid while this object lives.
    package let raw: Int32
    /// The file's state when a store opened and verified it; nil for a descriptor that belongs to no store.
    package let state: FileState?
    private let whenBroken: (@Sendable (OwnedDescriptor, SystemError) -> Void)?

    /// Takes over a descriptor that is open.
    package init(adopting raw: Int32) {
        self.raw = raw
        (state, whenBroken) = (nil, nil)
    }

    /// Takes over a file that a store has opened.
    ///
    /// - Parameter whenBroken: called when a read of the file fails, on the reading thread; must not block.
    package init(
        adopting raw: Int32, in state: FileState,
        whenBroken: @escaping @Sendable (OwnedDescriptor, SystemError) -> Void
    ) {
        self.raw = raw
        self.state = state
        self.whenBroken = whenBroken
    }

    deinit { close(raw) }

    /// True if the file is in the state that its store verified: not written to, not cut, and with all its
    /// names. One fstat(2). False without a store.
    package var isUnchanged: Bool { state.map { FileState(raw) == $0 } ?? false }

    /// True if the bytes may differ from those that the store verified; the loss of a name alone alters
    /// nothing. One fstat(2). False without a store.
    package var isAltered: Bool {
        guard let state else { return false }
        guard let now = FileState(raw) else { return true }
        return now != state && !(now.links < state.links && now.hasContents(of: state))
    }

    /// Reports a failed or short read to the file's store; does nothing without a store.
    package func cannotBeRead(_ error: SystemError) { whenBroken?(self, error) }
}
