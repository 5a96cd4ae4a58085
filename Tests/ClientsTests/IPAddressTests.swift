// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import Testing

@Suite("An address is of IPv4 or of IPv6, as its text is")
struct IPAddressTests {
    @Test(
        arguments: [
            ("192.0.2.1", .v4(0xC000_0201)), ("255.255.255.255", .v4(0xFFFF_FFFF)), ("::", .v6(0, 0)),
            ("2001:db8::1", .v6(0x2001_0DB8_0000_0000, 1)),
            ("1:2:3:4:5:6:7:8", .v6(0x0001_0002_0003_0004, 0x0005_0006_0007_0008)),
            ("::ffff:192.0.2.1", .v6(0, 0xFFFF_C000_0201)),
        ] as [(String, IPAddress)])
    func `what is an address is read`(text: String, address: IPAddress) {
        #expect(IPAddress(text) == address)
        #expect(text.withFieldBytes { IPAddress($0) } == address)
    }

    @Test(arguments: ["", "127.1", "0x7f000001", "[::1]", "fe80::1%eth0", "1.2.3.4:80", "localhost"])
    func `what is none is not`(text: String) { #expect(IPAddress(text) == nil) }
}
