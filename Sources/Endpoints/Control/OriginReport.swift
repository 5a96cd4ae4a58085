// SPDX-License-Identifier: Apache-2.0

package import Pipeline

/// The health of an origin, as its fetches show it.
package struct OriginReport: Sendable, Codable {
    /// Scheme, host, and the port unless it is the scheme's default.
    package var origin: String
    /// `closed` (it is asked), `resting` (it is not asked) or `probing` (one fetch tests its health).
    package var state: String
    /// The number of clients to which the state is limited, because only their requests failed; nil for all.
    package var clients: Int?
    /// Failures in a row while it is `closed`.
    package var failures: Int
    /// Rests since the origin was last healthy.
    package var rests: Int
    /// Seconds until the origin may be asked again; 0 if the next request may ask it.
    package var retryAfter: Int

    /// Copies the status.
    package init(_ status: OriginHealthTable.Status) {
        origin = "\(status.origin)"
        state = status.state.rawValue
        clients = status.clients
        failures = status.failures
        rests = status.rests
        retryAfter = status.seconds
    }
}
