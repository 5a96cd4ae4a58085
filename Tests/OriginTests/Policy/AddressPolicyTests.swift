// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite struct `The address policy` {
    private static func isOpen(_ address: String, _ policy: AddressPolicy = AddressPolicy()) throws -> Bool {
        policy.refusal(of: try #require(IPAddress(address)), port: 80) == nil
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.1", "100.100.100.200",
        "100.127.255.255",
        "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255",
        "192.0.0.8", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1",
        "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.9", "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255",
    ])
    func `closes special IPv4 ranges, in every way to write them as IPv6`(address: String) throws {
        let parts = address.split(separator: ".").compactMap { UInt32($0) }
        let value = parts.reduce(0) { $0 << 8 | $1 }
        let (high, low) = (String(value >> 16, radix: 16), String(value & 0xFFFF, radix: 16))
        let spellings = [
            address, "::ffff:\(address)", "::ffff:\(high):\(low)", "::\(address)", "::ffff:0:\(address)",
            "64:ff9b::\(address)", "2002:\(high):\(low)::", "2002:\(high):\(low):1:2:3:4:5",
            "2600::5efe:\(address)", "2600::200:5efe:\(address)",
        ]
        for spelling in spellings { #expect(try !Self.isOpen(spelling), "\(spelling)") }
    }

    @Test(arguments: [
        "::", "::1", "::2", "64:ff9b:1::1", "64:ff9c::1", "100::1", "100:0:0:1::1", "2001::1",
        "2001:0:1:2::3",
        "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1", "2001:30::1",
        "2001:1ff:ffff::1", "2001:db8::1", "2002::1", "2002:808:808::1", "2002:ffff:ffff:ffff::1",
        "2620:4f:8000::1", "3ffe::1", "3fff::1", "3fff:fff:ffff::1",
        "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1", "ff02::1",
        "ffff::1",
        "1::1", "::5efe:8.8.8.8", "fe80::5efe:8.8.8.8",
    ])
    func `closes special IPv6 ranges`(address: String) throws { #expect(try !Self.isOpen(address)) }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.1", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255",
        "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
        "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:200::1", "2003::1",
        "2001:4860:4860::8888", "2606:4700::1111", "2620:4f:8001::1", "2a00::1", "3ffd::1", "3fff:1000::1",
        "2600::5efe:8.8.8.8",
    ])
    func `opens the public Internet, up to the edges of the special ranges`(address: String) throws {
        #expect(try Self.isOpen(address))
    }

    @Test func `opens the inside by its setting, and nothing that leads nowhere`() throws {
        let policy = AddressPolicy(allowsPrivate: true)
        for address in [
            "10.1.2.3", "127.0.0.1", "::1", "::ffff:192.168.1.1", "fd00::1", "fe80::1", "169.254.169.254",
        ] {
            #expect(try Self.isOpen(address, policy), "\(address)")
        }
        for address in ["0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1", "2001:db8::1", "4000::1"]
        {
            #expect(try !Self.isOpen(address, policy), "\(address)")
        }
    }

    @Test func `opens the listed blocks only, however they are written`() throws {
        let policy = AddressPolicy(
            allowed: [try AddressBlock(known: "10.1.0.0/16"), try AddressBlock(known: "fd00:1::/32")])
        for address in ["10.1.0.0", "10.1.255.255", "::ffff:10.1.2.3", "fd00:1::5", "8.8.8.8"] {
            #expect(try Self.isOpen(address, policy), "\(address)")
        }
        for address in [
            "10.2.0.0", "10.0.255.255", "::ffff:10.2.0.0", "2002:a01:203::", "fd00:2::5", "127.0.0.1",
        ] {
            #expect(try !Self.isOpen(address, policy), "\(address)")
        }
    }

    @Test(arguments: [
        (80, true), (443, true), (8080, true), (1024, true), (65535, true), (0, false), (22, false),
        (25, false), (81, false), (1023, false), (6000, false), (6667, false), (10080, false), (10081, true),
    ])
    func `opens the ports of the web and of users' servers`(port: UInt16, isOpen: Bool) throws {
        let refusal = AddressPolicy().refusal(of: .v4(0x0808_0808), port: port)
        #expect(refusal == (isOpen ? nil : .port(port)))
    }

    @Test func `judges a URL by its port, and by its address where it has one`() {
        func refusal(_ host: String, _ port: UInt16 = 80) -> SourceRefusal? {
            SourcePolicy().refusal(of: SourceURL(scheme: .http, host: host, port: port, target: "/"))
        }
        #expect(refusal("a.example") == nil)
        #expect(refusal("a.example", 22) == .port(22))
        #expect(refusal("8.8.8.8") == nil)
        #expect(refusal("127.0.0.1") == .address(purpose: "loopback"))
        #expect(refusal("::1") == .address(purpose: "loopback"))
    }

    /// Spellings that no normalised URL has. libcurl understands them, and the guard must not rely on their absence.
    @Test(arguments: [
        ("127.0.0.1", SourceRefusal.address(purpose: "loopback")), ("localhost", .insideName),
        ("2130706433", .malformed), ("0x7f.1", .malformed), ("0177.0.0.1", .malformed), ("127.1", .malformed),
    ])
    func `keeps a refused address from being dialled, whatever its name`(
        host: String, refusal: SourceRefusal
    ) async throws {
        let victim = ScriptedOrigin { $0.answer(body: "secret".utf8) }
        try await withDownloader {
            $0.policy.addresses.allowed = []
        } _: {
            #expect(await $0.failure(victim.url(host: host)) == .refused(by: refusal))
            #expect($0.counters.connections == 0)
        }
        #expect(victim.accepted == 0)
    }

    @Test func `judges a name by the address that is dialled, although the name is allowed`() async throws {
        let victim = ScriptedOrigin { $0.answer(body: "secret".utf8) }
        let localhost = try #require(HostPattern("localhost"))
        try await withDownloader {
            $0.policy.addresses.allowed = []
            $0.policy.allowedHosts = [localhost]
        } _: {
            let failure = await $0.failure(victim.url(host: "localhost"))
            #expect(failure == .refused(by: .address(purpose: "loopback")))
            #expect($0.counters.connections == 0 && $0.counters.refusedAddresses > 0)
        }
        #expect(victim.accepted == 0)
    }

    @Test func `reads the bytes of a socket address`() {
        let four: [UInt8] = [2, 0, 0x1F, 0x90, 192, 0, 2, 1] + Array(repeating: 0, count: 8)
        let six: [UInt8] =
            [10, 0, 0x1F, 0x90, 0, 0, 0, 0, 0x20, 1, 0xD, 0xB8] + Array(repeating: 0, count: 11) + [
                5, 0, 0, 0, 0,
            ]
        four.withUnsafeBytes {
            #expect(IPAddress(socketAddress: $0) == IPAddress("192.0.2.1"))
            #expect(IPAddress.port(ofSocketAddress: $0) == 8080)
            #expect(IPAddress(socketAddress: UnsafeRawBufferPointer(rebasing: $0[..<15])) == nil)
        }
        six.withUnsafeBytes {
            #expect(IPAddress(socketAddress: $0) == IPAddress("2001:db8::5"))
            #expect(IPAddress.port(ofSocketAddress: $0) == 8080)
            #expect(IPAddress(socketAddress: UnsafeRawBufferPointer(rebasing: $0[..<27])) == nil)
        }
        // The family AF_UNIX.
        ([1, 0] + [UInt8](repeating: 0, count: 26)).withUnsafeBytes {
            #expect(IPAddress(socketAddress: $0) == nil)
        }
    }
}
