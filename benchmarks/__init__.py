"""What is fast enough, measured: each figure beside a floor from the same run."""
