"""Right answers to ``transformer`` that are written differently."""

from __future__ import annotations

import logging
import math

import torch
import torch.nn.functional as F
from decoder import Decoder, DecoderLayer
from encoder import Encoder, EncoderLayer
from masks import causal_mask, combine_masks, padding_mask
from positional_encoding import PositionalEncoding, TokenEmbedding, sinusoidal_encoding
from torch import nn
from torch.utils.checkpoint import checkpoint
from transformer import Transformer

from grader.check import variant


class Table(nn.Module):
    """An embedding under the documented name, unscaled."""

    def __init__(self, vocab, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width)


@variant(of="Transformer")
class OwnTables(nn.Module):
    """Embeddings and a table of positions of its own, and masks from triu."""

    def __init__(
        self,
        src_vocab,
        tgt_vocab,
        d_model=512,
        num_heads=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        d_ff=2048,
        dropout=0.1,
        max_len=5000,
        pad_id=0,
        tie_weights=False,
        norm_first=False,
    ):
        super().__init__()
        if tie_weights:
            assert src_vocab == tgt_vocab, "one table needs one vocabulary"
        self.pad_id, self.scale = pad_id, d_model**0.5
        sizes = d_model, num_heads, d_ff, dropout, norm_first
        self.generator = nn.Linear(d_model, tgt_vocab, bias=not tie_weights)
        self.src_embedding = Table(src_vocab, d_model)
        self.tgt_embedding = Table(tgt_vocab, d_model)
        self.register_buffer("table", sinusoidal_encoding(max_len, d_model)[None])
        self.drop = nn.Dropout(dropout)
        norms = [nn.LayerNorm(d_model), nn.LayerNorm(d_model)] if norm_first else [None, None]
        self.encoder = Encoder(EncoderLayer(*sizes), num_encoder_layers, norms.pop())
        self.decoder = Decoder(DecoderLayer(*sizes), num_decoder_layers, norms.pop())
        if tie_weights:
            for side in (self.src_embedding, self.tgt_embedding):
                side.embedding.weight = self.generator.weight
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def embed(self, ids, side):
        if ids.shape[1] > self.table.shape[1]:
            raise ValueError("too long")
        return self.drop(side.embedding(ids) * self.scale + self.table[:, : ids.shape[1]])

    def encode(self, src, src_mask=None):
        return self.encoder(self.embed(src, self.src_embedding), src_mask)

    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        x = self.embed(tgt, self.tgt_embedding)
        return self.decoder(x, memory, memory_mask=src_mask, tgt_mask=tgt_mask)

    def forward(self, src, tgt):
        future = torch.triu(
            torch.ones(tgt.shape[1], tgt.shape[1], dtype=torch.bool, device=tgt.device), 1
        )
        seen = ~src.eq(self.pad_id)[:, None, None]
        hidden = ~(future | tgt.eq(self.pad_id)[:, None, None])
        return self.generator(self.decode(tgt, self.encode(src, seen), seen, hidden))


