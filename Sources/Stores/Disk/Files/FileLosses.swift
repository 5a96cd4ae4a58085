// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Kernel
internal import Synchronization

/// Reports of failed reads from the caches' open files: a bad sector, or a truncation between a check of the file and its
/// sending. Files may outlive their store, which stops listening when it is closed.
///
/// **Isolation:** a `Mutex`, held while the listener is read but not while it is called.
final class FileLosses: Sendable {
    struct Loss: Sendable, Hashable {
        let kind: Footer.Kind
        let name: Digest
        /// The stamp of the file when it was opened, see `FileState`.
        let stamp: UInt32
        let error: SystemError
    }

    private let listener = Mutex<(@Sendable (Loss) -> Void)?>(nil)

    func listen(_ listener: (@Sendable (Loss) -> Void)?) { self.listener.withLock { $0 = listener } }

    func report(_ loss: Loss) {
        let told = listener.withLock { $0 }
        told?(loss)
    }
}
