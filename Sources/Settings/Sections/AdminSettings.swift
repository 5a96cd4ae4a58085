// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// The admin listener.
    package struct Admin: Sendable, Equatable {
        /// `host:port` or `unix:/path`; empty for no listener.
        package var listen = ["127.0.0.1:8081"]
        /// The token in the settings; `adminSecret` also reads `tokenFile`.
        package var token = Secret.none
        var tokenFile = ""
        /// Host names by which the listener may be addressed besides those in `listen`: `host` or `*.host`.
        package var hosts: [String] = []
        /// True to serve the dashboard at `/ui`.
        package var dashboard = true
    }
}

extension Setting {
    static let admin: [Setting] = [
        Setting(
            "admin.listen", \.admin.listen, .atRestart(.listeners),
            "Addresses of the admin listener (/health, /metrics, /admin): host:port or unix:/path; empty = none. Where a service manager has made a folder for the daemon ($RUNTIME_DIRECTORY; the unit's is /run/pictor), the daemon listens at the socket admin.sock in it too."
        ),
        Setting(
            "admin.token", \.admin.token, .live,
            "Bearer token for /admin on a listener that is no unix socket, and for clients that may say Cache-Control. No flag; without it and admin.token-file, $CREDENTIALS_DIRECTORY/admin-token (systemd) where that exists.",
            isGuard: true),
        Setting(
            "admin.token-file", \.admin.tokenFile, .live, "A file that holds the token.", isGuard: true),
        Setting(
            "admin.hosts", \.admin.hosts, .live,
            "Host names by which requests may ask for the admin listener, beside localhost, its addresses and the names in admin.listen: host or *.host. A request with any other Host is a 421, unless it asks for /health or carries the token, because a web page could point a name of its own here (DNS rebinding)."
        ),
        Setting(
            "admin.dashboard", \.admin.dashboard, .live,
            "Serve the dashboard at /ui of the admin listener. The page itself is open; what it shows and does follows the rules for /admin."
        ),
    ]
}
