"""What moving attention state takes, as arithmetic on bytes, tokens and seconds. Nothing here knows a record."""

TOLERANCE = 0.10
"""How far counted bytes may miss what the tokens weigh before the two contradict each other."""


def write_amplification(stored: float, loaded: float) -> float | None:
    """Bytes written below HBM for each byte that came back; None where nothing came back."""
    return stored / loaded if loaded > 0 else None


def reload_bandwidth(prompt_tput: float, share: float, held: float) -> float:
    """Bytes a second that a tier must deliver: prompt tokens a second, times its share, times a token's bytes."""
    return prompt_tput * share * held


def bytes_per_token(loaded: float, tokens: float) -> float | None:
    return loaded / tokens if tokens > 0 else None


def agreeing_copies(counted: float, value: float, copies: float) -> float | None:
    """Of how many copies of a token the counted bytes a token are, one or all; None where neither is within a tenth."""
    for number in dict.fromkeys((1.0, copies)):
        if abs(counted - value * number) <= TOLERANCE * value * number:
            return number
    return None
