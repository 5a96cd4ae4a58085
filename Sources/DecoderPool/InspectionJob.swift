// SPDX-License-Identifier: Apache-2.0

package import ImageModel
package import Kernel

/// What a picture says of itself, to be read by an inspector process.
package struct InspectionJob: Sendable {
    package enum Question: Sendable, Hashable {
        case header
        /// What else there is, of a picture whose header is known.
        case details(ImageHeader)
    }

    /// A regular file or a memory file, `inputLength` bytes from its start; the inspector gets its own
    /// read-only opening of it.
    package var input: OwnedDescriptor
    /// Bytes.
    package var inputLength: Int
    package var question: Question
    package var deadline: Duration

    package init(input: OwnedDescriptor, inputLength: Int, question: Question, deadline: Duration) {
        self.input = input
        self.inputLength = inputLength
        self.question = question
        self.deadline = deadline
    }
}

/// What an inspector found.
package enum Finding: Sendable, Hashable {
    case header(ImageHeader)
    case details(ImageDetails)
    case notAnImage
    case damaged
    /// Not all of the file could be read: says nothing of the picture.
    case unreadable
}

extension InspectionJob: WorkerJob {
    package var descriptors: [OwnedDescriptor] {
        get throws(SystemError) { [try input.reopenedForReading()] }
    }

    package var account: JobAccount? { nil }

    package func message(id: UInt64, _: DecoderPoolSettings) -> [UInt8] {
        WireQuestion(id: id, question: question, inputLength: inputLength).encoded
    }

    package static var longestAnswer: Int { Wire.longestFinding }

    package func answer(in message: [UInt8], id: UInt64) -> Result<Finding, DecoderRefusal>? {
        guard let said = WireFinding(message), said.id == id, answersQuestion(said.finding) else {
            return nil
        }
        return .success(said.finding)
    }

    private func answersQuestion(_ finding: Finding) -> Bool {
        switch (question, finding) {
        // Every page takes a byte at least.
        case (.header, .header(let header)): header.isPossible && header.pages <= max(1, inputLength)
        case (.header, .notAnImage), (.header, .damaged), (.details, .details), (_, .unreadable): true
        case (.header, .details), (.details, .header), (.details, .notAnImage), (.details, .damaged): false
        }
    }

    package func restart() -> Bool { true }

    /// Reading a header ends by its own budget long before the deadline; a machine at a standstill does not.
    package static var hangsAreForgiven: Bool { true }
}
