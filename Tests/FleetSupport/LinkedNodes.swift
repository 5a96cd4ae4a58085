// SPDX-License-Identifier: Apache-2.0

package import Fleet
package import TestSupport

/// A real Redis, and a link of each of two nodes to it. The links end with this object.
///
/// **Isolation:** immutable; the links and the server guard themselves.
package final class LinkedNodes: Sendable {
    package let redis: RedisServer
    package let links: [RedisLink]

    package init() throws {
        let redis = try RedisServer()
        self.redis = redis
        links = try ["node-a", "node-b"].map { name in
            let link = try RedisLink(RedisConfiguration(patient: [redis.address]), name: name) { _ in }
            try link.start()
            return link
        }
    }

    deinit { for link in links { link.close() } }

    /// Waits until both are connected; false if that does not happen.
    package func connect() -> Bool { Patience.until { links.allSatisfy(\.isUp) } }
}

extension RedisConfiguration {
    /// For a machine that builds beside the test, and may be slow.
    package init(patient addresses: [String]) {
        self.init(addresses.compactMap(RedisAddress.init))
        commandTimeout = .seconds(60)
        connectTimeout = .seconds(60)
    }
}
