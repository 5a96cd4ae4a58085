// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// Daemon → inspector: a question about one file. The descriptors are sent with it: input, then the output if there is
/// one.
package struct WireQuestion: WireOrder, Hashable {
    /// The question's number, which the finding repeats.
    package var id: UInt64
    /// The question about the input.
    package var question: InspectorQuestion
    /// The length of the input in bytes.
    package var inputLength: Int

    /// - Parameter inputLength: in bytes.
    package init(id: UInt64, question: InspectorQuestion, inputLength: Int) {
        self.id = id
        self.question = question
        self.inputLength = inputLength
    }

    package var descriptorCount: Int { if case .unpack = question { 2 } else { 1 } }

    package var encoded: [UInt8] {
        var writer = WireWriter(.question)
        writer.put(id)
        writer.put(inputLength, as: UInt64.self)
        switch question {
        case .header: writer.put(UInt8(0))
        case .details(let header):
            writer.put(UInt8(1))
            writer.put(header)
        case .description: writer.put(UInt8(3))
        case .page(let page):
            writer.put(UInt8(4))
            // 0 means the smallest page, and 1 the largest.
            writer.put(min(max(-2, page), Int(Int32.max)) + 2, as: UInt32.self)
        case .unpack(let coding, let limit):
            writer.put(UInt8(2))
            writer.put(coding.rawValue)
            writer.put(limit, as: UInt64.self)
        }
        return writer.bytes
    }

    package init?(_ message: [UInt8]) {
        guard case (.question, var reader)? = WireReader.open(message),
            let id = reader.number(UInt64.self),
            let inputLength = reader.integer(UInt64.self, in: 0...Int.max),
            let question = reader.question(), reader.isAtEnd
        else { return nil }
        self.init(id: id, question: question, inputLength: inputLength)
    }
}

extension WireReader {
    fileprivate mutating func question() -> InspectorQuestion? {
        switch number(UInt8.self) {
        case 0: .header
        case 1: header().map { .details($0) }
        case 2: unpacking()
        case 3: .description
        case 4: integer(UInt32.self, in: 0...Int(Int32.max) + 2).map { .page($0 - 2) }
        default: nil
        }
    }

    private mutating func unpacking() -> InspectorQuestion? {
        guard let coding = number(UInt8.self).flatMap(ContentCoding.init(rawValue:)),
            let limit = integer(UInt64.self, in: 0...Int.max)
        else { return nil }
        return .unpack(coding, limit: limit)
    }
}
