// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import RandomInputs
import RandomRecipes
import Recipes
import RequestGrammar
import Testing

@Suite("A cut is at least a pixel of the picture, and never more than there is")
struct PixelAreaTests {
    private func crop(
        x: Recipe.Length? = nil, y: Recipe.Length? = nil, width: Recipe.Length? = nil,
        height: Recipe.Length? = nil
    ) -> Crop {
        var crop = Crop()
        (crop.x, crop.y, crop.width, crop.height) = (x, y, width, height)
        return crop
    }

    /// On an axis of 100 pixels: the start and the length of the kept part.
    private static let spans: [(start: Recipe.Length?, length: Recipe.Length?, first: Int, count: Int)] = [
        (nil, nil, 0, 100), (.pixels(0), nil, 0, 100), (.pixels(10), nil, 10, 90), (.pixels(99), nil, 99, 1),
        // A start outside the picture counts as none.
        (.pixels(100), nil, 0, 100), (.pixels(65_535), .pixels(7), 0, 7), (.percent(100), .pixels(7), 0, 7),
        (nil, .pixels(1), 0, 1), (nil, .pixels(100), 0, 100), (nil, .pixels(101), 0, 100),
        (.pixels(10), .pixels(90), 10, 90), (.pixels(10), .pixels(91), 10, 90),
        (.pixels(99), .pixels(5), 99, 1),
        // A negative length leaves that many pixels at the far edge, if there are as many.
        (nil, .pixels(-1), 0, 99), (.pixels(10), .pixels(-30), 10, 60), (.pixels(10), .pixels(-89), 10, 1),
        (.pixels(10), .pixels(-90), 10, 90), (.percent(50), .pixels(-65_535), 50, 50),
        (.pixels(100), .pixels(-7), 0, 93),
        // A length of 0 keeps the whole rest, and a percentage keeps at least one pixel.
        (.pixels(10), .pixels(0), 10, 90), (.pixels(10), .percent(0), 10, 90),
        (.pixels(10), .percent(0.4), 10, 1), (nil, .percent(0.01), 0, 1),
        (.percent(50), .percent(25), 50, 25), (.percent(0.5), .percent(0.5), 1, 1),
        (.percent(33.4), .percent(33.5), 33, 34), (.percent(99.4), nil, 99, 1), (.percent(99.5), nil, 0, 100),
        (.percent(10), .percent(100), 10, 90), (nil, .percent(100), 0, 100),
    ]

    @Test func `each axis has its start and its length, and knows nothing of the other`() {
        let picture = PixelSize(width: 100, height: 100)
        for span in Self.spans {
            let across = crop(x: span.start, width: span.length).area(of: picture)
            #expect(across == PixelArea(x: span.first, y: 0, width: span.count, height: 100), "\(span)")
            let down = crop(y: span.start, height: span.length).area(of: picture)
            #expect(down == PixelArea(x: 0, y: span.first, width: 100, height: span.count), "\(span)")
        }
    }

    @Test func `a cut begins at the side or in the middle that its anchor names`() {
        let picture = PixelSize(width: 101, height: 50)
        for (anchor, x, y) in [
            (Recipe.Alignment.topLeft, 7, 3), (.top, 43, 3), (.topRight, 64, 3), (.left, 7, 18),
            (.center, 43, 18), (.right, 64, 18), (.bottomLeft, 7, 27), (.bottom, 43, 27),
            (.bottomRight, 64, 27),
        ] {
            var crop = crop(x: .pixels(7), y: .pixels(3), width: .pixels(30), height: .percent(40))
            crop.anchor = .side(anchor)
            #expect(crop.area(of: picture) == PixelArea(x: x, y: y, width: 30, height: 20), "\(anchor)")
            // Without offsets, and with lengths beyond the picture.
            (crop.x, crop.y) = (nil, nil)
            let area = crop.area(of: picture)
            #expect([0, 36, 71].contains(area.x) && [0, 15, 30].contains(area.y), "\(area)")
            (crop.x, crop.y) = (.pixels(60_000), .percent(100))
            let last = crop.area(of: picture)
            #expect(last.width == 30 && last.height == 20 && last.x + 30 <= 101 && last.y + 20 <= 50)
        }
        var margins = crop(width: .pixels(-21), height: .pixels(-65_535))
        margins.anchor = .side(.center)
        #expect(margins.area(of: picture) == PixelArea(x: 11, y: 0, width: 80, height: 50))
    }

