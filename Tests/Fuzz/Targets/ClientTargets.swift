// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTP1
internal import HTTPSemantics

/// What proxies say of their clients: each line of the input is a line of the field.
enum ForwardedTarget {
    private static let proxies = TrustedProxies(["10.0.0.0/8", "2001:db8::/32"]) ?? TrustedProxies()
    private static let honest: [ForwardedField: StaticString] = [
        .forwarded: "for=\"[2001:db7::9]:80\";by=10.0.0.1", .xForwardedFor: "203.0.113.9",
    ]

    static func run(_ bytes: UnsafeRawBufferPointer) {
        for field in ForwardedField.allCases {
            var trail = ForwardedTrail(proxies: proxies)
            for line in bytes.split(separator: 0x0A) {
                trail.read(UnsafeRawBufferPointer(rebasing: line), of: field)
            }
            guard let last = honest[field] else { continue }
            var truth = ForwardedTrail(proxies: proxies)
            let line = UnsafeRawBufferPointer(start: last.utf8Start, count: last.utf8CodeUnitCount)
            trail.read(line, of: field)
            truth.read(line, of: field)
            expect(
                trail.client?.address == truth.client?.address && truth.client != nil,
                "whatever came before, the last proxy's word counts")
        }
        if let address = IPAddress(bytes) {
            expect(IPAddress(mapped: address.mapped) == address.unmapped, "an address survives its bits")
        }
    }
}

/// The header in front of a connection means the same whole and in pieces.
enum ProxyTarget {
    private enum Outcome: Equatable {
        case incomplete
        case header(ProxyHeader)
        case refused(ProxyHeaderError)

        init(_ bytes: UnsafeRawBufferPointer) {
            do throws(ProxyHeaderError) {
                self = try ProxyHeader.decode(bytes).map { .header($0) } ?? .incomplete
            } catch {
                self = .refused(error)
            }
        }
    }

    static func run(_ bytes: UnsafeRawBufferPointer) {
        let whole = Outcome(bytes)
        var found = Outcome.incomplete
        for end in 0...min(bytes.count, ProxyHeader.longestBlock) where found == .incomplete {
            found = Outcome(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        }
        expect(found == whole, "a header means the same whole and byte by byte")
        if case .header(let header) = whole {
            expect((15...bytes.count).contains(header.length), "a header lies within its bytes")
        }
    }
}
