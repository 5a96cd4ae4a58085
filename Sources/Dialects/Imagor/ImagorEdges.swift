// SPDX-License-Identifier: Apache-2.0

internal import Recipes
internal import RequestGrammar

/// The filters for the area around the picture, for its corners, and for its delivery.
extension FilterRule {
    /// `fill(color)`: fills around the picture, and under it.
    static let imagorFill = FilterRule.makes { draft, call throws(OperationRefusal) in
        let word = call.text(0) ?? ""
        try draft.once(call)
        let margins = draft.path.padding.flatMap { $0.areNone ? nil : $0 }
        guard word != "blur" else {
            if margins != nil {
                throw .unsupported(what: "padding", reason: "Pictor fills margins with a colour.")
            }
            draft.fill = .init(color: .transparent, blur: 50)
            return
        }
        if word == "auto" {
            if margins != nil {
                throw .unsupported(
                    what: "padding", reason: "Pictor fills margins with a colour that is given.")
            }
            // The mean, as since imagor 1.8.5 (`getColor` in processor/vipsprocessor/color.go); a corner that follows is ignored.
            draft.fill = .init(color: .transparent, sample: .average, isUnder: true)
            return
        }
        let isClear = ["none", "transparent"].contains(word)
        let color = isClear ? Color.transparent : try draft.color(call, 0).opaque
        draft.fill = .init(color: color, isUnder: !isClear)
        if let margins { try draft.pad(margins, color, standsTurned: draft.turn.swapsSides) }
    }

    /// `padding(color,left,top,right,bottom)`, around the picture. A colour that is not transparent is also laid under the picture.
    /// Without right and bottom, these equal left and top; without top, all sides equal left. Of three numbers the third is ignored,
    /// as in imagor (`padding` in processor/vipsprocessor/filter.go).
    static let imagorPadding = FilterRule.makes { draft, call throws(OperationRefusal) in
        let sides = (1...4).compactMap { call.integer($0) }
        guard (1...4).contains(sides.count), sides.count + 1 == call.arguments.count,
            sides.allSatisfy({ $0 >= 0 }), let left = sides.first
        else { throw call.refusal("a colour, and one to four numbers of pixels") }
        try draft.once(call)
        let top = call.integer(2) ?? left
        let isWhole = sides.count == 4
        let corners = OperationPath.Corners(
            left: Double(left), top: Double(top), right: Double(isWhole ? call.integer(3) ?? left : left),
            bottom: Double(call.integer(4) ?? top))
        let isClear = ["none", "transparent"].contains(call.text(0))
        let color = isClear ? Color.transparent : try draft.color(call, 0).opaque
        try draft.pad(corners, color, standsTurned: false)
        if !isClear, draft.recipe.background == nil, draft.recipe.backgroundSample == nil {
            draft.recipe.background = color
        }
    }

    /// `pixelate(size)`: squares of 10 pixels if the URL names no size.
    static let imagorPixelate = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let side = call.arguments.isEmpty ? 10 : call.integer(0), Recipe.blockRange.contains(side)
        else {
            throw call.refusal("\(Recipe.blockRange.lowerBound)…\(Recipe.blockRange.upperBound) pixels")
        }
        draft.recipe.block = side
    }

    /// `round_corner(rx,ry,color)`. It cuts off the corners of what `fill` before it has filled, so the fill's colour is not under
    /// the corners.
    static let imagorRoundCorner = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard (1...3).contains(call.arguments.count) else {
            throw call.refusal("one radius or two, and a colour")
        }
        try draft.once(call)
        try draft.round(Array(call.arguments.prefix(2)), call)
        draft.fill?.isUnder = false
        if call.arguments.count == 3 { draft.recipe.background = try draft.color(call, 2).opaque }
    }

    /// `attachment(filename)`; without a name, the source's name is used.
    static let imagorAttachment = FilterRule.makes { draft, call throws(OperationRefusal) in
        draft.delivery.isAttachment = true
        // A name may contain commas.
        let given = call.arguments.joined(separator: ",")
        guard given.isEmpty else {
            guard FileName.give(FileName.stem(given), to: &draft.delivery) else {
                throw call.refusal(FileName.words)
            }
            return
        }
        draft.namesFile = true
    }

    /// `blurhash(x,y)`. Any grid is accepted, but Pictor makes only one.
    static let imagorBlurHash = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard call.arguments.count == 2, let across = call.integer(0), let down = call.integer(1),
            (1...9).contains(across), (1...9).contains(down)
        else { throw call.refusal("two numbers of 1…9") }
        guard (across, down) == (4, 3) else {
            throw .unsupported(what: "blurhash", reason: "Pictor makes it of 4 terms across and 3 down.")
        }
        draft.recipe.jsonExtras.insert(.blurhash)
    }
}
