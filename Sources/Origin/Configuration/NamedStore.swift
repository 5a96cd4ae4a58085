// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import SourceURLs

/// A store that the settings name, as the downloader uses it: which URLs and fields its requests have.
enum NamedStore {
    case objects(ObjectStore)
    case blobs(BlobStore)

    /// True if clients may name this URL.
    func holds(_ url: SourceURL) -> Bool {
        switch self {
        case .objects(let store): store.holds(url)
        case .blobs(let store): store.holds(url)
        }
    }

    /// The URL of the request, without secrets.
    func place(of url: SourceURL) -> SourceURL {
        switch self {
        case .objects(let store): store.place(of: url)
        case .blobs(let store): store.place(of: url)
        }
    }

    /// The URL that is sent for this place; it may contain a secret.
    func sent(_ place: SourceURL) -> SourceURL {
        switch self {
        case .objects: place
        case .blobs(let store): store.sent(place)
        }
    }

    /// The additional fields of a request to the store, without conditions.
    func fields(for place: SourceURL, at time: Timestamp, conditions: [Fields.Field]) -> [Fields.Field] {
        switch self {
        case .objects(let store): store.fields(for: place, at: time)
        case .blobs(let store): store.fields(for: place, at: time, conditions: conditions)
        }
    }

    /// True if requests to the store are authenticated, now or once there is a key.
    var isKeyed: Bool {
        switch self {
        case .objects(let store): store.credentials != nil || store.renewed != nil
        case .blobs(let store): store.access != .anybody
        }
    }

    /// True while requests should be signed but there is no key yet.
    var lacksKey: Bool {
        switch self {
        case .objects(let store): store.lacksKey
        case .blobs: false
        }
    }

    /// Notes that the store has refused the platform's keys, if it gets such, as ended, with these words.
    func noteEndedKey(_ words: String) {
        if case .objects(let store) = self { store.renewed?.noteRefusal(words) }
    }

    /// True if this text from the store contains a secret that was sent.
    func hasSecret(in text: String) -> Bool {
        switch self {
        case .objects: false
        case .blobs(let store): store.hasSecret(in: text)
        }
    }
}
