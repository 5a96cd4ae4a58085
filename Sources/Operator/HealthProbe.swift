// SPDX-License-Identifier: Apache-2.0

package import Kernel

/// A GET of /health/ready at an admin listener, for `pictor health` and a container's health check.
package enum HealthProbe {
    /// The daemon's answer.
    package struct Answer: Sendable {
        /// True for status 200.
        package let isReady: Bool
        /// The reason or a remark, for people.
        package let text: String
    }

    /// - Parameter addresses: the addresses of one daemon, `host:port` or `unix:/path`, as in `admin.listen`.
    /// - Throws: if no address accepts a connection, or the listener is silent for 5 s.
    package static func ask(_ addresses: [String]) throws(SystemError) -> Answer {
        // In seconds. A daemon that takes longer counts as not ready.
        let reply = try DaemonClient(addresses, timeout: 5).send("GET", "/health/ready")
        return Answer(isReady: reply.status == 200, text: reply.body)
    }
}
