"""What the HTTP doors share: the unit of work, errors, wire forms, and who shows in whom."""
