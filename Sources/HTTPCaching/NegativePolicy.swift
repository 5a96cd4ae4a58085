// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// How long a failure is remembered, so that a broken picture on a busy page does not hammer its origin.
/// Seconds; 0 remembers nothing.
package struct NegativePolicy: Sendable, Hashable {
    /// 404 and 410.
    package var notFound = 60
    /// Every other 4xx.
    package var clientError = 10
    /// 5xx, and everything that is neither a picture nor an error.
    package var serverError = 5
    /// The host's name could not be resolved.
    package var nameNotResolved = 30
    /// Connections refused or broken, TLS failures, timeouts.
    package var unreachable = 5
    /// A body that is no picture we know, or a broken one.
    package var notAnImage = 60
    /// The longest that an origin's own `Cache-Control`, `Expires` or `Retry-After` makes us remember an
    /// error.
    package var maximum = 300

    package init() {}

    /// What failed, as far as it matters here.
    package enum Failure: Sendable, Hashable {
        case status(Int)
        case nameNotResolved
        case unreachable
        case notAnImage
    }

    package func seconds(for failure: Failure) -> Int {
        switch failure {
        case .status(404), .status(410): notFound
        case .status(400...499): clientError
        case .status: serverError
        case .nameNotResolved: nameNotResolved
        case .unreachable: unreachable
        case .notAnImage: notAnImage
        }
    }

    /// The same for an answer of the origin with its fields, which may say themselves how long (RFC 9111
    /// §4.2.1). `Retry-After` wins, but only ever makes it longer.
    package func seconds(
        status: Int, fields: Fields, requestTime: Timestamp, responseTime: Timestamp
    ) -> Int {
        let usual = seconds(for: .status(status))
        let retry = fields["Retry-After"].flatMap {
            RetryAfter.seconds($0, now: responseTime, limit: maximum)
        }
        if let retry { return max(retry, usual) }
        let arrival = Arrival(fields, requestTime: requestTime, responseTime: responseTime)
        let control = ResponseControl(fields)
        if !control.forUs.flags.isDisjoint(with: [.noStore, .noCache, .isPrivate]) { return 0 }
        guard let lifetime = control.explicitLifetime(fields, arrival) else { return usual }
        return min(max(Int(lifetime) - Int(arrival.initialAge), 0), maximum)
    }
}
