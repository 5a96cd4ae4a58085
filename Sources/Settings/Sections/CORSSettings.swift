// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// Which sites' scripts may read answers.
    package struct CORS: Sendable, Equatable {
        /// `*`, or origins as browsers spell them; empty for no site.
        package var allow = ["*"]
        /// How long a browser may keep the answer to a preflight request.
        package var maximumAge = Duration.seconds(7_200)
    }
}

extension Setting {
    static let cors: [Setting] = [
        Setting(
            "cors.allow", \.cors.allow, .live,
            "Origins of pages whose scripts may read pictures and refusals: * for every page, or https://host, https://*.host (for the names below it) and http://host:port. Empty = none. All other pages can still show pictures, but a canvas that shows one is tainted."
        ),
        Setting(
            "cors.maximum-age", \.cors.maximumAge, .live,
            "How long a browser may rely on the answer to a preflight (OPTIONS); most take two hours at most.",
            form: "0s to 24h", where: { (.zero ... .seconds(86_400)).contains($0) }),
    ]
}
