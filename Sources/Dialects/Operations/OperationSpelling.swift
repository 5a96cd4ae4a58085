// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import RequestGrammar

/// Makes the path equivalent to a query: each option is one or several segments, as `300x200/smart`, and `url` is the picture.
enum OperationSpelling {
    static func path(
        saying query: CanonicalQuery, _ grammar: OperationGrammar
    ) throws(OperationRefusal) -> String {
        var segments: [(rank: Int, text: String)] = []
        var (image, expiry) = ("", String?.none)
        for parameter in query.parameters {
            let name = text(parameter.name)
            switch name {
            case "url": image = String(decoding: parameter.value ?? [], as: UTF8.self)
            case "exp": expiry = text(parameter.value ?? [])
            default:
                let option = parameter.value.map { "\(name)=\(text($0))" } ?? name
                segments.append((try rank(of: option, grammar), option))
            }
        }
        // Sorts stably, so that segments of one rank keep their order.
        var texts = segments.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }.map(\.element.text)
        if let expiry {
            guard grammar.filters[ExpireFilter.name] != nil else {
                throw .unsupported(what: "exp", reason: "These URLs hold no time of expiry.")
            }
            let filter = "expire(\(expiry)000)"
            if let last = texts.last, last.contains("filters:") {
                texts[texts.count - 1] = "\(last):\(filter)"
            } else {
                texts.append("filters:\(filter)")
            }
        }
        return (texts + [image]).joined(separator: "/")
    }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: PercentEscape.decode(lenient: bytes[...]), as: UTF8.self)
    }

    /// The segment's position in the fixed order.
    private static func rank(
        of option: String, _ grammar: OperationGrammar
    ) throws(OperationRefusal) -> Int {
        let path = try OperationPath(Array("\(option)/x".utf8)[...], grammar)
        guard path.image.elementsEqual("x".utf8) else { throw .noOperation(option) }
        let marks = [
            path.debugs, path.describes, path.trim != nil, path.crop != nil, path.fitIn != nil,
            path.stretches, path.hasBox, path.across != 0, path.down != 0, path.isSmart,
        ]
        return marks.firstIndex(of: true) ?? marks.count
    }
}
