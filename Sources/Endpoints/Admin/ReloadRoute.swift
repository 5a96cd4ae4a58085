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
    /// The mistakes in the settings, a sentence each.
    package struct Mistakes: Error {
        package let list: [String]
        package init(_ list: [String]) { self.list = list }
    }

    /// Reads the settings anew and puts them into force.
    package let reload: @Sendable () async throws(Mistakes) -> ReloadReport

    /// Takes the function that reloads; it is called for each order.
    package init(reload: @escaping @Sendable () async throws(Mistakes) -> ReloadReport) {
        self.reload = reload
    }

    /// One route; it answers when the settings are in force.
    package var routes: [AdminRoute] {
        [
            .post("/admin/reload") { [reload] _, _ in
                do throws(Mistakes) {
                    return .json(try await reload())
                } catch {
                    return ErrorResponse(.badSettings, error.list.joined(separator: "; ")).response()
                }
            }
        ]
    }
}
