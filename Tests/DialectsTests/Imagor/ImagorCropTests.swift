// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite("imagor's filter crop, and rectangles beyond the picture")
struct ImagorCropTests {
    /// The operations before the picture, and the equivalent query of `/img`.
    @Test(arguments: [
        ("-0x0/filters:crop(10,20,30,40)/", "cx=10&cy=20&cw=30&ch=40&ca=top-right&flop&n=-1"),
        ("0x-0/filters:crop(10,20,30,40)/", "cx=10&cy=20&cw=30&ch=40&ca=bottom-left&flip&n=-1"),
        ("-0x-0/filters:crop(0.1,20,30,0.4)/", "cx=10%25&cy=20&cw=30&ch=40%25&ca=bottom-right&ro=180&n=-1"),
        ("filters:rotate(90):crop(10,20,30,40)/", "cx=20&cy=10&cw=40&ch=30&ca=top-right&ro=270&n=-1"),
        ("filters:rotate(270):crop(10,20,30,40)/", "cx=20&cy=10&cw=40&ch=30&ca=bottom-left&ro=90&n=-1"),
        ("filters:crop(10,20,30,40):rotate(90)/", "cx=10&cy=20&cw=30&ch=40&ro=270&n=-1"),
        ("filters:crop(10,20,30,40):orient(90)/", "cx=20&cy=10&cw=40&ch=30&ca=top-right&ro=270&n=-1"),
        (
            "-100x200/filters:orient(90):crop(10,20,30,40)/",
            "w=200&h=100&fit=cover&we=0&cx=20&cy=10&cw=40&ch=30&ca=bottom-right&ro=270&flop&n=-1"
        ),
    ])
    func `the filter cuts what the mirrors and turns before it have made`(
        operations: String, native: String
    ) throws {
        try expect(read(imagor: operations), meansSameAs: native)
    }

    /// A rectangle converted through a turn holds the same pixels.
    @Test func `a rectangle keeps its pixels through every turn`() throws {
        let (picture, area) = (PixelSize(width: 40, height: 30), PixelArea(x: 3, y: 5, width: 11, height: 7))
        for mirrors in [false, true] {
            for quarters in 0..<4 {
                let turn = PictureTurn(mirrors: mirrors, quarters: quarters)
                var (size, turned) = (picture, area)
                if mirrors { turned.x = size.width - turned.x - turned.width }
                for _ in 0..<quarters {
                    turned = PixelArea(
                        x: size.height - turned.y - turned.height, y: turned.x, width: turned.height,
                        height: turned.width)
                    size = size.lyingDown
                }
                var crop = Crop()
                (crop.x, crop.y) = (.pixels(turned.x), .pixels(turned.y))
                (crop.width, crop.height) = (.pixels(turned.width), .pixels(turned.height))
                #expect(crop.area(of: size) == turned)
                #expect(turn.origin(of: crop).area(of: picture) == area, "\(mirrors) \(quarters)")
            }
        }
    }

    @Test func `a rectangle beyond the picture cuts nothing, and no other dialect means that`() throws {
        let header = ImageHeader(format: .png, width: 400, height: 300)
        for operations in ["500x0:600x100/", "0x300:100x400/40x30/", "filters:crop(400,0,100,100)/"] {
            let found = try read(imagor: operations)
            #expect(found.recipe.crop != nil)
            #expect(found.terms.fitting(found.recipe, to: header).crop == nil, "\(operations)")
        }
        let thumbor = try read(thumbor: "500x0:600x100/")
        #expect(thumbor.terms.fitting(thumbor.recipe, to: header).crop == nil)
        let native = try ImageRequest.parse(query: "url=https://a.example/b.jpg&cx=500&cw=100&ch=100")
        #expect(native.terms.fitting(native.recipe, to: header) == native.recipe)
    }
}
