// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

/// The frames of a picture during the steps: one, or those of an animation.
///
/// The steps change the first frame at once and are recorded. The other frames take the recorded steps one by
/// one, when the encoder asks for them. So an animation needs only the memory, and the compiled code of
/// libvips' loops, of three of its frames.
struct Frames {
    typealias Step = (Picture) throws(ImagingFailure) -> Picture

    private(set) var first: Picture
    let count: Int
    /// All frames before the steps, one below the other, and the size of one frame.
    private var strip: Picture
    private var size: PixelSize
    private var steps: [Step] = []
    /// True if `settle` has made the pixels of all frames.
    private(set) var isSettled = false

    init(_ still: Picture) {
        (first, strip, count, size) = (still, still, 1, still.size)
    }

    /// - Parameter strip: `count` frames of one size, one below the other.
    init(_ strip: Picture, count: Int) throws(ImagingFailure) {
        let size = strip.size
        (self.strip, self.count) = (strip, count)
        self.size = PixelSize(width: size.width, height: size.height / count)
        first = count == 1 ? strip : try strip.cropped(x: 0, y: 0, to: self.size)
    }

    /// Adds a step that replaces every frame.
    mutating func change(_ step: @escaping Step) throws(ImagingFailure) {
        first = try step(first)
        if count > 1 { steps.append(step) }
    }

    /// Computes the pixels of all frames now, so that later steps can look at them.
    mutating func settle() throws(ImagingFailure) {
        guard count > 1 else {
            first = try first.inMemory()
            return
        }
        self = try Frames(try joined().inMemory(), count: count)
        isSettled = true
    }

    /// Computes the pixels of the first frame now, so that they can be read in any order.
    mutating func makeFirst() throws(ImagingFailure) { first = try first.inMemory() }

    /// The frame at this index, with the recorded steps applied.
    subscript(index: Int) -> Picture {
        get throws(ImagingFailure) {
            guard index > 0 else { return first }
            return try changed(strip.cropped(x: 0, y: index * size.height, to: size))
        }
    }

    /// The frames one below the other, as libvips' encoders expect them.
    func joined() throws(ImagingFailure) -> Picture {
        guard count > 1 else { return first }
        let maker = Unmanaged.passRetained(Maker(frames: self))
        return try Picture(
            cvips_frames(
                first.image, strip.image, Int32(count), Maker.make, Maker.release, maker.toOpaque()))
    }

    /// A frame with the recorded steps applied.
    private func changed(_ pixels: Picture) throws(ImagingFailure) -> Picture {
        var frame = pixels
        for step in steps { frame = try step(frame) }
        return frame
    }

    /// Makes frames for libvips, whose worker thread asks for them.
    ///
    /// **Isolation:** one thread at a time, because the thread that starts libvips' work waits until the
    /// pixels are made.
    private final class Maker {
        private let frames: Frames

        init(frames: Frames) { self.frames = frames }

        static let make: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> OpaquePointer? = {
            (context, pixels) in
            guard let context, let pixels else { return nil }
            let maker = Unmanaged<Maker>.fromOpaque(context).takeUnretainedValue()
            do throws(ImagingFailure) {
                return try maker.frames.changed(Picture(cvips_retain(pixels))).handedOver()
            } catch {
                cvips_say_error("\(error)")
                return nil
            }
        }

        static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
            if let context { Unmanaged<Maker>.fromOpaque(context).release() }
        }
    }
}
