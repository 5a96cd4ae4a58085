// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer

/// `POST /admin/drain`: the same as SIGTERM.
package struct DrainRoute: Sendable {
    private struct Report: Encodable { let state = "draining" }

    /// Starts the shutdown and returns at once.
    package let drain: @Sendable () -> Void

    /// Takes the function that starts the shutdown; it is called for each order.
    package init(drain: @escaping @Sendable () -> Void) {
        self.drain = drain
    }

    /// One route; it answers 202 before the daemon has drained.
    package var routes: [AdminRoute] {
        [
            .post("/admin/drain") { [drain] _, _ in
                drain()
                return .json(Report(), status: 202)
            }
        ]
    }
}
