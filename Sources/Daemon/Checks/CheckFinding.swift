// SPDX-License-Identifier: Apache-2.0

internal import JSON

/// The result of one check of `pictor check --online`.
package struct CheckFinding: Sendable, Equatable {
    package let isObstacle: Bool
    /// One line. Words from a server in it are made safe for a terminal.
    package let words: String

    private init(isObstacle: Bool, _ words: String) {
        (self.isObstacle, self.words) = (isObstacle, LogText.visible(words))
    }

    static func good(_ words: String) -> CheckFinding { CheckFinding(isObstacle: false, words) }
    static func obstacle(_ words: String) -> CheckFinding { CheckFinding(isObstacle: true, words) }
}
