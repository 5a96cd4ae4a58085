// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
package import Monitoring

/// The routes for health checks and for scrapes of the metrics.
package struct HealthRoutes: Sendable {
    let gauges: Gauges

    /// Reads the gauges for each request.
    package init(gauges: Gauges) {
        self.gauges = gauges
    }

    /// Liveness (always 200), readiness (200 or 503) and the metrics page.
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
