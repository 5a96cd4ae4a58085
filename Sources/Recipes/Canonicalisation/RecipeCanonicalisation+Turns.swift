// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The crop, and turns and mirrors with their order.
extension Recipe {
    /// Offsets of 0 are the defaults, and a crop that keeps everything is none. Without a size there is no
    /// resize, so the crop cannot come before it.
    mutating func canonicaliseCrop() {
        guard var crop else { return }
        crop.dropWholeLengths()
        crop.anchor = crop.plainAnchor
        (crop.x, crop.y) = crop.plainOffsets
        if !hasSize { crop.beforeResize = false }
        let cuts = [crop.x, crop.y, crop.width, crop.height].contains { $0 != nil }
        self.crop = cuts ? crop : nil
    }

    /// A full turn changes nothing. Right angles and mirrors form the symmetry group of a rectangle, so both
    /// mirrors are half a turn, and half a turn with one mirror is the other mirror. Only other angles leave
    /// corners.
    mutating func canonicaliseTurns() {
        rotation = rotation.truncatingRemainder(dividingBy: 360)
        rotation = DecimalText.quantised(rotation < 0 ? rotation + 360 : rotation)
        guard isQuarterTurn else { return }
        rotationBackground = .transparent
        if flip, flop {
            (flip, flop) = (false, false)
            rotation = (rotation + 180).truncatingRemainder(dividingBy: 360)
        }
        if rotation >= 180, flip != flop {
            (flip, flop) = (flop, flip)
            rotation -= 180
        }
    }

    /// The order of turning only matters with a crop, a canvas, or a mirror after a rotation by another
    /// angle.
    mutating func canonicaliseTurnOrder() {
        let mirrors = flip || flop
        let cuts = crop != nil || isPlacing
        turnsFirst = turnsFirst && (isQuarterTurn ? cuts && (mirrors || rotation != 0) : mirrors)
    }
}
