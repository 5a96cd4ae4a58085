// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// Negative caching: how long failures are remembered, so that a broken picture on a busy page does not
/// hammer its origin. Seconds; 0 remembers nothing.
///
/// An origin's error is a response. RFC 9111 §3 allows keeping it if it says for how long, or if its status
/// is heuristically cacheable (404, 410, … but not 403, 500 or 503). Such errors are `known`. The others are
/// only `suspected`: a single one may be a hiccup, so the next request asks again. If the origin fails again
/// within the class's time, it is left alone for as long; then one request in each such time finds out
/// whether it has recovered. That reuses no response; it is a client's circuit breaker, which opens at the
/// second failure. It opens at the first failure without any response (no address, no connection, no answer
/// in time), and if the origin asks for a pause by `Retry-After`.
package struct NegativePolicy: Sendable, Hashable {
    /// 404 and 410.
    package var notFound = 60
    /// Every other 4xx.
    package var clientError = 10
    /// 5xx, and every response that is neither a picture nor an error.
    package var serverError = 5
    /// The host's name does not resolve.
    package var nameNotResolved = 30
    /// Connections refused or broken, TLS failures, timeouts.
    package var unreachable = 5
    /// The most for a body that is no known picture, or a broken one; after that, the origin is asked whether
    /// it has changed.
    package var notAnImage = 60
    /// The longest time that an origin's own `Cache-Control`, `Expires` or `Retry-After` can demand.
    package var maximum = 300

    /// Every time at its default.
    package init() {}

    /// Failures without a response, or whose response does not matter.
    package enum Failure: Sendable, Hashable {
        case nameNotResolved
        case unreachable
        case notAnImage
    }

    /// How a failure is remembered.
    package enum Verdict: Sendable, Hashable {
        /// The same request gets the same failure for that many seconds.
        case known(seconds: Int)
        /// A second failure within that many seconds becomes `known` for as long.
        case suspected(seconds: Int)

        /// The failure is not remembered.
        package static let nothing = Verdict.known(seconds: 0)
    }

    /// The verdict on a failure without a response.
    package func verdict(on failure: Failure) -> Verdict {
        switch failure {
        case .nameNotResolved: .known(seconds: nameNotResolved)
        case .unreachable: .known(seconds: unreachable)
        case .notAnImage: .known(seconds: notAnImage)
        }
    }

    /// The verdict on a response without a picture: by its fields if they are explicit, otherwise by its
    /// status.
    package func verdict(
        onStatus code: Int, fields: Fields, requestTime: Timestamp, responseTime: Timestamp
    ) -> Verdict {
        let status = OriginStatus(code)
        let pause = fields["Retry-After"].flatMap {
            RetryAfter.seconds($0, now: responseTime, limit: maximum)
        }
        let control = ResponseControl(fields)
        let age = ResponseAge(fields, requestTime: requestTime, responseTime: responseTime)
        if let seconds = explicitSeconds(control, status, fields, age) {
            return .known(seconds: max(seconds, pause ?? 0))
        }
        let usual = seconds(forClassOf: code)
        if status.isHeuristicallyCacheable || control.forUs.flags.contains(.isPublic) {
            return .known(seconds: max(usual, pause ?? 0))
        }
        if let pause, pause > 0 { return .known(seconds: pause) }
        return .suspected(seconds: usual)
    }

    /// The verdict on a response whose content is no picture. It is as fresh as a picture would be, but at
    /// most `notAnImage`, since somebody may be mending it.
    package func verdict(
        onContentWith fields: Fields, requestTime: Timestamp, responseTime: Timestamp
    ) -> Verdict {
        let age = ResponseAge(fields, requestTime: requestTime, responseTime: responseTime)
        let seconds = explicitSeconds(ResponseControl(fields), OriginStatus(200), fields, age)
        return .known(seconds: min(seconds ?? notAnImage, notAnImage))
    }

    private func seconds(forClassOf code: Int) -> Int {
        switch code {
        case 404, 410: notFound
        case 400...499: clientError
        default: serverError
        }
    }

    /// The response's own freshness lifetime left, in seconds; nil if the fields say nothing (RFC 9111 §3,
    /// §4.2.1).
    private func explicitSeconds(
        _ control: ResponseControl, _ status: OriginStatus, _ fields: Fields, _ age: ResponseAge
    ) -> Int? {
        let directives = control.forUs.flags
        let mustUnderstand = directives.contains(.mustUnderstand)
        if mustUnderstand, !status.isUnderstood { return 0 }
        if directives.contains(.noStore), !mustUnderstand { return 0 }
        if !directives.isDisjoint(with: [.noCache, .isPrivate]) { return 0 }
        if control.freshnessFlags(fields).contains(.alwaysValidate) { return 0 }
        guard let lifetime = control.explicitLifetime(fields, age) else { return nil }
        return min(max(Int(lifetime) - Int(age.initialAge), 0), maximum)
    }
}
