// SPDX-License-Identifier: Apache-2.0

internal import Clients
package import HTTP1
internal import HTTPSemantics
internal import Settings

extension Settings {
    /// By what clients are known at the public listener.
    package var clientRule: ClientRule {
        get throws(UnusableSetting) {
            guard let proxies = TrustedProxies(server.trustedProxies) else {
                let wrong = server.trustedProxies.first { TrustedProxies([$0]) == nil } ?? ""
                throw UnusableSetting(
                    description:
                        "server.trusted-proxies: \"\(wrong)\" is neither unix nor a network such as 10.1.0.0/16"
                )
            }
            // Whom nobody is trusted to name, anybody could name.
            if proxies.isEmpty, server.clientField != .none || server.proxyProtocol {
                let key = server.proxyProtocol ? "server.proxy-protocol" : "server.client-field"
                throw UnusableSetting(description: "\(key) needs server.trusted-proxies: who may say it?")
            }
            return ClientRule(proxies: proxies, field: server.clientField.field)
        }
    }
}
