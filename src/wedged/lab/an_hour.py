"""The one switch for what takes an hour: read by the lab's arm and by whoever limits its time."""

# Set, to anything, it has the arm of W102 run that waits for an hour without activity.
HOUR = "WEDGED_HOUR"
