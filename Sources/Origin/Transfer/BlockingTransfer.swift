// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Glibc
internal import HTTPSemantics
internal import Kernel

/// Sends blocking requests, one after another, to a server that the settings or the platform name, over one handle of libcurl. It
/// dials the server directly, without a proxy, and the rules about addresses do not apply.
///
/// **Isolation:** the thread that made it.
final class BlockingTransfer {
    /// The most bytes of an answer that are kept: a store's list of 1,000 names has about 300 KB.
    private static let longestAnswer = 1 << 20
    /// The most bytes of an answer's heads and trailers.
    private static let longestHead = 256 << 10
    /// A file of at most so many bytes is read before the request, and sent in one piece with its head.
    private static let shortBody = 64 << 10
    /// A longer body is read and sent in pieces of so many bytes.
    private static let piece = 512 << 10

    /// The body of the last answer.
    var answer: [UInt8] { received.bytes }

    private let received = Received()
    private let source = Source()
    private let abort: AbortCheck
    private let raw: UnsafeMutableRawPointer
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// Bytes that the present answer's heads may still have, of `longestHead`.
    private let room = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    /// Kept in memory, because libcurl only has the path of the certificates.
    private let authorities: AuthorityBundle?

    private final class Received {
        var bytes: [UInt8] = []
    }

    /// The file that is being sent.
    private final class Source {
        var file: OwnedDescriptor?
        var length = 0
        var offset = 0

