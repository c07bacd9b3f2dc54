"""Runs of a question that may fail by themselves: the failure is noted, and the other runs go on."""
from lib import programs


class Guarded:
    """Part of a question with `suite` and a list `failures`."""

    def guarded(self, label, body):
        self.suite.progress.doing(label)
        try:
            body()
        except (programs.ProgramFailed, OSError, ValueError, IndexError) as error:
            self.failures.append(f"{label}: {error}")
            self.suite.session.kill_all()
