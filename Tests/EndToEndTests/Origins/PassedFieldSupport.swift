// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport

/// A suite of origins that give each client its own picture, by one field of its request.
protocol PassingFields {
    var folder: TemporaryFolder { get }
}

extension PassingFields {
    var profiles: String { folder.path + "/origins.yaml" }

    func write(_ lines: String...) throws {
        try lines.joined(separator: "\n").write(toFile: profiles, atomically: true, encoding: .utf8)
    }

    /// Has the origin's profile pass these fields.
    func pass(_ names: String, at origin: ScriptedOrigin, _ more: String...) throws {
        let lines = ["shop:", "  match: ['\(origin.url("/").absolute)']", "  pass: [\(names)]"] + more
        try lines.joined(separator: "\n").write(toFile: profiles, atomically: true, encoding: .utf8)
    }

    func daemon(_ flags: [String] = [], cache: TemporaryFolder? = nil) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            ["--origin-profiles", profiles] + flags, cache: cache, environment: DaemonUnderTest.trusting)
    }
}

/// An origin whose pictures tell the value of a field of their request.
struct PersonalOrigin {
    let origin: ScriptedOrigin
    let field: String

    /// - Parameters:
    ///   - fields: of each answer.
    ///   - first: true if it has answered.
    init(
        by field: String = "Cookie", maxAge: Int = 3600, fields: [String] = [],
        first: @escaping @Sendable (Peer) -> Bool = { _ in false }
    ) {
        self.field = field
        origin = ScriptedOrigin { peer in
            if first(peer) { return }
            peer.picture(Self.picture(for: peer.value(of: field)), maxAge: maxAge, fields: fields)
        }
    }

    /// A picture of another width for each value.
    static func picture(for value: String?) -> [UInt8] {
        Pictures.gradient(60 + (value?.utf8.reduce(1) { ($0 * 31 + Int($1)) % 97 } ?? 0), 40)
    }

    /// How many requests had this value; nil for those without the field.
    func asked(for value: String?) -> Int { origin.heads.count { $0.value(of: field) == value } }
}

extension Peer {
    /// Nil without such a line.
    func value(of field: String) -> String? { head.value(of: field) }
}

extension String {
    /// The first line of that name in a head.
    func value(of field: String) -> String? {
        split(separator: "\r\n").first { $0.lowercased().hasPrefix(field.lowercased() + ": ") }
            .map { String($0.dropFirst(field.utf8.count + 2)) }
    }
}

extension DaemonUnderTest {
    /// The original as this client gets it.
    func raw(_ url: SourceURL, _ field: String, _ value: String?) throws -> Connection.Reply {
        try get(url, "output=raw", fields: value.map { [(field, $0)] } ?? [])
    }
}
