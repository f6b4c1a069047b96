"""The Transformer: an encoder reads the source, a decoder writes the target.

Idea
----

The model translates one sequence of tokens into another. The encoder turns the source into the
*memory*: one vector for each source token, each computed from the whole source, left and right.
The decoder predicts the target token by token: each position looks at the target tokens up to
itself and at the whole memory, and says what comes next.

    src -> embedding + positions -> encoder -> memory
                                   (src_mask)    |
                                                 v
    tgt -> embedding + positions ------------> decoder -> generator -> logits
                                        (tgt_mask, src_mask)

[Figure wiring: two columns. On the left src passes embedding, positions and the encoder, whose
self-attention gets src_mask. On the right tgt passes embedding, positions and the decoder, whose
self-attention gets tgt_mask. The memory goes from the encoder to the decoder's cross-attention,
which gets src_mask again. Behind the decoder stands the generator, and logits come out.]

Formula
-------

    memory = encoder(positions(embedding(src)))
    hidden = decoder(positions(embedding(tgt)), memory)
    logits = hidden W^T + b

The last line is the *generator*, a linear layer. It makes *logits*: one number for each token of
the target vocabulary, which a softmax would turn into probabilities.

Worked example
--------------

In training the decoder gets the right target, and each position predicts the token after it:

    tgt          <s>   I      like   you
    predicts     I     like   you    </s>

So no position may look at later ones: they hold its answer. Neither may anybody look at *pads*, the
tokens that fill up short sentences of a batch. Both rules are masks, with True = may attend. Here
the pad is 0, the source has one pad at its end, and so has the target:

>>> src, tgt = torch.tensor([[5, 9, 0]]), torch.tensor([[1, 7, 0]])
>>> padding_mask(src, pad_id=0)[0, 0]  # for the encoder, and for cross-attention
tensor([[ True,  True, False]])
>>> causal_mask(3)  # the future is hidden
tensor([[ True, False, False],
        [ True,  True, False],
        [ True,  True,  True]])
>>> combine_masks(causal_mask(3), padding_mask(tgt, pad_id=0))[0, 0]  # and the pad as well
tensor([[ True, False, False],
        [ True,  True, False],
        [ True,  True, False]])

What is graded
--------------

One class, in this order: ``__init__``, until the names and shapes of the parameters are those
below; ``encode``; ``decode``; ``forward``, which makes the masks; then, in ``__init__`` once more,
tied weights and the start (these two have no TODO of their own).

You put parts together, and the lesson is which goes where, above all the masks. Embeddings,
positions, masks, encoder, decoder and the last norms are imported from your own earlier exercises,
and your encoder and decoder are made of your own attention, networks and connections: nothing in
this model is torch's but the linear layers and the tables. If one of your parts is wrong or
not written yet, what fails here because of it is *blocked*, and says which one comes first. How
they are made and, in the second line of each, called:

    TokenEmbedding(vocab_size, d_model, scale=True)
        (ids)
    PositionalEncoding(d_model, dropout=0.1, max_len=5000)
        (x)
    EncoderLayer(d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu")
        (x, mask=None, need_weights=False)
    Encoder(layer, num_layers, norm=None)
        (x, mask=None, need_weights=False)
    DecoderLayer(d_model, num_heads, d_ff, dropout=0.1, norm_first=False, activation="relu")
        (tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False)
    Decoder(layer, num_layers, norm=None)
        (tgt, memory, tgt_mask=None, memory_mask=None, need_weights=False)
    LayerNorm(d_model, eps=1e-05, bias=True)
        (x)
    padding_mask(ids, pad_id)
    causal_mask(q_len, k_len=None, *, device=None)
    combine_masks(*masks)

Encoder and decoder answer with a tensor, and with more only if need_weights is True.

Nothing but dropout depends on the mode (train or eval). Apart from what can be learned, nothing is
remembered between calls, and no model knows of another. Nothing here sets the seed of
torch's random generator: a program that needs the same numbers twice does that itself.

Why it is like this
-------------------

Why two stacks? The source is known as a whole, so its tokens may look in both directions. The
target is written from left to right, so its tokens may not. Later models often keep one of the two:
BERT is an encoder alone, GPT a decoder alone; T5 has both.

Why does the source's mask appear twice? Encoder and decoder both read source positions: the
encoder in its self-attention, the decoder in its cross-attention. Pads are hidden in both.

How does it translate a new sentence, whose target nobody knows? Compute the memory once. Begin the
target with ``<s>``, take the largest logit of the last position as the next token, append it, and
go on until it is ``</s>``. (This is called *greedy decoding*, and is not part of the exercise.)

Why return logits, no probabilities? The usual loss, cross-entropy, takes logits: it computes the
logarithm of the softmax in one step, which is more exact.

Why tie weights? An embedding says what a token means when it is read, a row of the generator says
which vectors call for this token. One table can do both, if both languages share one vocabulary. In
the base model of the paper, with 37,000 tokens, this saves 38 of 101 million numbers.

Why Xavier's start? It draws numbers with the variance 2 / (inputs + outputs), so that values keep
their size on the way up and gradients on the way down. The paper does not say how it started;
"The Annotated Transformer" starts like this.

Look further
------------

Vaswani et al. 2017, "Attention Is All You Need", section 3 and figure 1; 3.4 on tied weights.
Rush 2018, "The Annotated Transformer": the paper's text beside a whole program.
Glorot and Bengio 2010, "Understanding the difficulty of training deep feedforward neural networks".
"""

