// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

extension Pipeline {
    /// The settings' picture in place of one that cannot be had or made, by the same recipe, as far as the recipe is about size
    /// and format; nil where there is none, or where it cannot be made either. It is fetched, charged, made and kept as every
    /// picture.
    package func fallback(for request: PipelineRequest) async -> Answer<Body>? {
        guard let fallback, request.recipe.output != .json else { return nil }
        var request = request
        request.recipe = request.recipe.ofAnotherPicture
        request.directives = RequestDirectives()
        // The URL's own limits are about its own picture.
        (request.terms.limits, request.terms.wantsDrawing) = (.none, false)
        // The settings' picture is the same for all.
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
    /// True where the picture itself cannot be had or made, so that another one may stand in for it: neither where the request
    /// is refused, nor where Pictor has no room for it.
    package var isOfPicture: Bool {
        switch self {
        case .origin, .originStatus, .originResting: ![400, 401, 403].contains(row.status)
        case .decode(let failure): failure.isOfPicture
        case .overloaded, .tooManyRenditions, .throttled, .unavailable, .notHeld, .cancelled: false
        }
    }

    /// The status by which operators choose failures: the error that the origin answered, or else what clients are told. An
    /// origin's 403 and 500 are both told as 502. So is its 204, which is no error by itself.
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
            .tooMuchMemory, .outOfMemory, .timedOut:
            true
        // Asked for by the URL.
        case .beyondOwnLimit, .outputNotAllowed, .drawingRefused, .noSuchPage, .outputTooLarge,
            .enlargedTooFar:
            false
        case .overloaded, .unavailable, .cancelled: false
        }
    }
}
