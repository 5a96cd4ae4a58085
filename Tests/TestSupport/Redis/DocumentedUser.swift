// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The user of Redis's ACL that docs/operating/fleet.md prints.
package struct DocumentedUser: Sendable {
    package let name: String
    package let password: String
    /// As redis-server takes the user.
    package let flags: [String]
    /// In small letters.
    package let commands: [String]

    package init() throws {
        let lines = try Document("docs/operating/fleet.md").examples.flatMap(\.lines)
        let words = lines.first { $0.hasPrefix("user ") }?.split(separator: " ").map(String.init) ?? []
        guard words.count > 2, let password = words.first(where: { $0.hasPrefix(">") }) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        name = words[1]
        self.password = String(password.dropFirst())
        flags = ["--user"] + words.dropFirst()
        commands = words.filter { $0.hasPrefix("+") }.map { String($0.dropFirst()) }
    }

    /// What a server has refused to its users, also in scripts, as it notes that itself; empty for nothing.
    package static func refusals(_ server: RedisServer) throws -> String? {
        try server.cli("ACL", "LOG")?.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
