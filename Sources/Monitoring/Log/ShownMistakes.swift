// SPDX-License-Identifier: Apache-2.0

package import Settings
internal import Telemetry

/// Mistakes in settings, as they are shown. A sentence may quote the text that cannot be used, and that may be a URL with a
/// password or a signature. Standard error is the journal's where the service manager starts the daemon.
package struct ShownMistakes: Sendable, CustomStringConvertible {
    /// By the default of `log.redact`, because settings with a mistake have no `log.redact` in force.
    private static let secrets = SecretParameters(Settings().log.redact)

    /// One sentence each.
    package let list: [String]
    /// For the log, which writes it as it is: in a text of several sentences nobody sees where a parameter's value ends.
    package var description: String { list.joined(separator: "; ") }

    /// - Parameter settings: those in force, whose secrets are hidden as well.
    package init(_ mistakes: [String], besides settings: Settings) {
        let others = settings.secretParameters
        list = Self.list(mistakes).map { Self.shown($0, hiding: others) }
    }

    /// The sentences without what logs do not show.
    package static func list(_ mistakes: [String]) -> [String] {
        mistakes.map { shown($0, hiding: secrets) }
    }

    /// What is quoted, and the words before and behind it, each by itself: a parameter's value goes up to the end of a URL, and the
    /// reason behind it has to stay. A password may have quotation marks, so what is between the first and the last is one piece.
    private static func shown(_ mistake: String, hiding secrets: SecretParameters) -> String {
        guard let first = mistake.firstIndex(of: "\""), let last = mistake.lastIndex(of: "\"") else {
            return secrets.redacted(mistake)
        }
        return [mistake[..<first], mistake[first..<last], mistake[last...]].map {
            secrets.redacted(String($0))
        }.joined()
    }
}
