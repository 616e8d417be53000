"""Diagnosis: every matcher over one window, ranked; and its reports. Pure."""

from wedged.diagnose.activity import activities
from wedged.diagnose.asks_report import asks_json, asks_text, facts_of
from wedged.diagnose.diagnosis import Diagnosis, aim, diagnose, inquire, restrict
from wedged.diagnose.one_ask import AskAnswer, AskVerdict, what_became_of
from wedged.diagnose.pending import Pending, about, pending
from wedged.diagnose.report_json import report_json
from wedged.diagnose.report_text import Login, report_text

__all__ = [
    "AskAnswer",
    "AskVerdict",
    "Diagnosis",
    "Login",
    "Pending",
    "about",
    "activities",
    "aim",
    "asks_json",
    "asks_text",
    "diagnose",
    "facts_of",
    "inquire",
    "pending",
    "report_json",
    "report_text",
    "restrict",
    "what_became_of",
]
