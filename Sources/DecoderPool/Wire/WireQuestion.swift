// SPDX-License-Identifier: Apache-2.0

internal import ImageModel

/// Daemon → inspector: what is asked of the file whose descriptor travels beside it.
package struct WireQuestion: WireOrder, Hashable {
    package var id: UInt64
    package var question: InspectionJob.Question
    /// Bytes.
    package var inputLength: Int

    package init(id: UInt64, question: InspectionJob.Question, inputLength: Int) {
        self.id = id
        self.question = question
        self.inputLength = inputLength
    }

    package var descriptorCount: Int { 1 }

    package var encoded: [UInt8] {
        var writer = WireWriter(.question)
        writer.put(id)
        writer.put(inputLength, as: UInt64.self)
        switch question {
        case .header: writer.put(false)
        case .details(let header):
            writer.put(true)
            writer.put(header)
        }
        return writer.bytes
    }

    package init?(_ message: [UInt8]) {
        guard case (.question, var reader)? = WireReader.open(message),
            let id = reader.number(UInt64.self),
            let inputLength = reader.integer(UInt64.self, in: 0...Int.max),
            let hasHeader = reader.flag()
        else { return nil }
        var question = InspectionJob.Question.header
        if hasHeader {
            guard let header = reader.header() else { return nil }
            question = .details(header)
        }
        guard reader.isAtEnd else { return nil }
        self.init(id: id, question: question, inputLength: inputLength)
    }
}
