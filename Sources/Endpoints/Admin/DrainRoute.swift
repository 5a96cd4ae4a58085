// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer

/// `POST /admin/drain`: the same as SIGTERM.
package struct DrainRoute: Sendable {
    private struct Report: Encodable { let state = "draining" }

    package let drain: @Sendable () -> Void

    package init(drain: @escaping @Sendable () -> Void) {
        self.drain = drain
    }

    package var routes: [AdminRoute] {
        [
            .post("/admin/drain") { [drain] _, _ in
                drain()
                return .json(Report(), status: 202)
            }
        ]
    }
}
