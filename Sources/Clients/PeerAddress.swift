// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The address at the other end of a connection: a value of fixed size, so that accepting allocates nothing.
package struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IPv6 address, or an IPv4 one as `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2), in network order; nil for a
    /// client on a unix socket.
    package let address: UInt128?
    /// The port; 0 if unknown, as behind a proxy that names only its client's address.
    package let port: UInt16

    /// A client on a unix socket.
    package static let local = PeerAddress(address: nil, port: 0)

    /// `address` in the form of the property; `port` is 0 if unknown.
    package init(address: UInt128?, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// `address` is nil for a client on a unix socket; `port` is 0 if unknown.
    package init(_ address: IPAddress?, port: UInt16) {
        // Not by `address?.mapped`: swiftc 6.3 without -O misaligns the intermediate optional of 128 bits.
        guard let address else {
            self.init(address: nil, port: port)
            return
        }
        self.init(address: address.mapped, port: port)
    }

    /// True for 127.0.0.0/8 and ::1: a program on this machine.
    package var isLoopback: Bool {
        guard let address else { return false }
        return address == 1 || address >> 24 == 0xFFFF_7F
    }

    /// The address as a value of its family; nil for a client on a unix socket.
    package var ip: IPAddress? {
        guard let address else { return nil }
        return IPAddress(mapped: address)
    }

    /// The first byte of the dotted form is the most significant byte of `ipv4`.
    package init(ipv4: UInt32, port: UInt16) {
        self.init(address: 0xFFFF_0000_0000 | UInt128(ipv4), port: port)
    }

    /// The address without the port: "192.0.2.1", "2001:db8::1" (RFC 5952), or "unix".
    package var host: String {
        guard let address else { return "unix" }
        return address >> 32 == 0xFFFF
            ? AddressText.text(v4: UInt32(truncatingIfNeeded: address)) : AddressText.text(v6: address)
    }

    package var description: String {
        guard let address, port != 0 else { return host }
        return address >> 32 == 0xFFFF ? "\(host):\(port)" : "[\(host)]:\(port)"
    }

    /// Calls `body` with the bytes of the description. Logs call this once per request, so IPv4 addresses are written on the stack.
    package func withDescription(_ body: (UnsafeRawBufferPointer) -> Void) {
        guard let address, address >> 32 == 0xFFFF, port != 0 else {
            var text = description
            return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        }
        withUnsafeTemporaryAllocation(byteCount: "255.255.255.255:65535".utf8.count, alignment: 1) { room in
            var start = room.count
            func put(_ byte: UInt8) {
                start -= 1
                room[start] = byte
            }
            func put(_ number: UInt16) {
                var rest = number
                repeat {
                    // Cannot trap: the value is a digit.
                    put(UInt8(ascii: "0") + UInt8(rest % 10))
                    rest /= 10
                } while rest > 0
            }
            // From the last digit to the first.
            put(port)
            for index in 0..<4 {
                put(UInt8(ascii: index == 0 ? ":" : "."))
                // Cannot trap: widens 8 bits to 16.
                put(UInt16(UInt8(truncatingIfNeeded: address >> UInt128(8 * index))))
            }
            body(UnsafeRawBufferPointer(rebasing: room[start...]))
        }
    }
}
