// SPDX-License-Identifier: Apache-2.0

internal import JSON
package import Settings
internal import Telemetry

/// Sentences about mistakes in settings, without secrets. A sentence may quote the text that cannot be used, such as a URL with a
/// password or a signature, and standard error may lead to the journal or to a terminal. So invisible characters are escaped, too:
/// a line feed would begin a line of its own, and other control characters order a terminal about.
package struct ShownMistakes: Sendable, CustomStringConvertible {
    /// The default of `log.redact`, because settings with a mistake are not in force.
    private static let secrets = SecretParameters(Settings().log.redact)

    /// The sentences with secrets hidden and invisible characters escaped.
    package let list: [String]
    /// The log writes this text unchanged, because in several sentences it could not tell where a secret value ends.
    package var description: String { list.joined(separator: "; ") }

    /// - Parameter settings: the settings in force, whose secrets are hidden as well.
    package init(_ mistakes: [String], besides settings: Settings) {
        let others = settings.secretParameters
        list = Self.list(mistakes).map { Self.shown($0, hiding: others) }
    }

    /// The sentences with secrets hidden and invisible characters escaped.
    package static func list(_ mistakes: [String]) -> [String] {
        mistakes.map { LogText.visible(shown($0, hiding: secrets)) }
    }

    /// Hides secrets in the quotation and in the words before and behind it separately: a secret value could otherwise seem to
    /// extend into the reason behind the quotation. A password may contain quotation marks, so the quotation goes from the first
    /// mark to the last.
    private static func shown(_ mistake: String, hiding secrets: SecretParameters) -> String {
        guard let first = mistake.firstIndex(of: "\""), let last = mistake.lastIndex(of: "\"") else {
            return secrets.redacted(mistake)
        }
        return [mistake[..<first], mistake[first..<last], mistake[last...]].map {
            secrets.redacted(String($0))
        }.joined()
    }
}
