// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import Recipes
import RequestGrammar
import Testing

@Suite("What is made is what was ordered, and what was not ordered is told from it") struct OrderCheckTests {
    /// Each of these parts may stand in a recipe or not.
    private static let parts: [[String]] = [
        ["", "w=40", "w=7", "w=333", "w=50%"], ["", "h=40", "h=9", "h=200"],
        ["", "fit=cover", "fit=contain", "fit=fill", "fit=outside"], ["", "we=0"],
        ["", "ro=90", "ro=180", "ro=30", "ro=271.5", "ro=45"], ["", "flop", "flip"], ["", "preturn"],
        ["", "cw=20&ch=11", "cw=20&ch=11&cx=5&cy=3", "cw=20&ch=11&precrop"],
        ["", "a=entropy", "a=attention", "a=top"],
        ["", "mask=circle", "mask=ellipse&mtrim", "mask=star&mtrim"], ["", "trim=10"],
    ]

    /// Studio throws where an answer is not what the check expects.
    @Test func `recipes of all kinds come to what the check expects of them`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("OrderCheckTests seed \(seed)")
        var random = Lehmer(state: seed)
        let png = PNGFile.write(gradient(61, 37))
        let jpeg = try Studio.make(png, .make(.jpeg, q: 95)).bytes
        var originals = [png, jpeg, try Studio.make(png, .make(.webp, q: 80)).bytes]
        for turn in [3, 6] { originals.append(JPEGFile.withEXIF(EXIF.orientation(turn), jpeg)) }
        for _ in 0..<400 {
            let chosen = Self.parts.map { $0[Int.random(in: $0.indices, using: &random)] }.filter {
                !$0.isEmpty
            }
            let output = ["png", "jpg", "webp"][Int.random(in: 0..<3, using: &random)]
            let query = (["output=\(output)"] + chosen).joined(separator: "&")
            // Some of them contradict themselves.
            guard let recipe = try? Recipe(canonical: query) else { continue }
            do {
                _ = try Studio.make(originals[Int.random(in: originals.indices, using: &random)], recipe)
            } catch let failure as Studio.NotAsOrdered {
                Issue.record("\(query): \(failure)")
            } catch _ as ImagingFailure {
                continue
            }
        }
    }

    @Test func `an answer that differs in one thing is not what was ordered`() throws {
        let header = ImageHeader(format: .png, width: 120, height: 80)
        let recipe = try Recipe(canonical: "output=jpg&w=30")
        let made = Rendered(
            format: .jpeg, width: 30, height: 20, pages: 1, length: 9, decoding: 0, encoding: 0)
        #expect(recipe.mayBecome(made, of: header, within: 600))
        #expect(!recipe.mayBecome(made, of: header, within: 599))
        for change: (inout Rendered) -> Void in [
            { $0.format = .svg }, { $0.format = .png }, { $0.width = 33 }, { $0.height = 17 },
            { $0.width = 0 },
            { $0.height = 80 }, { $0.pages = 2 }, { $0.pages = 0 }, { $0.width = 65_501 },
            { $0.height = .max },
        ] {
            var other = made
            change(&other)
            #expect(!recipe.mayBecome(other, of: header, within: .max), "\(other)")
        }
    }

    @Test func `frames may be missing and are never more, and a still is a still`() throws {
        let header = ImageHeader(format: .gif, width: 10, height: 10, pages: 5)
        var made = Rendered(
            format: .webp, width: 10, height: 10, pages: 4, length: 9, decoding: 0, encoding: 0)
        let three = try Recipe(canonical: "output=webp&n=4")
        #expect(three.mayBecome(made, of: header, within: 1_000))
        made.pages = 5
        #expect(!three.mayBecome(made, of: header, within: 1_000))
        #expect(try Recipe(canonical: "output=webp&n=-1").mayBecome(made, of: header, within: 1_000))
        made.format = .png
        #expect(try !Recipe(canonical: "output=png&n=-1").mayBecome(made, of: header, within: 1_000))
    }

    @Test func `no format begins as another does`() {
        let beginnings: [(ImageFormat, [UInt8])] = [
            (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]), (.png, [0x89] + Array("PNG\r\n\u{1A}\n".utf8)),
            (.gif, Array("GIF89a".utf8)), (.webp, Array("RIFF1234WEBP".utf8)),
            (.avif, [0, 0, 0, 0x20] + Array("ftypavif".utf8)), (.tiff, Array("II*\0".utf8)),
            (.jxl, [0xFF, 0x0A]),
        ]
        for (format, start) in beginnings {
            for other in ImageFormat.allCases {
                #expect(other.begins(start) == (other == format), "\(other)")
            }
            #expect(!format.begins([]) && !format.begins(Array(start.prefix(1))))
            #expect(!format.begins(Array("<svg xmlns=".utf8)))
        }
    }
}
