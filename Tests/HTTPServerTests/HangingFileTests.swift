// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
@testable import HTTPServer
import Kernel
import Synchronization
import Testing

@Suite("A file that is being sent when its disk begins to hang holds up no event loop")
struct HangingFileTests {
    private let held = HeldBytes()
    private let broken = Broken()
    private let ends: [Int32]
    /// More than one folio of the kernel's page cache, which is dropped as a whole.
    private static let bytes = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 >> 9) }

    private final class Broken: Sendable {
        let count = Atomic<Int>(0)
    }

    private var bytes: [UInt8] { Self.bytes }

    init() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        #expect(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        self.ends = ends
    }

    private func memoryFile() throws -> Int32 {
        try withExtendedLifetime(MemoryFile.empty()) { dup($0.raw) }
    }

    /// A file as a store opens it.
    private func adopt(_ file: Int32) throws -> OwnedDescriptor {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                pwrite(file, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(done))
            }
            try #require(count > 0)
            done += count
        }
        let state = try #require(FileState(file))
        return OwnedDescriptor(adopting: file, in: state, of: held) { [broken] _, _ in
            broken.count.add(1, ordering: .relaxed)
        }
    }

    /// Makes the kernel drop what it has of the file in memory, also where it needs several calls, as beside other work.
    ///
    /// The first half may stay, because the socket's queue holds pages of it.
    private func drop(_ file: Int32) -> Bool {
        (0..<1_000).contains { _ in
            fsync(file) == 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0
                && !hasSecondHalfInMemory(file)
        }
    }

    /// Whether the kernel has any page of the file's second half in memory.
    ///
    /// mincore(2) tells without a read: since Linux 5.19, a read that may not wait makes the kernel read the page all the same.
    private func hasSecondHalfInMemory(_ file: Int32) -> Bool {
        let half = bytes.count / 2
        let map = mmap(nil, half, PROT_READ, MAP_SHARED, file, off_t(half))
        guard let map, map != MAP_FAILED else { return true }
        defer { munmap(map, half) }
        var pages = [UInt8](repeating: 1, count: half / Int(getpagesize()))
        return mincore(map, half, &pages) != 0 || pages.contains { $0 & 1 == 1 }
    }

    private func text(of file: OwnedDescriptor) -> Base64Text {
        Base64Text(prefix: ImmutableBytes("data:,".utf8), of: .file(file, length: bytes.count))
    }

    /// The content that is sent of the file.
    private func content(of file: OwnedDescriptor, asText: Bool) throws -> [UInt8] {
        guard asText else { return bytes }
        return try withExtendedLifetime(text(of: file).bytes()) { Array($0.buffer) }
    }

    private func put(_ file: OwnedDescriptor, asText: Bool, into outbox: inout Outbox) {
        guard asText else {
            outbox.append(file: file.raw, offset: 0, count: bytes.count)
            return outbox.keep(file)
        }
        let text = text(of: file)
        outbox.append(text, offset: 0, count: text.count)
        outbox.keep(text)
    }

    /// Sends the file; the disk begins to hang after a part is sent, and `meanwhile` is called then.
    /// - Parameter hangsBefore: true for a disk that hangs from the start.
    private func send(
        _ file: OwnedDescriptor, asText: Bool, hangsBefore: Bool = false, meanwhile: () -> Void
    ) -> (result: Outbox.Result, [UInt8]) {
        defer { for end in ends { close(end) } }
        var outbox = Outbox()
        put(file, asText: asText, into: &outbox)
        held.noteDisk(hangs: hangsBefore)
        var result = outbox.send(to: ends[0])
        #expect(result == .blocked || result == .yielded)
        held.noteDisk(hangs: true)
        meanwhile()
        var (received, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = recv(ends[1], &piece, piece.count, 0)
            if count > 0 {
                received += piece.prefix(count)
                continue
            }
            guard result == .blocked || result == .yielded else { return (result, received) }
            result = outbox.send(to: ends[0])
        }
    }

    @Test(arguments: [false, true])
    func `what the kernel has of it in memory is sent on`(asText: Bool) throws {
        let file = try adopt(memoryFile())
        let content = try content(of: file, asText: asText)
        let (result, received) = send(file, asText: asText) {}
        #expect(result == .done)
        #expect(received == content)
    }

    @Test(arguments: [false, true])
    func `what the kernel has dropped is not waited for, and the file is not to blame`(asText: Bool) throws {
        let path = "/var/tmp/pictor-\(UInt64.random(in: .min ... .max))"
        let raw = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        unlink(path)
        guard pictor_file_system_type(raw) != 0x0102_1994 else {
            close(raw)
            try Test.cancel("tmpfs has all in memory.")
        }
        let file = try adopt(raw)
        let content = try content(of: file, asText: asText)
        let (result, received) = send(file, asText: asText) {
            #expect(drop(raw))
        }
        #expect(result == .failed)
        #expect(received.count < content.count && received == content.prefix(received.count).map { $0 })
        #expect(broken.count.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: [false, true])
    func `what was made before and could not be kept is sent all the same`(asText: Bool) throws {
        let file = OwnedDescriptor(adopting: try memoryFile(), in: held.disk, of: held)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        let content = try content(of: file, asText: asText)
        let (result, received) = send(file, asText: asText, hangsBefore: true) {}
        #expect(result == .done)
        #expect(received == content)
    }

    @Test(arguments: [false, true])
    func `an answer that has not begun is not sent from it`(asText: Bool) throws {
        let file = try adopt(memoryFile())
        defer { for end in ends { close(end) } }
        held.noteDisk(hangs: true)
        var outbox = Outbox()
        put(file, asText: asText, into: &outbox)
        let first = outbox.send(to: ends[0])
        #expect(first == .failed)
        held.noteDisk(hangs: false)
        let second = outbox.send(to: ends[0])
        #expect(second == .blocked || second == .yielded)
    }
}
