"""Diagnosis: every matcher over one window, ranked; and its reports. Pure."""

from wedged.diagnose.diagnosis import Diagnosis, diagnose, restrict
from wedged.diagnose.report_json import report_json
from wedged.diagnose.report_text import Login, report_text

__all__ = ["Diagnosis", "Login", "diagnose", "report_json", "report_text", "restrict"]
