// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
@testable import DecoderProtocol
import Glibc
import HTTPSemantics
import ImageHeaders
import Jail
import Kernel
import Recipes
import Testing

@Suite("What goes beside messages, and what is taken for an answer")
struct WireSocketTests {
    @Test func `a finding answers the question that was asked, of a file of that length`() throws {
        let file = try MemoryFile.empty()
        func answer(_ finding: Finding, to question: InspectorQuestion, id: UInt64 = 7) -> Finding? {
            let job = InspectionJob(input: file, inputLength: 100, question: question, deadline: .seconds(1))
            return try? job.answer(in: WireFinding(id: id, finding: finding).encoded, id: 7)?.get()
        }
        let header = ImageHeader(format: .gif, width: 3, height: 2, pages: 100)
        #expect(answer(.header(header), to: .header) == .header(header))
        #expect(answer(.header(header), to: .header, id: 8) == nil)
        #expect(answer(.header(header), to: .details(header)) == nil)
        #expect(answer(.details(ImageDetails()), to: .header) == nil)
        #expect(answer(.details(ImageDetails()), to: .details(header)) == .details(ImageDetails()))
        let description = Finding.description(header, ImageDetails())
        #expect(answer(description, to: .description) == description)
        for question in [InspectorQuestion.header, .details(header)] {
            #expect(answer(description, to: question) == nil)
        }
        for finding in [Finding.header(header), .details(ImageDetails())] {
            #expect(answer(finding, to: .description) == nil)
        }
        var many = header
        many.pages = 101
        #expect(answer(.header(many), to: .header) == nil)
        #expect(answer(.description(many, ImageDetails()), to: .description) == nil)
        #expect(answer(.header(header), to: .page(1)) == .header(header))
        #expect(answer(.header(many), to: .page(1)) == nil)
        #expect(answer(description, to: .page(1)) == nil)
        for finding in [Finding.notAnImage, .damaged] {
            #expect(answer(finding, to: .page(1)) == finding)
            #expect(answer(finding, to: .header) == finding)
            #expect(answer(finding, to: .description) == finding)
            #expect(answer(finding, to: .details(header)) == nil)
        }
        #expect(answer(.unreadable, to: .details(header)) == .unreadable)

        let unpack = InspectorQuestion.unpack(.gzip, limit: 9)
        for finding in [
            Finding.unpacked(length: 9), .notPacked, .tooLarge, .cannotWrite, .damaged, .unreadable,
        ] {
            #expect(answer(finding, to: unpack) == finding)
        }
        for finding in [Finding.unpacked(length: 10), .notAnImage, .header(header)] {
            #expect(answer(finding, to: unpack) == nil)
        }
        for finding in [Finding.unpacked(length: 1), .notPacked, .tooLarge, .cannotWrite] {
            #expect(answer(finding, to: .header) == nil)
            #expect(answer(finding, to: .details(header)) == nil)
        }
    }

    @Test func `a result that cannot be looked at blames neither the process nor the picture`() throws {
        var order = try job(.answer)
        let result = Rendered(
            format: .gif, width: 1, height: 1, pages: 1, length: 6, decoding: 0, encoding: 0)
        let message = WireReply(id: 7, outcome: .success(result)).encoded
        let bytes = Array("GIF89a and more".utf8)
        #expect(pwrite(order.output.raw, bytes, bytes.count, 0) == bytes.count)
        #expect(try order.answer(in: message, id: 7)?.get() == result)
        #expect(contents(of: order.output) == "GIF89a")
        let unreadable = open("/proc/self/fd/\(order.output.raw)", O_WRONLY | O_CLOEXEC)
        order.output = OwnedDescriptor(adopting: unreadable)
        let error = SystemError("pread", code: EBADF)
        #expect(order.answer(in: message, id: 7) == .failure(.cannotWrite("\(error)")))
    }

    @Test func `descriptors arrive with their message, close-on-exec, and those not wanted are closed`()
        throws
    {
        let (one, other) = try WireSocket.pair()
        let file = try MemoryFile.descriptor(of: .bytes(ImmutableBytes(Array("hi".utf8))))
        try one.send([1, 2], descriptors: [file, file])
        guard case .message([1, 2], let arrived) = try other.receive(descriptorLimit: 2) else {
            Issue.record("no message")
            return
        }
        #expect(arrived.count == 2)
        #expect(arrived.allSatisfy { contents(of: $0) == "hi" && fcntl($0.raw, F_GETFD) == FD_CLOEXEC })
        try one.send([3], descriptors: [file, file, file])
        guard case .message([3], let none) = try other.receive() else {
            Issue.record("no message")
            return
        }
        #expect(none.isEmpty)
    }

    @Test func `an end tells whether what it sent was read before the other was closed`() throws {
        func closing(unread: Bool) throws -> WireSocket.Received {
            let ours = try {
                let (ours, theirs) = try WireSocket.pair()
                try ours.send([1])
                if !unread { _ = try theirs.receive() }
                return ours
            }()
            return try ours.receive()
        }
        guard case .closed = try closing(unread: false), case .closedUnread = try closing(unread: true) else {
            Issue.record("taken for the other")
            return
        }
    }

    @Test func `start parameters mean the same on the other side`() {
        let start = DecoderStart(parent: 12, formats: [.png, .gif])
        #expect(DecoderStart(arguments: start.arguments) == start)
        #expect(DecoderStart(arguments: start.arguments.dropLast()) == nil)
        #expect(DecoderStart(arguments: [String]()) == nil)
        let slow = DecoderStart(parent: 12, formats: [], jpegLane: false)
        #expect(DecoderStart(arguments: slow.arguments) == slow)
        let writer = DecoderStart(parent: 12, formats: [.png], writes: [.jxl])
        #expect(DecoderStart(arguments: writer.arguments) == writer)
        let lane = ["--writes", "", "--jpeg-lane", "on"]
        #expect(DecoderStart(arguments: ["--parent", "1", "--formats", "png"] + lane) != nil)
        #expect(DecoderStart(arguments: ["--parent", "0", "--formats", "png"] + lane) == nil)
        #expect(DecoderStart(arguments: ["--parent", "1", "--formats", "png,nonsense"] + lane) == nil)
        #expect(
            DecoderStart(arguments: [
                "--parent", "1", "--formats", "png", "--writes", "", "--jpeg-lane", "maybe",
            ]) == nil)
        #expect(
            DecoderStart(arguments: [
                "--parent", "1", "--formats", "png", "--writes", "nonsense", "--jpeg-lane", "on",
            ])
                == nil)
        let policy = JailPolicy(
            mode: .require, addressSpace: 1 << 32, fileSize: 99, lastDescriptor: 3, readable: ["/a", "/b"])
        #expect(JailPolicy(arguments: policy.arguments) == policy)
        #expect(JailPolicy(arguments: policy.arguments.dropLast()) == nil)
        #expect(JailPolicy(arguments: [String]()) == nil)
    }
}
