"""A history as a document: runs in order, what each series reached in them, and the falls."""

from app.changes.history import History, Reading, Track, level_words
from app.details.row import Document


def history_document(found: History) -> Document:
    question = found.question
    names = question.snapshot.names()
    return {
        "snapshot": question.snapshot.id,
        "title": question.title,
        "x": question.x.key,
        "y": question.y.key,
        "unit": question.y.unit,
        "level": {
            "text": level_words(question),
            "at": question.view.at[0] if question.view.at and not question.view.slo else None,
            "slo": [{"metric": key, "value": value} for key, value in question.view.slo],
        },
        "notes": list(found.notes),
        "runs": [
            {
                "run": run.run,
                "label": run.label,
                "time": run.time,
                "dated": place not in found.undated,
                "versions": list(run.versions),
                "since": names.get(run.since),
            }
            for place, run in enumerate(found.runs)
        ],
        "series": [
            {
                "key": track.series.key,
                "label": track.series.label,
                "scatter": track.scatter,
                "limit": track.limit,
                "readings": [_reading(reading, found) for reading in track.readings],
            }
            for track in found.tracks
        ],
        "falls": [_fall(track, reading, found) for track, reading in found.falls],
    }


def _reading(reading: Reading, found: History) -> Document:
    return {
        "run": found.runs[reading.place].run,
        "value": reading.value,
        "how": reading.how,
        "why": reading.why or None,
        "points": list(reading.points),
        "versions": list(reading.versions),
        "version_changed": reading.version_from is not None,
        "since": None if reading.since is None else found.runs[reading.since].run,
        "loads": reading.alike,
        "unlike": reading.unlike or None,
        "change": reading.change,
        "is_fall": reading.is_fall,
    }


def _fall(track: Track, reading: Reading, found: History) -> Document:
    return {
        "series": track.series.key,
        "run": found.runs[reading.place].run,
        "since": None if reading.since is None else found.runs[reading.since].run,
        "change": reading.change,
        "limit": track.limit,
        "version_changed": reading.version_from is not None,
        "points": list(reading.points),
    }
