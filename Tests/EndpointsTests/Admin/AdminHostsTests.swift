// SPDX-License-Identifier: Apache-2.0

@testable import Endpoints
@testable import Settings
import Testing

struct AdminHostsTests {
    private func hosts(_ flags: String...) throws -> AdminHosts {
        try SettingsLoader.load(flags: flags, environment: [:], file: nil).adminHosts
    }

    @Test(arguments: [
        "", "127.0.0.1", "127.0.0.1:8081", "192.0.2.1:1", "[::1]", "[2001:db8::1]:8081", "localhost",
        "LOCALHOST:8081", "localhost.:8081", "x.localhost",
    ])
    func `what no stranger can have is its own`(authority: String) throws {
        #expect(try hosts().include(authority))
    }

    @Test(arguments: [
        "evil.example", "evil.example:8081", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "127.1",
        "0x7f.1", "[::1].evil.example", "[evil.example]", "[::1", "localhost.evil.example", "xlocalhost", ".",
        ":",
        "evil.example#localhost", "pictor",
    ])
    func `another name is not`(authority: String) throws {
        let isOwn = try hosts().include(authority)
        #expect(!isOwn)
    }

    @Test func `names are those of the settings and of the listener`() throws {
        let hosts = try hosts(
            "--admin-listen", "ops.example:8081,127.0.0.1:8082", "--admin-hosts", "a.b,*.c.d")
        for name in ["ops.example:8081", "OPS.example", "a.b:1", "x.c.d", "x.y.c.d."] {
            #expect(hosts.include(name), "\(name)")
        }
        for name in ["c.d", "x.a.b", "ops.example.evil"] { #expect(!hosts.include(name), "\(name)") }
        #expect(throws: UnusableSetting.self) { try self.hosts("--admin-hosts", "http://a/") }
    }
}
