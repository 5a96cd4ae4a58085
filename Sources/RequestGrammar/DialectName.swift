// SPDX-License-Identifier: Apache-2.0

/// The dialects by their names in settings, commands, logs and metrics. The folder of the same name in `Dialects` describes each.
package enum DialectName: String, Sendable, CaseIterable {
    case native, weserv, next, cloudflare, imgproxy, thumbor, imagor

    /// True if its URLs are signed in its own way, with keys of its own settings instead of `signatures.keys`.
    package var hasOwnKeys: Bool {
        switch self {
        case .native, .weserv, .next, .cloudflare: false
        case .imgproxy, .thumbor, .imagor: true
        }
    }

    /// The word for all dialects, including those of later versions, in a list of dialects.
    package static let allWord = "all"

    /// The names of all dialects, for a sentence.
    package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
