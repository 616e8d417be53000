"""What runs real servers and keeps evidence of them: keeper, home, server process, scripted model, trials."""
