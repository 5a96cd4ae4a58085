// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTP1
package import HTTPServer
internal import ImageHeaders
internal import Kernel
internal import Platform
internal import Settings

extension Settings {
    /// The number of event loops of the public listener.
    var loops: Int { server.threads > 0 ? server.threads : ProcessorLimit.count }

    /// The public listener; sockets from the service manager take the place of `server.listen`.
    /// - Throws: for a malformed address or proxy, or without any address.
    package var publicServerConfiguration: HTTPServerConfiguration {
        get throws(UnusableSetting) {
            let inherited = InheritedSockets.descriptors.map { ListenAddress.inherited(descriptor: $0) }
            let listeners = inherited.isEmpty ? try Self.addresses(server.listen, "server.listen") : inherited
            guard !listeners.isEmpty else { throw UnusableSetting(description: "server.listen is empty") }
            var configuration = serverConfiguration(listeners)
            configuration.loops = loops
            configuration.clientRule = try clientRule
            configuration.expectsProxyHeader = server.proxyProtocol
            configuration.connectionsPerClient = limits.connectionsPerClient
            configuration.ipv6Prefix = limits.ipv6Prefix
            configuration.descriptorLimit = OpenFiles(self).clients
            return configuration
        }
    }

    /// Nil without an admin listener.
    /// - Throws: for a malformed address.
    var adminServerConfiguration: HTTPServerConfiguration? {
        get throws(UnusableSetting) {
            let listeners = try Self.addresses(adminListeners, "admin.listen")
            guard !listeners.isEmpty else { return nil }
            var configuration = serverConfiguration(listeners)
            configuration.keepsBodies = true
            // Dashboards and scrapers connect again by themselves, so the drain does not wait for them.
            configuration.farewellTimeout = 0
            configuration.limits.bodyBytes = Self.longestOrder
            // With these limits the admin listener can be reached while public clients use all their connections, and its own
            // clients leave room for fetches and pictures.
            let files = OpenFiles(self)
            configuration.descriptorLimit = files.limit > 0 ? files.requests : 0
            configuration.maximumConnections = files.adminClients
            return configuration
        }
    }

    /// The most bytes of an order's body.
    private static let longestOrder = 16 << 10

    private func serverConfiguration(_ listeners: [ListenAddress]) -> HTTPServerConfiguration {
        var configuration = HTTPServerConfiguration(listeners: listeners)
        configuration.limits.headBytes = server.maximumHead.bytes
        configuration.limits.targetBytes = server.maximumTarget.bytes
        configuration.limits.fields = server.maximumFields
        configuration.maximumConnections = server.maximumConnections
        configuration.idleTimeout = server.idleTimeout.wholeMilliseconds
        configuration.headTimeout = server.headTimeout.wholeMilliseconds
        configuration.progressTimeout = server.sendTimeout.wholeMilliseconds
        configuration.progressBytes = max(
            1, Int(saturatingProduct: server.sendRate.bytes, configuration.progressTimeout) / 1000)
        return configuration
    }

    private static func addresses(_ texts: [String], _ key: String) throws(UnusableSetting) -> [ListenAddress]
    {
        var addresses: [ListenAddress] = []
        for text in texts {
            guard let address = ListenAddress(text: text) else {
                throw UnusableSetting(
                    description: "\(key): \"\(text)\" is no host:port, [v6]:port or unix:/path")
            }
            if case .unix(let path) = address, UnixSocketName(path: path) == nil {
                throw UnusableSetting(
                    description: "\(key): \"\(text)\": a socket's path has \(UnixSocketName.rule)")
            }
            addresses.append(address)
        }
        return addresses
    }
}
