"""Memory: the only room with SQL. One named function per question, connection and scope first."""
