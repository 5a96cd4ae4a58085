// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Kernel
internal import Synchronization

/// Where the caches' open files tell that they cannot be read any more: a bad sector, a cut that came between a look at
/// the file and its sending. They may outlive their store, which stops listening when it closes.
///
/// **Isolation:** a `Mutex`, held while a listener is taken out of it and not while it is told.
final class FileLosses: Sendable {
    struct Loss: Sendable, Hashable {
        let kind: Footer.Kind
        let name: Digest
        /// Of the file as it was opened, see `FileState`.
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
