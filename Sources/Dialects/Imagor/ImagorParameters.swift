// SPDX-License-Identifier: Apache-2.0
//
// `params/` before an imagor URL asks what the URL means: JSON with the members in the order of imagor's `Params`, indented by two
// spaces (imagorpath/params.go). Members with their default value are left out.

internal import Bytes
internal import JSON

/// A URL with `params/` before it.
struct ImagorParameters {
    private let operations: OperationPath
    /// The path after the signature, with its escapes.
    private let path: String
    /// The signature as it was sent.
    private let signature: String?
    private let isUnsafe: Bool
    private let filters: [(name: String, arguments: String)]
    /// The decoded name of the picture.
    private let image: String
    private let isBase64: Bool

    /// - Parameter rest: the target after the place of the dialect; nil if it does not begin with `params/`.
    init?(_ rest: ArraySlice<UInt8>, _ grammar: OperationGrammar) {
        var rest = rest.drop { $0 == UInt8(ascii: "/") }
        guard rest.starts(with: "params/".utf8) else { return nil }
        rest = rest.dropFirst("params/".utf8.count)
        let first = rest.prefix { $0 != UInt8(ascii: "/") }
        let hasMore = first.endIndex < rest.endIndex
        isUnsafe = hasMore && first.elementsEqual("unsafe".utf8)
        let isSignature = hasMore && Self.isSignature(first)
        signature = isSignature ? String(decoding: first, as: UTF8.self) : nil
        if isUnsafe || isSignature { rest = rest[first.endIndex...].dropFirst() }
        path = String(decoding: rest, as: UTF8.self)
        let behind: ArraySlice<UInt8>
        (operations, behind) = OperationPath.beginning(of: rest, grammar)
        let name: ArraySlice<UInt8>
        (filters, name) = Self.filters(behind)
        let decoded = String(decoding: FormText.decode(name), as: UTF8.self)
        let bytes = decoded.hasPrefix("b64:") ? Base64URL.decode(decoded.dropFirst(4)) : nil
        image = bytes.map { String(decoding: $0, as: UTF8.self) } ?? decoded
        isBase64 = bytes != nil
    }

    /// True for a segment of at least 17 characters of base64url, except the one operation that looks the same.
    private static func isSignature(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.count >= 17 && !segment.elementsEqual("adaptive-full-fit-in".utf8)
            && segment.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_=".utf8.contains($0) }
    }

    /// The filters' names and the text in their parentheses, as sent; a piece without parentheses is ignored.
    private static func filters(
        _ path: ArraySlice<UInt8>
    ) -> (calls: [(name: String, arguments: String)], image: ArraySlice<UInt8>) {
        guard path.starts(with: "filters:".utf8) else { return ([], path) }
        var calls: [(name: String, arguments: String)] = []
        let rest = path.dropFirst("filters:".utf8.count)
        var (start, depth) = (rest.startIndex, 0)
        for index in rest.indices {
            switch rest[index] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: ":") where depth == 0, UInt8(ascii: "/") where depth == 0:
                if let call = call(rest[start..<index]) { calls.append(call) }
                start = index + 1
                if rest[index] == UInt8(ascii: "/") { return (calls, rest[start...]) }
            default: continue
            }
        }
        if let call = call(rest[start...]) { calls.append(call) }
        return (calls, [])
    }

    private static func call(_ text: ArraySlice<UInt8>) -> (name: String, arguments: String)? {
        let name = text.prefix { $0 != UInt8(ascii: "(") }
        guard name.endIndex < text.endIndex, text.last == UInt8(ascii: ")") else { return nil }
        let arguments = text[name.endIndex...].dropFirst().dropLast()
        return (String(decoding: name, as: UTF8.self), String(decoding: arguments, as: UTF8.self))
    }
}

// MARK: JSON

extension ImagorParameters {
    /// The JSON object.
    var json: String {
        let lines = members.map { "  \(JSONText.quoted($0)): \($1)" }
        return lines.isEmpty ? "{}" : "{\n\(lines.joined(separator: ",\n"))\n}"
    }

    private var members: [(String, String)] {
        var list: [(String, String)] = []
        add("path", path, to: &list)
        add("image", image, to: &list)
        add("base64_image", isBase64, to: &list)
        add("unsafe", isUnsafe, to: &list)
        add("hash", signature, to: &list)
        add("meta", operations.describes, to: &list)
        add("trim", operations.trim != nil, to: &list)
        add("trim_by", operations.trim.map { $0.isBottomRight ? "bottom-right" : "top-left" }, to: &list)
        add("trim_tolerance", Double(operations.trim?.tolerance ?? 0), to: &list)
        add("crop", operations.crop, to: &list)
        add("fit_in", operations.fitIn != nil, to: &list)
        add("adaptive_fit_in", operations.fitIn?.isAdaptive ?? false, to: &list)
        add("full_fit_in", operations.fitIn?.isFull ?? false, to: &list)
        add("stretch", operations.stretches, to: &list)
        add("width", operations.width, to: &list)
        add("height", operations.height, to: &list)
        add("padding", operations.padding, to: &list)
        add("h_flip", operations.mirrorsAcross, to: &list)
        add("v_flip", operations.mirrorsDown, to: &list)
        add("h_align", operations.acrossWord, to: &list)
        add("v_align", operations.downWord, to: &list)
        add("smart", operations.isSmart, to: &list)
        if !filters.isEmpty { list.append(("filters", filterList)) }
        return list
    }

    private var filterList: String {
        let objects = filters.map { filter in
            var members: [(String, String)] = []
            add("name", filter.name, to: &members)
            add("args", filter.arguments, to: &members)
            let lines = members.map { "      \(JSONText.quoted($0)): \($1)" }
            return lines.isEmpty ? "    {}" : "    {\n\(lines.joined(separator: ",\n"))\n    }"
        }
        return "[\n\(objects.joined(separator: ",\n"))\n  ]"
    }

    private func add(_ name: String, _ text: String?, to list: inout [(String, String)]) {
        if let text, !text.isEmpty { list.append((name, JSONText.quoted(text))) }
    }

    private func add(_ name: String, _ flag: Bool, to list: inout [(String, String)]) {
        if flag { list.append((name, "true")) }
    }

    private func add(_ name: String, _ number: Double, to list: inout [(String, String)]) {
        guard number != 0 else { return }
        // Cannot trap: at most a billion.
        list.append((name, number == number.rounded() ? "\(Int(number))" : "\(number)"))
    }

    private func add(_ name: String, _ side: OperationPath.Side, to list: inout [(String, String)]) {
        if case .pixels(let pixels) = side { add(name, Double(pixels), to: &list) }
    }

    private func add(_ name: String, _ corners: OperationPath.Corners?, to list: inout [(String, String)]) {
        guard let corners else { return }
        add("\(name)_left", corners.left, to: &list)
        add("\(name)_top", corners.top, to: &list)
        add("\(name)_right", corners.right, to: &list)
        add("\(name)_bottom", corners.bottom, to: &list)
    }
}
