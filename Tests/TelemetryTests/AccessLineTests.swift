// SPDX-License-Identifier: Apache-2.0

import Telemetry
import Testing

struct AccessLineTests {
    private func line(
        _ format: AccessLine.Format, time: Int64 = 1_735_689_600_123, peer: String = "127.0.0.1:5000",
        target: [UInt8] = Array("/img?url=a&w=8".utf8), method: String = "GET", bytes: Int = 10_240,
        microseconds: Int = 87,
        outcome: String = "memoryHit", dialect: String = "native"
    ) -> String {
        var buffer: [UInt8] = []
        let id = UnsafeRawBufferPointer.allocating("r1")
        defer { id.deallocate() }
        Array(peer.utf8).withUnsafeBytes { peer in
            Array(method.utf8).withUnsafeBytes { method in
                target.withUnsafeBytes { target in
                    AccessLine(
                        time: time, id: id, peer: peer, method: method, target: target, status: 200,
                        bytes: bytes,
                        microseconds: microseconds, outcome: outcome, dialect: dialect
                    ).append(as: format, hiding: SecretParameters(), to: &buffer)
                }
            }
        }
        return String(decoding: buffer, as: UTF8.self)
    }

    @Test func `a line of logfmt`() {
        #expect(
            line(.logfmt, target: Array("/img".utf8))
                == "time=2025-01-01T00:00:00.123Z request=r1 peer=127.0.0.1:5000 method=GET target=/img status=200 bytes=10240 "
                + "duration_us=87 outcome=memoryHit dialect=native\n")
    }

    @Test func `a target alone is read for secrets`() {
        let written = line(.logfmt, peer: "a://b@c/", target: Array("/a://b@c/".utf8))
        #expect(written.contains(" peer=a://b@c/ ") && written.contains(" target=/a://REDACTED@c/ "))
    }

    @Test func `a line of JSON`() {
        #expect(
            line(.json)
                == #"{"time":"2025-01-01T00:00:00.123Z","request":"r1","peer":"127.0.0.1:5000","method":"GET","#
                + #""target":"/img?url=a&w=8","status":200,"bytes":10240,"duration_us":87,"outcome":"memoryHit","#
                + #""dialect":"native"}"#
                + "\n")
    }

    @Test(
        arguments: [
            ("/img?url=a", #""/img?url=a""#), ("/a b", #""/a b""#), ("/a\"b", #""/a\"b""#),
            ("/a\\b", #""/a\\b""#), ("", #""""#), ("/plain-%20", "/plain-%20"),
            ("/\n", #""/\x0A""#), ("/\r\t", #""/\x0D\x09""#), ("/\u{1B}[31m", #""/\x1B[31m""#),
            ("/\u{7F}", #""/\x7F""#), ("/é", #""/\xC3\xA9""#), ("/\u{0}", #""/\x00""#),
            ("/{}'>", "/{}'>"), ("/<0>", #""/\x3C0>""#),
        ] as [(String, String)])
    func `logfmt quotes what needs it`(target: String, spelled: String) {
        #expect(line(.logfmt, target: Array(target.utf8)).contains(" target=\(spelled) status=200 "))
    }

    @Test(
        arguments: [
            ("/a\"b", #"/a\"b"#), ("/a\\b", #"/a\\b"#), ("", ""), ("/\n", #"/\u000A"#),
            ("/\u{1B}", #"/\u001B"#), ("/\u{7F}", #"/\u007F"#), ("/é", #"/\u00C3\u00A9"#),
            ("/a b=c", "/a b=c"), ("/<0>", #"/\u003C0>"#),
        ] as [(String, String)])
    func `JSON escapes what needs it`(target: String, spelled: String) {
        #expect(line(.json, target: Array(target.utf8)).contains(#","target":"\#(spelled)","status":200,"#))
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (4_102_444_800_001, "2100-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `the time is that of RFC 3339`(time: Int64, spelled: String) {
        #expect(line(.logfmt, time: time).hasPrefix("time=\(spelled) "))
        #expect(line(.json, time: time).hasPrefix("{\"time\":\"\(spelled)\","))
    }

    @Test func `extreme numbers are spelled in full`() {
        let text = line(.logfmt, time: .max, bytes: .max, microseconds: .min)
        #expect(text.contains(" bytes=9223372036854775807 duration_us=-9223372036854775808 "))
        #expect(text.hasPrefix("time=9999-12-31T23:59:59.999Z "))
        #expect(line(.logfmt, time: .min).hasPrefix("time=0000-01-01T00:00:00.000Z "))
    }

    @Test func `lines are added to what the buffer holds`() {
        var buffer = Array("x\n".utf8)
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        let line = AccessLine(
            time: 0, id: empty, peer: empty, method: empty, target: empty, status: 0, bytes: 0,
            microseconds: 0,
            outcome: "refused", dialect: "other")
        line.append(as: .logfmt, hiding: SecretParameters(), to: &buffer)
        line.append(as: .logfmt, hiding: SecretParameters(), to: &buffer)
        let lines = String(decoding: buffer, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 3 && lines[1] == lines[2] && lines[0] == "x")
    }

    @Test func `whatever the bytes, a line stays one line of printable ASCII and its fields stay apart`() {
        var seed = UInt64.random(in: 1...1_000_000)
        let printed = seed
        for _ in 0..<5_000 {
            let target: [UInt8] = (0..<24).map { _ in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let pick = UInt8(truncatingIfNeeded: seed >> 33)
                return pick < 128
                    ? Array(#"" =\x{},:<"#.utf8)[Int(pick) % 10] : UInt8(truncatingIfNeeded: seed >> 41)
            }
            for format in AccessLine.Format.allCases {
                let text = Array(line(format, target: target).utf8)
                #expect(
                    text.last == 0x0A && text.dropLast().allSatisfy { $0 >= 0x20 && $0 < 0x7F },
                    "seed \(printed)")
                #expect(
                    !text.contains(UInt8(ascii: "<")), "seed \(printed): a priority where the journal cuts")
                #expect(keys(of: text.dropLast(), format) == 10, "seed \(printed): \(target)")
            }
        }
    }

    /// Counts the fields, taking notice of nothing but quotation marks and backslashes.
    private func keys(of line: ArraySlice<UInt8>, _ format: AccessLine.Format) -> Int {
        var (count, quoted, escaped) = (1, false, false)
        for byte in line {
            if escaped {
                escaped = false
            } else if quoted, byte == 0x5C {
                escaped = true
            } else if byte == 0x22 {
                quoted.toggle()
            } else if !quoted, byte == (format == .json ? 0x2C : 0x20) {
                count += 1
            }
        }
        return quoted ? -1 : count
    }
}

extension UnsafeRawBufferPointer {
    fileprivate static func allocating(_ text: String) -> UnsafeRawBufferPointer {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
        bytes.copyBytes(from: text.utf8)
        return UnsafeRawBufferPointer(bytes)
    }
}
