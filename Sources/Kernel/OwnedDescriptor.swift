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

    /// Takes over a descriptor that is open.
    package init(adopting raw: Int32) { self.raw = raw }

    deinit { close(raw) }
}
