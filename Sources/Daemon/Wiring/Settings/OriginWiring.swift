// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics
internal import Origin
internal import Settings

extension Settings {
    var originConfiguration: OriginConfiguration {
        get throws(UnusableSetting) {
            var configuration = OriginConfiguration()
            configuration.policy = try sourcePolicy
            configuration.connectTimeout = origin.connectTimeout
            configuration.firstByteTimeout = origin.firstByteTimeout
            configuration.idleTimeout = origin.idleTimeout
            configuration.totalTimeout = origin.timeout
            configuration.bodyLimit = origin.maximumBody.bytes
            configuration.redirectLimit = origin.maximumRedirects
            configuration.transferLimit = origin.maximumFetches
            configuration.connectionsPerHost = origin.maximumFetchesPerHost
            configuration.resumptionLimit = origin.resumptions
            configuration.stallLimit = origin.stallLimit
            configuration.userAgent = origin.userAgent
            return configuration
        }
    }

    private var sourcePolicy: SourcePolicy {
        get throws(UnusableSetting) {
            func list<Item>(
                _ texts: [String], _ key: String, _ what: String, _ read: (String) -> Item?
            ) throws(UnusableSetting) -> [Item] {
                var items: [Item] = []
                for text in texts {
                    guard let item = read(text) else {
                        throw UnusableSetting(description: "\(key): \"\(text)\" is no \(what)")
                    }
                    items.append(item)
                }
                return items
            }
            guard let ports = PortList(origin.ports) else {
                throw UnusableSetting(description: "origin.ports: not ports such as 80 or 1024-65535")
            }
            let network = "network such as 10.1.0.0/16"
            let host = "host such as images.example or *.example"
            let url = "URL such as https://images.example/public/ or //images.example/"
            var policy = SourcePolicy(
                addresses: AddressPolicy(
                    allowsPrivate: origin.allowPrivate,
                    allowed: try list(
                        origin.allowNetworks, "origin.allow-networks", network, AddressBlock.init),
                    denied: try list(
                        origin.denyNetworks, "origin.deny-networks", network, AddressBlock.init),
                    ports: ports))
            policy.allowedHosts = try list(origin.allowHosts, "origin.allow-hosts", host, HostPattern.init)
            policy.deniedHosts = try list(origin.denyHosts, "origin.deny-hosts", host, HostPattern.init)
            policy.allowedURLs = try list(origin.allowUrls, "origin.allow-urls", url, URLPrefix.init)
            policy.deniedURLs = try list(origin.denyUrls, "origin.deny-urls", url, URLPrefix.init)
            return policy
        }
    }
}
