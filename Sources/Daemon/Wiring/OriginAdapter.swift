// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import Kernel
internal import Monitoring
internal import Origin
internal import Pipeline
internal import Platform
internal import Recipes
internal import SourceURLs
internal import Telemetry
internal import Traces
internal import Tracing

/// The pipeline's origin port. By the URL's scheme it fetches originals through the shared downloader or from the named folders.
struct OriginAdapter: OriginPort {
    let downloader: Downloader
    let files: FileSource
    let unpacker: ContentUnpacker
    let metrics: Metrics
    let log: FetchLog
    let topOrigins: TopOrigins
    /// Nil if nothing is traced.
    let traces: RequestTraces?

    func permits(_ source: SourceURL) -> Bool {
        switch source.scheme {
        case .file: files.refusal(of: source) == nil
        case .http, .https, .s3, .azure: downloader.refusal(of: source) == nil
        }
    }

    func keyed(_ source: SourceURL) -> SourceURL { downloader.keyed(source) }

    func sentFields(to source: SourceURL, isRedirected: Bool, by fields: Fields) -> Fields {
        let sent = downloader.sentFields(fields)
        return isRedirected ? sent.anywhere : sent.directly(source)
    }

    func giveWay(to waiting: Int) { downloader.giveWay(to: waiting) }

    func fetch(_ request: OriginRequest) async throws(FailedExchange) -> OriginReply<Body> {
        guard let traces else { return try await fetch(request, nil) }
        return try await traced("GET", ofKind: .client) { span throws(FailedExchange) in
            span?.describe(request, traces)
            return try await fetch(request, span)
        }
    }

    private func fetch(
        _ request: OriginRequest, _ span: RequestSpan?
    ) async throws(FailedExchange) -> OriginReply<Body> {
        let began = SystemEnvironment().ticks()
        let reply: DownloadReply
        let payload: OriginReply<Body>.Payload
        do throws(FailedDownload) {
            reply = try await place(of: request.source)(Download(request, span))
            span?.describe(reply)
            payload = try await self.payload(reply)
        } catch {
            let failure = Self.failure(error.reason)
            count(failure.row.fetch.map(FetchResultLabel.init), of: request.source, since: began)
            log.note(
                error, of: request.source, code: failure.row.code, now: SystemEnvironment.now().seconds)
            throw FailedExchange(
                failure, at: error.place?.origin, redirects: Self.redirects(error.hops),
                hasConnected: error.place != nil && error.reason != .timedOut(.connect),
                dependsOnURL: error.dependsOnURL)
        }
        count(Self.label(reply), of: request.source, since: began)
        note(reply, of: request.source)
        let redirects = Self.redirects(reply.hops)
        if reply.isKeyRefused {
            throw FailedExchange(.keyRefused, at: reply.finalURL.origin, redirects: redirects)
        }
        var answer = OriginReply(
            payload: payload, fields: reply.fields,
            by: Transit(
                requestTime: reply.requestTime, responseTime: reply.responseTime, redirects: redirects),
            target: reply.target, finalOrigin: reply.finalURL.origin, sentFields: reply.sentFields,
            isPrivate: reply.isPrivate)
        answer.contentStatus = reply.status
        answer.rule = reply.rule
        return answer
    }

    private func place(
        of source: SourceURL
    ) -> @Sendable (Download) async throws(FailedDownload) -> DownloadReply {
        switch source.scheme {
        case .file: files.fetch
        case .http, .https, .s3, .azure: downloader.fetch
        }
    }

    private func note(_ reply: DownloadReply, of source: SourceURL) {
        guard reply.payload == nil, reply.status != 304 else { return }
        let failure = PipelineFailure.Reason.originStatus(reply.status, retryAfter: nil)
        log.note(
            status: reply.status, from: reply.finalURL, of: source, code: failure.row.code,
            words: reply.words, now: reply.responseTime.seconds)
    }

    /// Counts a fetch, and counts it for its origin if the origin took part in it.
    private func count(_ result: FetchResultLabel?, of source: SourceURL, since began: Int64) {
        guard let result else { return }
        metrics.originFetches.add(result)
        guard result != .cancelled, result != .overloaded, result != .refused else { return }
        topOrigins.note(
            source.origin, isFailure: result.isOriginsFault,
            milliseconds: (SystemEnvironment().ticks() - began) / 1_000)
    }

