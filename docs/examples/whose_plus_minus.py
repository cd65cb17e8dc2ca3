"""Four spreads of one J, each of which somebody prints behind a ±."""

from eval_report import Record, clustered_mean, run_noise

records = []
for conversation in range(10):
    for i in range(150):
        right = i < 92 + 4 * conversation
        shaky = i % 50 == 0  # a question on which the judge changes its mind
        runs = [float(right != (shaky and (run + i) % 3 == 0)) for run in range(10)]
        records.append(
            Record(
                item=f"{conversation}:{i}",
                category=4,
                cluster=str(conversation),
                metric="J",
                value=100 * sum(runs) / len(runs),
                runs=tuple(100 * score for score in runs),
            )
        )
noise, sure = run_noise(records), clustered_mean(records)
half = sure.interval and (sure.interval.high - sure.interval.low) / 2

print(f"J {sure.mean:.2f}")
print(f"± {noise.run_std_dev:.2f}   standard deviation of J over ten runs")
print(f"± {noise.pooled_std_dev:.2f}   of the runs of a question, pooled")
print(f"± {noise.per_question_std_dev:.2f}  of the questions")
print(f"± {half:.2f}   95 % interval over questions, by conversation")
