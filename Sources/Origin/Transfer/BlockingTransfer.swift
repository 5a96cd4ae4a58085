// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Curl
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
    var answer: [UInt8] { handle.answer }

    private let handle: CurlHandle
    private let source = Source()
    private let abort: AbortCheck
    /// Kept in memory, because libcurl only has the path of the certificates.
    private let authorities: AuthorityBundle?

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

    /// Nil if libcurl fails.
    /// - Parameters:
    ///   - limits: seconds for a connection, and for a whole request.
    ///   - isOver: called during each request; true ends the request.
    init?(
        limits: (connect: Int, total: Int), authorities: AuthorityBundle?,
        isOver: @escaping @Sendable () -> Bool
    ) {
        guard let handle = CurlHandle() else { return nil }
        let abort = AbortCheck(isOver)
        (self.handle, self.abort, self.authorities) = (handle, abort, authorities)
        handle.speakHTTP(longestHead: Self.longestHead, longestAnswer: Self.longestAnswer)
        handle.trust(authorities?.path ?? SystemAuthorities.path)
        handle.endTransfers { moved in abort.ends(after: moved, at: ExchangeContext.ticks) }
        setOptions(limits)
        setSource()
    }

    private var raw: UnsafeMutableRawPointer { handle.raw }

    private func setOptions(_ limits: (connect: Int, total: Int)) {
        for (option, value) in [
            (CURLOPT_CONNECTTIMEOUT, limits.connect), (CURLOPT_TIMEOUT, limits.total),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_PATH_AS_IS, 1), (CURLOPT_UPLOAD_BUFFERSIZE, Self.piece),
        ] {
            ccurl_set_long(raw, option, value)
        }
    }

    /// Makes libcurl read a large file piece by piece, so that only one piece is in memory. `source` lives as long as this object,
    /// which alone makes transfers.
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
            throw TransferFailure(handle.reason(for: code), isTimeout: code == CURLE_OPERATION_TIMEDOUT)
        }
        return handle.status
    }

    /// The failure for an answer with this status, including what a store says about it in the body.
    func refusal(_ status: Int) -> TransferFailure {
        let error = StoreError(answer).words
        return TransferFailure("status \(status)\(error.isEmpty ? "" : " (\(error))")")
    }

    private func send(_ method: String, _ body: Body?, _ silence: Int?) throws(TransferFailure) -> CURLcode {
        abort.begin(
            patience: silence.map { Ticks($0 + Self.secondsUnseen(of: body?.length ?? 0)) * 1_000_000 },
            at: ExchangeContext.ticks)
        guard let body else {
            ccurl_set_long(raw, CURLOPT_HTTPGET, 1)
            ccurl_set_string(raw, CURLOPT_CUSTOMREQUEST, method)
            return handle.perform()
        }
        ccurl_set_long(raw, CURLOPT_POST, 1)
        ccurl_set_long(raw, CURLOPT_POSTFIELDSIZE, body.length)
        ccurl_set_string(raw, CURLOPT_CUSTOMREQUEST, method)
        switch body {
        case .file(let file, let length) where length > Self.shortBody:
            (source.file, source.length, source.offset) = (file, length, 0)
            defer { source.file = nil }
            return handle.perform()
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
        return handle.perform()
    }
}