    @Test func `a cut has its middle at a point, as far as the picture reaches`() {
        let picture = PixelSize(width: 101, height: 50)
        for (x, y, left, top) in [
            (0.5, 0.5, 36, 15), (0, 0, 0, 0), (1, 1, 71, 30), (0.3, 0.4, 15, 10), (0.9, 0.1, 71, 0),
        ] {
            var crop = crop(width: .pixels(30), height: .percent(40))
            crop.anchor = .point(FocalPoint(x: x, y: y))
            #expect(
                crop.area(of: picture) == PixelArea(x: left, y: top, width: 30, height: 20), "\(x), \(y)")
        }
        var moved = crop(x: .pixels(-5), y: .percent(10), width: .pixels(30), height: .pixels(20))
        moved.anchor = .point(FocalPoint(x: 0.3, y: 0.4))
        #expect(moved.area(of: picture) == PixelArea(x: 10, y: 15, width: 30, height: 20))
    }

    @Test func `from the middle an offset below 0 leads back, and from a side nowhere`() {
        let picture = PixelSize(width: 100, height: 50)
        for (anchor, x, y) in [
            (Recipe.Alignment.center, 28, 10), (.left, 0, 10), (.right, 70, 10), (.top, 28, 0),
            (.bottomRight, 70, 30),
        ] {
            var crop = crop(x: .pixels(-7), y: .percent(-10), width: .pixels(30), height: .pixels(20))
            crop.anchor = .side(anchor)
            #expect(crop.area(of: picture) == PixelArea(x: x, y: y, width: 30, height: 20), "\(anchor)")
            var recipe = Recipe()
            recipe.crop = crop
            #expect(recipe.canonicalised.crop?.area(of: picture) == crop.area(of: picture), "\(anchor)")
        }
    }

    @Test func `an anchor counts where a length is given`() throws {
        for (query, canonical) in [
            ("ca=center&cx=5", "cx=5"), ("ca=center&cw=9", "ca=top&cw=9"),
            ("ca=bottom-right&ch=9&cw=100%25", "ca=bottom-left&ch=9"),
            ("ca=top-left&cw=9", "cw=9"), ("ca=center", ""), ("ca=attention", ""),
            ("ca=0.5:0.5&cw=9&ch=9", "ca=center&cw=9&ch=9"), ("ca=0.3:0.7&cw=9", "ca=0.3:0.5&cw=9"),
            ("ca=attention&cx=3&cy=2&cw=9", "ca=attention&cw=9"), ("cx=-3&cw=9", "cw=9"),
            ("ca=right&cx=-3&cy=-2&cw=9&ch=9", "ca=right&cy=-2&cw=9&ch=9"), ("ca=0.1:0.2&cx=4", "cx=4"),
        ] {
            let recipe = try Recipe(canonical: query).canonicalised
            #expect(recipe == (try Recipe(canonical: canonical)), "\(query): \(recipe.canonical)")
        }
    }

    @Test func `percent are of the side along which they count`() {
        let quarter = crop(x: .percent(50), y: .percent(50), width: .percent(25), height: .percent(25))
        let area = quarter.area(of: PixelSize(width: 200, height: 40))
        #expect(area == PixelArea(x: 100, y: 20, width: 50, height: 10))
        #expect(area.size == PixelSize(width: 50, height: 10))
    }

    @Test func `whatever is asked for, what is cut lies in the picture`() {
        var random = SeededRandom(for: "cuts")
        for _ in 0..<5_000 {
            guard let crop = random.recipe().crop else { continue }
            let picture = PixelSize(
                width: Int.random(in: 1...3_000, using: &random),
                height: Int.random(in: 1...3_000, using: &random))
            let area = crop.area(of: picture)
            #expect(
                area.x >= 0 && area.y >= 0 && area.width >= 1 && area.height >= 1, "\(crop) of \(picture)")
            #expect(area.x + area.width <= picture.width, "\(crop) of \(picture)")
            #expect(area.y + area.height <= picture.height, "\(crop) of \(picture)")
        }
    }

    // MARK: Two areas

    @Test func `the area around two holds both and no pixel more`() {
        let one = PixelArea(x: 3, y: 5, width: 4, height: 2)
        #expect(one.union(nil) == one)
        #expect(one.union(one) == one)
        let other = PixelArea(x: 10, y: 1, width: 1, height: 1)
        #expect(one.union(other) == PixelArea(x: 3, y: 1, width: 8, height: 6))
        let inner = PixelArea(x: 4, y: 5, width: 1, height: 1)
        #expect(one.union(inner) == one)
    }

    @Test func `it does not matter which of the two comes first`() {
        var random = SeededRandom(for: "areas")
        func area() -> PixelArea {
            func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
            return PixelArea(
                x: number(-9...9), y: number(-9...9), width: number(1...9), height: number(1...9))
        }
        for _ in 0..<2_000 {
            let (one, other) = (area(), area())
            let both = one.union(other)
            #expect(other.union(one) == both)
            for part in [one, other] {
                #expect(both.union(part) == both, "\(one) \(other)")
                #expect(both.x <= part.x && both.y <= part.y)
                #expect(
                    both.x + both.width >= part.x + part.width && both.y + both.height >= part.y + part.height
                )
            }
            #expect(both.x == min(one.x, other.x) && both.y == min(one.y, other.y))
        }
    }
}
