// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// The dialect of wsrv.nl.
    package struct Weserv: Sendable, Equatable {
        /// True to answer failures with wsrv.nl's statuses and texts.
        package var compatibleStatus = false
    }
}

extension Setting {
    static let weserv: [Setting] = [
        Setting(
            "weserv.compatible-status", \.weserv.compatibleStatus, .live,
            "Answer failures as wsrv.nl does: with its words, and nearly all of them with a 404.")
    ]
}
