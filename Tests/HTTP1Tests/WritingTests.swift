// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTP1
import HTTPSemantics
import Testing

private func text(_ write: (inout FieldBuffer) -> Void) -> String {
    var buffer = FieldBuffer(capacity: 1)
    write(&buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
}

struct FieldBufferTests {
    @Test func `a value cannot end its field`() {
        #expect(text { $0.append("X", "a\r\nSet-Cookie: b\n\u{0}\u{7F}c") } == "X: a  Set-Cookie: b   c\r\n")
        #expect(text { $0.append("X", "tab\tand é stay") } == "X: tab\tand é stay\r\n")
    }

    @Test func `a control byte becomes a space wherever it stands, and no other byte does`() {
        for count in 0...33 {
            for place in 0..<max(count, 1) {
                for byte in UInt8.min...UInt8.max {
                    var value = [UInt8](repeating: UInt8(ascii: "x"), count: count)
                    if count > 0 { value[place] = byte }
                    var buffer = FieldBuffer(capacity: 1)
                    value.withUnsafeBytes { buffer.add($0) }
                    let isText = byte >= 0x20 && byte != 0x7F || byte == 0x09
                    if count > 0, !isText { value[place] = UInt8(ascii: " ") }
                    #expect(Array(buffer.bytes) == value)
                }
            }
        }
    }

    @Test(arguments: ["", "a b", "a:", "a\r\nb", "é", "a\u{0}", "Longer-than-a-small-string-is:"])
    func `a field without a proper name is left out`(
        name: String
    ) {
        #expect(text { $0.append(name, "value") } == "")
    }

    @Test func `a name with a byte that no token has is left out wherever that stands, and no other is`() {
        for count in 1...18 {
            for place in 0..<count {
                for byte in UInt8.min...0x7F {
                    var name = [UInt8](repeating: UInt8(ascii: "x"), count: count)
                    name[place] = byte
                    let field = String(decoding: name, as: UTF8.self)
                    let written = text { $0.append(field, "v") }
                    #expect(
                        written == (byte.isTokenByte ? "\(field): v\r\n" : ""),
                        "\(byte) at \(place) of \(count)")
                }
                let long = String(repeating: "x", count: place) + "é" + String(repeating: "x", count: count)
                #expect(text { $0.append(long, "v") } == "")
            }
        }
    }

    @Test(arguments: [0, 7, 10, -1, 1_234_567_890, Int.max, Int.min]) func `numbers are written in full`(
        number: Int
    ) {
        #expect(text { $0.append("N", number) } == "N: \(number)\r\n")
    }

    @Test func `a field is put together piece by piece`() {
        let written = text { buffer in
            buffer.open("Cache-Status")
            buffer.add("pictor; hit; ttl=")
            buffer.add(12)
            buffer.close()
        }
        #expect(written == "Cache-Status: pictor; hit; ttl=12\r\n")
    }

    @Test func `truncating forgets what came after`() {
        let written = text { buffer in
            buffer.append("A", 1)
            let mark = buffer.count
            buffer.append("B", 2)
            buffer.truncate(to: mark)
        }
        #expect(written == "A: 1\r\n")
    }
}

struct ResponseHeadTests {
    private func head(_ status: Int, _ fields: [Fields.Field] = [], length: Int = 0) -> String {
        head(status, fields, framing: .length(length))
    }

    private func head(
        _ status: Int, _ fields: [Fields.Field] = [], framing: ResponseHead.Framing
    ) -> String {
        text { ResponseHead.write(status: status, fields: Fields(fields), framing: framing, into: &$0) }
    }

    @Test func `content of a length that nobody knows is chunked, or ends with the connection`() {
        #expect(head(200, framing: .chunked) == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n")
        #expect(head(200, framing: .untilClose) == "HTTP/1.1 200 OK\r\n")
        #expect(head(304, framing: .chunked) == "HTTP/1.1 304 Not Modified\r\n")
    }

