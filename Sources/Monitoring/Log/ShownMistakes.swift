// SPDX-License-Identifier: Apache-2.0

internal import Settings
internal import Telemetry

/// Mistakes in settings, as they are shown. A sentence may quote the text that cannot be used, and that may be a URL with a
/// password or a signature. Standard error is the journal's where the service manager starts the daemon.
package enum ShownMistakes {
    /// By the default of `log.redact`: of settings with a mistake nobody knows what they hide.
    private static let secrets = SecretParameters(Settings().log.redact)

    /// The sentences without what logs do not show.
    package static func list(_ mistakes: [String]) -> [String] { mistakes.map(shown) }

    /// Piece by piece between quotation marks: a value goes up to the end of a URL, and the reason behind it has to stay.
    private static func shown(_ mistake: String) -> String {
        let pieces = mistake.split(separator: "\"", omittingEmptySubsequences: false)
        return pieces.enumerated().map { secrets.redacted(($0 > 0 ? "\"" : "") + $1) }.joined()
    }
}
