// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Nothing but chunks is unpacked from an origin's answer", .endToEnd, .timeLimit(.minutes(2)))
struct TransferCodingTests {
    private static let picture = Pictures.gradient(60, 40)

    /// Three times gzip, within it 2 GB of empty blocks (RFC 1951 §3.2.3): nothing in the end, and minutes of
    /// work.
    private static let bomb =
        Data(
            base64Encoded: """
                H4sIAAAAAAACA5Pv5mAAASbmN3cNvZsf7r7/cb+lpJylS88lz8Mng5kjrTsn8ClKbjl8Mrrj3K2Dqs7iri4Tm1re\
                lb2fsvzCnFAVSZndkkXbHlxQjNzE+Sj23fPUOzV6dusf7P7X9jr+X/W3/oqp9VHn/5e/lT/7Rv7/S/t/nz/8/7v+\
                a/2/66HJn+ut/yf+sP8f/bh+yz9usCsm9P3fPO+5daGCRLuncvyf2/V/y8HiCrrd0+tU+xjPGrz5wuUIEbI8+rDY\
                tI/x7v7vFx8vVYBon7P62708GeZ39e/NbrbDxG4++LHgj9Yf4Wlf2WFa/fPT1xbx3Gh76RkqABby8FtbXB3Yx3j/\
                4S8bYRaw0KRik6je04YPjGv2vrvPwQQWW2kZe/7zXAu2nsNLJuqzMIKEGp7oxP2aasFmcnjDZW2YkEj7+asWbCX/\
                77n3T28C63QoWnerenchz47/e2+nyMPE0pofN39q/uAfcU0eptVm79ytpwwTpJeph8Jcu/XcW1dLtpr21599oK49\
                dzHDVO94w/kPX3fVK0MicMmzEtvz5Y8kDPgmu+0TgHphc8XL8EcSF3gO+62HCQXL2IU/lrjwt1reNo4L4quTO7Pe\
                vz1m+ODf97zJtVCfnpzJ28d/iv+QfWJkPUzr5y9l17SON+TOmBfCCnXtFavt4k8lPsiuO28Mc6374qs7ZJjtDl9/\
                /a8XGgWzLn+1ud+ZfMDCR+qnE8wLj5bGdyY7GPNY74UJ+RX+iOlNdvj+vvZLhSbEVyrPV+3dLn284ff93b7fFKFi\
                6WYWdhr2HP9bUv86wky7fDtytQzztsSqIFGYR1/fiZuSfKB8h915WNjK9IY9LuL5wRO//rc5NAqy/K5/rlHvY3xs\
                kPmEG+YFShObwmhiG01so4ltNLGNJrbRxDaa2EYT22hiG01so4ltNLGNJrbRxDaa2EYT22hiG01so4ltNLGNJrbR\
                xDaa2EYT22hiG01so4ltNLGNJrbRxDaa2EYT2+BNbA/+b09v1+BoZmRwU58mejHtgpKErtI6HYm75x51uXarG3Tw\
                zD5qXcHabC4h1hyR+41T+97D5wetD4bbA41quux5PdKY+d7XLEluiH0HJXPijqex3Xn96gIsFC+ozL+9RdS18Pen\
                iJryoxkzpj6WefB+5pPnr+suzf3q//kt/xkePqn2Eh0GAFFVf7q6JAAA
                """) ?? Data()

    /// The picture in gzip's form, not packed: stored blocks (RFC 1951 §3.2.4) of its bytes.
    private static let stored: [UInt8] = {
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        let size = picture.count
        bytes += [1, UInt8(size & 0xFF), UInt8(size >> 8), UInt8(~size & 0xFF), UInt8(~size >> 8 & 0xFF)]
        bytes += picture
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in picture {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        for word in [~sum, UInt32(size)] {
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(word >> UInt32(shift) & 0xFF)) }
        }
        return bytes
    }()

    @Test(arguments: [
        "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked", "TRANSFER-ENCODING: GZip",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip", "Transfer-Encoding: chunked\r\n , gzip",
        "Transfer-Encoding: gzip\r\nX: y",
    ])
    func `a picture in a transfer coding is refused`(fields: String) throws {
        let origin = ScriptedOrigin { peer in
            peer.send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\(fields)\r\n\r\n")
            if fields.contains("chunked") { peer.send("\(String(Self.stored.count, radix: 16))\r\n") }
            peer.send(Self.stored)
            if fields.contains("chunked") { peer.send("\r\n0\r\n\r\n") }
            peer.close()
        }
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url(), "w=30")
        #expect(reply.status == 502 && reply.text.contains("origin_broken_reply"), "\(reply.text)")
    }

    @Test(arguments: ["200 OK", "302 Found", "404 Not Found", "103 Early Hints"])
    func `a bomb of codings holds nobody up, whatever its status`(status: String) throws {
        let bad = ScriptedOrigin { peer in
            peer.send("HTTP/1.1 \(status)\r\nLocation: /x\r\nTransfer-Encoding: gzip, gzip, gzip\r\n\r\n")
            if status.hasPrefix("1") { peer.send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n") }
            peer.send(Self.bomb)
            peer.close()
        }
        let good = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest()
        let victim = try Connection(port: daemon.port)
        try victim.request(DaemonUnderTest.target(bad.url(), "w=30"))
        #expect(try victim.reply().status == 502)
        #expect(try daemon.get(good.url(), "w=30").status == 200)
        #expect(try daemon.metric("pictor_origin_stalls_total") == 0)
    }

    @Test func `a response whose length is said in two ways is refused`() throws {
        let two = ScriptedOrigin { peer in
            peer.send(
                "HTTP/1.1 200 OK\r\nContent-Length: \(Self.picture.count - 9)\r\n"
                    + "Content-Length: \(Self.picture.count)\r\n\r\n")
            peer.send(Self.picture)
        }
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(two.url(), "w=30").status == 502)
    }
}
