// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
package import Monitoring

/// The routes for health checks and for scrapes of the metrics.
package struct HealthRoutes: Sendable {
    let gauges: Gauges
    let probes: ProbeAnswers

    /// Reads the gauges for each request.
    package init(gauges: Gauges, probes: ProbeAnswers) {
        self.gauges = gauges
        self.probes = probes
    }

    /// Liveness (always 200), readiness (200 or 503) and the metrics page.
    package var routes: [AdminRoute] {
        [
            .get("/health/live", .probing) { [probes] _, _ in probes.live },
            .get("/health/ready", .probing) { [probes] _, _ in probes.ready },
            .get("/metrics", .open) { [gauges] _, _ in
                .text(200, gauges.page, type: "text/plain; version=0.0.4; charset=utf-8")
            },
        ]
    }
}
