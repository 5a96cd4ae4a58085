// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTP1
import Settings
import Testing

@testable import Endpoints

@Suite("The admin listener shows its sources to this machine or to the token, and to nobody else")
struct AdminAccessTests {
    private static let here = [
        PeerAddress(ipv4: 0x7F00_0001, port: 9), PeerAddress(ipv4: 0x7F12_3456, port: 9),
        PeerAddress(address: 1, port: 9),
    ]
    private static let elsewhere = [
        PeerAddress(ipv4: 0x0A00_0001, port: 9), PeerAddress(ipv4: 0x8000_0001, port: 9),
        PeerAddress(ipv4: 0x7EFF_FFFF, port: 9), PeerAddress(address: 2, port: 9),
        PeerAddress(address: 0x7F00_0001, port: 9), PeerAddress(address: 0, port: 9),
    ]

    private func refusal(of peer: PeerAddress, to access: AdminRoute.Access) throws -> String? {
        let hosts = try SettingsLoader.load(flags: [], environment: [:], file: nil).adminHosts
        let request = Request(method: "GET", target: "/admin/stats", authority: "localhost", peer: peer)
        return AdminAccess(token: nil, hosts: hosts).refusal(of: request, to: access).map { "\($0)" }
    }

    @Test(arguments: here) func `without a token a program on this machine may look`(peer: PeerAddress) throws
    {
        #expect(try refusal(of: peer, to: .reading) == nil)
        #expect(try refusal(of: peer, to: .giving) != nil)
    }

    @Test(arguments: elsewhere) func `without a token nobody else may`(peer: PeerAddress) throws {
        #expect(try refusal(of: peer, to: .reading) != nil)
        #expect(try refusal(of: peer, to: .giving) != nil)
        #expect(try refusal(of: peer, to: .open) == nil, "metrics")
        #expect(try refusal(of: peer, to: .probing) == nil)
    }

    @Test func `on a unix socket its permissions decide`() throws {
        #expect(try refusal(of: .local, to: .giving) == nil)
    }
}
