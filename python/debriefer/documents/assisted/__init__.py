"""Documents read with a model: what templates cannot tell is asked for, and every answer is checked."""
