"""Following a server: a finding once when it appears, once when it ends."""
