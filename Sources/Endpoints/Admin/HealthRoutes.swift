// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
package import Monitoring
internal import Telemetry

/// The routes for health checks and for scrapes of the metrics.
package struct HealthRoutes: Sendable {
    let gauges: Gauges
    let probes: ProbeAnswers
    let access: AdminAccess

    /// The gauges are read for each request.
    /// - Parameter access: who may read the names of origins.
    package init(gauges: Gauges, probes: ProbeAnswers, access: AdminAccess) {
        self.gauges = gauges
        self.probes = probes
        self.access = access
    }

    /// Liveness (always 200), readiness (200 or 503) and the metrics page.
    package var routes: [AdminRoute] {
        [
            .get("/health/live", .probing) { [probes] _, _ in probes.live },
            .get("/health/ready", .probing) { [probes] _, _ in probes.ready },
            .get("/metrics", .open) { [gauges, access] request, _ in
                // A client without read access does not learn the names of origins.
                let namesOrigins = access.refusal(of: request, to: .reading) == nil
                let format = Exposition.Format(accepted: request.fields.combined("Accept"))
                let page = gauges.page(as: format, namingOrigins: namesOrigins)
                var response = Response.text(200, page, type: format.mediaType)
                response.fields.append("Vary", "Accept")
                return response
            },
        ]
    }
}
