// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import TestSupport
import Testing

@Suite("What comes out otherwise than it was asked for fits, and is told", .endToEnd)
struct AutomaticFormatTests {
    @Test func `auto and next choose a format that is long enough`() throws {
        let picture = Pictures.flat(8, 19_580, [200, 30, 30])
        let origin = ScriptedOrigin { $0.picture(picture) }
        let daemon = try DaemonUnderTest()
        let accept = [("Accept", "image/webp,*/*")]
        let auto = try daemon.get(origin.url(), "output=auto", fields: accept)
        #expect(auto.status == 200, "\(auto.text)")
        #expect(["image/jpeg", "image/png"].contains(auto["Content-Type"]))
        #expect(try ImageHeader.parse(auto.body).height == 19_580)
        #expect(try daemon.get(origin.url(), "output=webp").status == 413)
    }

    @Test func `what is handed on as it is depends on what is accepted all the same`() throws {
        let drawn = ScriptedOrigin { $0.picture(Pictures.gradient(120, 80)) }
        let daemon = try DaemonUnderTest()
        let photograph = Array(try daemon.get(drawn.url(), "output=jpg").body)
        let origin = ScriptedOrigin { $0.picture(photograph) }
        for (accept, type) in [("image/jpeg", "image/jpeg"), ("image/webp", "image/webp")] {
            let reply = try daemon.get(
                origin.url(), "output=auto&asis=jpg", fields: [("Accept", accept)])
            #expect((reply.status, reply["Content-Type"]) == (200, type), "\(accept)")
            #expect(reply["Vary"] == "Accept", "\(accept)")
            #expect((Array(reply.body) == photograph) == (type == "image/jpeg"))
        }
    }

    @Test func `what AVIF could not hold is noted`() throws {
        let moving = Pictures.animation(60, 40, frames: 3)
        let origin = ScriptedOrigin { peer in
            peer.picture(peer.target == "/moving" ? moving : Pictures.gradient(120, 80))
        }
        let daemon = try DaemonUnderTest(["--encoder-avif-maximum-pixels", "5000"])
        let large = try daemon.get(origin.url("/still"), "output=avif")
        #expect((large.status, large["Content-Type"]) == (200, "image/webp"))
        #expect(large["Pictor-Note"] == "avif-too-large")
        let first = try daemon.get(origin.url("/moving"), "n=-1&output=avif")
        #expect((first.status, first["Pictor-Note"]) == (200, "first-frame-only"))
        for options in ["w=20&output=avif", "w=30&output=webp"] {
            #expect(try daemon.get(origin.url("/still"), options)["Pictor-Note"] == nil)
        }
        // Once more, from memory.
        #expect(try daemon.get(origin.url("/still"), "output=avif")["Pictor-Note"] == "avif-too-large")
    }

    @Test func `a srcset keeps what was asked of the picture`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(700, 350)) }
        let daemon = try DaemonUnderTest()
        let told = try daemon.get(
            origin.url(),
            "output=json&json=srcset&filt=greyscale&cx=100&cy=0&cw=350&ch=350&mask=circle&q=42&linear")
        let object = try JSONSerialization.jsonObject(with: Data(told.body)) as? [String: Any]
        let set = try #require(object?["srcset"] as? String)
        let entries = set.components(separatedBy: ", ").map { $0.components(separatedBy: " ") }
        #expect(entries.map(\.[1]) == ["160w", "240w", "320w", "350w"])
        for entry in entries {
            for option in ["filt=greyscale", "mask=circle", "q=42", "linear=1"] {
                #expect(entry[0].contains(option), "\(entry[0])")
            }
            let header = try ImageHeader.parse(try daemon.get(entry[0]).body)
            #expect("\(header.width)w" == entry[1])
            #expect(header.width == header.height)
        }
    }

    @Test func `the size of a JPEG XL is told`() throws {
        // 800 × 600, and no more.
        let header: [UInt8] = [0xFF, 0x0A, 0xBA, 0x12, 0xE8, 0x63, 0x04]
        let origin = ScriptedOrigin { $0.picture(header) }
        let daemon = try DaemonUnderTest(["--decoder-formats", "jpeg,png,jxl"])
        let told = try daemon.get(origin.url(), "output=json").text
        #expect(told.contains("\"width\":800") && told.contains("\"height\":600"), "\(told)")
    }
}
