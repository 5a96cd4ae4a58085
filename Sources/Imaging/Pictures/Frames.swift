// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders

/// The frames of a picture on their way through the steps: one, or those of an animation.
///
/// The first frame is at hand. Each step is noted as well, and the frames behind the first take the same
/// steps one after the other, when the encoder has come to them. So an animation takes as much memory, and as
/// much of the compiled code of libvips' loops, as three of its frames do.
struct Frames {
    typealias Step = (Picture) throws(ImagingFailure) -> Picture

    private(set) var first: Picture
    let count: Int
    /// All of them before the steps, one below the other, and the size of one.
    private var strip: Picture
    private var size: PixelSize
    private var steps: [Step] = []
    /// The pixels of all frames were made by `settle`.
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

    /// Every frame becomes another picture.
    mutating func change(_ step: @escaping Step) throws(ImagingFailure) {
        first = try step(first)
        if count > 1 { steps.append(step) }
    }

    /// Makes the pixels of all frames now, so that they can be looked at.
    mutating func settle() throws(ImagingFailure) {
        guard count > 1 else {
            first = try first.inMemory()
            return
        }
        self = try Frames(try joined().inMemory(), count: count)
        isSettled = true
    }

    /// Makes the pixels of the first frame now, so that they can be read in any order.
    mutating func makeFirst() throws(ImagingFailure) { first = try first.inMemory() }

    /// A frame of those that are settled.
    subscript(index: Int) -> Picture {
        get throws(ImagingFailure) {
            guard index > 0 else { return first }
            return try changed(strip.cropped(x: 0, y: index * size.height, to: size))
        }
    }

    /// One below the other, as libvips' encoders want them.
    func joined() throws(ImagingFailure) -> Picture {
        guard count > 1 else { return first }
        let maker = Unmanaged.passRetained(Maker(frames: self))
        return try Picture(
            cvips_frames(
                first.image, strip.image, Int32(count), Maker.make, Maker.release, maker.toOpaque()))
    }

    /// A frame behind the steps that the first one has taken.
    private func changed(_ pixels: Picture) throws(ImagingFailure) -> Picture {
        var frame = pixels
        for step in steps { frame = try step(frame) }
        return frame
    }

    /// Makes frames for libvips, whose worker thread asks for them.
    ///
    /// **Isolation:** one thread at a time: the thread that has libvips make pixels waits until they are made.
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
