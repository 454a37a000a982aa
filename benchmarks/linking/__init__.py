"""What the linking benchmark is made of: gold from statements, peers, generated cells."""
