// SPDX-License-Identifier: Apache-2.0

internal import CExpat

/// Receives the events of an XML document in document order.
protocol XMLHandler: AnyObject {
    /// - Parameter attributes: names with their values, in which references are resolved.
    func begin(_ name: XMLName, _ attributes: [(name: XMLName, value: String)]) throws(XMLFault)
    func text(_ text: String) throws(XMLFault)
    func end() throws(XMLFault)
}

/// An expanded name (Namespaces in XML 1.0 §2.1).
struct XMLName: Equatable {
    /// The namespace; empty if the name has none.
    var space: String
    /// The local part of the name, without a prefix.
    var local: String

    /// The longest name, namespace included, in bytes.
    static let longest = 1_024

    /// - Parameter spelling: expat's form of a name: the namespace, a newline, the local name. The length is limited,
    ///   because a document spells its namespace once and expat repeats it in each name.
    fileprivate init(_ spelling: UnsafePointer<XML_Char>) throws(XMLFault) {
        var (count, newline): (Int, Int?) = (0, nil)
        while spelling[count] != 0 {
            guard count < Self.longest else { throw XMLFault("a name is too long") }
            if newline == nil, spelling[count] == XML_Char(bitPattern: UInt8(ascii: "\n")) { newline = count }
            count += 1
        }
        let bytes = UnsafeRawBufferPointer(start: spelling, count: count)
        guard let mark = newline else {
            (space, local) = ("", String(decoding: bytes, as: UTF8.self))
            return
        }
        space = String(decoding: bytes[..<mark], as: UTF8.self)
        local = String(decoding: bytes[(mark + 1)...], as: UTF8.self)
    }
}

/// Why a document was not read to its end; words for the log.
struct XMLFault: Error, Equatable {
    let words: String

    init(_ words: String) { self.words = words }
}

/// Reads a whole document with expat (libexpat). Comments, processing instructions and the document type are passed
/// over. A document that declares an entity is refused, so no reference expands to more than one character.
final class XMLReader {
    private let parser: XML_Parser
    private let handler: any XMLHandler
    private var depth = 0
    private var elements = 0
    private var fault: XMLFault?

    /// The most elements within one another.
    static let deepest = 128
    /// The most elements of a document.
    static let mostElements = 100_000
    /// The most attributes of an element.
    static let mostAttributes = 128

    static func read(_ bytes: UnsafeRawBufferPointer, to handler: any XMLHandler) throws(XMLFault) {
        guard let parser = XML_ParserCreateNS(nil, XML_Char(bitPattern: UInt8(ascii: "\n"))) else {
            throw XMLFault("no memory")
        }
        let reader = XMLReader(parser, handler)
        try withExtendedLifetime(reader) { () throws(XMLFault) in try reader.run(bytes) }
    }

    private init(_ parser: XML_Parser, _ handler: any XMLHandler) {
        (self.parser, self.handler) = (parser, handler)
        // Unretained is safe, because this object owns the parser and frees it in `deinit`.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        // Without a salt from here, expat would ask the system for one, by a call that a jail may refuse.
        XML_SetHashSalt(parser, UInt.random(in: 1...UInt.max))
        XML_SetElementHandler(
            parser,
            { XMLReader.of($0)?.begin($1, $2) }, { data, _ in XMLReader.of(data)?.end() })
        XML_SetCharacterDataHandler(parser) { XMLReader.of($0)?.text($1, $2) }
        XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
            XMLReader.of(data)?.stop(XMLFault("an entity is declared"))
        }
    }

    deinit { XML_ParserFree(parser) }

    private static func of(_ data: UnsafeMutableRawPointer?) -> XMLReader? {
        data.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private func run(_ bytes: UnsafeRawBufferPointer) throws(XMLFault) {
        guard let count = Int32(exactly: bytes.count) else { throw XMLFault("too long") }
        let start = bytes.bindMemory(to: XML_Char.self).baseAddress
        let status = XML_Parse(parser, start, count, 1)
        if let fault { throw fault }
        guard status == XML_STATUS_OK else {
            throw XMLFault(XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "no XML")
        }
    }

    private func stop(_ reason: XMLFault) {
        guard fault == nil else { return }
        fault = reason
        XML_StopParser(parser, 0)
    }

    /// After a stop, expat may still report events of what it has read; they are ignored.
    private func tell(_ event: () throws(XMLFault) -> Void) {
        guard fault == nil else { return }
        do throws(XMLFault) { try event() } catch { stop(error) }
    }

    private func begin(
        _ name: UnsafePointer<XML_Char>?, _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        tell { () throws(XMLFault) in
            depth += 1
            elements += 1
            guard depth <= Self.deepest else { throw XMLFault("elements too deep") }
            guard elements <= Self.mostElements else { throw XMLFault("too many elements") }
            guard let name, let list else { return }
            var attributes: [(name: XMLName, value: String)] = []
            // The list holds names and values in turn, and ends with nil.
            var next = list
            while let name = next[0], let value = next[1] {
                guard attributes.count < Self.mostAttributes else { throw XMLFault("too many attributes") }
                attributes.append((try XMLName(name), String(cString: value)))
                next += 2
            }
            try handler.begin(try XMLName(name), attributes)
        }
    }

    private func text(_ start: UnsafePointer<XML_Char>?, _ count: Int32) {
        tell { () throws(XMLFault) in
            guard let start, count > 0 else { return }
            let bytes = UnsafeBufferPointer(start: start, count: Int(count))
            try handler.text(String(decoding: UnsafeRawBufferPointer(bytes), as: UTF8.self))
        }
    }

    private func end() {
        tell { () throws(XMLFault) in
            depth -= 1
            try handler.end()
        }
    }
}
