// SPDX-License-Identifier: Apache-2.0

@testable import DecoderProtocol
import ImageHeaders
import Recipes
import Testing

@Suite("A decoder's answer is held to what a decoder can say")
struct WireReplyTests {
    private func made(_ change: (inout Rendered) -> Void = { _ in }) -> WireReply {
        var rendered = Rendered(
            format: .webp, width: 258, height: 3, pages: 4, length: 5, decoding: 6, encoding: 7, quality: 80,
            tries: 9)
        change(&rendered)
        return WireReply(id: 1, outcome: .success(rendered))
    }

    private func arrives(_ reply: WireReply) -> Bool { WireReply(reply.encoded) == reply }

    @Test func `a rendition's numbers stand in the order in which they are declared`() {
        func long(_ value: UInt8) -> [UInt8] { [value, 0, 0, 0, 0, 0, 0, 0] }
        let sides: [UInt8] = [2, 1, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]
        #expect(
            made().encoded == [Wire.version, 3] + long(1) + [3] + sides + long(5) + long(6) + long(7) + [
                80, 9, 0,
            ])
        #expect(arrives(made()) && arrives(made { $0.isPlanar = true }))
    }

    @Test func `sides, pages and length are one at least`() {
        for field in [\Rendered.width, \.height, \.pages, \.length] {
            #expect(arrives(made { $0[keyPath: field] = 1 }))
            #expect(WireReply(made { $0[keyPath: field] = 0 }.encoded) == nil)
        }
        for field in [\Rendered.width, \.height, \.pages] {
            #expect(arrives(made { $0[keyPath: field] = 2_147_483_647 }))
            #expect(WireReply(made { $0[keyPath: field] = 2_147_483_648 }.encoded) == nil)
        }
        #expect(arrives(made { $0.length = .max }))
    }

    @Test func `a stage takes a day at most`() {
        for field in [\Rendered.decoding, \.encoding] {
            for (time, isPossible) in [(0, true), (86_400_000_000, true), (86_400_000_001, false)] {
                #expect(arrives(made { $0[keyPath: field] = time }) == isPossible, "\(time)")
            }
        }
    }

    @Test func `a quality is none, or one to a hundred`() {
        for (quality, isPossible) in [(nil, true), (1, true), (100, true), (101, false), (255, false)]
            as [(Int?, Bool)]
        {
            #expect(arrives(made { $0.quality = quality }) == isPossible)
        }
        for tries in [0, 1, 255] { #expect(arrives(made { $0.tries = tries })) }
    }

    @Test func `a format that nobody knows is none`() {
        var bytes = made().encoded
        for number in UInt8(0)...255 {
            bytes[10] = number
            #expect((WireReply(bytes) != nil) == (1...12).contains(number))
        }
    }

    @Test(
        arguments: [
            (.unavailable("é"), 1, 0, "é"), (.damaged("no"), 2, 0, "no"), (.formatNotAllowed, 3, 0, ""),
            (.outputTooLarge(.bytes(9)), 4, 9, ""), (.cannotWrite("full"), 5, 0, "full"),
            (.drawingRefused("no SVG"), 6, 0, "no SVG"), (.outputTooLarge(.side(9)), 7, 9, ""),
            (.outputTooLarge(.pixels(9)), 8, 9, ""), (.outputTooLarge(.textPixels(9)), 9, 9, ""),
            (.outputTooLarge(.embeddedPixels(9)), 10, 9, ""), (.outputTooLarge(.dataURLBytes(9)), 11, 9, ""),
            (.codingNotRead, 12, 0, ""), (.noSuchPage(pages: 9), 13, 9, ""),
            (.outOfMemory("no"), 14, 0, "no"), (.encoderFailed("no"), 15, 0, "no"),
        ] as [(ImagingFailure, UInt8, UInt8, String)])
    func `a refusal is a code, a limit and words`(
        refusal: ImagingFailure, code: UInt8, limit: UInt8, words: String
    ) {
        let reply = WireReply(id: 2, outcome: .failure(refusal))
        let text = [UInt8(words.utf8.count), 0] + Array(words.utf8)
        #expect(
            reply.encoded == [Wire.version, 4, 2, 0, 0, 0, 0, 0, 0, 0, code, limit, 0, 0, 0, 0, 0, 0, 0]
                + text)
        #expect(arrives(reply))
    }

    @Test func `a code that nobody knows is no refusal`() {
        var bytes = WireReply(id: 2, outcome: .failure(.formatNotAllowed)).encoded
        for code in UInt8(0)...255 {
            bytes[10] = code
            #expect((WireReply(bytes) != nil) == (1...15).contains(code))
        }
    }

    @Test func `words have 512 bytes at most`() {
        #expect(arrives(WireReply(id: 1, outcome: .failure(.damaged(String(repeating: "a", count: 512))))))
        let cut = WireReply(id: 1, outcome: .failure(.damaged(String(repeating: "a", count: 513))))
        #expect(WireReply(cut.encoded)?.outcome == .failure(.damaged(String(repeating: "a", count: 512))))
    }

    @Test func `another process may do better after an encoder failed, and another file after a disk did`() {
        for refusal in [ImagingFailure.unavailable(""), .encoderFailed("")] {
            #expect(refusal.isOfProcess && !refusal.isOfOutput)
        }
        #expect(!ImagingFailure.cannotWrite("").isOfProcess && ImagingFailure.cannotWrite("").isOfOutput)
        for refusal in [
            ImagingFailure.damaged(""), .outOfMemory(""), .formatNotAllowed, .outputTooLarge(.bytes(1)),
        ] {
            #expect(!refusal.isOfProcess)
        }
    }

    // MARK: Handshakes

    @Test func `a handshake's names are of 64 bytes, twenty of a kind, and the engine's is of 512`() {
        let (name, engine) = (String(repeating: "n", count: 64), String(repeating: "e", count: 512))
        let full = WireHandshake(
            engine: engine, process: .max, jail: Array(repeating: name, count: 20), jailMissing: ["a"],
            jailLacks: ["b", ""])
        #expect(WireHandshake(full.encoded) == full)
        let long = WireHandshake(engine: engine + "x", process: 1, jail: [name + "x"])
        #expect(WireHandshake(long.encoded) == WireHandshake(engine: engine, process: 1, jail: [name]))
    }

    @Test func `a handshake with more names than there can be is none`() {
        let start: [UInt8] = [Wire.version, 1, 1, 0, 0x65, 1, 0, 0, 0]
        #expect(WireHandshake(start + [0, 0, 0]) != nil)
        let names = [UInt8](repeating: 0, count: 40)
        #expect(WireHandshake(start + [20] + names + [0, 0]) != nil)
        #expect(WireHandshake(start + [21] + names + [0, 0, 0, 0]) == nil)
        #expect(WireHandshake(start + [0, 0]) == nil)
    }

    @Test func `a process has a number that a kernel gives`() {
        let start: [UInt8] = [Wire.version, 1, 1, 0, 0x65]
        for (number, isPossible) in [
            ([0, 0, 0, 0], false), ([1, 0, 0, 0], true), ([255, 255, 255, 127], true),
            ([0, 0, 0, 128], false),
        ] as [([UInt8], Bool)] {
            #expect((WireHandshake(start + number + [0, 0, 0]) != nil) == isPossible)
        }
    }
}
