"""Long videos with known content, question files of the public benchmarks, and an oracle that reads pictures."""
