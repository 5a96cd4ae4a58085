// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// Negative caching: how long failures are remembered, so that a broken picture on a busy page does not
/// hammer its origin. Seconds; 0 remembers nothing.
///
/// An origin's error is a response. RFC 9111 §3 allows keeping it if it says for how long, or if its status is heuristically
/// cacheable (404, 410, … but not 403, 500 or 503). Such errors are `known`. The others are only `suspected`: a single one may be a
/// hiccup, so the next request asks again. If the origin fails again within the class's time, it is not asked for that time; then one
/// request in each such time finds out whether it has recovered. That reuses no response; it is a client's circuit breaker, which
/// opens at the second failure. It opens at the first failure without any response (no address, no connection, no answer in time),
/// and if the origin asks for a pause by `Retry-After`.
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
    /// The longest time for a body that is no known picture, or a broken one; after that, the origin is asked whether the body has
    /// changed.
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
        /// The same request gets the same failure for this many seconds.
        case known(seconds: Int)
        /// A second failure within this many seconds becomes `known` for as long.
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
    package func verdict(onStatus code: Int, fields: Fields, by transit: Transit) -> Verdict {
        let pause = fields["Retry-After"].flatMap {
            RetryAfter.seconds($0, now: transit.responseTime, limit: maximum)
        }
        let age = ResponseAge(fields, by: transit)
        var answer = answer(code, fields, age)
        if !Self.isReusable(fields, transit) {
            // A client's fault may be corrected by now; a fault of the origin is still a reason to spare it.
            answer = (400..<500).contains(code) ? .nothing : .suspected(seconds: seconds(forClassOf: code))
        }
        answer = answer.behind(transit, self)
        guard let pause, pause > 0 else { return answer }
        let rest = verdict(known: pause, behind: transit)
        return answer.known < rest.known ? rest : answer
    }

    /// The verdict on a response whose content is no picture. It is remembered as long as a picture would be fresh, but at most for
    /// `notAnImage`, because somebody may be correcting it.
    package func verdict(onContentWith fields: Fields, by transit: Transit) -> Verdict {
        if !Self.isReusable(fields, transit) { return .nothing }
        let age = ResponseAge(fields, by: transit)
        let seconds = explicitSeconds(ResponseControl(fields), OriginStatus(200), fields, age)
        return Verdict.known(seconds: min(seconds ?? notAnImage, notAnImage))
            .behind(transit, self)
    }

    /// The verdict on a failure that reuses no response: one without a response, or a pause that the origin asked for. The lifetime
    /// of each redirect limits it, because a redirect may lead elsewhere after that.
    package func verdict(known seconds: Int, behind transit: Transit) -> Verdict {
        let explicit = transit.redirects.compactMap { self.seconds(of: $0, by: transit) }
        return .known(seconds: explicit.reduce(seconds, min))
    }

    /// The most seconds for which clients may keep a failure, according to the response and each redirect to it; nil if none of them
    /// says. `s-maxage` and `CDN-Cache-Control` apply to us alone.
    package static func clientLimit(of fields: Fields, by transit: Transit) -> Int? {
        ([fields] + transit.redirects.map(\.fields)).compactMap { fields -> Int? in
            let control = ResponseControl(fields)
            let told = control.forClients.flags
            // Checked even if they bind us too, because a pause by `Retry-After` is remembered in spite of them.
            if !told.isDisjoint(with: [.noCache, .isPrivate]) { return 0 }
            if control.forClients.forbidsStoring { return 0 }
            let age = ResponseAge(fields, by: transit)
            return control.clientLifetime(fields, age).map { Int($0) }
        }.min()
    }

    private func answer(_ code: Int, _ fields: Fields, _ age: ResponseAge) -> Verdict {
        let (status, control) = (OriginStatus(code), ResponseControl(fields))
        if let seconds = explicitSeconds(control, status, fields, age) { return .known(seconds: seconds) }
        let usual = seconds(forClassOf: code)
        return control.keeps(status) ? .known(seconds: usual) : .suspected(seconds: usual)
    }

    /// False if the answer to a request with `Authorization` must not be given to other clients, because the answer itself, or a
    /// redirect to it, does not allow that (RFC 9111 §3.5).
    private static func isReusable(_ fields: Fields, _ transit: Transit) -> Bool {
        guard transit.isAuthorized else { return true }
        return ([fields] + transit.redirects.map(\.fields)).allSatisfy {
            ResponseControl($0).allowsAuthorized
        }
    }

    /// The remaining lifetime of a redirect in seconds; nil if the redirect does not say.
    fileprivate func seconds(of hop: RedirectHop, by transit: Transit) -> Int? {
        let age = ResponseAge(hop.fields, by: transit)
        return explicitSeconds(ResponseControl(hop.fields), OriginStatus(hop.status), hop.fields, age)
    }

    private func seconds(forClassOf code: Int) -> Int {
        switch code {
        case 404, 410: notFound
        case 400...499: clientError
        default: serverError
        }
    }

    /// The response's remaining freshness lifetime in seconds; nil if the fields do not say (RFC 9111 §3, §4.2.1).
    private func explicitSeconds(
        _ control: ResponseControl, _ status: OriginStatus, _ fields: Fields, _ age: ResponseAge
    ) -> Int? {
        let directives = control.forUs.flags
        if directives.contains(.mustUnderstand), !status.isUnderstood { return 0 }
        if control.forUs.forbidsStoring { return 0 }
        if !directives.isDisjoint(with: [.noCache, .isPrivate]) { return 0 }
        if control.freshnessFlags(fields).contains(.alwaysValidate) { return 0 }
        guard let lifetime = control.explicitLifetime(fields, age) else { return nil }
        return min(max(Int(lifetime) - Int(age.initialAge), 0), maximum)
    }
}

extension NegativePolicy.Verdict {
    /// Seconds for which the failure is answered again without asking the origin.
    fileprivate var known: Int { if case .known(let seconds) = self { seconds } else { 0 } }

    /// Limits the verdict by each redirect, because a failure is remembered under the first URL. A redirect that may not be kept (RFC
    /// 9111 §3) turns a known failure into a suspicion.
    fileprivate func behind(_ transit: Transit, _ policy: NegativePolicy) -> Self {
        transit.redirects.reduce(self) { verdict, hop in
            if let seconds = policy.seconds(of: hop, by: transit) {
                return verdict.limited(to: seconds)
            }
            let isKept = ResponseControl(hop.fields).keeps(OriginStatus(hop.status))
            guard !isKept, case .known(let seconds) = verdict else { return verdict }
            return .suspected(seconds: seconds)
        }
    }

    private func limited(to limit: Int) -> Self {
        switch self {
        case .known(let seconds): .known(seconds: min(seconds, limit))
        case .suspected(let seconds): .suspected(seconds: min(seconds, limit))
        }
    }
}
