"""How long it takes from the command `gristmill serve` to the first page: `python benchmarks/web_start.py corpus`."""

from __future__ import annotations

import argparse
import http.client
import signal
import socket
import statistics
import subprocess
import sys
import time


def seconds_to_first_page(corpus: str) -> float:
    """Start the command, and ask for the first page until it is answered, as a browser does, redirects and all."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    begun = time.perf_counter()
    command = [sys.executable, "-m", "gristmill", "serve", corpus, "--port", str(port), "--no-open"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        path = "/"
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            try:
                connection.request("GET", path)
                reply = connection.getresponse()
                reply.read()
            except ConnectionError:
                if process.poll() is not None:
                    sys.exit("the server ended before it answered")
                time.sleep(0.005)
                continue
            finally:
                connection.close()
            if reply.status not in {303, 307}:
                return time.perf_counter() - begun
            path = reply.headers["Location"]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def main() -> None:
    """Measure several times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", help="a corpus with an index, or the word sample")
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    seconds = [seconds_to_first_page(options.corpus) for _ in range(options.times)]
    print(
        f"first page after {statistics.median(seconds):.2f} s (median of {len(seconds)}; {max(seconds):.2f} s at most)"
    )


if __name__ == "__main__":
    main()
