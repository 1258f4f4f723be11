"""One file per step type: its controls, what is wrong with them, and its results. Pure."""
