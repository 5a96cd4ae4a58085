// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics
package import HTTPServer
package import Settings

extension Settings {
    /// True if the public listener has the playground; `listeners` are its addresses.
    package func hasPlayground(on listeners: [ListenAddress]) -> Bool {
        switch playground.enabled {
        case .on: true
        case .off: false
        case .auto: !listeners.isEmpty && listeners.allSatisfy(\.isLoopback)
        }
    }
}

extension ListenAddress {
    /// True for 127.0.0.0/8, ::1 and the name `localhost`. For other addresses, nothing tells who can connect.
    fileprivate var isLoopback: Bool {
        guard case .tcp(let host, _) = self else { return false }
        if host == "localhost" { return true }
        return switch IPAddress(host)?.unmapped {
        case .v4(let value): value >> 24 == 127
        case .v6(let high, let low): high == 0 && low == 1
        case nil: false
        }
    }
}
