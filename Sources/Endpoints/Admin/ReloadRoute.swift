// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTPServer

/// The result of reading the settings anew.
package struct ReloadReport: Sendable, Codable {
    /// Keys of settings of which the value or the file has changed, and is in force.
    package var changed: [String]
    /// Keys of settings that have changed in the file, and need a restart to take effect.
    package var needsRestart: [String]
    /// Why each of these needs a restart, by its key.
    package var reasons: [String: String]

    /// Keys in the order of the settings' table.
    package init(changed: [String], needsRestart: [String], reasons: [String: String]) {
        self.changed = changed
        self.needsRestart = needsRestart
        self.reasons = reasons
    }
}

/// `POST /admin/reload`: the same as SIGHUP, with an answer.
package struct ReloadRoute: Sendable {
    /// Why the settings in force stay.
    package enum Failure: Error {
        /// The daemon is still starting; it may reload later.
        case starting
        /// The mistakes in the settings, a sentence each.
        case mistakes([String])
    }

    /// Reads the settings anew and puts them into force.
    package let reload: @Sendable () async throws(Failure) -> ReloadReport

    /// Takes the function that reloads; it is called for each order.
    package init(reload: @escaping @Sendable () async throws(Failure) -> ReloadReport) {
        self.reload = reload
    }

    /// One route; it answers when the settings are in force.
    package var routes: [AdminRoute] {
        [
            .post("/admin/reload") { [reload] _, _ in
                do throws(Failure) {
                    return .json(try await reload())
                } catch {
                    return Self.refusal(error).response()
                }
            }
        ]
    }

    private static func refusal(_ failure: Failure) -> ErrorResponse {
        switch failure {
        case .starting: ErrorResponse(.starting, "The daemon is still starting.", retryAfter: 1)
        case .mistakes(let list): ErrorResponse(.badSettings, list.joined(separator: "; "))
        }
    }
}
