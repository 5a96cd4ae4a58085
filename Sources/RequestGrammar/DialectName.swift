// SPDX-License-Identifier: Apache-2.0

/// The dialects by the words that settings, commands, logs and metrics have for them. What each is stands in the
/// folder of its name in `Dialects`.
package enum DialectName: String, Sendable, CaseIterable {
    case native, weserv, next, cloudflare, imgproxy, thumbor, imagor

    /// Whether its URLs are signed in its own way, by keys of its own settings, and not by `signatures.keys`.
    package var hasOwnKeys: Bool {
        switch self {
        case .native, .weserv, .next, .cloudflare: false
        case .imgproxy, .thumbor, .imagor: true
        }
    }

    /// In a list of dialects: every one, those of later versions too.
    package static let allWord = "all"

    /// All of them, as a sentence lists them.
    package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
