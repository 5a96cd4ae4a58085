// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Settings {
    /// Where the admin listener listens: `admin.listen`, and a unix socket in the folder that a service manager made for the
    /// daemon, so that root can give orders without a token. Neither exists if `admin.listen` is empty.
    package var adminListeners: [String] {
        guard !admin.listen.isEmpty, let path = Self.managedSocketPath else { return admin.listen }
        let socket = "unix:\(path)"
        return admin.listen.contains(socket) ? admin.listen : admin.listen + [socket]
    }

    /// The addresses at which commands find the daemon. The unix socket comes first, because it needs no token.
    package var adminAddresses: [String] {
        guard let path = Self.managedSocketPath, access(path, W_OK) == 0 else { return admin.listen }
        let socket = "unix:\(path)"
        return [socket] + admin.listen.filter { $0 != socket }
    }

    private static var managedSocketPath: String? { runtimeFolder.map { "\($0)/admin.sock" } }
}
