// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// The picture in place of one that cannot be had or made.
    package struct Fallback: Sendable, Equatable {
        /// A URL, or the path of a file; empty = none.
        package var picture = ""
        /// 0 = that of the failure.
        package var status = 200
        /// For clients; 0 = not kept.
        package var maximumAge = Duration.seconds(60)
    }
}

extension Setting {
    static let fallback: [Setting] = [
        Setting(
            "fallback.picture", \.fallback.picture,
            "The answer where an original cannot be had or made, in the size and format that were asked for: https://… or /path/of/a/file. Empty = the error. A URL's own default= goes before it."
        ),
        Setting(
            "fallback.status", \.fallback.status,
            "The status of that answer; 0 = that of the failure. Logs and metrics name the failure in any case.",
            form: "0, 200, or 400 to 599", where: { $0 == 0 || $0 == 200 || (400...599).contains($0) }),
        Setting(
            "fallback.max-age", \.fallback.maximumAge,
            "How long clients may keep that answer; 0s = not at all. A minute spares the failing origin, and ends soon after it is well."
        ),
    ]
}
