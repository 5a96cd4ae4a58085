// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Settings {
    /// Where the admin listener listens: `admin.listen`, and a unix socket in the folder that a service manager made for
    /// the daemon, so that root can give orders without a token. None of both if `admin.listen` is empty.
    package var adminListeners: [String] {
        guard !admin.listen.isEmpty, let socket = Self.managedSocket, !admin.listen.contains(socket) else {
            return admin.listen
        }
        return admin.listen + [socket]
    }

    /// Where commands find the daemon: at the unix socket first, which they need no token for.
    package var adminAddresses: [String] {
        guard let socket = Self.managedSocket, access(String(socket.dropFirst(5)), W_OK) == 0 else {
            return admin.listen
        }
        return [socket] + admin.listen.filter { $0 != socket }
    }

    private static var managedSocket: String? { runtimeFolder.map { "unix:\($0)/admin.sock" } }
}
