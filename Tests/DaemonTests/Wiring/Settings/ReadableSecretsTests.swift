// SPDX-License-Identifier: Apache-2.0

import Dialects
import Foundation
import Settings
import TestSupport
import Testing

/// False if the temporary folder is closed to other users, for example root's `TMPDIR`: no file below it can be open to them.
private let isReachable: Bool = {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    var url = URL(filePath: folder.path).resolvingSymlinksInPath()
    while url.path != "/" {
        let mode = try? FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        guard let mode, mode & 0o001 != 0 else { return false }
        url.deleteLastPathComponent()
    }
    return true
}()

@Suite(
    "A secret that each user of the machine may read is remarked on",
    .enabled(if: isReachable, "the folder for temporary files is closed to other users"))
struct ReadableSecretsTests {
    private let folder = TemporaryFolder()

    /// Writes a file with this mode into the folder.
    private func write(_ text: String, to name: String, mode: Int) throws -> String {
        let path = "\(folder.path)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func remarks(of file: (path: String, text: String)? = nil, flags: [String] = []) throws
        -> [String]
    {
        try SettingsLoader.load(flags: flags, environment: [:], file: file).remarks
    }

    private static let token = "a-token-of-at-least-16-letters"

    @Test func `a file with its mode, at its place`() throws {
        let path = try write(Self.token, to: "token", mode: 0o644)
        let file = (path: "pictor.yaml", text: "admin:\n  token-file: \(path)\n")
        let words = "admin.token-file: each user of this machine may read \(path); mode 0600 would close it"
        #expect(try remarks(of: file) == ["pictor.yaml:2: \(words)"])
        #expect(try remarks(flags: ["--admin-token-file", path]) == ["--admin-token-file: \(words)"])
    }

    @Test(arguments: [0o600, 0o640, 0o400])
    func `not one that is closed to others`(mode: Int) throws {
        #expect(
            try remarks(flags: ["--admin-token-file", write(Self.token, to: "token", mode: mode)]).isEmpty)
    }

    @Test func `not one in a folder that is closed to others`() throws {
        let path = try write(Self.token, to: "token", mode: 0o644)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        #expect(try remarks(flags: ["--admin-token-file", path]).isEmpty)
    }

    @Test func `not one of a volume of Kubernetes, wherever that is mounted`() throws {
        let data = "\(folder.path)/..2026_01_02"
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        let path = try write(Self.token, to: "..2026_01_02/token", mode: 0o644)
        let link = "\(folder.path)/token"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try remarks(flags: ["--admin-token-file", link]).count == 1)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/..data", withDestinationPath: "..2026_01_02")
        #expect(try remarks(flags: ["--admin-token-file", link]).isEmpty)
        // A file beside it is not from the service manager.
        let other = try write(Self.token, to: "other", mode: 0o644)
        #expect(try remarks(flags: ["--admin-token-file", other]).count == 1)
    }

    @Test func `the settings file where it holds a secret, and not without one`() throws {
        let text = "admin:\n  dashboard: true\n  token: \(Self.token)\n"
        let open = try write(text, to: "pictor.yaml", mode: 0o644)
        let found = try remarks(of: (open, text))
        #expect(found.count == 1)
        #expect(found.allSatisfy { $0.hasPrefix("\(open):3: admin.token: each user") }, "\(found)")
        #expect(try remarks(of: (open, "admin:\n  dashboard: true\n")).isEmpty)
        let closed = try write(text, to: "closed.yaml", mode: 0o600)
        #expect(try remarks(of: (closed, text)).isEmpty)
    }

    @Test func `a file of profiles where one has credentials, and the key that it names`() throws {
        let lifetimes = "shop:\n  match: shop.example\n  cache-control: max-age=60\n"
        let key = try write("", to: "shop.key", mode: 0o644)
        let certificate = try write("", to: "shop.pem", mode: 0o644)
        for (text, count) in [
            (lifetimes, 0), (lifetimes + "  bearer: a-token-of-theirs\n", 1),
            (lifetimes + "  certificate: \(certificate)\n  key: \(key)\n", 1),
            (lifetimes + "  headers: {Accept-Language: de, User-Agent: ours}\n", 0),
            (lifetimes + "  headers: {Accept-Language: de, X-Api-Key: of-ours}\n", 1),
            (lifetimes + "  headers: {authorization: Basic YTpi}\n", 1),
            (lifetimes + "  headers: {Cookie: session=a}\n", 1),
        ] {
            let profiles = try write(text, to: "profiles", mode: 0o644)
            let found = try remarks(flags: ["--origin-profiles", profiles])
            #expect(found.count == count, "\(text): \(found)")
        }
    }
}
