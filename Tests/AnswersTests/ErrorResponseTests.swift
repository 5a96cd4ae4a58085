// SPDX-License-Identifier: Apache-2.0

@testable import Answers
import HTTP1
import HTTPSemantics
import HTTPServer
import Pipeline
import Recipes
import Testing

@Suite("Every failure has its status and its words")
struct ErrorResponseTests {
    private typealias Expected = (status: Int, code: String)

    // The compiler demands a line here for each new case.

    private func expected(_ failure: OriginFailure) -> Expected {
        switch failure {
        case .sourceRefused: (400, "source_refused")
        case .nameNotResolved, .cannotConnect: (502, "origin_unreachable")
        case .tls: (502, "origin_tls")
        case .timedOut: (504, "origin_timeout")
        case .tooLarge: (413, "original_too_large")
        case .tooManyRedirects: (508, "too_many_redirects")
        case .keyRefused: (502, "origin_status")
        case .brokenReply, .unusableReply, .undecodableContent: (502, "origin_broken_reply")
        case .overloaded: (503, "overloaded")
        case .unavailable: (503, "unavailable")
        case .cancelled: (503, "cancelled")
        }
    }

    private func expected(_ failure: DecodeFailure) -> Expected {
        switch failure {
        case .notAnImage: (415, "not_an_image")
        case .formatNotAllowed, .outputNotAllowed: (415, "format_not_allowed")
        case .drawingRefused: (422, "drawing_refused")
        case .codingNotRead: (415, "coding_not_read")
        case .damaged: (422, "damaged_image")
        case .tooManyPixels: (413, "too_many_pixels")
        case .beyondOwnLimit: (413, "beyond_own_limit")
        case .tooManyFrames: (413, "too_many_frames")
        case .noSuchPage: (400, "bad_parameter")
        case .tooMuchMemory, .outOfMemory: (413, "too_much_memory")
        case .encoderFailed: (500, "encoder_failed")
        case .outputTooLarge: (413, "output_too_large")
        case .enlargedTooFar: (413, "enlarged_too_far")
        case .timedOut: (504, "decoder_timeout")
        case .overloaded: (503, "overloaded")
        case .unavailable: (503, "decoder_unavailable")
        case .cancelled: (503, "cancelled")
        }
    }

    @Test(arguments: OriginFailure.examples)
    func `an origin's failure is its status`(failure: OriginFailure) {
        let response = ErrorResponse(failure)
        #expect((response.status, response.code) == expected(failure))
        #expect(ErrorResponse(PipelineFailure(.origin(failure))) == response)
    }

    @Test(
        arguments: [
            (404, 404), (410, 410), (429, 429), (503, 503), (401, 502), (403, 502), (500, 502), (302, 502),
            (206, 502), (599, 502),
        ])
    func `an origin's status is passed on where it speaks of the picture`(status: Int, passed: Int) {
        let response = ErrorResponse(PipelineFailure(.originStatus(status, retryAfter: 9)))
        #expect((response.status, response.code) == (passed, "origin_status"))
    }

    @Test(arguments: DecodeFailure.examples)
    func `a decoder's failure is its status`(failure: DecodeFailure) {
        let response = ErrorResponse(failure)
        #expect((response.status, response.code) == expected(failure))
        #expect(ErrorResponse(PipelineFailure(.decode(failure))) == response)
    }

    @Test func `a message that is refused is the client's fault or not implemented`() {
        for error in MessageError.allCases {
            let response = ErrorResponse(error)
            let allowed = [400, 408, 413, 414, 417, 429, 431, 501, 503, 505]
            #expect(allowed.contains(response.status), "\(error)")
        }
    }

    @Test func `a 503 or a 429 of our own says when to come again`() {
        let all =
            OriginFailure.examples.map { ErrorResponse($0) }
            + DecodeFailure.examples.map { ErrorResponse($0) }
            + MessageError.allCases.map { ErrorResponse($0) }
            + [
                PipelineFailure.Reason.overloaded(retryAfter: 3), .throttled(retryAfter: 3),
                .originResting(OriginRest(seconds: 7)), .unavailable(.fetch), .notHeld, .cancelled,
            ].map { ErrorResponse(PipelineFailure($0)) }
        for response in all where [429, 503].contains(response.status) {
            #expect((response.retryAfter ?? 0) > 0, "\(response.code)")
        }
    }

    @Test func `a 429 of ours names the limit and says when to come again`() {
        let response = ErrorResponse(PipelineFailure(.tooManyRenditions(limit: 4711, retryAfter: 60)))
        #expect((response.status, response.code) == (429, "too_many_renditions"))
        #expect(response.message.contains("4711"))
        #expect(response.retryAfter == 60)
        #expect(response.remembered == nil)
    }

    @Test func `what an origin asks to wait is passed on where its status is`() {
        #expect(ErrorResponse(PipelineFailure(.originStatus(429, retryAfter: 9))).retryAfter == 9)
        #expect(ErrorResponse(PipelineFailure(.originStatus(500, retryAfter: 9))).retryAfter == nil)
    }

