"""What is trained at the end of this course: of which pages, on what, and what may be broken.

`grader train` and `grader talk` run it. Parts of which the learner's page is not right yet are
taken from the course or, where there is none of it, from torch.
"""

from __future__ import annotations

from grader.finale import Break, Finale, Learning, Part, Setting, Task

PARTS = (
    Part("multi_head_attention", "attention"),
    Part("layer_norm", "the norm"),
    Part("feed_forward", "the feed-forward network"),
    Part("residual", "the residual connection"),
    Part("gpt", "the model"),
    Part("positional_encoding", "embeddings and positions"),
    Part("encoder", "the encoder"),
    Part("decoder", "the decoder"),
    Part("transformer", "the model"),
    Part("hand_weights", "the model with weights by hand"),
    Part(
        "loss",
        "the loss",
        {"cross_entropy": "torch.nn.functional:cross_entropy"},
        "torch.nn.functional.cross_entropy",
    ),
    Part(
        "optimizer",
        "the optimiser",
        {"AdamW": "torch.optim:AdamW", "clip_grad_norm": "torch.nn.utils:clip_grad_norm_"},
        "torch.optim.AdamW",
    ),
    Part("training", "batches and the training step", {}, "a plain loop"),
    Part("sampling", "sampling", {}, "torch.multinomial"),
    Part("tokenizer", "letters as numbers", {}, "their places in the alphabet"),
    Part("kv_cache", "the cache, for `grader talk`"),
)

_LEARNS = ("loss", "optimizer", "training")
_GPT = ("multi_head_attention", "layer_norm", "feed_forward", "residual", "gpt", *_LEARNS)
_WRITES = (*_GPT, "sampling", "tokenizer")
_BOTH = ("multi_head_attention", "layer_norm", "feed_forward", "residual")
_REVERSES = (*_BOTH, "positional_encoding", "encoder", "decoder", "transformer", *_LEARNS)


def _poem(setting: Setting) -> Learning:
    from .letters import poem

    return poem(setting)


def _aab(setting: Setting) -> Learning:
    from .letters import aab

    return aab(setting)


def _text(setting: Setting) -> Learning:
    from .letters import any_text

    return any_text(setting)


def _reverse(setting: Setting) -> Learning:
    from .reversing import Reversing

    return Reversing(setting)


BREAKS = (
    Break(
        "causal",
        "every position sees what comes after it",
        "The loss looks excellent, for the model reads the next letter instead of guessing it. "
        "When it writes there is no next letter to read, and it has learned nothing else.",
    ),
    Break(
        "positions",
        "no position is told from another",
        "Attention by itself sees a set of letters, not their order. What is left of the order is "
        "what the causal mask lets through: the first letter sees one letter, the next sees two.",
    ),
    Break(
        "residual",
        "each sub-layer's result replaces x, and is not added to it",
        "What a sub-layer does not pass on is lost, and gradients reach the first layers only "
        "through all the others. Each layer that is added makes it worse.",
    ),
    Break(
        "scale",
        "scores are not divided by sqrt(d_k)",
        "With heads of 16 numbers and weights that begin near 0.02, scores are small at the start "
        "with the division and without it, and the model learns to keep them so: here you may see "
        "little of it. It matters where heads are wide and weights begin large: then softmax gives "
        "nearly all weight to one key, and its gradient is nearly 0.",
    ),
    Break(
        "norm",
        "nothing is normalised",
        "Numbers keep the size that the layers give them, and every layer must learn at the size "
        "that those before it happen to have at that step. A model of a layer or two can live with "
        "that, more slowly; in a deep one the numbers grow or vanish.",
    ),
    Break(
        "warmup",
        "the learning rate begins at its peak",
        "AdamW's first steps are about as large as the learning rate allows, whatever the "
        "gradient, and the first gradients say little. A small pre-norm model recovers within a "
        "few steps, so look at the beginning of the curve; post-norm and large models may not.",
    ),
)
_ALL = tuple(one.name for one in BREAKS)

FINALE = Finale(
    PARTS,
    (
        Task(
            "poem",
            "a GPT learns Lewis Carroll's Jabberwocky (1871) by heart, letter by letter",
            _WRITES,
            700,
            _poem,
            _ALL,
            optional=("kv_cache",),
        ),
        Task(
            "aab",
            "a GPT of 944 numbers continues aabaabaab..., in a second",
            _WRITES,
            300,
            _aab,
            _ALL,
            optional=("hand_weights", "kv_cache"),
        ),
        Task(
            "reverse",
            "an encoder and a decoder write words backwards, and were never shown these words",
            _REVERSES,
            700,
            _reverse,
            _ALL,
        ),
        Task(
            "text",
            "a GPT learns a text of yours",
            _WRITES,
            700,
            _text,
            _ALL,
            takes_text=True,
            optional=("kv_cache",),
        ),
    ),
    BREAKS,
)
