"""Store a text at a worker and find it; this worker lives inside the program."""

from cmem_client.testing import FakeWorker

with FakeWorker("13.25.3").client() as memory:
    memory.init_session("talk-1", "notes", "A talk about tea")
    memory.queue_observation(
        "talk-1", "Read", {"file_path": "talk-1.txt"}, "Ann: I like green tea."
    )
    report = memory.wait_for_processing("notes", ["talk-1"])
    print([(each.session, each.rows) for each in report.sessions])
    found = memory.search("green tea", "notes", limit=5)
    print(len(found.hits), "hit, timed:", found.latency_ms >= 0)
