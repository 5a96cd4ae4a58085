// SPDX-License-Identifier: Apache-2.0
// libheif decodes a part each time that a grid, an overlay or an identity names it. A few hundred bytes can name the layers of an
// overlay a million times, on a canvas of any size.

/// The pixels of all parts that libheif decodes for an item, each as often as it is decoded.
struct ISOMediaWork {
    /// What the decoder's start for one part costs, in pixels.
    private static let leastPixels = 1 << 15
    /// Sums end here, so that they never overflow.
    private static let mostPixels = 1 << 50
    /// The most items within one another, from part to part and from an item to its alpha.
    private static let deepest = 2 * ISOMediaFrames.deepest

    /// The pixels of an item's own frame.
    private var pixels: [Int: Int] = [:]
    private var parts: [Int: [Int]] = [:]
    /// The alpha planes of each item.
    private var alphas: [Int: [Int]] = [:]

    /// The sum for an item.
    private struct Sum {
        var pixels = 0
        /// The number of items within one another below it.
        var height = 0
    }

    private var sums: [Int: Sum] = [:]
    /// The pixels of all alpha planes of each part.
    private var planes: [Int: Int] = [:]
    /// Items whose sums are being made, each with the number of parts from the first item to it.
    private var open: [Int: Int] = [:]

    /// Several frames of an item count as its largest.
    mutating func add(pixels more: Int, of item: Int) { pixels[item] = max(pixels[item] ?? 0, more) }

    mutating func add(_ more: [Int], of item: Int) { parts[item, default: []] += more }

    mutating func add(alpha: Int, of item: Int) { alphas[item, default: []].append(alpha) }

    /// The pixels of all parts below this item; 0 for an item without parts.
    /// - Throws: if an item is a part of itself, or if items are deeper within one another than in any real picture.
    mutating func pixels(for item: Int) throws(ImageHeaderError) -> Int {
        try sum(of: item, depth: 0, parts: 0).pixels
    }

    private mutating func sum(
        of item: Int, depth: Int, parts outer: Int
    ) throws(ImageHeaderError) -> Sum {
        if let known = sums[item] {
            guard depth + known.height <= Self.deepest else { throw .damaged }
            return known
        }
        guard depth <= Self.deepest else { throw .damaged }
        open[item] = outer
        var sum = Sum()
        for part in parts[item] ?? [] {
            // libheif would take part after part until its stack is full.
            guard open[part] == nil else { throw .damaged }
            // An alpha plane, of whatever size, is decoded each time with its part.
            try add(part, own: own(part) + planes(of: part), to: &sum, depth, parts: outer + 1)
        }
        // The plane itself is decoded once beside the item, as that of a picture without parts.
        for alpha in alphas[item] ?? [] {
            if let first = open[alpha] {
                // An alpha plane of itself is passed over. One that has itself among its parts is like a part of itself.
                guard first == outer else { throw .damaged }
                continue
            }
            try add(alpha, own: 0, to: &sum, depth, parts: outer)
        }
        open[item] = nil
        sums[item] = sum
        return sum
    }

    private mutating func add(
        _ part: Int, own: Int, to sum: inout Sum, _ depth: Int, parts: Int
    ) throws(ImageHeaderError) {
        let below = try self.sum(of: part, depth: depth + 1, parts: parts)
        // Cannot trap: each summand is at most 2^51.
        sum.pixels = min(sum.pixels + own + below.pixels, Self.mostPixels)
        sum.height = max(sum.height, below.height + 1)
    }

    /// The pixels of a part's alpha planes. A file may name thousands of planes, and the part as often, so they are added up once.
    private mutating func planes(of part: Int) -> Int {
        if let known = planes[part] { return known }
        let pixels = (alphas[part] ?? []).reduce(0) { min($0 + own($1), Self.mostPixels) }
        planes[part] = pixels
        return pixels
    }

    private func own(_ part: Int) -> Int {
        min(max(pixels[part] ?? 0, Self.leastPixels), Self.mostPixels)
    }
}
