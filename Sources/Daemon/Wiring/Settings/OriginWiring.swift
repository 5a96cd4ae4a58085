// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Dialects
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
            let files = OpenFiles(self)
            (configuration.transferLimit, configuration.lookupLimit) = (files.fetches, files.lookups)
            configuration.idleConnections = min(configuration.idleConnections, files.lookups)
            configuration.connectionsPerHost = files.fetchesPerHost
            configuration.resumptionLimit = origin.resumptions
            configuration.stallLimit = origin.stallLimit
            configuration.userAgent = origin.userAgent
            configuration.marksLoops = true
            configuration.proxy = try outboundProxy
            configuration.profiles = try usableProfiles
            if !s3.buckets.isEmpty {
                configuration.store = try Self.objectStore(s3.access, buckets: Set(s3.buckets))
            }
            configuration.blobs = try blobStore
            configuration.tracedHosts = try tracedOrigins
            return configuration
        }
    }

    var fileConfiguration: FileConfiguration {
        get throws(UnusableSetting) {
            var configuration = FileConfiguration()
            configuration.folders = origin.files.places
            configuration.policy = try sourcePolicy
            configuration.bodyLimit = origin.maximumBody.bytes
            configuration.timeout = origin.timeout
            return configuration
        }
    }

    private var outboundProxy: OutboundProxy? {
        get throws(UnusableSetting) {
            guard !origin.proxy.isEmpty else { return nil }
            guard var proxy = OutboundProxy(origin.proxy) else {
                // The setting's text is not shown, because it may contain a password.
                throw UnusableSetting(
                    description:
                        "origin.proxy is no http://host:port or socks5://host:port; a user and a password belong into origin.proxy-credentials"
                )
            }
            (proxy.user, proxy.password) = (origin.proxyCredentials.user, origin.proxyCredentials.password)
            proxy.direct = try HostPatterns.read(origin.proxyExcept, "origin.proxy-except")
            return proxy
        }
    }

    private var sourcePolicy: SourcePolicy {
        get throws(UnusableSetting) {
            var mistakes: [String] = []
            func list<Item>(
                _ texts: [String], _ key: String, _ what: String, _ read: (String) -> Item?
            ) -> [Item] {
                texts.compactMap { text in
                    let item = read(text)
                    if item == nil {
                        let isNetwork = Item.self == AddressBlock.self && AddressBlock.hasHostBits(text)
                        let hint = isNetwork ? ": it has host bits set" : ""
                        mistakes.append("\(key): \"\(text)\" is no \(what)\(hint)")
                    }
                    return item
                }
            }
            let ports = PortList(origin.ports)
            for text in origin.ports where PortList([text]) == nil {
                mistakes.append("origin.ports: \"\(text)\" is no port or range such as 80 or 1024-65535")
            }
            let network = "network such as 10.1.0.0/16"
            let host = "host such as images.example or *.example"
            let url = "URL such as https://images.example/public/ or //images.example/"
            var policy = SourcePolicy(
                addresses: AddressPolicy(
                    allowsPrivate: origin.allowPrivate,
                    allowed: list(
                        origin.allowNetworks, "origin.allow-networks", network, AddressBlock.init),
                    denied: list(
                        origin.denyNetworks, "origin.deny-networks", network, AddressBlock.init),
                    ports: ports ?? .web))
            policy.allowedHosts = list(origin.allowHosts, "origin.allow-hosts", host, HostPattern.init)
            policy.deniedHosts = list(origin.denyHosts, "origin.deny-hosts", host, HostPattern.init)
            policy.allowedURLs = list(origin.allowUrls, "origin.allow-urls", url, URLPrefix.init)
            policy.deniedURLs = list(origin.denyUrls, "origin.deny-urls", url, URLPrefix.init)
            guard mistakes.isEmpty else { throw UnusableSetting(mistakes) }
            return policy
        }
    }
}
