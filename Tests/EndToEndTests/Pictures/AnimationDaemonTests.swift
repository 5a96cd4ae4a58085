// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import TestSupport
import Testing

@Suite("An animation stays one when it is asked to", .endToEnd)
struct AnimationDaemonTests {
    /// GIF89a, 4 × 4, three frames of one colour each, shown for 0, 20 and 500 ms, played three times.
    private static let gif: [UInt8] = {
        var file = Array("GIF89a".utf8) + [4, 0, 4, 0, 0x80 | 1, 0, 0]
        file += [220, 20, 20, 20, 200, 30, 30, 40, 220, 0, 0, 0]
        file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 2, 0, 0]
        for (index, delay) in [0, 2, 50].enumerated() {
            file += [0x21, 0xF9, 4, 0, UInt8(delay), 0, 0, 0, 0x2C, 0, 0, 0, 0, 4, 0, 4, 0, 0, 2]
            let data = Pictures.lzw(ofFourColours: [Int](repeating: index, count: 16))
            file += [UInt8(data.count)] + data + [0]
        }
        return file + [0x3B]
    }()

    private let origin = ScriptedOrigin { $0.picture(gif) }

    @Test(arguments: [("gif", 3), ("webp", 3), ("png", 1), ("jpg", 1)])
    func `all frames are taken where n asks for them and the format has room`(output: String, pages: Int)
        throws
    {
        let daemon = try DaemonUnderTest()
        let all = try ImageHeader.parse(try daemon.get(origin.url(), "w=2&n=-1&output=\(output)").body)
        #expect([all.width, all.height, all.pages] == [2, 2, pages])
        let first = try ImageHeader.parse(try daemon.get(origin.url(), "w=2&output=\(output)").body)
        #expect([first.width, first.height, first.pages] == [2, 2, 1])
    }

    @Test func `the delays that a browser takes are in the file`() throws {
        let daemon = try DaemonUnderTest()
        let made = try daemon.get(origin.url(), "w=2&n=-1&output=gif").body
        #expect(delays(made) == [10, 2, 50])
        let told = try daemon.get(origin.url(), "w=2&n=-1&output=gif&delay=70,80&loop=1").body
        #expect(delays(told) == [7, 8, 8])
        #expect(told.firstRange(of: Array("NETSCAPE2.0".utf8)) == nil)
        let rest = try daemon.get(origin.url(), "w=2&n=-1&page=1&output=gif").body
        #expect(delays(rest) == [2, 50])
        for (options, list) in [
            ("n=-1", "[100,20,500]"), ("n=-1&delay=70,80", "[70,80,80]"), ("n=-1&page=1", "[20,500]"),
            ("n=1", "[100,20,500]"), ("n=2", "[100,20]"),
        ] {
            let told = try daemon.get(origin.url(), "output=json&" + options)
            #expect(told.text.contains("\"delay\":" + list), "\(options): \(told.text)")
        }
    }

    @Test func `a frame that is not there is a refusal that says so`() throws {
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url(), "page=3&output=png")
        #expect(reply.status == 400)
        #expect(String(decoding: reply.body, as: UTF8.self).contains("page"))
        #expect(try daemon.get(origin.url(), "page=2&output=png").status == 200)
    }

    @Test func `more frames than the limit are refused, and those before the first count`() throws {
        let daemon = try DaemonUnderTest(["--decoder-maximum-frames", "2"])
        #expect(try daemon.get(origin.url(), "n=-1&output=webp").status == 413)
        #expect(try daemon.get(origin.url(), "n=1&page=2&output=webp").status == 413)
        #expect(try daemon.get(origin.url(), "n=2&output=webp").status == 200)
    }

    /// Hundredths of a second, from the graphic control extensions.
    private func delays(_ file: [UInt8]) -> [Int] {
        file.indices.dropLast(5).filter { Array(file[$0..<$0 + 3]) == [0x21, 0xF9, 4] }.map {
            Int(file[$0 + 4]) | Int(file[$0 + 5]) << 8
        }
    }
}
