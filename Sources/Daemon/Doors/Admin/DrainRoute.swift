// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer

/// `POST /admin/drain`: the same as SIGTERM.
struct DrainRoute: Sendable {
    private struct Report: Encodable { let state = "draining" }

    let drain: @Sendable () -> Void

    var routes: [AdminRoute] {
        [
            .post("/admin/drain") { [drain] _, _ in
                drain()
                return .json(Report(), status: 202)
            }
        ]
    }
}
