// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

@Suite("Formats keep their numbers and names, which stand in caches and in messages")
struct ImageFormatTests {
    @Test func `the formats' numbers and names`() {
        let formats = ImageFormat.allCases.map { "\($0.rawValue) \($0.name)" }
        #expect(
            formats == [
                "1 jpeg", "2 png", "3 webp", "4 gif", "5 avif", "6 heic", "7 tiff", "8 svg", "9 jxl",
                "10 bmp", "11 ico", "12 pdf",
            ])
    }
}
