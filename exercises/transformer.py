"""The Transformer: an encoder that reads, a decoder that writes.

The encoder turns the source into a memory, one vector a token, all of them seen from both sides.
The decoder runs over the target: each position looks at what was written before it and at the
whole memory, and says what comes next.

    memory = encoder(positions(embedding(src)))
    hidden = decoder(positions(embedding(tgt)), memory)
    logits = hidden W^T + b

Nothing new is computed here. You put together what you have built: the modules are imported from
your own earlier exercises, and the lesson is which goes where, above all the masks.

Masks are boolean and True = may attend.

Nothing but dropout depends on the mode (train or eval). Apart from what can be learned, nothing is
remembered between calls, and no model knows of another. Nothing here seeds torch's random
generator: who wants the same numbers twice seeds it before.

Source: Vaswani et al. 2017, "Attention Is All You Need", section 3 and figure 1.
"""

from __future__ import annotations

import torch
from decoder import Decoder, DecoderLayer
from encoder import Encoder, EncoderLayer
from jaxtyping import Bool, Float, Int
from masks import causal_mask, combine_masks, padding_mask
from positional_encoding import PositionalEncoding, TokenEmbedding
from torch import Tensor, nn


class Transformer(nn.Module):
    """Token numbers of a source and a target in, scores for the target's next tokens out.

    Source and target have a ``TokenEmbedding`` each, times sqrt(d_model), to which
    ``PositionalEncoding(d_model, dropout, max_len)`` adds the positions; it has no parameters, so
    one may serve both sides. Dropout, in train mode only, acts there and inside the layers, always
    with the probability ``dropout``. Every number is dropped on its own, and afresh in every call.
    The layers use ReLU. A post-norm stack ends with its last layer; a pre-norm stack
    (``norm_first``) ends with a LayerNorm, one for each stack.

    Parameters:

    - src_embedding.embedding.weight (src_vocab, d_model)
    - tgt_embedding.embedding.weight (tgt_vocab, d_model)
    - encoder.layers.0.self_attn.in_proj_weight and so on: those of your ``Encoder``; with
      norm_first also encoder.norm.weight, encoder.norm.bias (d_model,)
    - decoder.layers.0.self_attn.in_proj_weight and so on: likewise those of your ``Decoder``
    - generator.weight (tgt_vocab, d_model), generator.bias (tgt_vocab,): ``generator`` is an
      ``nn.Linear``

    With ``tie_weights`` both embeddings and the generator have one Parameter for their weight,
    counted once and trained from all three sides, and the generator has no bias. Each of the three
    modules is still there under its name. They are still one in a deep copy of the model, which
    shares nothing with the original. Without it nothing is shared, whatever the sizes. Every option
    works with every other.

    At the start every matrix, the tables of the embeddings included, is drawn from
    ``nn.init.xavier_uniform_``, each on its own and afresh in every model: layers that were copied
    must not begin alike. in_proj_weight is drawn in one piece, (3 d_model, d_model). Vectors stay
    as torch makes them.

    The model can be built under ``torch.device("meta")``, where no memory is needed, and a model
    moved by ``.to(...)`` works on the other device and in the other dtype.

    Token numbers run up to the size of their vocabulary, less one (int64). Who says nothing gets
    what the signature says: num_heads=8, dropout=0.1, max_len=5000 and so on.

    Args:
        max_len: the greatest length of a source or target.
        pad_id: the token number that fills up short sentences; any number. Pads may stand
            anywhere, but every source has another token, and every target begins with one.

    Raises:
        ValueError: tie_weights is asked for, but src_vocab and tgt_vocab differ.

    Source: Vaswani et al. 2017, sections 3.1, 3.4 and 5.4; Glorot and Bengio 2010 (the start).

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

    With the generator's bias as the only weight, it alone is what comes out:

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
        # TODO: step 1 of 4
        raise NotImplementedError("transformer: replace this line")

    def encode(
        self, src: Int[Tensor, "B S"], src_mask: Bool[Tensor, "B 1 1 S"] | None = None
    ) -> Float[Tensor, "B S d_model"]:
        """The memory: what the encoder makes of the source.

        ``src_mask`` says who may attend to whom in the encoder. None hides nothing, not even pads.

        Raises:
            ValueError: the source has more than ``max_len`` tokens.
        """
        # TODO: step 1 of 4
        raise NotImplementedError("transformer: replace this line")

    def decode(
        self,
        tgt: Int[Tensor, "B T"],
        memory: Float[Tensor, "B S d_model"],
        src_mask: Bool[Tensor, "B 1 1 S"] | None = None,
        tgt_mask: Bool[Tensor, "B 1 T T"] | Bool[Tensor, "T T"] | None = None,
    ) -> Float[Tensor, "B T d_model"]:
        """What the decoder makes of the target and the memory, before the generator.

        ``src_mask`` says which tokens of the memory may be attended to, ``tgt_mask`` who may attend
        to whom in the target. None hides nothing: neither pads nor the future.

        Raises:
            ValueError: the target has more than ``max_len`` tokens.
        """
        # TODO: step 2 of 4
        raise NotImplementedError("transformer: replace this line")

    def forward(
        self, src: Int[Tensor, "B S"], tgt: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T tgt_vocab"]:
        """The logits at every position of the target: scores as they are, no softmax.

        ``forward`` makes the masks, from ``pad_id`` and on the device of its inputs: no token, of
        source or target, attends to a pad, and no token of the target to one after it. Pads may
        ask as all others do. Nothing is shifted: logits[b, t] is for the token after tgt[b, t].
        """
        # TODO: step 3 of 4, the logits
        #       step 4 of 4, the masks
        raise NotImplementedError("transformer: replace this line")
