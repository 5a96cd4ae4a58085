// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import TestSupport
import Testing

@Suite("The pages of a document are drawn inside the jail", .endToEnd)
struct DocumentTests {
    /// Two pages, and an author in UTF-16, for which the C library has a module to load.
    private static let document = """
        %PDF-1.4
        1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
        2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>endobj
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 60 20]>>endobj
        4 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 40 80]>>endobj
        5 0 obj<</Author<FEFF004100E4>/Title<FFFE4100E400>/Subject(S)>>endobj
        trailer<</Size 6/Root 1 0 R/Info 5 0 R>>
        %%EOF

        """

    private let origin = ScriptedOrigin { $0.answer(body: Self.document.utf8) }

    @Test(arguments: [
        ("", [60, 20]), ("&page=1", [40, 80]), ("&page=-1", [40, 80]), ("&page=-2", [60, 20]),
    ])
    func `each has its size, and so have the largest and the smallest`(page: String, size: [Int]) throws {
        let daemon = try DaemonUnderTest(["--decoder-formats", "jpeg,png,pdf"])
        let reply = try daemon.get(origin.url("/a.pdf"), "output=png\(page)")
        #expect(reply.status == 200, "\(reply.text)")
        let header = try ImageHeader.parse(reply.body)
        #expect([header.width, header.height] == size)
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
    }

    @Test func `a page behind the last is a mistake of the URL's, as of any other picture`() throws {
        let daemon = try DaemonUnderTest(["--decoder-formats", "jpeg,png,pdf"])
        let reply = try daemon.get(origin.url("/a.pdf"), "output=png&page=2")
        #expect(reply.status == 400, "\(reply.text)")
        #expect(reply.text.contains("\"bad_parameter\"") && reply.text.contains("beyond the last of 2"))
        #expect(try daemon.get(origin.url("/a.pdf"), "output=png&page=1").status == 200)
    }

    @Test func `one behind bytes of something else is drawn as viewers show it`() throws {
        let daemon = try DaemonUnderTest(["--decoder-formats", "png,pdf"])
        let printed = ScriptedOrigin {
            $0.answer(body: ("\u{1B}%-12345X@PJL ENTER LANGUAGE = PDF\r\n" + Self.document).utf8)
        }
        let reply = try daemon.get(printed.url("/a.pdf"), "output=png")
        #expect(reply.status == 200, "\(reply.text)")
        #expect(try ImageHeader.parse(reply.body).width == 60)
    }

    @Test func `stand-ins and colours of a page come as those of any other picture`() throws {
        let daemon = try DaemonUnderTest(["--decoder-formats", "jpeg,png,pdf"])
        for page in ["", "&page=1"] {
            let reply = try daemon.get(
                origin.url("/a.pdf"), "output=json&json=average,blurhash,dominant,thumbhash\(page)")
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.text.contains("\"average\":\"#ffffff\""), "\(reply.text)")
        }
    }
}
