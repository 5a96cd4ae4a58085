#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks for a URL at a fixed rate, each time over a new connection, and counts answers other than 200: package-load.py URL RATE SECONDS"""

import http.client
import sys
import threading
import time
import urllib.parse


def main(url, rate, seconds):
    place = urllib.parse.urlsplit(url)
    answered, failed, slowest = [0], {}, [0.0]
    lock = threading.Lock()

    def ask():
        begun = time.monotonic()
        try:
            connection = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
            connection.request("GET", f"{place.path}?{place.query}", headers={"Connection": "close"})
            answer = connection.getresponse()
            answer.read()
            what = answer.status
            connection.close()
        except (OSError, http.client.HTTPException) as error:
            what = type(error).__name__
        with lock:
            slowest[0] = max(slowest[0], time.monotonic() - begun)
            if what == 200:
                answered[0] += 1
            else:
                failed[what] = failed.get(what, 0) + 1

    threads, begun = [], time.monotonic()
    for number in range(int(rate * seconds)):
        time.sleep(max(0, begun + number / rate - time.monotonic()))
        threads.append(threading.Thread(target=ask))
        threads[-1].start()
    for thread in threads:
        thread.join()
    print(f"{answered[0]} answered, {sum(failed.values())} failed {failed or ''} slowest {slowest[0]:.2f} s")
    return 1 if failed else 0


sys.exit(main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3])))
