// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
package import Monitoring

/// Is it alive, is it ready, how is it doing.
package struct HealthRoutes: Sendable {
    let gauges: Gauges

    package init(gauges: Gauges) {
        self.gauges = gauges
    }

    package var routes: [AdminRoute] {
        [
            .get("/health/live", .probing) { _, _ in .text(200, "alive\n") },
            .get("/health/ready", .probing) { [gauges] _, _ in
                switch gauges.readiness {
                case .ready(nil): .text(200, "ready\n")
                case .ready(let remark?): .text(200, "ready, but \(remark)\n")
                case .notReady(let reason): .text(503, "not ready: \(reason)\n")
                }
            },
            .get("/metrics", .open) { [gauges] _, _ in
                .text(200, gauges.page, type: "text/plain; version=0.0.4; charset=utf-8")
            },
        ]
    }
}
