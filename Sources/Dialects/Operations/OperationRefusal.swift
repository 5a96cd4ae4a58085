// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// Why a URL in thumbor's or imagor's form is refused.
package enum OperationRefusal: Error, Sendable {
    case noImage
    /// An option from which a URL is made is no segment.
    case noOperation(String)
    /// There is no filter with this name; `known` lists the filters.
    case unknownFilter(name: String, known: [String])
    /// The filter has no parentheses, or text after them, or bytes that are no text.
    case malformedFilter(name: String)
    /// `allowed` describes the arguments.
    case value(filter: String, allowed: String)
    case repeated(filter: String)
    /// An operation stands where the picture's name begins, because it comes too late or twice.
    case outOfOrder(segment: String)
    /// A side of the box is out of range.
    case side(range: ClosedRange<Int>)
    /// The service has it, but Pictor has no counterpart; `reason` is a sentence.
    case unsupported(what: String, reason: String)
    case source(SourceURLError)

    /// The sentence for the client.
    package var message: String {
        switch self {
        case .noImage: "The URL names no picture behind its operations."
        case .noOperation(let text): "\"\(text.prefix(40))\" is none of the operations."
        case .unknownFilter(let name, let known):
            "There is no filter \"\(name.prefix(40))\". Filters are \(known.joined(separator: ", "))."
        case .malformedFilter(let name):
            "The filter \"\(name.prefix(40))\" is malformed. Its form is name(arguments), with : between filters and / behind the last."
        case .value(let filter, let allowed):
            "The arguments of the filter \"\(filter)\" are not allowed. Allowed: \(allowed)."
        case .repeated(let filter): "The filter \"\(filter)\" is given more than once."
        case .outOfOrder(let segment):
            "\"\(segment.prefix(40))\" stands where the picture begins. The order is meta, trim, cut, fit-in, size, left or right, top or bottom, smart, filters, picture, each once."
        case .side(let range):
            "A side of the box is not allowed. Allowed: 0 or \(range.lowerBound)…\(range.upperBound) pixels."
        case .unsupported(let what, let reason): "\"\(what)\" is not supported. \(reason)"
        case .source(let error): error.message
        }
    }
}
