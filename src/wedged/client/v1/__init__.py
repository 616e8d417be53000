"""V1's dialect: OpenCode 1.x."""
