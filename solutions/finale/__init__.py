"""What is trained at the end of this course: of which pages, on what, and what may be broken.

`grader train`, `grader talk` and `grader look` run it. Parts of which the learner's page is not
right yet are taken from the course or, where there is none of it, from torch.
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
    Part("circuits", "the tools, for `grader look`"),
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
        "In training it sees the next letter, so it learns to look that up instead of guessing it. "
        "In `reverse` its loss falls to nearly 0, and not one word is right. The poem is short: "
        "who guesses learns it sooner than who looks up. When it writes there is no next letter "
        "to look up, and it has learned little else.",
        "poem",
    ),
    Break(
        "positions",
        "no position is told from another",
        "Attention by itself sees a set of letters, not their order. What is left of the order is "
        "what the causal mask lets through: the first letter sees one letter, the next sees two.",
        "reverse",
    ),
    Break(
        "residual",
        "each sub-layer's result replaces x, and is not added to it",
        "What a sub-layer does not pass on is lost, and gradients reach the first layers only "
        "through all the others. Each layer that is added makes it worse.",
        "poem",
    ),
    Break(
        "scale",
        "scores are not divided by sqrt(d_k)",
        "Scores are four times as large, softmax gives nearly all weight to one key, and where a "
        "weight is nearly 0 or 1 its gradient is nearly 0: the model learns later. With more steps "
        "it catches up, for heads of 16 numbers are narrow. In the GPT (`poem`, `aab`) you see "
        "nothing of it: its weights begin near 0.02, so scores are small with the division and "
        "without it.",
        "reverse",
    ),
    Break(
        "norm",
        "nothing is normalised",
        "The GPT's weights begin near 0.02. Without a norm its numbers are as small, so the layers "
        "and their gradients have little to work with, and it learns late. In `reverse` weights "
        "begin larger, at a size that suits two layers, and you see nothing of it; in a deep "
        "model the numbers would grow or vanish from layer to layer.",
        "poem",
    ),
    Break(
        "warmup",
        "the learning rate begins at its peak",
        "Here it does no harm: small pre-norm models learn as fast without a warm-up, or a little "
        "faster. AdamW's first steps are about as large as the learning rate, whatever the "
        "gradient, and the first gradients say little; a small model recovers from that within a "
        "few steps. Large models, and post-norm ones, may not: for them a warm-up was invented.",
        "reverse",
    ),
)

FINALE = Finale(
    PARTS,
    (
        Task(
            "poem",
            "a GPT learns Lewis Carroll's Jabberwocky (1871) by heart, letter by letter",
            _WRITES,
            700,
            _poem,
            optional=("kv_cache", "circuits"),
            looks_with="circuits",
        ),
        Task(
            "aab",
            "a GPT of 944 numbers continues aabaabaab..., in a second",
            _WRITES,
            500,
            _aab,
            optional=("hand_weights", "kv_cache", "circuits"),
            looks_with="circuits",
        ),
        Task(
            "reverse",
            "an encoder and a decoder write words backwards, and were never shown these words",
            _REVERSES,
            700,
            _reverse,
        ),
        Task(
            "text",
            "a GPT learns a text of yours",
            _WRITES,
            700,
            _text,
            takes_text=True,
            optional=("kv_cache", "circuits"),
            looks_with="circuits",
        ),
    ),
    BREAKS,
)