        /// Reads the next bytes of the file; nil if they cannot be read.
        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            guard let file else { return nil }
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(length - offset))
            do throws(SystemError) { try file.read(from: offset, into: piece) } catch { return nil }
            offset += piece.count
            return piece.count
        }

        func go(to offset: Int) -> Bool {
            guard (0...length).contains(offset) else { return false }
            self.offset = offset
            return true
        }
    }

    /// Tells libcurl when to end a request: because the caller does not need it any more, or the server is silent.
    final class AbortCheck {
        private let isOver: @Sendable () -> Bool
        /// The most microseconds in which no byte of either body moves; nil for no limit.
        private var patience: Ticks?
        /// The number of bytes moved of both bodies, and when it last changed.
        private var moved: (bytes: Int, at: Ticks) = (0, 0)
        private(set) var isSilent = false

        init(_ isOver: @escaping @Sendable () -> Bool) { self.isOver = isOver }

        func begin(patience: Ticks?, at now: Ticks) {
            (self.patience, moved, isSilent) = (patience, (0, now), false)
        }

        func ends(after bytes: Int, at now: Ticks) -> Bool {
            if bytes != moved.bytes { moved = (bytes, now) }
            if let patience, now - moved.at >= patience { isSilent = true }
            return isSilent || isOver()
        }
    }

    /// Nil if libcurl fails.
    /// - Parameters:
    ///   - limits: seconds for a connection, and for a whole request.
    ///   - isOver: called during each request; true ends the request.
    init?(
        limits: (connect: Int, total: Int), authorities: AuthorityBundle?,
        isOver: @escaping @Sendable () -> Bool
    ) {
        guard let raw = curl_easy_init() else { return nil }
        (self.raw, self.authorities) = (raw, authorities)
        abort = AbortCheck(isOver)
        words.pointee = 0
        room.pointee = 0
        setOptions(limits)
        setReceiver()
        setSource()
        setAbortCheck()
    }

    deinit {
        curl_easy_cleanup(raw)
        words.deallocate()
        room.deallocate()
    }

    private func setOptions(_ limits: (connect: Int, total: Int)) {
        ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, words)
        ccurl_set_string(raw, CURLOPT_PROTOCOLS_STR, "http,https")
        // As for origins, the environment's proxy variables are ignored.
        ccurl_set_string(raw, CURLOPT_PROXY, "")
        ccurl_set_string(raw, CURLOPT_NOPROXY, "")
        for (option, value) in [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_PATH_AS_IS, 1),
            (CURLOPT_CONNECTTIMEOUT, limits.connect), (CURLOPT_TIMEOUT, limits.total),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_NOPROGRESS, 0), (CURLOPT_UPLOAD_BUFFERSIZE, Self.piece),
            // HTTP/1.1 suffices for one request at a time. With HTTP/2, libcurl before 8.0 uses a whole core while the server
            // makes it wait with the body.
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
        ] {
            ccurl_set_long(raw, option, value)
        }
        ccurl_set_string(raw, CURLOPT_CAPATH, nil)
        ccurl_set_string(raw, CURLOPT_CAINFO, authorities?.path ?? SystemAuthorities.path)
    }

    /// Makes libcurl give the answer's bytes to `received`. This and the other objects behind the callbacks live as long as this
    /// one.
    private func setReceiver() {
        ccurl_set_pointer(raw, CURLOPT_WRITEDATA, Unmanaged.passUnretained(received).toOpaque())
        ccurl_set_write(raw, CURLOPT_WRITEFUNCTION) { bytes, _, count, pointer in
            guard let pointer else { return 0 }
            let received = Unmanaged<Received>.fromOpaque(pointer).takeUnretainedValue()
            let rest = max(0, BlockingTransfer.longestAnswer - received.bytes.count)
            received.bytes += UnsafeRawBufferPointer(start: bytes, count: count).prefix(rest)
            return count
        }
        ccurl_bound_lines(raw, room)
    }

    /// Makes libcurl read a large file piece by piece, so that only one piece is in memory.
    private func setSource() {
        let pointer = Unmanaged.passUnretained(source).toOpaque()
        ccurl_set_pointer(raw, CURLOPT_READDATA, pointer)
        ccurl_set_pointer(raw, CURLOPT_SEEKDATA, pointer)
        ccurl_set_read(raw) { bytes, size, count, pointer in
            guard let bytes, let pointer else { return Int(CURL_READFUNC_ABORT) }
            let source = Unmanaged<Source>.fromOpaque(pointer).takeUnretainedValue()
            let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size &* count)
            return source.read(into: buffer) ?? Int(CURL_READFUNC_ABORT)
        }
        ccurl_set_seek(raw) { pointer, offset, origin in
            guard let pointer, origin == SEEK_SET else { return CURL_SEEKFUNC_FAIL }
            let source = Unmanaged<Source>.fromOpaque(pointer).takeUnretainedValue()
            return source.go(to: Int(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
    }

    private func setAbortCheck() {
        ccurl_set_pointer(raw, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(abort).toOpaque())
        ccurl_set_progress(raw) { pointer, _, received, _, sent in
            guard let pointer else { return 0 }
            let abort = Unmanaged<AbortCheck>.fromOpaque(pointer).takeUnretainedValue()
            return abort.ends(after: Int(received &+ sent), at: ExchangeContext.ticks) ? 1 : 0
        }
    }

    /// Sends a request, with a body if there is one, and reads the answer.
    /// - Parameter silence: after so many seconds without a byte of a body the request fails, a few more if the request's body is
    ///   large; nil for no limit.
    /// - Returns: the status; `answer` then has the body.
    func perform(
        _ method: String, _ url: String, _ fields: [Fields.Field], body: Body? = nil, silence: Int? = nil
    ) throws(TransferFailure) -> Int {
        // Without this, libcurl waits for "100 Continue" before it sends a larger body.
        var lines = curl_slist_append(nil, "Expect:")
        for field in fields { lines = curl_slist_append(lines, "\(field.name): \(field.value)") }
        defer {
            ccurl_set_list(raw, CURLOPT_HTTPHEADER, nil)
            curl_slist_free_all(lines)
        }
        ccurl_set_list(raw, CURLOPT_HTTPHEADER, lines)
        ccurl_set_string(raw, CURLOPT_URL, url)
        var code = try send(method, body, silence)
        // Every request made here can be repeated safely.
        if code.tellsLostConnection { code = try send(method, body, silence) }
        if abort.isSilent { throw TransferFailure("the server is silent", isTimeout: true) }
        guard code == CURLE_OK else {
            let reason = String(cString: words)
            throw TransferFailure(
                reason.isEmpty ? String(cString: curl_easy_strerror(code)) : reason,
                isTimeout: code == CURLE_OPERATION_TIMEDOUT)
        }
        var status = 0
        ccurl_get_long(raw, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// The failure for an answer with this status, including what a store says about it in the body.
    func refusal(_ status: Int) -> TransferFailure {
        let error = StoreError(answer).words
        return TransferFailure("status \(status)\(error.isEmpty ? "" : " (\(error))")")
    }

    private func send(_ method: String, _ body: Body?, _ silence: Int?) throws(TransferFailure) -> CURLcode {
        // This also drops what a failed first attempt has received.
        received.bytes = []
        room.pointee = Self.longestHead
        words.pointee = 0
        abort.begin(
            patience: silence.map { Ticks($0 + Self.secondsUnseen(of: body?.length ?? 0)) * 1_000_000 },
            at: ExchangeContext.ticks)
        guard let body else {
            ccurl_set_long(raw, CURLOPT_HTTPGET, 1)
            ccurl_set_string(raw, CURLOPT_CUSTOMREQUEST, method)
            return curl_easy_perform(raw)
        }
        ccurl_set_long(raw, CURLOPT_POST, 1)
        ccurl_set_long(raw, CURLOPT_POSTFIELDSIZE, body.length)
        ccurl_set_string(raw, CURLOPT_CUSTOMREQUEST, method)
        switch body {
        case .file(let file, let length) where length > Self.shortBody:
            (source.file, source.length, source.offset) = (file, length, 0)
            defer { source.file = nil }
            return curl_easy_perform(raw)
        case .file(let file, let length):
            guard let bytes = file.bytes(count: length) else {
                throw TransferFailure("the body cannot be read")
            }
            return send(bytes)
        case .bytes(let bytes): return send(bytes)
        }
    }

    /// Seconds for the bytes of a body that the kernel has accepted but not sent yet: some megabytes, over a link of one megabyte
    /// per second.
    private static func secondsUnseen(of length: Int) -> Int { min(length >> 20, 4) }

    private func send(_ bytes: ImmutableBytes) -> CURLcode {
        // libcurl does not copy the bytes; it reads them during the transfer only.
        ccurl_set_pointer(raw, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.pointer))
        defer {
            ccurl_set_pointer(raw, CURLOPT_POSTFIELDS, nil)
            withExtendedLifetime(bytes) {}
        }
        return curl_easy_perform(raw)
    }
}
