// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension ConnectionStep.Peek {
    /// Looks at the socket without consuming bytes.
    init(at descriptor: Int32, isEncrypted: Bool) {
        self = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { bytes in
            let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
            let count = recv(descriptor, bytes.baseAddress, bytes.count, flags)
            if count < 0 { return errno == EAGAIN || errno == EINTR ? .nothing : .end }
            if count == 0 { return .end }
            guard isEncrypted else { return .input }
            if TLSRecords.isAnswer(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { return .input }
            return Self.isHungUp(descriptor) ? .end : .closing
        }
    }

    /// True if the peer has closed or reset the connection, even with data left to read.
    private static func isHungUp(_ descriptor: Int32) -> Bool {
        var interest = pollfd(fd: descriptor, events: readHangup, revents: 0)
        return poll(&interest, 1, 0) > 0 && interest.revents & (readHangup | Int16(POLLHUP | POLLERR)) != 0
    }

    /// POLLRDHUP of poll(2), which Glibc's module leaves out.
    private static let readHangup: Int16 = 0x2000
}
