// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

@Suite("What is made is what was ordered, and what was not ordered is told from it")
struct OrderedPictureTests {
    /// Options that a random recipe may contain or omit.
    private static let parts: [[String]] = [
        ["", "w=40", "w=7", "w=333", "w=50%"], ["", "h=40", "h=9", "h=200"],
        ["", "fit=cover", "fit=contain", "fit=fill", "fit=outside"], ["", "we=0"],
        ["", "ro=90", "ro=180", "ro=30", "ro=271.5", "ro=45"], ["", "flop", "flip"], ["", "preturn"],
        ["", "cw=20&ch=11", "cw=20&ch=11&cx=5&cy=3", "cw=20&ch=11&precrop"],
        ["", "ar=1:1", "ar=7:2"], ["", "minw=50", "minw=9&minh=90"],
        ["", "ax=5&ay=-3", "ax=-30%25&ay=40%25"],
        ["", "a=entropy", "a=attention", "a=top"],
        ["", "pad=3", "pad=1,20", "pad=1,2,3,40&pbg=red"], ["", "radius=5"], ["", "pixelate=4"],
        ["", "mask=circle", "mask=ellipse&mtrim", "mask=star&mtrim"], ["", "trim=10"],
    ]

    /// `TestRenderer` throws if an answer differs from what the check expects.
    @Test func `recipes of all kinds come to what the check expects of them`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("OrderedPictureTests seed \(seed)")
        var random = Lehmer(state: seed)
        let png = PNGFile.write(gradient(61, 37))
        let jpeg = try TestRenderer.render(png, .make(.jpeg, q: 95)).bytes
        var originals = [png, jpeg, try TestRenderer.render(png, .make(.webp, q: 80)).bytes]
        for turn in [3, 6] { originals.append(JPEGFile.withEXIF(EXIF.orientation(turn), jpeg)) }
        for _ in 0..<400 {
            let chosen = Self.parts.map { $0[Int.random(in: $0.indices, using: &random)] }.filter {
                !$0.isEmpty
            }
            let output = ["png", "jpg", "webp"][Int.random(in: 0..<3, using: &random)]
            let query = (["output=\(output)"] + chosen).joined(separator: "&")
            // Some recipes contradict themselves.
            guard let recipe = try? Recipe(canonical: query) else { continue }
            do {
                _ = try TestRenderer.render(
                    originals[Int.random(in: originals.indices, using: &random)], recipe)
            } catch let failure as TestRenderer.UnexpectedResult {
                Issue.record("\(query): \(failure)")
            } catch _ as ImagingFailure {
                continue
            }
        }
    }
}