@variant(of="Transformer")
class EverythingByHand(nn.Module):
    """Two modules for positions, keyword arguments, masks from comparisons, init by apply."""

    def __init__(
        self,
        src_vocab,
        tgt_vocab,
        d_model=512,
        num_heads=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        d_ff=2048,
        dropout=0.1,
        max_len=5000,
        pad_id=0,
        tie_weights=False,
        norm_first=False,
    ):
        super().__init__()
        self.pad = pad_id
        self.decoder = Decoder(
            DecoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first),
            num_layers=num_decoder_layers,
            norm=nn.LayerNorm(d_model) if norm_first else None,
        )
        self.encoder = Encoder(
            EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first),
            num_layers=num_encoder_layers,
            norm=nn.LayerNorm(d_model) if norm_first else None,
        )
        self.src_positions = PositionalEncoding(d_model, dropout=dropout, max_len=max_len)
        self.tgt_positions = PositionalEncoding(d_model, dropout=dropout, max_len=max_len)
        if tie_weights:
            if src_vocab != tgt_vocab:
                raise ValueError("two vocabularies")
            self.src_embedding = self.tgt_embedding = TokenEmbedding(src_vocab, d_model)
            self.generator = nn.Linear(d_model, tgt_vocab, bias=False)
            self.generator.weight = self.tgt_embedding.embedding.weight
        else:
            self.tgt_embedding = TokenEmbedding(tgt_vocab, d_model)
            self.src_embedding = TokenEmbedding(src_vocab, d_model)
            self.generator = nn.Linear(d_model, tgt_vocab)
        self.apply(self.start)

    @staticmethod
    def start(module):
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.xavier_uniform_(module.weight)

    def encode(self, src, src_mask=None):
        x = self.src_positions(self.src_embedding(src))
        for layer in self.encoder.layers:
            x = layer(x, mask=src_mask)
        return x if self.encoder.norm is None else self.encoder.norm(x)

    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        x = self.tgt_positions(self.tgt_embedding(tgt))
        return self.decoder(x, memory, tgt_mask=tgt_mask, memory_mask=src_mask)

    def forward(self, src, tgt):
        source = src.ne(self.pad).unsqueeze(1).unsqueeze(1)
        i = torch.arange(tgt.size(1), device=tgt.device)
        target = (i[None, :] <= i[:, None])[None, None] & tgt.ne(self.pad)[:, None, None, :]
        hidden = self.decode(tgt, self.encode(src, source), source, target)
        return self.generator(hidden)


@variant(of="Transformer")
class TiedFromTheTarget(Transformer):
    """The target's table is the one that stays."""

    def __init__(self, *args, tie_weights=False, **options):
        super().__init__(*args, tie_weights=tie_weights, **options)
        if tie_weights:
            table = nn.Parameter(self.tgt_embedding.embedding.weight.detach().clone())
            self.generator.weight = table
            self.src_embedding.embedding.weight = table
            self.tgt_embedding.embedding.weight = table


@variant(of="Transformer")
class MasksExpanded(Transformer):
    """All masks in full size, and memory first."""

    def forward(self, src, tgt):
        (batch, source), target = src.shape, tgt.shape[1]
        seen = padding_mask(src, self.pad_id)
        memory = self.encode(src, seen.expand(batch, 1, source, source).contiguous())
        own = padding_mask(tgt, self.pad_id).expand(batch, 1, target, target)
        own = own.logical_and(causal_mask(target, device=tgt.device))
        hidden = self.decode(tgt, memory, seen.expand(batch, 1, target, source), own)
        return F.linear(hidden, self.generator.weight, self.generator.bias)


@variant(of="Transformer")
class MasksFromFloats(Transformer):
    """Masks counted with numbers, and turned into bools at the end."""

    def forward(self, src, tgt):
        length = tgt.shape[1]
        keep = (src != self.pad_id).to(torch.float32)
        triangle = torch.ones(length, length, device=tgt.device).cumsum(0)
        triangle = (triangle >= torch.arange(1, length + 1, device=tgt.device)).float()
        real = (tgt != self.pad_id).to(torch.float32)
        own = torch.einsum("ij,bj->bij", triangle, real)[:, None] > 0
        seen = keep[:, None, None] > 0
        return self.generator(self.decode(tgt, self.encode(src, seen), seen, own))


@variant(of="Transformer")
class MaskRowByRow(Transformer):
    """The mask of the target built row by row."""

    def forward(self, src, tgt):
        rows = [
            torch.where(torch.arange(tgt.shape[1], device=tgt.device) <= i, tgt, self.pad_id)
            for i in range(tgt.shape[1])
        ]
        own = (torch.stack(rows, dim=1) != self.pad_id).unsqueeze(1)
        seen = (src != self.pad_id).view(src.shape[0], 1, 1, src.shape[1])
        memory = self.encode(src, src_mask=seen)
        return self.generator(self.decode(tgt, memory, src_mask=seen, tgt_mask=own))


