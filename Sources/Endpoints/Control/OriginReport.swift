// SPDX-License-Identifier: Apache-2.0

package import Pipeline

/// How an origin fares, as far as fetches from it tell.
package struct OriginReport: Sendable, Codable {
    /// Scheme, host, and port where it is not the usual one.
    package var origin: String
    /// `closed`: it is asked. `resting`: it is left alone. `probing`: one fetch finds out whether it is well again.
    package var state: String
    /// For how many clients it is left alone, whose requests alone failed; nil: for all.
    package var clients: Int?
    /// In a row, while it is asked.
    package var failures: Int
    /// Since it was well last.
    package var rests: Int
    /// Seconds until it is asked again; 0: by the next who comes.
    package var retryAfter: Int

    package init(_ status: HostHealthTable.Status) {
        origin = "\(status.origin)"
        state = status.state.rawValue
        clients = status.clients
        failures = status.failures
        rests = status.rests
        retryAfter = status.seconds
    }
}
