// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// Which part of a picture counts.
enum ImgproxyGravity: Equatable {
    /// The point as fractions of the sides, and the offset from there: below 1 a fraction, else pixels.
    case side(FocalPoint, x: Double, y: Double)
    case focus(FocalPoint)
    /// What draws the eye.
    case smart

    static let center = ImgproxyGravity.side(FocalPoint(), x: 0, y: 0)

    static let sides: [String: FocalPoint] = [
        "ce": FocalPoint(), "no": FocalPoint(y: 0), "so": FocalPoint(y: 1), "ea": FocalPoint(x: 1),
        "we": FocalPoint(x: 0), "noea": FocalPoint(x: 1, y: 0), "nowe": FocalPoint(x: 0, y: 0),
        "soea": FocalPoint(x: 1, y: 1), "sowe": FocalPoint(x: 0, y: 1),
    ]

    static let words =
        "ce, no, so, ea, we, noea, nowe, soea or sowe with offsets, sm, or fp:x:y with two fractions 0…1"
}

extension ImgproxyGravity {
    /// Where a result's middle is to be, for what is cut or put on a canvas; nil for what draws the eye.
    func point(_ option: String) throws(ImgproxyRefusal) -> FocalPoint? {
        switch self {
        case .smart: return nil
        case .focus(let point): return point
        case .side(let point, let x, let y):
            guard x == 0, y == 0 else {
                throw .unsupported(
                    option: "\(option) with offsets", reason: "Of offsets, Pictor knows those of crop only.")
            }
            return point
        }
    }
}
