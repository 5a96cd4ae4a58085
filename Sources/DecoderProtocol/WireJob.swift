// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
package import Recipes
internal import RequestGrammar

/// Daemon → decoder: one picture to render. The descriptors are sent with it: input, output, and the watermark's
/// input if there is one.
package struct WireJob: WireOrder, Hashable {
    /// The watermark's file.
    package struct Watermark: Sendable, Hashable {
        /// The header that an inspector read from the watermark.
        package var header: ImageHeader
        /// The length of its input in bytes.
        package var inputLength: Int

        /// - Parameter inputLength: in bytes.
        package init(header: ImageHeader, inputLength: Int) {
            self.header = header
            self.inputLength = inputLength
        }
    }

    /// The job's number, which the reply repeats.
    package var id: UInt64
    /// The header that an inspector read from the original.
    package var header: ImageHeader
    /// Sent in its canonical spelling; `carries` tells whether it fits.
    package var recipe: Recipe
    /// Encoder settings that the recipe does not set.
    package var defaults: EncoderDefaults
    /// The length of the input in bytes.
    package var inputLength: Int
    /// The most bytes of the rendition.
    package var outputLimit: Int
    /// The most pixels of the rendition, in all its frames together.
    package var pixelLimit: Int
    /// The treatment of a truncated original.
    package var damaged: DamagedPicture
    /// Nil if the recipe has no watermark.
    package var watermark: Watermark?

    /// Lengths and `outputLimit` are in bytes, `pixelLimit` in pixels.
    package init(
        id: UInt64, header: ImageHeader, recipe: Recipe, defaults: EncoderDefaults, inputLength: Int,
        outputLimit: Int, pixelLimit: Int, damaged: DamagedPicture = .refuse, watermark: Watermark? = nil
    ) {
        self.id = id
        self.header = header
        self.recipe = recipe
        self.defaults = defaults
        self.inputLength = inputLength
        self.outputLimit = outputLimit
        self.pixelLimit = pixelLimit
        self.damaged = damaged
        self.watermark = watermark
    }

    package var descriptorCount: Int { watermark == nil ? 2 : 3 }

    package var encoded: [UInt8] {
        var writer = WireWriter(.job)
        writer.put(id)
        writer.put(header)
        // The wire form is the canonical spelling, because it is complete and has a single parser.
        writer.put(recipe.canonical, limit: Wire.longestRecipe)
        writer.put(defaults)
        writer.put(inputLength, as: UInt64.self)
        writer.put(outputLimit, as: UInt64.self)
        writer.put(pixelLimit, as: UInt64.self)
        writer.put(damaged == .show)
        writer.put(watermark != nil)
        if let watermark {
            writer.put(watermark.header)
            writer.put(watermark.inputLength, as: UInt64.self)
        }
        return writer.bytes
    }

    /// Whether a message can hold the recipe, and the decoder will read the same recipe. A truncated recipe
    /// could mean another picture, and a worker that cannot read one considers the daemon broken and exits.
    package static func carries(_ recipe: Recipe) -> Bool {
        let spelling = recipe.canonical
        return spelling.utf8.count <= Wire.longestRecipe && read(spelling) != nil
    }

    /// Nil if the text is no canonical spelling.
    private static func read(_ spelling: String) -> Recipe? {
        guard let recipe = try? Recipe(canonical: spelling), recipe.canonical == spelling else { return nil }
        return recipe
    }

    package init?(_ message: [UInt8]) {
        guard case (.job, var reader)? = WireReader.open(message),
            let id = reader.number(UInt64.self),
            let header = reader.header(),
            let spelling = reader.text(limit: Wire.longestRecipe), let recipe = Self.read(spelling),
            let defaults = reader.encoderDefaults(),
            let inputLength = reader.integer(UInt64.self, in: 0...Int.max),
            let outputLimit = reader.integer(UInt64.self, in: 0...Int.max),
            let pixelLimit = reader.integer(UInt64.self, in: 0...Int.max),
            let showsDamaged = reader.flag(), let hasWatermark = reader.flag()
        else { return nil }
        var watermark: Watermark?
        if hasWatermark {
            guard let header = reader.header(), let length = reader.integer(UInt64.self, in: 0...Int.max)
            else { return nil }
            watermark = Watermark(header: header, inputLength: length)
        }
        guard reader.isAtEnd else { return nil }
        self.init(
            id: id, header: header, recipe: recipe, defaults: defaults, inputLength: inputLength,
            outputLimit: outputLimit, pixelLimit: pixelLimit, damaged: showsDamaged ? .show : .refuse,
            watermark: watermark)
    }
}

extension WireWriter {
    fileprivate mutating func put(_ defaults: EncoderDefaults) {
        for (field, _) in EncoderDefaults.wired { put(defaults[keyPath: field], as: UInt16.self) }
    }
}

extension WireReader {
    fileprivate mutating func encoderDefaults() -> EncoderDefaults? {
        var defaults = EncoderDefaults()
        for (field, range) in EncoderDefaults.wired {
            guard let value = integer(UInt16.self, in: range) else { return nil }
            defaults[keyPath: field] = value
        }
        return defaults
    }
}

extension EncoderDefaults {
    /// The settings in the order of the message, with their ranges.
    fileprivate static var wired: [(WritableKeyPath<EncoderDefaults, Int>, ClosedRange<Int>)] {
        [
            (\.jpegQuality, 1...100), (\.webpQuality, 1...100), (\.avifQuality, 1...100),
            (\.jxlQuality, 1...100), (\.likenessSteps, 5_000...10_000), (\.flags, 0...3),
            (\.webpEffort, 0...6), (\.webpAlphaQuality, 0...100), (\.avifEffort, 0...9), (\.jxlEffort, 3...9),
            (\.pngCompression, 0...9), (\.gifEffort, 1...10),
        ]
    }

    /// The target likeness in steps of 0.0001.
    private var likenessSteps: Int {
        // Cannot trap: the settings limit the target to 1.
        get { Int((targetLikeness * 10_000).rounded()) }
        set { targetLikeness = Double(newValue) / 10_000 }
    }

    private var flags: Int {
        get { (jpegOptimised ? 1 : 0) | (keepsSmallerOriginal ? 2 : 0) }
        set { (jpegOptimised, keepsSmallerOriginal) = (newValue & 1 != 0, newValue & 2 != 0) }
    }
}
