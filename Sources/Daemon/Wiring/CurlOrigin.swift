// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import ImageModel
internal import Kernel
internal import Origin
internal import Pipeline
internal import Telemetry

/// The pipeline's network is the shared downloader.
struct CurlOrigin: OriginPort {
    let downloader: Downloader
    let unpacker: ContentUnpacker
    let metrics: Metrics

    func permits(_ source: SourceURL) -> Bool { downloader.refusal(of: source) == nil }

    func giveWay(to waiting: Int) { downloader.giveWay(to: waiting) }

    func fetch(_ request: OriginRequest) async throws(FailedExchange) -> OriginReply<Body> {
        let download = Download(
            url: request.source, ifNoneMatch: request.validators.entityTag,
            ifModifiedSince: request.validators.lastModified)
        do throws(FailedDownload) {
            let reply = try await downloader.fetch(download)
            metrics.originBytes.add(reply.payload?.length ?? 0)
            let payload = try await payload(reply)
            metrics.originFetches.add(Self.label(reply))
            return OriginReply(
                payload: payload, fields: reply.fields,
                redirects: reply.hops.map { RedirectHop(status: $0.status, fields: $0.fields) },
                giver: reply.finalURL.origin, requestTime: reply.requestTime, responseTime: reply.responseTime
            )
        } catch {
            metrics.originFetches.add(Self.label(error.reason))
            throw FailedExchange(
                Self.failure(error.reason), at: error.place?.origin,
                hasConnected: error.reason != .timedOut(.connect))
        }
    }

    private static func label(_ reply: DownloadReply) -> FetchResultLabel {
        switch reply.status {
        case 304: .notModified
        case _ where reply.payload != nil: .complete
        case 400...499: .clientError
        default: .serverError
        }
    }

    private static func label(_ failure: DownloadFailure) -> FetchResultLabel {
        switch failure {
        case .refused, .redirectRefused: .refused
        case .nameNotResolved: .unresolved
        case .cannotConnect, .tls: .unreachable
        case .timedOut: .timeout
        case .tooLarge: .tooLarge
        case .tooManyRedirects, .brokenReply: .broken
        case .fileWrite, .stalled, .overloaded: .overloaded
        case .cancelled: .cancelled
        }
    }

    private func payload(_ reply: DownloadReply) async throws(FailedDownload) -> OriginReply<Body>.Payload {
        guard var payload = reply.payload else {
            return reply.status == 304 ? .notModified : .refused(status: reply.status)
        }
        do throws(DownloadFailure) {
            payload = try await unpacker.unpack(payload)
        } catch {
            throw FailedDownload(error, at: reply.finalURL)
        }
        return .complete(
            body: .file(payload.file, length: payload.length), length: payload.length,
            digest: OriginalDigest(payload.digest))
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
        case .brokenReply(.malformed), .brokenReply(.cutShort), .brokenReply(.other): .brokenReply
        case .brokenReply(.contentCoding): .undecodableContent
        case .brokenReply: .unusableReply
        case .fileWrite, .stalled: .unavailable
        case .overloaded: .overloaded(retryAfter: 1)
        case .cancelled: .cancelled
        }
    }
}
