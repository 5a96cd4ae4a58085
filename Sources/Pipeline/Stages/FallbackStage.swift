// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

extension Pipeline {
    /// The settings' fallback picture in place of one that cannot be had or made, with the size and format of the same recipe; nil if
    /// there is no fallback, or it cannot be made either. It is fetched, charged, made and kept like every picture.
    package func fallback(for request: PipelineRequest) async -> Answer<Body>? {
        guard let fallback, request.recipe.output != .json else { return nil }
        var request = request
        request.recipe = request.recipe.ofAnotherPicture
        request.directives = RequestDirectives()
        // The URL's own limits concern the URL's own picture.
        (request.terms.limits, request.terms.wantsDrawing) = (.none, false)
        // The fallback picture is the same for all clients.
        request.clientFields = .none
        switch fallback {
        case .remote(let source):
            request.source = source
            return try? await answer(request)
        case .held(let picture):
            return (try? await rendition(from: arrival(of: picture), nil, for: request)) ?? nil
        }
    }

    private func arrival(of picture: HeldPicture<Body>) -> Arrival<Body> {
        let fresh = Freshness(
            responseTime: environment.now(), initialAge: 0, lifetime: .max, staleWhileRevalidate: 0,
            staleIfError: 0, flags: [])
        let original = Original(
            key: OriginalKey(url: "settings:fallback.picture"), digest: picture.digest,
            length: picture.length, header: picture.header, lastModified: picture.since, freshness: fresh)
        return Arrival(original: original, epoch: purges.epoch, body: picture.body)
    }
}

extension PipelineFailure.Reason {
    /// True if the picture itself cannot be had or made, so that another one may stand in for it. False if the request is refused, or
    /// Pictor lacks capacity.
    package var isOfPicture: Bool {
        switch self {
        case .origin, .originStatus, .originResting: ![400, 401, 403].contains(row.status)
        case .decode(let failure): failure.isOfPicture
        case .overloaded, .tooManyRenditions, .throttled, .unavailable, .notHeld, .cancelled: false
        }
    }

    /// The status by which operators select failures: the origin's error status, or else the status that clients get. So an origin's
    /// 403 and 500 can be told apart, although clients get 502 for both. An origin's 204 counts as 502, because 204 is no error.
    package var causeStatus: Int {
        if case .originStatus(let status, _) = self, (400...599).contains(status) {
            status
        } else {
            row.status
        }
    }
}

extension DecodeFailure {
    fileprivate var isOfPicture: Bool {
        switch self {
        case .notAnImage, .formatNotAllowed, .codingNotRead, .damaged, .tooManyPixels, .tooManyFrames,
            .tooMuchMemory, .outOfMemory, .encoderFailed, .timedOut:
            true
        // Caused by what the URL asks for.
        case .beyondOwnLimit, .outputNotAllowed, .drawingRefused, .noSuchPage, .outputTooLarge,
            .enlargedTooFar:
            false
        case .overloaded, .unavailable, .cancelled: false
        }
    }
}
