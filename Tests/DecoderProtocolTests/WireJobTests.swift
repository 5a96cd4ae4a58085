// SPDX-License-Identifier: Apache-2.0

@testable import DecoderProtocol
import HTTPSemantics
import ImageHeaders
import RandomInputs
import RandomRecipes
import Recipes
import RequestGrammar
import Testing

@Suite("What the daemon asks for arrives as it was asked, or not at all")
struct WireJobTests {
    private func job(_ change: (inout WireJob) -> Void = { _ in }) -> WireJob {
        var job = WireJob(
            id: 7, header: ImageHeader(format: .png, width: 64, height: 48), recipe: Recipe(),
            defaults: EncoderDefaults(), inputLength: 10, outputLimit: 20, pixelLimit: 30)
        change(&job)
        return job
    }

    @Test func `the fields stand in the order in which they are declared`() {
        let header: [UInt8] = [2, 64, 0, 0, 0, 48, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]
        let numbers = [80, 80, 65, 80, 7_500, 3, 2, 100, 1, 5, 4, 4].flatMap { (value: Int) -> [UInt8] in
            [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        func long(_ value: UInt8) -> [UInt8] { [value, 0, 0, 0, 0, 0, 0, 0] }
        let bytes =
            [Wire.version, 2] + long(7) + header + [0, 0] + numbers + long(10) + long(20) + long(30) + [0, 0]
        #expect(job().encoded == bytes)
        let marked = job {
            $0.damaged = .show
            $0.watermark = .init(header: ImageHeader(format: .png, width: 64, height: 48), inputLength: 5)
        }
        #expect(marked.encoded == Array(bytes.dropLast(2)) + [1, 1] + header + long(5))
    }

    @Test func `beside it travel the files that it speaks of`() {
        #expect(job().descriptorCount == 2)
        let header = ImageHeader(format: .png, width: 1, height: 1)
        #expect(job { $0.watermark = .init(header: header, inputLength: 1) }.descriptorCount == 3)
        for (question, count) in [
            (InspectorQuestion.header, 1), (.details(header), 1), (.description, 1),
            (.unpack(.gzip, limit: 1), 2), (.page(1), 1),
        ] {
            #expect(WireQuestion(id: 1, question: question, inputLength: 1).descriptorCount == count)
        }
    }

    /// Each encoder setting, and its allowed values.
    private static var ranges: [(WritableKeyPath<EncoderDefaults, Int>, ClosedRange<Int>)] {
        [
            (\.jpegQuality, 1...100), (\.webpQuality, 1...100), (\.avifQuality, 1...100),
            (\.jxlQuality, 1...100),
            (\.webpEffort, 0...6), (\.webpAlphaQuality, 0...100), (\.avifEffort, 0...9), (\.jxlEffort, 3...9),
            (\.pngCompression, 0...9), (\.gifEffort, 1...10),
        ]
    }

    @Test func `settings of the encoders are held to their ranges`() {
        for (field, range) in Self.ranges {
            for value in [range.lowerBound, range.upperBound] {
                let asked = job { $0.defaults[keyPath: field] = value }
                #expect(WireJob(asked.encoded) == asked)
            }
            // A negative number is written as 0.
            for value in [max(range.lowerBound - 1, -1), range.upperBound + 1] where value >= 0 {
                let asked = job { $0.defaults[keyPath: field] = value }
                #expect(WireJob(asked.encoded) == nil, "\(value)")
            }
        }
    }

    @Test func `flags and the target of likeness arrive as they are`() {
        for likeness in [0.5, 0.5001, 0.98, 0.9995, 1] {
            for (optimised, keeps) in [(false, false), (false, true), (true, false), (true, true)] {
                let asked = job {
                    $0.defaults.targetLikeness = likeness
                    ($0.defaults.jpegOptimised, $0.defaults.keepsSmallerOriginal) = (optimised, keeps)
                }
                #expect(WireJob(asked.encoded) == asked)
            }
        }
        for likeness in [0.4999, 1.0001, 0, 2] {
            #expect(WireJob(job { $0.defaults.targetLikeness = likeness }.encoded) == nil)
        }
    }

    @Test func `every recipe that a client can write is carried`() {
        var random = SeededRandom(for: "recipes on the wire")
        for _ in 0..<1_000 {
            let recipe = random.recipe().canonicalised
            #expect(WireJob.carries(recipe), "\(recipe.canonical)")
            let asked = job { $0.recipe = recipe }
            #expect(WireJob(asked.encoded) == asked, "\(recipe.canonical)")
        }
    }

    @Test func `a recipe is carried up to its bound`() {
        /// A recipe whose spelling has this many bytes.
        func recipe(_ count: Int) -> Recipe {
            var recipe = Recipe()
            recipe.watermark = Watermark(source: "")
            let rest = recipe.canonical.utf8.count
            // The scheme, the slashes, and their escapes.
            let escaped = 14
            recipe.watermark?.source =
                "https://a.com/" + String(repeating: "a", count: count - rest - escaped)
            return recipe
        }
        #expect(recipe(3_072).canonical.utf8.count == 3_072)
        #expect(recipe(3_073).canonical.utf8.count == 3_073)
        #expect(WireJob.carries(recipe(3_072)))
        #expect(!WireJob.carries(recipe(3_073)))
        #expect(Wire.longestRecipe == 3_072)
    }

    @Test func `a header is held to what its fields can say`() {
        for format in ImageFormat.allCases {
            for (orientation, traits) in [(1, ImageHeader.Traits.all), (8, []), (5, .alpha)] {
                var header = ImageHeader(
                    format: format, width: 4_294_967_295, height: 0, pages: 9, orientation: orientation)
                header.traits = traits
                let asked = job { $0.header = header }
                #expect(WireJob(asked.encoded) == asked)
            }
        }
        // Behind version, kind and number: format, width, height, pages, orientation, traits.
        for (index, value) in [(10, UInt8(0)), (10, 13), (23, 0), (23, 9)] {
            var bytes = job().encoded
            bytes[index] = value
            #expect(WireJob(bytes) == nil, "byte \(index) = \(value)")
        }
    }

    @Test func `a length that no file has is none`() {
        var bytes = job().encoded
        for last in [bytes.count - 3, bytes.count - 11, bytes.count - 19] {
            bytes[last] = 0x7F
            #expect(WireJob(bytes) != nil)
            bytes[last] = 0x80
            #expect(WireJob(bytes) == nil)
            bytes[last] = 0
        }
    }

    @Test func `a length may be nought, and the greatest there is`() {
        for length in [0, .max] {
            let asked = job { ($0.inputLength, $0.outputLimit, $0.pixelLimit) = (length, length, length) }
            #expect(WireJob(asked.encoded) == asked)
            let question = WireQuestion(id: 1, question: .unpack(.gzip, limit: length), inputLength: length)
            #expect(WireQuestion(question.encoded) == question)
            let header = ImageHeader(format: .png, width: 1, height: 1)
            let marked = job { $0.watermark = .init(header: header, inputLength: length) }
            #expect(WireJob(marked.encoded) == marked)
        }
    }

    // MARK: Questions

    @Test func `a question has its number, its length and what is asked`() {
        func bytes(_ question: InspectorQuestion) -> [UInt8] {
            Array(WireQuestion(id: 1, question: question, inputLength: 258).encoded)
        }
        let start: [UInt8] = [Wire.version, 5, 1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0]
        #expect(bytes(.header) == start + [0])
        #expect(bytes(.description) == start + [3])
        let header = ImageHeader(format: .jpeg, width: 2, height: 3)
        #expect(bytes(.details(header)) == start + [1, 1, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0])
        let unpack = bytes(.unpack(.gzip, limit: 9))
        #expect(unpack == start + [2, ContentCoding.gzip.rawValue, 9, 0, 0, 0, 0, 0, 0, 0])
        #expect(bytes(.page(-2)) == start + [4, 0, 0, 0, 0] && bytes(.page(3)) == start + [4, 5, 0, 0, 0])
        #expect(WireQuestion(start + [4]) == nil && WireQuestion(start + [5]) == nil)
        #expect(WireQuestion(start + [2, 255, 9, 0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(WireQuestion(start + [2, ContentCoding.gzip.rawValue, 9, 0, 0, 0, 0, 0, 0, 0x80]) == nil)
        for message in [bytes(.header), bytes(.details(header)), unpack] {
            for count in 0..<message.count { #expect(WireQuestion(Array(message.prefix(count))) == nil) }
        }
        var other = bytes(.header)
        other[1] = 6
        #expect(WireQuestion(other) == nil)
    }
}
