// SPDX-License-Identifier: Apache-2.0

package import Kernel

/// One GET of /health/ready at an admin listener, for `pictor health` and a container's health check.
package enum HealthProbe {
    package struct Answer: Sendable {
        package let isReady: Bool
        package let text: String
    }

    /// - Parameter address: host:port or unix:/path, as in `admin.listen`.
    package static func ask(_ address: String) throws(SystemError) -> Answer {
        // A daemon that is slower than that is not ready.
        let reply = try AdminClient(address, patience: 5).send("GET", "/health/ready")
        return Answer(isReady: reply.status == 200, text: reply.body)
    }
}
