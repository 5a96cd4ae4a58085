// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

@Suite("A small result of a HEIF is made of its thumbnail where that shows the picture as it is meant")
struct ThumbnailTests {
    /// AVIF of 64 × 64 whose upper half is stored as 200, 40, 40 and the lower as 40, 40, 200; its thumbnail of 32 × 32 has 160, 80, 40
    /// and 40, 80, 160. Each has an irot. Written by `vips heifsave`, and assembled.
    private static let halves = Array(
        Data(
            base64Encoded:
                """
                AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAUltZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAA
                AAABAAAALGlsb2MAAAAARAAAAgABAAAAAQAAAW0AAAAuAAIAAAABAAABmwAAACkAAAA4aWluZgAAAAAAAgAAABVpbmZlAgAAAAABAABhdjAxAAAA
                ABVpbmZlAgAAAAACAABhdjAxAAAAABppcmVmAAAAAAAAAA50aG1iAAIAAQABAAAAkGlwcnAAAABqaXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAA
                AAAAAEAAAABAAAAAEHBpeGkAAAAAAwgICAAAAAlpcm90AgAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAACAAAAAgAAAACWlyb3QAAAAAHmlwbWEA
                AAAAAAAAAgABBIECA4QAAgSFBgOHAAAAX21kYXQSAAoJOBV//5QICBpAMh8RgAAAQECT1EUKUx3XKu1QvgYpsmZ8odk5U8iDQbJAEgAKCDgRP/5Q
                ICBpMhsRgAAAQACQQRNNRSRzEu4w5B1bVBc1MsbJYzw=
                """, options: .ignoreUnknownCharacters) ?? Data())

    /// The file with these numbers of quarter turns for the picture and its thumbnail.
    private func file(_ picture: UInt8, _ thumbnail: UInt8) throws -> [UInt8] {
        var file = Self.halves
        let places = file.indices.dropLast(4).filter { file[$0..<$0 + 4].elementsEqual("irot".utf8) }
        try #require(places.count == 2)
        (file[places[0] + 4], file[places[1] + 4]) = (picture, thumbnail)
        return file
    }

    private func corners(_ file: [UInt8], w: Int) throws -> [[UInt8]] {
        let made = try TestRenderer.render(file, .make(.png, w: w)).bytes
        let pixels = try #require(try TestRenderer.decode(made))
        let last = w - 2
        return [pixels[1, 1], pixels[last, 1], pixels[1, last], pixels[last, last]].map {
            Array($0.prefix(3))
        }
    }

    @Test(arguments: [UInt8](0..<4), [UInt8](0..<4))
    func `the small result stands as the large one`(picture: UInt8, thumbnail: UInt8) throws {
        let file = try file(picture, thumbnail)
        let large = try corners(file, w: 60)
        let (red, blue): ([UInt8], [UInt8]) = ([200, 40, 40], [40, 40, 200])
        // Anticlockwise.
        let expected = [
            [red, red, blue, blue], [red, blue, red, blue], [blue, blue, red, red], [blue, red, blue, red],
        ]
        for (shown, colour) in zip(large, expected[Int(picture)]) {
            #expect(distance(shown, colour) <= 4, "\(shown), not \(colour)")
        }
        // A thumbnail that is turned like the picture is used.
        let isUsed = picture == thumbnail
        let small: ([UInt8], [UInt8]) = isUsed ? ([160, 80, 40], [40, 80, 160]) : (red, blue)
        for (shown, colour) in zip(try corners(file, w: 20), expected[Int(picture)]) {
            let colour = colour == red ? small.0 : small.1
            #expect(distance(shown, colour) <= 4, "\(shown), not \(colour)")
        }
    }
}
