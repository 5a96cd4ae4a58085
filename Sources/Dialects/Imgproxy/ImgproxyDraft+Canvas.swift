// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import ImageHeaders
internal import Recipes

/// How the picture fits its box, and the canvas that it may lie on.
extension ImgproxyDraft {
    func readFit(_ recipe: inout Recipe) throws(ImgproxyRefusal) {
        switch resizing {
        case .fit: recipe.fit = .inside
        case .fill: recipe.fit = .cover
        case .force: recipe.fit = .fill
        case .fillDown: (recipe.fit, recipe.shrinksBox) = (.cover, true)
        case .auto: recipe.fit = .auto
        }
        if recipe.fit == .cover || recipe.fit == .auto { place(gravity, &recipe) }
        guard canvas == nil else {
            guard cut == nil, trim == nil else {
                throw .unsupported(
                    option: "\(extended == nil ? "extend_aspect_ratio" : "extend"):1 with crop or trim",
                    reason: "Pictor extends what is fitted (resizing_type:fit) then.")
            }
            return
        }
        if let widened, hasBox, extended == nil, resizing == .fit {
            recipe.shrinksBox = true
            return extend(widened, &recipe)
        }
        guard let extended, width > 0 || height > 0 else { return }
        if resizing == .fit || !hasBox && resizing != .force { return extend(extended, &recipe) }
        guard resizing != .force || enlarges else {
            throw .unsupported(
                option: "extend:1 with resizing_type:force",
                reason: "Pictor extends what is not distorted (resizing_type:fit).")
        }
    }

    private var extended: ImgproxyGravity? { boxCanvas.place }
    private var widened: ImgproxyGravity? { ratioCanvas.place }
    private var hasBox: Bool { width > 0 && height > 0 }

    /// The canvas for a picture that may be cut. With enlargement a filled picture fills its box anyway. A forced or filled-down
    /// picture has the box's ratio anyway, so it needs no canvas of that ratio.
    var canvas: BoxCanvas? {
        let isCut =
            resizing == .auto || !enlarges && (resizing == .fill || extended != nil && resizing == .fillDown)
        guard hasBox, isCut, let gravity = extended ?? widened else { return nil }
        var place = Recipe()
        self.place(gravity, &place)
        var canvas = BoxCanvas(hasRatioOnly: extended == nil)
        canvas.background = barColour
        (canvas.alignment, canvas.focus, canvas.shift) = (place.alignment, place.focus, place.shift)
        return canvas
    }

    private func extend(_ gravity: ImgproxyGravity, _ recipe: inout Recipe) {
        recipe.fit = .contain
        recipe.containBackground = barColour
        place(gravity, &recipe)
    }

    /// The colour of the bars: transparent for a translucent background, because that is laid under the whole result once.
    private var barColour: Color { ground.map { $0.isOpaque ? $0 : .transparent } ?? canvasColour }

    /// The background with its alpha; nil if it would be invisible.
    var ground: Color? {
        // Cannot trap: 0…255.
        let alpha = UInt8((backgroundAlpha * 255).rounded())
        guard let background, alpha > 0 else { return nil }
        return Color(red: background.red, green: background.green, blue: background.blue, alpha: alpha)
    }

    /// The colour of an empty canvas: transparent, or white for a format without transparency.
    var canvasColour: Color { format.flatMap { Self.written[$0] } == .jpeg ? .white : .transparent }

    /// Sets the gravity, which refers to the turned picture's axes. If the picture is cut before it is turned, the place is converted
    /// to the upright picture.
    private func place(_ gravity: ImgproxyGravity, _ recipe: inout Recipe) {
        guard let place = gravity.place else {
            recipe.alignment = .attention
            return
        }
        let origin =
            cut == nil
            ? place.mirrored(across: mirrorsAcross, down: mirrorsDown).turnedBack(by: degrees) : place
        recipe.keep(
            FocalPoint(x: DecimalText.quantised(origin.x.point), y: DecimalText.quantised(origin.y.point)))
        (recipe.shift.x, recipe.shift.y) = (origin.x.length, origin.y.length)
    }
}
