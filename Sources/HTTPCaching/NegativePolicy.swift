// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// How long a failure is remembered, so that a broken picture on a busy page does not hammer its origin.
/// Seconds; 0 remembers nothing.
///
/// An origin's error is a response, and RFC 9111 §3 says when one may be kept: when it says for how long, or when
/// its status is heuristically cacheable (404, 410, … but not 403, 500 or 503). Kept ones are `known`. The others
/// are only `suspected`: a single one may be a hiccup, and the next request asks again. Only if the origin fails
/// then as well, within the class's time, it is left alone for as long, and from there on one request in each such
/// time finds out whether it has recovered. That reuses no response; it is the circuit breaker of a client that
/// was told twice. Where there is no response at all (no address, no connection, no answer in time), and where the
/// origin itself asks for a pause by `Retry-After`, the first time is enough.
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
    /// A body that is no picture we know, or a broken one: at most, for then it is asked whether it has changed.
    package var notAnImage = 60
    /// The longest that an origin's own `Cache-Control`, `Expires` or `Retry-After` makes us remember a failure.
    package var maximum = 300

    package init() {}

    /// What failed without an answer of the origin, or with an answer that does not matter.
    package enum Failure: Sendable, Hashable {
        case nameNotResolved
        case unreachable
        case notAnImage
    }

    package enum Verdict: Sendable, Hashable {
        /// The same question gets the same answer for so many seconds.
        case known(seconds: Int)
        /// A second failure within so many seconds is known for as long.
        case suspected(seconds: Int)

        package static let nothing = Verdict.known(seconds: 0)
    }

    package func verdict(on failure: Failure) -> Verdict {
        switch failure {
        case .nameNotResolved: .known(seconds: nameNotResolved)
        case .unreachable: .known(seconds: unreachable)
        case .notAnImage: .known(seconds: notAnImage)
        }
    }

    /// Judges an answer that is no picture by its status. What its fields say comes before the classes.
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

    /// Judges an answer with these fields whose content is no picture: as fresh as a picture would be, but asked about
    /// soon, since somebody may be mending it.
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

    /// Nil where the fields leave it open (RFC 9111 §3, §4.2.1).
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
