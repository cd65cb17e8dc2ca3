"""The same 1,500 verdicts, with and without the conversations they come from."""

from eval_report import (
    Interval,
    Record,
    clustered_mean,
    smallest_detectable_difference,
)

correct = (92, 99, 105, 108, 112, 115, 117, 121, 126, 133)  # of 150 in each
records = [
    Record(
        item=f"{conversation}:{i}",
        category=4,
        cluster=str(conversation),
        metric="J",
        value=100.0 if i < right else 0.0,
    )
    for conversation, right in enumerate(correct)
    for i in range(150)
]
sure = clustered_mean(records)


def ends(interval: Interval | None) -> str:
    return "n/a" if interval is None else f"{interval.low:.1f} to {interval.high:.1f}"


print(f"J {sure.mean:.1f}, n = {sure.count}, {sure.clusters} conversations")
print(f"as if independent  {ends(sure.iid_interval)}")
print(f"by conversation    {ends(sure.interval)}")
print(f"design effect      {sure.design_effect:.2f}")
least = smallest_detectable_difference(sure.std_error, sure.clusters)
print(f"smallest difference to a fixed number that this finds: {least:.1f} points")