from __future__ import annotations

import torch
from decoder import Decoder, DecoderLayer
from encoder import Encoder, EncoderLayer
from jaxtyping import Bool, Float, Int
from layer_norm import LayerNorm
from masks import causal_mask, combine_masks, padding_mask
from positional_encoding import PositionalEncoding, TokenEmbedding
from torch import Tensor, nn


class Transformer(nn.Module):
    """Token numbers of a source and a target in, logits for the target's next tokens out.

    Source and target have a ``TokenEmbedding`` each, which multiplies by sqrt(d_model) itself, and
    ``PositionalEncoding(d_model, dropout, max_len)`` adds the positions; it has no parameters, so
    one may serve both sides. Dropout, in train mode only, acts there and inside the layers, always
    with the probability ``dropout``. Every number is dropped on its own, and afresh in every call.
    The layers use ReLU. A post-norm stack ends with its last layer; a pre-norm stack
    (``norm_first``) ends with a ``LayerNorm``, one for each stack.

    Parameters:

    - src_embedding.embedding.weight (src_vocab, d_model)
    - tgt_embedding.embedding.weight (tgt_vocab, d_model)
    - encoder.layers.0.self_attn.w_q.weight and so on: those of your ``Encoder``; with
      norm_first also encoder.norm.weight, encoder.norm.bias (d_model,)
    - decoder.layers.0.self_attn.w_q.weight and so on: likewise those of your ``Decoder``
    - generator.weight (tgt_vocab, d_model), generator.bias (tgt_vocab,): ``generator`` is an
      ``nn.Linear``

    With ``tie_weights`` both embeddings and the generator have one Parameter for their weight,
    counted once and trained from all three sides, and the generator has no bias. Each of the three
    modules is still there under its name. They are still one in a deep copy of the model, which
    shares nothing with the original. Without it nothing is shared, whatever the sizes. Every option
    works with every other.

    At the start every matrix, the tables of the embeddings included, is drawn from
    ``nn.init.xavier_uniform_``, each on its own and afresh in every model: layers that were copied
    must not begin alike. Vectors stay as your parts make them, that of the generator as torch makes
    it.

    The model can be built under ``torch.device("meta")``. On this device tensors have shapes but no
    numbers, so a model of any size can be made and counted without memory. A model moved by
    ``.to(...)`` works on the other device and in the other dtype.

    Token numbers run up to the size of their vocabulary, less one (int64). Arguments that are not
    given are what the signature says: num_heads=8, dropout=0.1, max_len=5000 and so on.

    Args:
        max_len: the greatest length of a source or target.
        pad_id: the token number that fills up short sentences; any number. Pads may stand
            anywhere, but every source has at least one token that is no pad, and no target begins
            with a pad.

    Raises:
        ValueError: tie_weights is asked for, but src_vocab and tgt_vocab differ.

    Source: Vaswani et al. 2017, sections 3.1, 3.4 and 5.4; the start as in Rush 2018.

    44 + 52 numbers in the tables, 154 in the layer of the encoder, 242 in each of the decoder's,
    52 + 13 in the generator:

    >>> model = Transformer(11, 13, 4, 2, num_encoder_layers=1, num_decoder_layers=2, d_ff=6)
    >>> sum(weights.numel() for weights in model.parameters())
    799

    More pads behind the source change nothing (0 is the pad here):

    >>> model = model.eval()
    >>> src, tgt = torch.tensor([[5, 9, 2]]), torch.tensor([[1, 7, 4, 12]])
    >>> more = torch.tensor([[5, 9, 2, 0, 0]])
    >>> torch.allclose(model(src, tgt), model(more, tgt), atol=1e-5)
    True

    If all weights but the generator's bias are 0, the logits are that bias:

    >>> for weights in model.parameters():
    ...     _ = nn.init.zeros_(weights)
    >>> _ = model.generator.bias.data.copy_(torch.arange(13))
    >>> model(src, tgt)[0, :, 10:].detach()
    tensor([[10., 11., 12.],
            [10., 11., 12.],
            [10., 11., 12.],
            [10., 11., 12.]])
    """

    def __init__(
        self,
        src_vocab: int,
        tgt_vocab: int,
        d_model: int = 512,
        num_heads: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        d_ff: int = 2048,
        dropout: float = 0.1,
        max_len: int = 5000,
        pad_id: int = 0,
        tie_weights: bool = False,
        norm_first: bool = False,
    ) -> None:
        super().__init__()
        if tie_weights and src_vocab != tgt_vocab:
            raise ValueError(f"{src_vocab} and {tgt_vocab} tokens cannot share one table")
        self.pad_id = pad_id
        self.src_embedding = TokenEmbedding(src_vocab, d_model)
        self.tgt_embedding = TokenEmbedding(tgt_vocab, d_model)
        self.positions = PositionalEncoding(d_model, dropout, max_len)
        sizes = d_model, num_heads, d_ff, dropout, norm_first
        norms = [LayerNorm(d_model) if norm_first else None for _ in range(2)]
        self.encoder = Encoder(EncoderLayer(*sizes), num_encoder_layers, norms[0])
        self.decoder = Decoder(DecoderLayer(*sizes), num_decoder_layers, norms[1])
        self.generator = nn.Linear(d_model, tgt_vocab, bias=not tie_weights)
        if tie_weights:
            self.tgt_embedding.embedding.weight = self.src_embedding.embedding.weight
            self.generator.weight = self.src_embedding.embedding.weight
        for weights in self.parameters():
            if weights.ndim == 2:
                nn.init.xavier_uniform_(weights)

    def encode(
        self, src: Int[Tensor, "B S"], src_mask: Bool[Tensor, "B 1 1 S"] | None = None
    ) -> Float[Tensor, "B S d_model"]:
        """The memory: what the encoder makes of the source.

        ``src_mask`` says who may attend to whom in the encoder. None hides nothing, not even pads.

        Raises:
            ValueError: the source has more than ``max_len`` tokens.
        """
        return self.encoder(self.positions(self.src_embedding(src)), src_mask)

    def decode(
        self,
        tgt: Int[Tensor, "B T"],
        memory: Float[Tensor, "B S d_model"],
        src_mask: Bool[Tensor, "B 1 1 S"] | None = None,
        tgt_mask: Bool[Tensor, "B 1 T T"] | Bool[Tensor, "T T"] | None = None,
    ) -> Float[Tensor, "B T d_model"]:
        """What the decoder makes of the target and the memory, before the generator.

        ``src_mask`` says which tokens of the memory may be attended to, ``tgt_mask`` who may attend
        to whom in the target. None hides nothing: neither pads nor later tokens. Mind the order:
        here ``src_mask`` comes first, and ``Decoder`` takes the target's mask before the memory's.

        Raises:
            ValueError: the target has more than ``max_len`` tokens.
        """
        x = self.positions(self.tgt_embedding(tgt))
        return self.decoder(x, memory, tgt_mask, src_mask)

    def forward(
        self, src: Int[Tensor, "B S"], tgt: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T tgt_vocab"]:
        """The logits at every position of the target, as they are, no softmax.

        ``forward`` makes the masks, from ``pad_id`` and on the device of its inputs: no token, of
        source or target, attends to a pad, and no token of the target to one after it. A pad itself
        attends to others like any other token. Nothing is shifted: logits[b, t] is for the token
        after tgt[b, t].
        """
        src_mask = padding_mask(src, self.pad_id)
        future = causal_mask(tgt.shape[1], device=tgt.device)
        tgt_mask = combine_masks(future, padding_mask(tgt, self.pad_id))
        memory = self.encode(src, src_mask)
        return self.generator(self.decode(tgt, memory, src_mask, tgt_mask))
