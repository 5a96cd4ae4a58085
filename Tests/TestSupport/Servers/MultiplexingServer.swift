// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import SourceURLs

/// An origin on loopback that speaks HTTP/2 over TLS, frame by frame (RFC 9113 §4.1), and HTTP/1.1 to who offers no other. Its
/// answers are `whole`, but for what its manner says.
package final class MultiplexingServer {
    package enum Manner: String, Sendable {
        /// The first connection ends with its second request: with GOAWAY, or without a word.
        case saysGoodbye, hangsUp
        /// The first connection answers its first request, and ends with its ninth, without a word to the other eight; and the
        /// second connection with its first, which gets no answer, or a part of one.
        case hangsUpOnMany, hangsUpOnManyTwice, breaksOffOnMany
        /// The first request of the first connection, or of each, is not processed: the connection ends with GOAWAY.
        case turnsAway, turnsAllAway
        /// The first connection gets no answer to its handshake.
        case hangs
        /// The first connection refuses the stream of its first request, and ends.
        case refusesStream
        /// No answer over HTTP/2 tells its length. Of three, the second breaks off behind `half`, and much of the third follows.
        case breaksOff
        /// Speaks HTTP/1.1 alone. The second answer takes a second and ends the connection; when the client has ended it as
        /// well, a third comes.
        case goesOn
        /// Speaks HTTP/1.1 alone. Its answer tells no length and ends the connection: with TLS's own end (close_notify), or
        /// without; the last one says HTTP/2 in its status line.
        case ends, isCut, isCutAsHTTP2
    }

    package let url: SourceURL
    private let process = Process()

    package init(_ files: ServerCertificate, _ manner: Manner) throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program, files.certificate, files.key, manner.rawValue]
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        guard let port = Lines(output).wait(for: \.first).flatMap({ UInt16($0) }) else {
            throw Connection.Failure(description: "python3 names no port")
        }
        url = SourceURL(scheme: .https, host: "127.0.0.1", port: port, target: "/")
    }

    deinit {
        // It may have inherited a mask that holds SIGTERM back.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static let program = #"""
        import socket, ssl, struct, sys, threading, time

        certificate, key, manner = sys.argv[1:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        is_old = manner in ("goesOn", "ends", "isCut", "isCutAsHTTP2")
        context.set_alpn_protocols(["http/1.1"] if is_old else ["h2", "http/1.1"])
        DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
        END_STREAM = ACK = 1
        END_HEADERS = 4
        # ":status: 200", and "content-length: 5" (RFC 7541 §6).
        STATUS, LENGTH = b"\x88", b"\x0f\x0d\x015"

        def frame(kind, flags, stream, payload=b""):
            head = struct.pack(">I", len(payload))[1:] + bytes([kind, flags])
            return head + struct.pack(">I", stream) + payload

        def read(connection, count):
            data = b""
            while len(data) < count:
                part = connection.recv(count - len(data))
                if not part:
                    raise EOFError
                data += part
            return data

        def speak_http1(connection):
            count, end = 0, b"\r\n\r\nwhole"
            while True:
                request = b""
                while not request.endswith(b"\r\n\r\n"):
                    part = connection.recv(1)
                    if not part:
                        if manner == "goesOn":
                            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5" + end)
                        return
                    request += part
                if manner in ("ends", "isCut", "isCutAsHTTP2"):
                    version = b"HTTP/2" if manner == "isCutAsHTTP2" else b"HTTP/1.1"
                    connection.sendall(version + b" 200 OK" + end)
                    if manner == "ends":
                        connection.unwrap()
                    return
                count += 1
                head = b"HTTP/1.1 200 OK\r\nContent-Length: 5"
                if manner == "goesOn" and count == 2:
                    time.sleep(1)
                    head += b"\r\nConnection: close"
                connection.sendall(head + end)

        def speak_http2(connection, number):
            streams, pings = [], 0
            read(connection, 24)
            connection.sendall(frame(SETTINGS, 0, 0))
            while True:
                head = read(connection, 9)
                read(connection, int.from_bytes(head[:3], "big"))
                kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
                if kind == SETTINGS and not flags & ACK:
                    connection.sendall(frame(SETTINGS, ACK, 0))
                elif kind == PING and flags & ACK:
                    # After some rounds the reader of the second stream has had its turn as well.
                    pings += 1
                    if pings % 50 != 0:
                        connection.sendall(frame(PING, 0, 0, bytes(8)))
                        continue
                    first, second, third = streams[-3:]
                    connection.sendall(
                        frame(RST_STREAM, 0, second, struct.pack(">I", 2))
                        + b"".join(frame(DATA, 0, third, bytes(16000)) for _ in range(20)))
                    for other in first, third:
                        connection.sendall(frame(DATA, END_STREAM, other, b"whole"))
                elif kind == HEADERS:
                    streams.append(stream)
                    answer(connection, streams, number)

        def answer(connection, streams, number):
            is_first = number == 1
            if manner == "breaksOff":
                if len(streams) % 3 == 0:
                    for stream in streams[-3:]:
                        connection.sendall(frame(HEADERS, END_HEADERS, stream, STATUS))
                    connection.sendall(frame(DATA, 0, streams[-2], b"half") + frame(PING, 0, 0, bytes(8)))
            elif manner == "turnsAllAway" or is_first and manner == "turnsAway":
                # The client ends the connection, so that nothing of this is lost.
                connection.sendall(frame(GOAWAY, 0, 0, struct.pack(">II", 0, 0)))
            elif is_first and manner == "refusesStream":
                connection.sendall(frame(RST_STREAM, 0, streams[-1], struct.pack(">I", 7)))
                raise EOFError
            elif manner in ("hangsUpOnMany", "hangsUpOnManyTwice", "breaksOffOnMany") and is_first and len(streams) > 1:
                if len(streams) == 9:
                    raise EOFError
            elif manner == "hangsUpOnManyTwice" and number == 2:
                raise EOFError
            elif manner == "breaksOffOnMany" and number == 2:
                connection.sendall(
                    frame(HEADERS, END_HEADERS, streams[-1], STATUS + LENGTH) + frame(DATA, 0, streams[-1], b"wh"))
                raise EOFError
            elif is_first and len(streams) == 2:
                if manner == "saysGoodbye":
                    connection.sendall(frame(GOAWAY, 0, 0, struct.pack(">II", streams[0], 0)))
                raise EOFError
            else:
                connection.sendall(
                    frame(HEADERS, END_HEADERS, streams[-1], STATUS + LENGTH)
                    + frame(DATA, END_STREAM, streams[-1], b"whole"))

        def serve(plain, number):
            try:
                while manner == "hangs" and number == 1:
                    if not plain.recv(4096):
                        return
                with context.wrap_socket(plain, server_side=True) as connection:
                    if connection.selected_alpn_protocol() == "h2":
                        speak_http2(connection, number)
                    else:
                        speak_http1(connection)
            except (EOFError, OSError):
                pass

        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        number = 0
        while True:
            plain, _ = listener.accept()
            number += 1
            threading.Thread(target=serve, args=(plain, number), daemon=True).start()
        """#
}
