# SPDX-License-Identifier: Apache-2.0
"""The end of a program that is told to end: it cleans up first."""

import contextlib
import signal
import sys


def clean_up_at_sigterm():
    """SIGTERM leaves every `with` and `try`, as Ctrl-C does; by itself it would leave what was started running."""
    signal.signal(signal.SIGTERM, _told_to_end)


@contextlib.contextmanager
def closed_on_failure(thing):
    """Closes what was just started where it does not get ready, or is not waited for to the end: nobody else knows of it yet."""
    try:
        yield
    except BaseException:
        thing.close()
        raise


def _told_to_end(*_):
    # Once: a second signal must not break off the cleaning up.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)
