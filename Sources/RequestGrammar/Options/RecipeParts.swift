// SPDX-License-Identifier: Apache-2.0
//
// Some parameters set a part of a value that another parameter creates: `tbg` colours the trim that `trim` asks for. Each such part
// is a field here. Setting it has no effect if the whole was not asked for, so parameters are read in the order of the table: the
// whole before its parts.

internal import Recipes

extension Recipe {
    var cropX: Length? {
        get { crop?.x }
        set { crop = with(crop ?? Crop()) { $0.x = newValue } }
    }
    var cropY: Length? {
        get { crop?.y }
        set { crop = with(crop ?? Crop()) { $0.y = newValue } }
    }
    var cropWidth: Length? {
        get { crop?.width }
        set { crop = with(crop ?? Crop()) { $0.width = newValue } }
    }
    var cropHeight: Length? {
        get { crop?.height }
        set { crop = with(crop ?? Crop()) { $0.height = newValue } }
    }
    var cropAnchor: Crop.Anchor {
        get { crop?.anchor ?? .side(.topLeft) }
        set { crop?.anchor = newValue }
    }
    var cropsBeforeResize: Bool {
        get { crop?.beforeResize ?? false }
        set { crop?.beforeResize = newValue }
    }

    var trimThreshold: Int? {
        get { trim?.threshold }
        set { trim = newValue.map { Trim(threshold: $0) } }
    }
    var trimPaint: Paint {
        get {
            trim?.color.map { .color($0) } ?? .sample(trim?.isByLastPixel == true ? .bottomRight : .topLeft)
        }
        set {
            trim?.color = newValue.color
            trim?.isByLastPixel = newValue == .sample(.bottomRight)
        }
    }

    var backgroundPaint: Paint? {
        get { backgroundSample.map { .sample($0) } ?? background.map { .color($0) } }
        set { (background, backgroundSample) = (newValue?.color, newValue?.sample) }
    }
    var containPaint: Paint {
        get { containSample.map { .sample($0) } ?? .color(containBackground) }
        set { (containBackground, containSample) = (newValue.color ?? .transparent, newValue.sample) }
    }

    var maskShape: Mask.Shape? {
        get { mask?.shape }
        set { mask = newValue.map { Mask(shape: $0) } }
    }
    var maskTrims: Bool {
        get { mask?.trims ?? false }
        set { mask?.trims = newValue }
    }
    var maskBackground: Color {
        get { mask?.background ?? .transparent }
        set { mask?.background = newValue }
    }

    var paddingSides: Clockwise? {
        get { padding?.sides }
        set { padding = newValue.map { Padding($0) } }
    }
    var paddingBackground: Color {
        get { padding?.background ?? .transparent }
        set { padding?.background = newValue }
    }

    var sharpenFlat: Double {
        get { sharpen?.flat ?? Sharpening().flat }
        set { sharpen?.flat = newValue }
    }
    var sharpenJagged: Double {
        get { sharpen?.jagged ?? Sharpening().jagged }
        set { sharpen?.jagged = newValue }
    }

    var duotoneStart: Color {
        get { if case .duotone(let start, _) = filter { start } else { Filter.duotoneStart } }
        set { if case .duotone(_, let stop) = filter { filter = .duotone(start: newValue, stop: stop) } }
    }
    var duotoneStop: Color {
        get { if case .duotone(_, let stop) = filter { stop } else { Filter.duotoneStop } }
        set { if case .duotone(let start, _) = filter { filter = .duotone(start: start, stop: newValue) } }
    }

    var watermarkSource: String? {
        get { watermark?.source }
        set { watermark = newValue.map { Watermark(source: $0) } }
    }
    var watermarkPosition: Watermark.Position {
        get { watermark?.position ?? .at(.bottomRight) }
        set { watermark?.position = newValue }
    }
    var watermarkShift: PositionOffset {
        get { watermark?.shift ?? PositionOffset() }
        set { watermark?.shift = newValue }
    }
    var watermarkScale: Double? {
        get { watermark?.scale }
        set { watermark?.scale = newValue }
    }
    var watermarkHeight: Double? {
        get { watermark?.heightScale }
        set { watermark?.heightScale = newValue }
    }
    var watermarkOpacity: Double {
        get { watermark?.opacity ?? 1 }
        set { watermark?.opacity = newValue }
    }

    var writtenText: String? {
        get { text?.text }
        set { text = newValue.map { TextOverlay($0) } }
    }
    var textPosition: Alignment {
        get { text?.position ?? .center }
        set { text?.position = newValue }
    }
    var textShift: PositionOffset {
        get { text?.shift ?? PositionOffset() }
        set { text?.shift = newValue }
    }
    var textSize: Int {
        get { text?.size ?? 32 }
        set { text?.size = newValue }
    }
    var textColor: Color {
        get { text?.color ?? .white }
        set { text?.color = newValue }
    }
    var textFont: String? {
        get { text?.font }
        set { text?.font = newValue }
    }
    var textAlignment: TextOverlay.LineSide? {
        get { text?.alignment }
        set { text?.alignment = newValue }
    }
    var textWidth: Length? {
        get { text?.width }
        set { text?.width = newValue }
    }

    private func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
        var value = value
        change(&value)
        return value
    }
}
