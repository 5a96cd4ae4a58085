// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Kernel
import TestSupport
import Testing

@Suite("The name of a unix socket")
struct UnixSocketNameTests {
    private let folder = TemporaryFolder()

    private func bound(_ name: UnixSocketName) -> OwnedDescriptor? {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = OwnedDescriptor(adopting: socket(AF_UNIX, kind, 0))
        return name.withAddress({ bind(descriptor.raw, $0, $1) }) == 0 ? descriptor : nil
    }

    @Test func `a path has 1 to 107 bytes, and none of them is zero`() {
        for (path, isName) in [
            ("", false), ("a", true), ("/run/a\0b", false), (String(repeating: "a", count: 107), true),
            (String(repeating: "a", count: 108), false), (String(repeating: "ä", count: 54), false),
        ] {
            #expect((UnixSocketName(path: path) != nil) == isName, "\(path.debugDescription)")
            #expect((UnixSocketName(notifySocket: path) != nil) == isName, "\(path.debugDescription)")
        }
    }

    @Test func `the longest path is the kernel's as well`() throws {
        let rest = UnixSocketName.longest - folder.path.utf8.count - 1
        try #require(rest > 0)
        let path = folder.path + "/" + String(repeating: "a", count: rest)
        let socket = try bound(#require(UnixSocketName(path: path)))
        #expect(socket != nil && FileManager.default.fileExists(atPath: path))
    }

    @Test func `a path may begin with @, and a service manager's @ begins an abstract name`() throws {
        let text = "@" + folder.path
        #expect(UnixSocketName(path: text) != UnixSocketName(notifySocket: text))
        let name = try #require(UnixSocketName(notifySocket: text))
        let first = bound(name)
        // The name is taken while its socket is open, without a file.
        #expect(first != nil && bound(name) == nil)
        #expect(!FileManager.default.fileExists(atPath: text))
        #expect(UnixSocketName(notifySocket: "@") == nil)
        withExtendedLifetime(first) {}
    }

    @Test func `an address of a socket says its path behind unix:`() {
        #expect(UnixSocketName.path(in: "unix:/run/a") == "/run/a")
        #expect(UnixSocketName.path(in: "unix:") == "")
        #expect(UnixSocketName.path(in: "localhost:80") == nil)
    }
}
