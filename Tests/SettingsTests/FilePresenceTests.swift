// SPDX-License-Identifier: Apache-2.0

import Foundation
import Settings
import TestSupport
import Testing

@Suite("A file that need not be there is passed over where it is certain that it is not")
struct FilePresenceTests {
    private let folder = TemporaryFolder()

    private func link(_ name: String, to place: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: place)
        return path
    }

    @Test func `a file that is there is read, and one that is not is not`() throws {
        let path = "\(folder.path)/file"
        #expect(!FilePresence.isPossible(path))
        try "a".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(FilePresence.isPossible(path))
        #expect(!FilePresence.isPossible("\(path)/below"))
    }

    @Test func `a link that leads nowhere is no missing file`() throws {
        #expect(FilePresence.isPossible(try link("lost", to: "\(folder.path)/none")))
    }

    @Test func `a folder that cannot be entered may hold the file`() throws {
        // Even root cannot open a loop of links.
        let loop = try link("loop", to: "loop")
        #expect(FilePresence.isPossible("\(loop)/pictor.yaml"))
    }
}