    @Test func `the status line and the length come first`() {
        #expect(
            head(200, [Fields.Field("ETag", "\"a\"")], length: 42)
                == "HTTP/1.1 200 OK\r\nContent-Length: 42\r\nETag: \"a\"\r\n")
    }

    @Test(arguments: [204, 304]) func `a status without content has no length`(status: Int) {
        #expect(!head(status, length: 42).contains("Content-Length"))
    }

    @Test func `framing and connection are not the handler's to say`() {
        let fields = [
            "content-length", "Transfer-Encoding", "CONNECTION", "Keep-Alive", "Date", "Upgrade", "tE",
            "TRAILER",
        ].map { Fields.Field($0, "x") }
        #expect(head(200, fields) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
    }

    @Test func `a 304 has those lines of the answer's that are to be repeated, and no others`() {
        let fields = [
            ("Content-Type", "text/plain"), ("ETag", "\"a:b\""), ("X-ETag", "ETag: 1"),
            ("vary", "a\r\nETag: 2"), ("Age", ""),
        ]
        let whole = head(200, fields.map { Fields.Field($0, $1) }, length: 42)
        var names: [String] = []
        let confirming = Array(whole.utf8).withUnsafeBytes { bytes in
            text { buffer in
                ResponseHead.writeNotModified(
                    of: bytes,
                    repeating: { name in
                        names.append(String(decoding: name, as: UTF8.self))
                        return name.isSame(as: "ETag") || name.isSame(as: "Vary")
                    }, into: &buffer)
            }
        }
        #expect(names == ["Content-Length", "Content-Type", "ETag", "X-ETag", "vary", "Age"])
        #expect(confirming == "HTTP/1.1 304 Not Modified\r\nETag: \"a:b\"\r\nvary: a  ETag: 2\r\n")
    }

    @Test func `a 304 to an answer without fields has its status alone`() {
        let confirming = Array(head(204).utf8).withUnsafeBytes { bytes in
            text { ResponseHead.writeNotModified(of: bytes, repeating: { _ in true }, into: &$0) }
        }
        #expect(confirming == "HTTP/1.1 304 Not Modified\r\n")
    }

    @Test func `every refusal has its phrase`() {
        for error in MessageError.allCases {
            #expect(ResponseHead.reason(error.status).utf8CodeUnitCount > 0, "\(error)")
        }
    }
}

struct PeerAddressTests {
    @Test func `addresses are written as people know them`() {
        #expect(PeerAddress(ipv4: 0xC000_0201, port: 80).description == "192.0.2.1:80")
        #expect(PeerAddress.local.description == "unix")
    }

    @Test(arguments: [
        PeerAddress(ipv4: 0xC000_0201, port: 80), PeerAddress(ipv4: 0xFFFF_FFFF, port: 65_535),
        PeerAddress(ipv4: 0, port: 0), PeerAddress(address: 1, port: 8080), .local,
    ]) func `the log's bytes of an address are its description`(peer: PeerAddress) {
        var seen: String?
        peer.withDescription { seen = String(decoding: $0, as: UTF8.self) }
        #expect(seen == peer.description)
    }

    // RFC 5952 §4.
    @Test(arguments: [
        (0x2001_0db8_0000_0000_0000_0000_0000_0001 as UInt128, "2001:db8::1"),
        (0x2001_0db8_0000_0001_0001_0001_0001_0001, "2001:db8:0:1:1:1:1:1"),
        (0x2001_0000_0000_0001_0000_0000_0000_0001, "2001:0:0:1::1"),
        (0x2001_0db8_0000_0000_0001_0000_0000_0001, "2001:db8::1:0:0:1"),
        (1, "::1"), (0, "::"), (0xfe80_0000_0000_0000_0000_0000_0000_0000, "fe80::"),
    ]) func `IPv6 is written in its canonical form`(address: UInt128, text: String) {
        #expect(PeerAddress(address: address, port: 1).host == text)
    }
}
