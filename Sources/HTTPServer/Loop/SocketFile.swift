// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The file by which clients find a Unix socket.
struct SocketFile: Sendable {
    private let path: String
    /// Nil if the file is gone already.
    private let identity: FileIdentity?

    /// Takes the file of a socket that was bound just now.
    init(_ path: String) {
        self.path = path
        identity = FileIdentity(at: path)
    }

    /// Removes the file, unless another one has its name by now: if somebody has removed the file of a running server, the next
    /// server may listen there.
    func remove() {
        if let identity, FileIdentity(at: path) == identity { unlink(path) }
    }
}
