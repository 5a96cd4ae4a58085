// SPDX-License-Identifier: Apache-2.0

package import DecoderProtocol
internal import ImageHeaders
package import Kernel
package import Recipes

/// A picture whose header or metadata an inspector process reads, or a body that it unpacks.
package struct InspectionJob: Sendable {
    /// A regular file or a memory file, `inputLength` bytes from its start; the inspector gets its own
    /// read-only open file description.
    package var input: OwnedDescriptor
    /// The length of the input in bytes.
    package var inputLength: Int
    /// The question, which decides the findings that count as answers.
    package var question: InspectorQuestion
    /// The file that the process may write to; for `unpack` only. The process may still write to it after its
    /// answer.
    package var output: OwnedDescriptor?
    /// Counted from the moment a process has the job.
    package var deadline: Duration

    /// - Parameter output: nil for every question but `unpack`.
    package init(
        input: OwnedDescriptor, inputLength: Int, question: InspectorQuestion, output: OwnedDescriptor? = nil,
        deadline: Duration
    ) {
        self.input = input
        self.inputLength = inputLength
        self.question = question
        self.output = output
        self.deadline = deadline
    }
}

extension InspectionJob: WorkerJob {
    /// The input, and the output if there is one.
    package var descriptors: [OwnedDescriptor] {
        get throws(SystemError) { [try input.reopenedForReading()] + (output.map { [$0] } ?? []) }
    }

    /// Nil, because an inspector's memory is not measured.
    package var account: JobAccount? { nil }

    /// A `WireQuestion`.
    package func message(id: UInt64, _: WorkerPoolSettings) -> [UInt8] {
        WireQuestion(id: id, question: question, inputLength: inputLength).encoded
    }

    package static var longestAnswer: Int { Wire.longestFinding }

    /// Nil for a finding that does not belong to this question; otherwise a success.
    package func answer(in message: [UInt8], id: UInt64) -> Result<Finding, ImagingFailure>? {
        guard let said = WireFinding(message), said.id == id, answersQuestion(said.finding) else {
            return nil
        }
        return .success(said.finding)
    }

    private func answersQuestion(_ finding: Finding) -> Bool {
        switch (question, finding) {
        case (.header, .header(let header)), (.description, .description(let header, _)): fits(header)
        case (.page, .header(let header)): fits(header)
        case (.unpack(_, let limit), .unpacked(let length)): length <= limit
        case (.header, .notAnImage), (.header, .damaged), (.details, .details), (_, .unreadable): true
        case (.description, .notAnImage), (.description, .damaged): true
        case (.page, .notAnImage), (.page, .damaged): true
        case (.unpack, .damaged), (.unpack, .notPacked), (.unpack, .tooLarge), (.unpack, .cannotWrite): true
        case (.header, _), (.details, _), (.description, _), (.page, _), (.unpack, _): false
        }
    }

    private func fits(_ header: ImageHeader) -> Bool {
        // Every page takes at least one byte.
        header.isPossible && header.pages <= max(1, inputLength)
    }

    /// Long for `unpack`, short for everything else.
    package var length: JobLength { if case .unpack = question { .long } else { .short } }

    /// Always true: inspectors only read the input, and write unpacked bytes from the output's start again.
    package func restart() -> Bool { true }

    /// True, because reading a header ends by its own budget long before the deadline, unless the machine is
    /// at a standstill.
    package static var hangsAreForgiven: Bool { true }
}
