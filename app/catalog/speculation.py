"""How tokens are guessed ahead of the model, if they are."""

from app.catalog.vocabulary import Term, Vocabulary

NONE = "none"


class Speculations(Vocabulary[Term]):
    """Ways to speculate. An empty spelling means none; an absent one means not reported."""

    def key_of(self, spelling: str | None) -> str | None:
        return NONE if spelling is not None and not spelling.strip() else super().key_of(spelling)


SPECULATIONS = Speculations(
    "speculation",
    [
        Term(
            key=NONE,
            label="no speculation",
            aliases=("off", "false", "no", "null", "disabled"),
            text="Every output token is computed by the model itself.",
        ),
        Term(
            key="mtp",
            label="MTP",
            aliases=("deepseek_mtp", "nextn", "multi-token prediction"),
            text="Multi-token prediction: heads trained with the model guess the next tokens. "
            "Some files write mtp for a separately trained EAGLE head.",
        ),
        Term(
            key="eagle",
            label="EAGLE",
            aliases=("eagle2", "eagle3"),
            text="A small head reads the model's hidden state and guesses the next tokens.",
        ),
        Term(
            key="draft_model",
            label="draft model",
            aliases=("draft", "draft_target"),
            text="A smaller model of its own guesses the next tokens.",
        ),
        Term(
            key="ngram",
            label="n-gram lookup",
            aliases=("prompt_lookup", "prompt lookup"),
            text="The next tokens are guessed from repeats in the text so far.",
        ),
    ],
)
