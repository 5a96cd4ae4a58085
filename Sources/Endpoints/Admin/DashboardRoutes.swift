// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTP1
internal import HTTPServer
internal import RequestGrammar
internal import Web

/// The dashboard at `/ui`: static files without a secret. The page gets its data from the other routes, whose access rules apply.
package struct DashboardRoutes: Sendable {
    /// The page's path.
    package static let path = "/ui"
    private let site = WebSite("dashboard", at: Self.path)

    /// Packs the files, once for all requests.
    package init() {}

    /// One route for each file, and two that lead to the page.
    package var routes: [AdminRoute] {
        site.paths.map { path in
            var route = AdminRoute.get(path, .open) { [site] request, _ in
                site.response(to: request, path: path) ?? ErrorResponse.notFound.response()
            }
            route.isListed = path == Self.path
            return route
        } + ["/", Self.path + "/"].map(Self.lead)
    }

    private static func lead(from path: String) -> AdminRoute {
        var route = AdminRoute.get(path, .open) { _, _ in .lead(to: Self.path) }
        route.isListed = false
        return route
    }
}
