// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// The picture in place of one that cannot be had or made.
    package struct Fallback: Sendable, Equatable {
        /// The URL or the path of the picture; empty for none.
        package var picture = ""
        /// The statuses of failures for which the picture is shown; empty for all.
        package var statuses = FailureStatuses()
        /// The status of the answer; 0 for the failure's own.
        package var status = 200
        /// How long clients may keep the answer; 0 for not at all.
        package var maximumAge = Duration.seconds(60)
    }
}

extension Setting {
    static let fallback: [Setting] = [
        Setting(
            "fallback.picture", \.fallback.picture, .live,
            "The picture to answer with, in the size and format that were asked for, if the original cannot be had or no picture can be made of it: https://… or /path/of/a/file. Empty = the error. A URL's own default= comes before it."
        ),
        Setting(
            "fallback.statuses", \.fallback.statuses, .live,
            "Failures that get fallback.picture, by what the origin answered, as 403, 404, 410 and 5xx, or else by the status that Pictor answers: 502 for an origin that cannot be reached, 504 for a slow one, 415 for no picture. Empty = all that are about the picture."
        ),
        Setting(
            "fallback.status", \.fallback.status, .live,
            "The status of an answer with fallback.picture; 0 = that of the failure. Logs and metrics name the failure in any case.",
            form: "0, 200, or 400 to 599", where: { $0 == 0 || $0 == 200 || (400...599).contains($0) }),
        Setting(
            "fallback.max-age", \.fallback.maximumAge, .live,
            "How long clients may keep an answer with fallback.picture; 0s = not at all. A minute spares the failing origin, and ends soon after the origin is well."
        ),
    ]
}
