// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import DecoderProtocol
internal import Glibc
internal import HTTPSemantics
internal import Kernel

/// Removes a content coding (RFC 9110 §8.4): reads one file piece by piece and writes the bytes into another.
struct Unpacking {
    /// The number of bytes that are read, or written, at a time.
    fileprivate static let inputSize = 64 << 10
    private static let outputSize = 256 << 10
    /// The most members of a gzip file (RFC 1952 §2.2), and frames of Zstandard. bgzip(1) writes one for 64 KiB, so this allows 256 MiB.
    /// Even an empty one costs a microsecond, so some million would keep the process busy for seconds.
    private static let mostMembers = 4_096

    private let file: OpenPicture
    private let output: OwnedDescriptor
    /// The most bytes of the output.
    private let limit: Int

    /// The packed bytes, of which a part is in memory.
    private struct Input {
        let file: OpenPicture
        var bytes: [UInt8] = []
        /// The number of processed bytes in `bytes`.
        var used = 0
        private var offset = 0

        init(_ file: OpenPicture) { self.file = file }

        /// Reads on if fewer than `count` bytes are left; false if the file ends before.
        mutating func fill(atLeast count: Int) -> Bool {
            if bytes.count - used >= count { return true }
            let more = file.read(at: offset, count: Unpacking.inputSize)
            offset += more.count
            bytes = Array(bytes.dropFirst(used)) + more
            used = 0
            return bytes.count >= count
        }

        func next(_ count: Int) -> [UInt8] { Array(bytes.dropFirst(used).prefix(count)) }
    }

    init(of file: OpenPicture, into output: OwnedDescriptor, limit: Int) {
        self.file = file
        self.output = output
        self.limit = limit
    }

    func run(_ coding: ContentCoding) -> Finding {
        let start = file.read(at: 0, count: 2)
        switch coding {
        case .gzip:
            // Some servers label plain files as gzip, and browsers show them.
            guard Self.isMember(start) else { return .notPacked }
            return decode(.gzip)
        case .deflate:
            // The two bytes of RFC 1950 §2.2: method 8, and a multiple of 31.
            let isZlib =
                start.count == 2 && start[0] & 0x0F == 8 && (Int(start[0]) << 8 | Int(start[1])) % 31 == 0
            return decode(isZlib ? .zlib : .deflate)
        case .brotli: return decode(.brotli)
        case .zstd: return decode(.zstd)
        }
    }

    /// The magic number of a gzip member (RFC 1952 §2.3.1).
    private static func isMember(_ bytes: [UInt8]) -> Bool { bytes == [0x1F, 0x8B] }

    private func decode(_ form: StreamDecoder.Form) -> Finding {
        guard let decoder = StreamDecoder(form) else { return .unreadable }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.outputSize, alignment: 16)
        defer { buffer.deallocate() }
        var (input, written, members) = (Input(file), 0, 1)
        while true {
            // Even at the end of the file, the decoder may still hold output back.
            _ = input.fill(atLeast: 1)
            let used = input.used
            let step = input.bytes.withUnsafeBytes {
                decoder.step(UnsafeRawBufferPointer(rebasing: $0.dropFirst(used)), into: buffer)
            }
            input.used = used + step.used
            guard step.made <= limit - written else { return .tooLarge }
            let made = UnsafeRawBufferPointer(rebasing: buffer[..<step.made])
            guard write(made, at: written) else { return .cannotWrite }
            written += step.made
            switch step.progress {
            case .damaged: return .damaged
            case .more:
                // The file is truncated.
                guard step.used > 0 || step.made > 0 else { return .damaged }
            case .end:
                guard goesOn(form, &input) else { return .unpacked(length: written) }
                members += 1
                guard members <= Self.mostMembers else { return .damaged }
                decoder.restart()
            }
        }
    }

    /// True if another gzip member (RFC 1952 §2.2) or Zstandard frame (RFC 8878 §3) follows. Bytes behind the last gzip member
    /// are ignored, as by gzip(1), and so are those behind a zlib, deflate or Brotli stream. A Zstandard frame may be followed
    /// only by frames.
    private func goesOn(_ form: StreamDecoder.Form, _ input: inout Input) -> Bool {
        switch form {
        case .gzip: input.fill(atLeast: 2) && Self.isMember(input.next(2))
        case .zstd: input.fill(atLeast: 1)
        case .zlib, .deflate, .brotli: false
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = pwrite(
                output.raw, rest.baseAddress, rest.count, off_t(offset + bytes.count - rest.count))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }
}
