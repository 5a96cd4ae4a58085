// SPDX-License-Identifier: Apache-2.0

internal import Clients
package import HTTP1
internal import HTTPSemantics
internal import Settings

extension Settings {
    /// The rule that finds a request's client at the public listener.
    /// - Throws: for a malformed entry of `server.trusted-proxies`, or a forwarding setting without trusted proxies.
    package var clientRule: ClientRule {
        get throws(UnusableSetting) {
            guard let proxies = TrustedProxies(server.trustedProxies) else {
                let wrong = server.trustedProxies.first { TrustedProxies([$0]) == nil } ?? ""
                let hint = AddressBlock.hasHostBits(wrong) ? ": it has host bits set" : ""
                throw UnusableSetting(
                    description:
                        "server.trusted-proxies: \"\(wrong)\" is neither unix nor a network such as 10.1.0.0/16\(hint)"
                )
            }
            // Without trusted proxies, any client could forge the field.
            if proxies.isEmpty, server.clientField != .none || server.proxyProtocol {
                let key = server.proxyProtocol ? "server.proxy-protocol" : "server.client-field"
                throw UnusableSetting(
                    description:
                        "\(key) needs server.trusted-proxies: without them, no proxy may say who its clients are"
                )
            }
            return ClientRule(proxies: proxies, field: server.clientField.field)
        }
    }
}
