// SPDX-License-Identifier: Apache-2.0
//
// The URLs of thumbor and imagor describe the operations on a picture in segments of one fixed order, each of which may be left out.
// The first segment that is none of them begins the picture's name:
//
//     meta/trim:bottom-right:20/10x20:300x400/adaptive-full-fit-in/stretch/-300x-200/5x6:7x8/left/top/smart/
//         filters:quality(80):fill(white)/host/photo.jpg
//
// (`Url` in libthumbor's url.py, `paramsRegex` in imagor's imagorpath/parse.go.) So a name that looks like a segment must be written
// with its slashes escaped, in the services and in Pictor.

/// The parts of the path after the signature, parsed but not checked yet.
package struct OperationPath: Sendable, Equatable {
    /// How a picture fits into the box without being cut.
    struct FitIn: Sendable, Equatable {
        /// True if the box may be turned to the other orientation, if that makes the picture larger.
        var isAdaptive = false
        /// True if the picture covers the box and extends beyond it.
        package var isFull = false
    }

    /// A side of the box.
    package enum Side: Sendable, Equatable {
        /// Derived from the other side and the picture's ratio.
        case free
        case pixels(Int)
        /// `orig`: the original's own side.
        case original
    }

    /// Two corners: `AxB:CxD`.
    package struct Corners: Sendable, Equatable {
        package var left: Double
        package var top: Double
        package var right: Double
        package var bottom: Double

        /// True if the numbers are fractions of the picture's sides; false if they are pixels.
        var areFractions: Bool { left < 1 && top < 1 && right <= 1 && bottom <= 1 }
        /// True if the corners have no effect.
        var areNone: Bool { left == 0 && top == 0 && right == 0 && bottom == 0 }
    }

    /// A border that must be cut off.
    package struct TrimOrder: Sendable, Equatable {
        /// True if the bottom right corner has the border's colour, and false for the top left.
        var isBottomRight = false
        package var tolerance = 0
    }

    /// True to draw the focal points.
    var debugs = false
    /// True to describe the picture instead of showing it.
    var describes = false
    package var trim: TrimOrder?
    package var crop: Corners?
    var fitIn: FitIn?
    var stretches = false
    package var width = Side.free
    package var height = Side.free
    /// Mirrored: left becomes right.
    var mirrorsAcross = false
    /// Mirrored: top becomes bottom.
    var mirrorsDown = false
    /// Margins around the picture, in pixels.
    package var padding: Corners?
    /// The word `left`, `center` or `right`; nil for none.
    var acrossWord: String?
    /// The word `top`, `middle` or `bottom`; nil for none.
    var downWord: String?
    var isSmart = false
    package var filters: [FilterCall] = []
    /// The picture's name, with its escapes.
    package var image: [UInt8] = []

    /// True if the path names a size or a mirror.
    var hasBox: Bool { width != .free || height != .free || mirrorsAcross || mirrorsDown }

    /// −1 left, 0 in the middle, 1 right.
    package var across: Int { acrossWord == "left" ? -1 : acrossWord == "right" ? 1 : 0 }
    /// −1 at the top, 0 in the middle, 1 at the bottom.
    package var down: Int { downWord == "top" ? -1 : downWord == "bottom" ? 1 : 0 }

    /// - Parameter path: the path after the signature and its slash, with its escapes.
    package init(_ path: ArraySlice<UInt8>, _ grammar: OperationGrammar) throws(OperationRefusal) {
        let rest: ArraySlice<UInt8>
        (self, rest) = Self.beginning(of: path, grammar)
        (filters, image) = try FilterList.read(rest)
    }

    private init() {}

    /// Parses the segments; the rest has the filters and the name.
    static func beginning(
        of path: ArraySlice<UInt8>, _ grammar: OperationGrammar
    ) -> (OperationPath, rest: ArraySlice<UInt8>) {
        var begun = OperationPath()
        let rest = begun.take(path, grammar)
        return (begun, rest)
    }
}