@variant(of="Transformer")
class ScaleInTheModel(Transformer):
    """TokenEmbedding without its factor; encode and decode multiply."""

    def __init__(self, src_vocab, tgt_vocab, d_model=512, *args, **options):
        super().__init__(src_vocab, tgt_vocab, d_model, *args, **options)
        self.src_embedding.factor = self.tgt_embedding.factor = 1.0
        self.width = d_model

    def encode(self, src, src_mask=None):
        x = self.src_embedding(src) * math.sqrt(self.width)
        return self.encoder(self.positions(x), src_mask)

    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        x = self.positions(math.sqrt(self.width) * self.tgt_embedding(tgt))
        return self.decoder(x, memory, tgt_mask, src_mask)


@variant(of="Transformer")
class DrawnByFormula(Transformer):
    """Xavier's bound by hand, named parameters, everything drawn once more."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        with torch.no_grad():
            for _, p in self.named_parameters():
                if p.dim() == 2:
                    bound = math.sqrt(6.0 / (p.shape[0] + p.shape[1]))
                    p.copy_((torch.rand_like(p) * 2 - 1) * bound)


@variant(of="Transformer")
class LooksAtItsTokens(Transformer):
    """Refuses what is no token, looks whether there are pads at all, asserts and logs."""

    def forward(self, src, tgt):
        for ids, side in ((src, self.src_embedding), (tgt, self.tgt_embedding)):
            if int(ids.max()) >= side.embedding.num_embeddings:
                raise ValueError("a number that is no token")
        logging.getLogger(__name__).debug("%s, %s", tuple(src.shape), tuple(tgt.shape))
        seen = padding_mask(src, self.pad_id) if (src == self.pad_id).any() else None
        own = causal_mask(tgt.shape[1], device=tgt.device)
        if (tgt == self.pad_id).any():
            own = combine_masks(own, padding_mask(tgt, self.pad_id))
        logits = self.generator(self.decode(tgt, self.encode(src, seen), seen, own))
        assert logits.isfinite().all(), "the model has diverged"
        return logits


@variant(of="Transformer")
class AnnotatedMasks(Transformer):
    """As in The Annotated Transformer: subsequent_mask from triu, masks unsqueezed and combined."""

    @staticmethod
    def subsequent_mask(size, device):
        ones = torch.ones((1, size, size), device=device)
        return torch.triu(ones, diagonal=1).type(torch.uint8) == 0

    def forward(self, src, tgt):
        src_mask = (src != self.pad_id).unsqueeze(-2).unsqueeze(1)
        tgt_mask = (tgt != self.pad_id).unsqueeze(-2)
        tgt_mask = tgt_mask & self.subsequent_mask(tgt.size(-1), tgt.device).type_as(tgt_mask)
        return self.generator(
            self.decode(tgt, self.encode(src, src_mask), src_mask, tgt_mask.unsqueeze(1))
        )


@variant(of="Transformer")
class Checkpointed(Transformer):
    """Every layer is checkpointed in training."""

    def encode(self, src, src_mask=None):
        x = self.positions(self.src_embedding(src))
        for layer in self.encoder.layers:
            x = self.run(layer, x, src_mask)
        return x if self.encoder.norm is None else self.encoder.norm(x)

    def decode(self, tgt, memory, src_mask=None, tgt_mask=None):
        x = self.positions(self.tgt_embedding(tgt))
        for layer in self.decoder.layers:
            x = self.run(layer, x, memory, tgt_mask, src_mask)
        return x if self.decoder.norm is None else self.decoder.norm(x)

    def run(self, layer, *args):
        return checkpoint(layer, *args, use_reentrant=False) if self.training else layer(*args)


@variant(of="Transformer")
class MasksKeptByLength(Transformer):
    """The causal mask is kept, one for every length and device: it is the same in every batch."""

    def forward(self, src, tgt):
        kept = self.__dict__.setdefault("_causal", {})
        key = tgt.shape[1], tgt.device
        if key not in kept:
            kept[key] = causal_mask(tgt.shape[1], device=tgt.device)
        seen, own = padding_mask(src, self.pad_id), padding_mask(tgt, self.pad_id)
        return self.generator(self.decode(tgt, self.encode(src, seen), seen, own & kept[key]))