    @Test func `a limit is named`() {
        #expect(ErrorResponse(OriginFailure.tooLarge(limit: 4711)).message.contains("4711"))
        #expect(ErrorResponse(OriginFailure.tooManyRedirects(limit: 4711)).message.contains("4711"))
        for failure in [
            DecodeFailure.tooManyPixels(limit: 4711), .tooManyFrames(limit: 4711),
            .outputTooLarge(.side(4711)), .enlargedTooFar(asked: 4712, limit: 4711),
        ] {
            #expect(ErrorResponse(failure).message.contains("4711"))
        }
    }

    @Test func `a picture that would grow too far is told how many pixels were asked for`() {
        let failure = DecodeFailure.enlargedTooFar(asked: 4712, limit: 4711)
        #expect(ErrorResponse(failure).message.contains("would have 4712 pixels"))
    }

    @Test(arguments: [DecodeFailure.enlargedTooFar(asked: 2, limit: 1), .outputTooLarge(.pixels(1))])
    func `whose narrow cut is refused is told that the pixels before the cut count`(failure: DecodeFailure) {
        #expect(ErrorResponse(failure).message.contains(", or what it is cut from, "))
    }

    @Test func `a limit of the settings is told by its name, for whoever may change it`() {
        for (response, setting) in [
            (ErrorResponse(OriginFailure.tooLarge(limit: 1)), "origin.maximum-body"),
            (ErrorResponse(DecodeFailure.tooManyPixels(limit: 1)), "decoder.maximum-pixels"),
            (ErrorResponse(DecodeFailure.tooManyFrames(limit: 1)), "decoder.maximum-frames"),
            (ErrorResponse(DecodeFailure.enlargedTooFar(asked: 2, limit: 1)), "limits.enlarged-pixels"),
            (ErrorResponse(DecodeFailure.timedOut), "decoder.timeout"),
            (ErrorResponse(OriginFailure.tooManyRedirects(limit: 1)), "origin.maximum-redirects"),
            (
                ErrorResponse(PipelineFailure(.tooManyRenditions(limit: 1, retryAfter: 1))),
                "limits.renditions-per-original"
            ),
            (ErrorResponse(PipelineFailure(.throttled(retryAfter: 1))), "limits.misses-per-client"),
            (ErrorResponse.tooManyRequests, "limits.requests-per-client"),
            (ErrorResponse(MessageError.targetTooLong), "server.maximum-target"),
            (ErrorResponse(MessageError.headTooLarge), "server.maximum-head"),
            (ErrorResponse(MessageError.tooManyFields), "server.maximum-fields"),
            (ErrorResponse(MessageError.tooManyConnections), "server.maximum-connections"),
        ] {
            #expect(response.message.hasSuffix("(\(setting))."), "\(response.message)")
        }
        for failure in DecodeFailure.examples {
            guard case .formatNotAllowed = failure else { continue }
            #expect(ErrorResponse(failure).message.hasSuffix("(decoder.formats)."))
        }
        #expect(ErrorResponse(MessageError.badTarget).message.contains("percent-encode"))
        #expect(ErrorResponse(MessageError.badVersion).message.contains("%20"))
        #expect(ErrorResponse(OriginFailure.sourceRefused).message.contains("settings"))
    }

    @Test(
        arguments: [
            (OutputLimit.bytes(4711), "4711 bytes (decoder.maximum-output)"),
            (.side(4711), "4711 pixels a side"),
            (.pixels(4711), "4711 pixels, all frames"),
            (.textPixels(4711), "4711 pixels. Ask for smaller letters"),
            (.embeddedPixels(4711), "4711 pixels together"), (.dataURLBytes(4711), "4711 bytes. Ask"),
        ])
    func `a result that is too large is told what of it is, and in which unit`(
        limit: OutputLimit, words: String
    ) {
        let response = ErrorResponse(DecodeFailure.outputTooLarge(limit))
        #expect(response.message.contains(words), "\(response.message)")
        #expect((response.status, response.code) == (413, "output_too_large"))
    }

    @Test func `what is remembered says for how long, and nothing else may be stored`() {
        let remembered = ErrorResponse(PipelineFailure(.decode(.damaged), rememberedFor: 60)).response()
        #expect(remembered.fields["Cache-Control"] == "public, max-age=60")
        #expect(ErrorResponse(DecodeFailure.damaged).response().fields["Cache-Control"] == "no-store")
    }

    @Test func `every code is a word for programs, and every message a sentence for people`() {
        let all =
            OriginFailure.examples.map { ErrorResponse($0) }
            + DecodeFailure.examples.map { ErrorResponse($0) }
            + MessageError.allCases.map { ErrorResponse($0) }
            + [.notFound, .methodNotAllowed, .tooManyRequests, .preconditionFailed, .rangeNotSatisfiable]
        for response in all {
            #expect(response.code.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(response.code)")
            #expect(response.message.first?.isUppercase == true, "\(response.message)")
        }
    }
}
