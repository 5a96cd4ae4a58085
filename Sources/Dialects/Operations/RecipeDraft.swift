// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes
internal import RequestGrammar

/// A recipe while the filters of a URL are read, one after the other.
///
/// In the services each filter works on the result of the one before it. In Pictor the steps have one fixed order, so filters give
/// the same picture in any order, and their order matters only where it changes their meaning.
struct RecipeDraft {
    let path: OperationPath
    let grammar: OperationGrammar
    let sources: OperationSources
    var recipe = Recipe()
    var delivery = Delivery()
    /// True if a picture smaller than the box is enlarged.
    var enlarges: Bool
    var stretches: Bool
    /// The filter `fill`: what is painted around the picture, and under it if the filter says so.
    var fill: Fill?
    /// A factor for the sides of the result.
    var proportion = 1.0
    /// The turn before the picture is cut and resized.
    var firstTurn = PictureTurn()
    /// The turn after the picture is cut and resized.
    var turn: PictureTurn
    /// The part of `turn` that comes before the filter `crop`.
    var turnBeforeCrop = PictureTurn()
    var focus: [FocalArea] = []
    /// True if the URL gives the density at which an SVG or a document is rendered.
    var hasDensity = false
    /// True to pass on the original unchanged.
    var isRaw = false
    /// True to save the file under the name in its URL.
    var namesFile = false
    /// Names of the filters read so far that a URL may have only once.
    private var seen: Set<String> = []

    struct Fill {
        var color: Color
        /// A colour sampled from the picture, which replaces `color`.
        var sample: ColourSample?
        var isUnder = false
        /// The sigma of the blurred picture that is used as fill; nil = the colour is used.
        var blur: Double?
    }

    init(_ path: OperationPath, _ grammar: OperationGrammar, _ sources: OperationSources) {
        self.path = path
        self.grammar = grammar
        self.sources = sources
        enlarges = path.fitIn?.isFull ?? true
        stretches = path.stretches
        turn = PictureTurn(across: path.mirrorsAcross, down: path.mirrorsDown)
        recipe.pages = -1
        if path.describes { recipe.output = .json }
    }

    /// - Throws: at the second call of this filter.
    mutating func once(_ call: FilterCall) throws(OperationRefusal) {
        guard seen.insert(call.name).inserted else { throw .repeated(filter: call.name) }
    }

    /// Applies the filters.
    mutating func read(_ others: UnsupportedFilterRule) throws(OperationRefusal) {
        for call in path.filters {
            switch grammar.filters[call.name] {
            case .makes(let make):
                let before = self
                do throws(OperationRefusal) { try make(&self, call) } catch {
                    guard others.passesOver(error) else { throw error }
                    self = before
                }
            case .passes: continue
            case .refused(let reason):
                guard others == .ignore else {
                    throw .unsupported(what: String(call.name.prefix(40)), reason: reason)
                }
            case nil:
                guard others != .refuse else {
                    throw .unknownFilter(name: call.name, known: grammar.known)
                }
            }
        }
    }
}

extension UnsupportedFilterRule {
    fileprivate func passesOver(_ refusal: OperationRefusal) -> Bool {
        switch (self, refusal) {
        case (.refuse, _): false
        case (.ignoreUnknown, .value), (.ignore, .value): true
        case (.ignore, .unsupported), (.ignore, .repeated): true
        default: false
        }
    }
}

/// An important part of the original.
struct FocalArea {
    let x: Double
    let y: Double
    let weight: Double
    /// True if the numbers are pixels; false if they are fractions of the original's sides.
    let isInPixels: Bool

    /// Reads a point of two numbers, or an area from two corners; nil for an empty area.
    init?(_ numbers: some Sequence<Double>, inPixels isInPixels: Bool) {
        var rest = Array(numbers)[...]
        guard let left = rest.popFirst(), let top = rest.popFirst() else { return nil }
        self.isInPixels = isInPixels
        guard let right = rest.popFirst(), let bottom = rest.popFirst() else {
            (x, y, weight) = (left, top, 1)
            return
        }
        guard right > left, bottom > top else { return nil }
        // Cannot trap: arithmetic of Doubles.
        (x, y, weight) = ((left + right) / 2, (top + bottom) / 2, (right - left) * (bottom - top))
    }
}

extension OperationPath {
    /// The request that the path describes.
    func request(
        _ grammar: OperationGrammar, _ sources: OperationSources, _ others: UnsupportedFilterRule,
        _ vocabulary: Vocabulary
    ) throws(OperationRefusal) -> ImageRequest {
        if debugs { throw .unsupported(what: "debug", reason: "Pictor draws no focal points.") }
        var draft = RecipeDraft(self, grammar, sources)
        try draft.read(others)
        if sources.base == nil, let segment = misplacedOperation { throw .outOfOrder(segment: segment) }
        let source = try sources.url(of: image)
        var recipe = try draft.finished()
        do throws(RequestError) { recipe = try vocabulary.lettered(recipe) } catch {
            let name = filters.last { ["label", "text"].contains($0.name) }?.name ?? "text"
            throw .unsupported(what: name, reason: error.message)
        }
        var delivery = draft.delivery
        if draft.namesFile, delivery.filename == nil { _ = FileName.give(lastOf: source, to: &delivery) }
        delivery.hasFramesToLose = recipe.losesFrames
        var asked = ImageRequest(source: source, recipe: vocabulary.sized(recipe), delivery: delivery)
        asked.hidesSource = sources.isOfBase(image)
        asked.terms.canvas = draft.canvas
        asked.terms.cropsWithin = asked.recipe.crop != nil
        return asked
    }

    /// The first segment of the picture's name, if it is a misplaced box, fit or filter, which nobody uses as a host. A name that is
    /// meant so has its slash escaped.
    private var misplacedOperation: String? {
        let segment = image.prefix { $0 != UInt8(ascii: "/") }
        guard segment.endIndex < image.endIndex else { return nil }
        let text = String(decoding: segment, as: UTF8.self)
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        let isBox =
            sides.count == 2 && text.utf8.contains(where: \.isASCIIDigit)
            && sides.allSatisfy { side in
                (side.hasPrefix("-") ? side.dropFirst() : side).utf8.allSatisfy(\.isASCIIDigit)
            }
        let isFit = ["fit-in", "full-fit-in", "adaptive-fit-in", "adaptive-full-fit-in"].contains(text)
        return isBox || isFit || text.hasPrefix("filters:") ? text : nil
    }
}
