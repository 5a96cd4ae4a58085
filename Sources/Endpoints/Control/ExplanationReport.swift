// SPDX-License-Identifier: Apache-2.0

/// The answer of `GET /admin/explain`: how the request was understood, what is held for it, and a forecast of the answer.
struct ExplanationReport: Sendable, Codable {
    /// The request as Pictor understood it.
    struct Asked: Sendable, Codable {
        /// The normalised source URL, which is the key of the original.
        var source: String
        /// The canonical recipe as asked; its format may still be open, as with `output=auto`.
        var recipe: String
        /// The formats in `Accept` that matter for `output=auto`: `avif`, `webp` and `jxl`, or some of them.
        var accepts: [String]
        /// Names of this request's fields that the origin would get, in lower case; they are part of the original's key.
        var passed: [String]?
        /// The client's address, by the public listener's rule for trusted proxies.
        var client: String
    }

    /// The held original.
    struct HeldOriginal: Sendable, Codable {
        /// SHA-256 of the bytes, as 64 hexadecimal digits.
        var digest: String
        /// Length of the original in bytes.
        var bytes: Int
        /// The format's name.
        var format: String
        /// Pixels as stored, before the EXIF orientation is applied; 0 if only the decoder can tell.
        var width: Int
        /// Pixels as stored, of one page; 0 if only the decoder can tell.
        var height: Int
        /// Frames of an animation, pages of a document; 1 for a still.
        var pages: Int
        /// The origin's stored fields; of several with one name the first.
        var fields: [String: String]
        /// The origin's tags, by which a purge finds the original.
        var tags: [String]
        /// Renditions on disk of the same bytes.
        var renditions: Int
        /// Renditions of the same bytes made within the last hour for requests without a signature or token, as
        /// `limits.renditions-per-original` counts.
        var renditionsThisHour: Int
        /// The freshness arithmetic of the stored response.
        var freshness: FreshnessReport
    }

    /// The terms of RFC 9111 §4.2. `now` and `responseTime` are in seconds since 1970, all other numbers in
    /// seconds.
    struct FreshnessReport: Sendable, Codable {
        /// The moment of the explanation, in seconds since 1970.
        var now: Int64
        /// When the response arrived, or the last 304 that refreshed it, in seconds since 1970.
        var responseTime: Int64
        /// The age on arrival: the larger of `apparent_age` and `corrected_age_value` (§4.2.3).
        var correctedInitialAge: Int
        /// `now` − `response_time`.
        var residentTime: Int
        /// `corrected_initial_age` + `resident_time`.
        var currentAge: Int
        /// The lifetime of §4.2.1, within the configured bounds.
        var freshnessLifetime: Int
        /// `freshness_lifetime` − `current_age`; the response is stale at 0 and below.
        var secondsLeft: Int
        /// The lifetime that the origin grants to browsers.
        var clientLifetime: Int
        /// Seconds after the lifetime in which the response may be served while it is revalidated (RFC 5861 §3).
        var staleWhileRevalidate: Int
        /// Seconds after the lifetime in which the response may be served if the origin fails (RFC 5861 §4).
        var staleIfError: Int
        /// Rules without a number, such as `must-revalidate` and `heuristic`.
        var flags: [String]
        /// True if the response may be served now without asking the origin.
        var isFresh: Bool
        /// The `Cache-Control` that clients get now.
        var cacheControl: String
    }

    /// An original in the shared store.
    struct SharedOriginalReport: Sendable, Codable {
        /// SHA-256 of the bytes, as 64 hexadecimal digits.
        var digest: String
        /// Length of the original in bytes.
        var bytes: Int
        /// The freshness arithmetic of the response that another node stored.
        var freshness: FreshnessReport
    }

    /// The rendition, held or planned.
    struct Made: Sendable, Codable {
        /// The rendition's digest, as 64 hexadecimal digits; also the file's name.
        var key: String
        /// The rendition's `ETag`, with its quotes.
        var entityTag: String
        /// The canonical recipe, resolved for this original.
        var recipe: String
        /// The name of the output format.
        var format: String
        var formatReason: String
        /// True if the JPEG lane would make it, as far as the header tells, provided `decoder.jpeg-lane` is on; false for libvips.
        var jpegLane: Bool
        /// Pixels of the held rendition; else as planned from the header, without a trim.
        var width: Int
        /// Pixels, as `width`.
        var height: Int
        /// `memory`, `disk` or `shared`; nil if the rendition is not held.
        var heldIn: String?
        /// Length in bytes; nil if it is not held.
        var bytes: Int?
        /// Pixels to decode, of all frames taken.
        var pixelsIn: Int
        /// Pixels to write, of all frames taken.
        var pixelsOut: Int
    }

    /// The profile by which the source's origin is asked.
    struct Profile: Sendable, Codable {
        /// The profile's name in the file of `origin.profiles`.
        var name: String
        /// True if answers that its credentials opened are sent as `private`.
        var isPrivate: Bool
        /// Names of the fields of clients' requests that the origin gets; nil for none.
        var passes: [String]?
        /// Replaces the `Cache-Control` of the origin's answers; nil to keep it.
        var cacheControl: String?
        /// The `Cache-Control` of answers in which the origin sent none; nil for no default.
        var defaultCacheControl: String?
    }

    /// Why there is no picture.
    struct Failure: Sendable, Codable {
        /// The HTTP status.
        var status: Int
        /// The code, as in the body of a refusal.
        var error: String
        /// A sentence for the client.
        var message: String
        /// Seconds for which the failure is still remembered; 0 if it is not.
        var remembered: Int
        /// The status with which clients get the settings' fallback picture instead; nil if they get this failure.
        var fallbackStatus: Int?
    }

    /// The result that the request would have now.
    struct Forecast: Sendable, Codable {
        /// The name of an outcome, as in the glossary; right if the origin answers as it did last time.
        var outcome: String
        /// The reasons, as a sentence.
        var why: String
        /// True if the origin would be asked, or is being asked, before the answer.
        var waitsForOrigin: Bool
        var isBeingFetched: Bool
        var isBeingRendered: Bool
        /// The node of the fleet that is fetching the original or making the rendition, for which this node would wait; nil for none.
        var leaseHolder: String?
        /// Fetches from the origin under way at all nodes; nil without limits of the fleet, or if the number is unknown.
        var fleetFetches: Int?
        /// New pictures that this client may ask for now, by the bucket that all nodes share; nil without limits of the fleet, or if
        /// the number is unknown.
        var fleetMissesLeft: Int?
    }

    /// The request.
    var asked: Asked
    /// Nil if no original is held.
    var original: HeldOriginal?
    /// The original in the shared store, if the store would be asked before the origin; nil for none.
    var shared: SharedOriginalReport?
    /// The rendition of the original in the shared store if that would be taken over, else of the held original; nil if there is
    /// neither.
    var rendition: Made?
    /// The failure that the request would get: a remembered one, or the reason why no such picture can be made of the original.
    /// Otherwise the origin's remembered failure for which a stale original stands in; nil for none.
    var failure: Failure?
    /// The health of the source's origin.
    var origin: OriginReport
    /// The origin's profile; nil if it has none.
    var profile: Profile?
    /// The forecast for this client.
    var forecast: Forecast
}