    private static func label(_ reply: DownloadReply) -> FetchResultLabel? {
        if reply.status == 304 { return .notModified }
        if reply.payload != nil { return .complete }
        let failure = PipelineFailure.Reason.originStatus(reply.status, retryAfter: nil)
        return failure.row.fetch.map(FetchResultLabel.init)
    }

    private func payload(_ reply: DownloadReply) async throws(FailedDownload) -> OriginReply<Body>.Payload {
        guard var payload = reply.payload else {
            return reply.status == 304 ? .notModified : .refused(status: reply.status)
        }
        do throws(DownloadFailure) {
            payload = try await unpacker.unpack(payload)
        } catch {
            throw FailedDownload(error, at: reply.finalURL, hops: reply.hops)
        }
        return .complete(
            body: .file(payload.file, length: payload.length), length: payload.length,
            digest: OriginalDigest(payload.digest))
    }

    private static func redirects(_ hops: [DownloadReply.Hop]) -> [RedirectHop] {
        hops.map { RedirectHop(status: $0.status, fields: $0.fields, rule: $0.rule) }
    }

    private static func failure(_ failure: DownloadFailure) -> OriginFailure {
        switch failure {
        case .refused, .redirectRefused: .sourceRefused
        case .nameNotResolved: .nameNotResolved
        case .cannotConnect: .cannotConnect
        case .tls: .tls
        case .timedOut: .timedOut
        case .tooLarge(let limit): .tooLarge(limit: limit)
        case .tooManyRedirects(let limit): .tooManyRedirects(limit: limit)
        case .brokenReply(.malformed), .brokenReply(.statusLine), .brokenReply(.cutShort),
            .brokenReply(.other):
            .brokenReply
        case .brokenReply(.contentCoding): .undecodableContent
        case .brokenReply(.headTooLarge), .brokenReply(.badRedirect), .brokenReply(.notModifiedUnasked),
            .brokenReply(.transferCoding):
            .unusableReply
        case .fileWrite, .stalled: .unavailable
        case .overloaded: .overloaded(retryAfter: 1)
        case .cancelled: .cancelled
        }
    }
}

extension Download {
    fileprivate init(_ request: OriginRequest, _ span: RequestSpan?) {
        self.init(
            url: request.source, ifNoneMatch: request.validators.entityTag,
            ifModifiedSince: request.validators.lastModified)
        conditionTarget = request.validators.target
        fields = request.fields
        clientFields = request.clientFields
        trace = span?.place
    }
}

extension RequestSpan {
    /// Adds attributes by OpenTelemetry's conventions for HTTP clients.
    fileprivate func describe(_ request: OriginRequest, _ traces: RequestTraces) {
        note("url.full", traces.redacted(request.source.absolute))
        if request.source.scheme != .file { note("http.request.method", "GET") }
        if request.source.scheme.isWeb {
            note("server.address", request.source.host)
            note("server.port", Int(request.source.port))
        }
        note("pictor.conditional", !request.validators.isEmpty)
    }

    fileprivate func describe(_ reply: DownloadReply) {
        note("http.response.status_code", reply.status)
        note("http.response.body.size", reply.payload?.length)
        note("pictor.redirects", reply.hops.isEmpty ? nil : reply.hops.count)
        note("pictor.connect_us", reply.timing.connect)
        note("pictor.first_byte_us", reply.timing.firstByte)
        if reply.status >= 400 { setStatus(SpanStatus(code: .error)) }
    }
}

extension FetchResultLabel {
    /// A 4xx is a valid answer, and a body that is too large or refused breaks Pictor's rules, so these are not the origin's
    /// fault.
    fileprivate var isOriginsFault: Bool {
        switch self {
        case .serverError, .unresolved, .unreachable, .timeout, .broken: true
        case .complete, .notModified, .clientError, .refused, .tooLarge, .overloaded, .cancelled: false
        }
    }

    init(_ end: FetchEnd) {
        switch end {
        case .clientError: self = .clientError
        case .serverError: self = .serverError
        case .refused: self = .refused
        case .unresolved: self = .unresolved
        case .unreachable: self = .unreachable
        case .timeout: self = .timeout
        case .tooLarge: self = .tooLarge
        case .broken: self = .broken
        case .overloaded: self = .overloaded
        case .cancelled: self = .cancelled
        }
    }
}
