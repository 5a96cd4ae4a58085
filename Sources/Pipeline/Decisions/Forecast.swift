// SPDX-License-Identifier: Apache-2.0

/// The decisions on a request's original and rendition, which `explain` prints in words.
struct Forecast {
    var original: OriginalDecision
    /// The decision on the rendition, made of the held original or of the one in the shared store; nil if there is neither, or if no
    /// rendition is wanted.
    var rendition: RenditionDecision?
    var renditionsThisHour = 0
    /// The origin's health.
    var rest: OriginHealthTable.Status?
    /// True if the shared store has the original and it is fresh there, false if it is stale; nil if the store has none or would not
    /// be asked first.
    var isFreshInStore: Bool?

    init(original: OriginalDecision) { self.original = original }

    var waitsForOrigin: Bool {
        switch original.step {
        case .ask, .askBriefly, .confirm: isFreshInStore != true
        case .serve, .serveStale, .refuse: false
        }
    }

    /// The failure that the request would get, if it is remembered or no such picture may be made; nil for no failure, and for a
    /// refusal that may be lifted a moment later.
    var failure: PipelineFailure? {
        if case .refuse(let failure) = original.step { return failure.isFromMemory ? failure : nil }
        guard case .refuse(let failure) = rendition?.step,
            failure.isFromMemory || rendition?.reason == .cannotBeMade
        else { return nil }
        return failure
    }

    // MARK: The outcome

    var outcome: Outcome {
        switch original.step {
        case .refuse(let failure): failure.outcome
        case .serve: outcome(ofHeld: nil)
        case .serveStale: outcome(ofHeld: .stale)
        case .ask, .askBriefly, .confirm: isFreshInStore == true ? outcomeOfTaking : outcomeOfAsking
        }
    }

    /// - Parameter word: replaces the outcome of the rendition's decision.
    private func outcome(ofHeld word: Outcome?) -> Outcome {
        switch rendition?.step {
        case nil: word ?? .diskHit
        case .serve(let level): word ?? level.outcome
        case .join: word ?? .coalesced
        case .render: word ?? .rendered
        case .refuse(let failure): failure.outcome
        }
    }

    /// The outcome if the origin confirms the held original.
    private var outcomeOfAsking: Outcome {
        switch rendition?.step {
        case nil: original.joins ? .coalesced : .rendered
        case .serve: original.joins ? .coalesced : .revalidated
        case .join: .coalesced
        case .render: .rendered
        case .refuse(let failure): failure.outcome
        }
    }

    /// The outcome once the original is taken from the shared store.
    private var outcomeOfTaking: Outcome { rendition == nil ? .sharedHit : outcome(ofHeld: nil) }

    // MARK: The reason

    var why: String {
        switch original.step {
        case .refuse: "\(reason)."
        case .serve: "\(reason), \(ofHeld)."
        case .serveStale(_, let refresh):
            "\(reason): the stale original stands in\(refresh ? ", and is refreshed in the background" : ""), \(ofHeld)."
        case .ask where isFreshInStore == true, .askBriefly where isFreshInStore == true:
            "\(reason); the shared store has the original, fresh, \(ofHeld)."
        case .ask, .askBriefly, .confirm:
            original.joins
                ? "\(reason); its origin is being asked for another request, and this one would join that."
                : "\(reason); its origin would be asked\(afterwards)."
        }
    }

    /// A clause without a full stop.
    private var reason: String {
        switch original.reason {
        case .isFresh(let seconds): "The original is fresh for \(seconds) s more"
        case .clientTakesStale(let seconds):
            "The original is stale since \(seconds) s, which the request accepts"
        case .isStaleButRefreshed(let seconds), .isStale(let seconds):
            "The original is stale since \(seconds) s"
        case .isConfirmedEachTime: "The original is confirmed each time it is asked for (no-cache)"
        case .clientWantsConfirmation: "The request wants the original confirmed"
        case .nothingIsHeld: "Nothing is held"
        case .clientWantsNothingFetched: "The request wants nothing fetched, and what it wants is not held"
        case .hasFailed: "Its origin failed a moment ago, which is remembered"
        case .originRests: "Its origin \(restWords)"
        case .noPermitIsFree: "No permit for a request to its origin is free"
        case .fetchIsLate: "Its origin is being asked, and takes longer than is waited for"
        case .isOverloaded: "Too much is waiting here already"
        }
    }

    private var restWords: String {
        guard let rest else { return "is left alone" }
        if rest.state == .probing { return "is being asked by another whether it is well again" }
        guard rest.seconds > 0 else { return "failed again and again, and is asked by the next request" }
        let whom = rest.clients.map { " for \($0 == 1 ? "one client" : "\($0) clients")" } ?? ""
        return "failed again and again, and is left alone for \(rest.seconds) s more\(whom)"
    }

    private var ofHeld: String {
        switch rendition?.reason {
        case nil: "and its header is read"
        case .isHeld: "and the rendition is \(place)"
        case .isBeingMade: "and the rendition is being made"
        case .isNotHeld: "and the rendition would be made"
        case .cannotBeMade: "but no such picture may be made of it"
        case .hasFailed: "but making this failed a moment ago"
        case .quotaIsSpent: "but \(renditionsThisHour) renditions were made of it within an hour"
        case .isOverloaded: "but too many wait for a decoder already"
        }
    }

    private var place: String {
        switch rendition?.step {
        case .serve(.memory): "in memory"
        case .serve(.shared): "in the shared store"
        default: "on disk"
        }
    }

    private var afterwards: String {
        switch rendition?.step {
        case nil: ", and the rendition would be made"
        case .serve: "; if that confirms it, the rendition that is held is served"
        case .join, .render: "; if that confirms it, the rendition would be made"
        case .refuse: ", \(ofHeld)"
        }
    }
}
