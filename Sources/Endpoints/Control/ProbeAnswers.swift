// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
package import Monitoring

/// The answers to liveness and readiness probes.
package struct ProbeAnswers: Sendable {
    private let check: ReadinessCheck

    /// The check is run for each probe.
    package init(_ check: ReadinessCheck) { self.check = check }

    /// Always 200.
    var live: Response { .text(200, "alive\n") }

    /// 200 or 503.
    var ready: Response {
        switch check.readiness {
        case .ready(nil): .text(200, "ready\n")
        case .ready(let remark?): .text(200, "ready, but \(remark)\n")
        case .notReady(let reason): .text(503, "not ready: \(reason)\n")
        }
    }

    /// The answer by the probe's path; nil for another path.
    func answer(to path: String) -> Response? {
        switch path {
        case "/health/live": live
        case "/health/ready": ready
        default: nil
        }
    }
}
