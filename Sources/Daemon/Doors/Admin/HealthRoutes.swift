// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer

/// Is it alive, is it ready, how is it doing.
struct HealthRoutes: Sendable {
    let gauges: Gauges

    var routes: [AdminRoute] {
        [
            .get("/health/live", .open) { _, _ in .text(200, "alive\n") },
            .get("/health/ready", .open) { [gauges] _, _ in
                guard let reason = gauges.unreadiness else { return .text(200, "ready\n") }
                return .text(503, "not ready: \(reason)\n")
            },
            .get("/metrics", .open) { [gauges] _, _ in
                .text(200, gauges.page, type: "text/plain; version=0.0.4; charset=utf-8")
            },
        ]
    }
}
