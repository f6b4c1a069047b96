"""Wrong answers to ``kv_cache``: its page with a slip, and what the author is told."""

from __future__ import annotations

import torch
from attention import scaled_dot_product_attention
from heads import merge_heads, split_heads
from masks import causal_mask
from torch import nn

from grader.check import Bank

wrong = Bank()

APPEND, ROOM, RESET = "append_returns_what_is_stored", "no_more_than_there_is_room", "reset_forgets"
REORDER, APART, HISTORY = "reorder", "caches_share_nothing", "stores_no_history"
NEW, DTYPE = "append_writes_only_what_is_new", "dtype_and_device"
PLAIN, CACHED, CHUNK = "layer_without_a_cache", "layer_with_a_cache", "a_chunk_stays_causal"
UNWRITTEN, TEXTS = "unwritten_places_are_never_seen", "one_layer_two_texts"
DIVIDE = "heads_must_divide_the_width"
PARTS, OPTIONS, CACHES = "model_in_parts", "options_of_the_model", "new_caches"
POSITIONS, GRAPH = "no_more_than_there_are_positions", "logits_have_no_history"
GREEDY, ON, TWO = "writes_what_is_most_likely", "goes_on_with_a_text", "two_texts_share_nothing"
FURTHER = "writes_no_further_than_positions"
STEP, WRITING = "a_token_costs_the_same", "writing_costs_what_is_new"

IS_FULL = """if end > self.k.shape[2]:
            raise ValueError(f"{end} tokens, but there is room for {self.k.shape[2]} only")
"""
BOTH_ENDS = "start, end = self.length, self.length + k.shape[2]"
STORED = "self.k[:, :, :end], self.v[:, :, :end]"
CUT_OFF = (  # in the place of writing into the buffer
    "self.k[:, :, start:end] = k.detach()",
    "self.k = torch.cat([self.k[:, :, :start], k.detach()], dim=2)",
    "self.v[:, :, start:end] = v.detach()",
    "self.v = torch.cat([self.v[:, :, :start], v.detach()], dim=2)",
)
REORDERED = "self.k, self.v = self.k[rows], self.v[rows]"
ROOM_MADE = "room = torch.zeros(batch, num_heads, max_len, head_dim, dtype=dtype, device=device)"
WITH_CACHE = "if cache is not None:\n            k, v = cache.append(k, v)\n"
MASK = "causal_mask(q.shape[-2], k.shape[-2], device=x.device)"
LAYERS = "(self.w_q, self.w_k, self.w_v)"
NEW_CACHES = "[KVCache(*shape, dtype=table.dtype, device=table.device) for _ in self.blocks]"
NO_POSITION = """if end > table.shape[0]:
            raise ValueError(f"{end} tokens, but there are positions for {table.shape[0]} only")
"""
NO_ROOM = """if any(end > cache.k.shape[2] for cache in caches):
            raise ValueError(f"{end} tokens, but there is not room for them in every cache")
"""
ATTENDS = "x = block.residual1(x, partial(block.attention, cache=cache))"
NONE = "if caches is None:\n        caches = model.new_caches(idx.shape[0])\n"
CHOSEN = "new = model(new, caches)[:, -1].argmax(-1, keepdim=True)"

# The page as it stands when later steps are not written.
wrong.up_to("CachedAttention: without a cache", "CachedAttention",
    "if cache is not None", "if False")
wrong.up_to("KVCache.append", "KVCache.append",
    "if end > self.k.shape[2]:", "if False:", ".detach()", "", ".detach()", "")
wrong.up_to("KVCache.append", "KVCache.append", "if end > self.k.shape[2]:", "if False:")

# The store ----------------------------------------------------------------------------------------

wrong("KVCache.append", "appended_behind_the_whole_room", APPEND,
    """You append with torch.cat behind all places of the buffer, the unused ones too: these were
    made full of zeros. Write into the places from length on, and return those up to the new
    length.""",
    "self.k[:, :, start:end] = k.detach()", "self.k = torch.cat([self.k, k.detach()], 2)",
    "self.v[:, :, start:end] = v.detach()", "self.v = torch.cat([self.v, v.detach()], 2)",
    STORED, "self.k, self.v")

wrong("KVCache.append", "the_buffer_is_cut_off", f"{APPEND} {CACHED}",
    """torch.cat makes a new, shorter tensor of the buffer, what is stored and the new tokens: its
    size is no longer max_len, so the next token finds no room. Write into the places of the buffer,
    self.k[:, :, start:end] = k.""",
    *CUT_OFF, STORED, "self.k, self.v")

wrong("KVCache.append", "puts_the_room_together_again", NEW,
    """You make a tensor as large as the whole room for every token, as torch.cat of what is before
    the new places, the new ones and what is behind them does, and clone. Assign to a slice of the
    buffer.""",
    "self.k[:, :, start:end] = k.detach()",
    "self.k = torch.cat([self.k[:, :, :start], k.detach(), self.k[:, :, end:]], 2)",
    "self.v[:, :, start:end] = v.detach()",
    "self.v = torch.cat([self.v[:, :, :start], v.detach(), self.v[:, :, end:]], 2)")

wrong("KVCache.append", "the_whole_room", f"{APPEND} {CACHED}",
    """You return the whole buffers: a place where nothing is stored holds a key of zeros, whose
    score is 0 and whose exponential is 1, so it takes weight from the others. Return the places up
    to the length.""",
    STORED, "self.k, self.v")

wrong("KVCache.append", "the_new_ones_only", f"{APPEND} {CACHED}",
    """You return what was appended: wanted are the keys and values of all tokens that are stored by
    now, for the new queries look at all of them.""",
    STORED, "k.detach(), v.detach()")

wrong("KVCache.append", "all_but_the_new_ones", f"{APPEND} {CACHED}",
    """You return what was stored before this call: the new tokens are stored now as well, and each
    attends to itself.""",
    STORED, "self.k[:, :, :start], self.v[:, :, :start]")

wrong("KVCache.append", "length_raised_first", APPEND,
    """You raise the length before you store, so the new numbers stand too far behind, and what
    comes back is what stood there before. Store first, then raise the length.""",
    "self.k[:, :, start:end] =", "self.k[:, :, end : end + k.shape[2]] =",
    "self.v[:, :, start:end] =", "self.v[:, :, end : end + v.shape[2]] =")

wrong("KVCache.append", "length_is_not_counted", APPEND,
    """You do not count the length up, so the next tokens overwrite these.""",
    "self.length = end\n", "pass\n")

wrong("KVCache.append", "counts_calls", APPEND,
    """You count one token for each call: a call may append several, as many as axis 2 of k is
    long.""",
    "self.length = end\n", "self.length = start + 1\n")

wrong("KVCache.append", "counts_calls_and_returns_so_many", APPEND,
    """Your length grows by one in each call, and so many places come back: a call may append more
    tokens, k.shape[2] of them.""",
    "self.length = end\n", "self.length = start + 1\n",
    STORED, "self.k[:, :, : self.length], self.v[:, :, : self.length]")

wrong("KVCache.append", "length_from_the_wrong_axis", APPEND,
    """You take the number of new tokens from axis 1, which counts the heads: tokens are on axis
    2.""",
    BOTH_ENDS, "start, end = self.length, self.length + k.shape[1]")

wrong("KVCache.append", "keys_as_values", APPEND,
    "You store the keys as values, too: each buffer takes its own.",
    "v.detach()", "k.detach()")

wrong("KVCache.append", "values_come_first", APPEND,
    "You return the values first: the keys come first, as in the arguments.",
    STORED, "self.v[:, :, :end], self.k[:, :, :end]")

wrong("KVCache.append", "newest_first", APPEND,
    """You put the new tokens in front: they follow those that are stored, for the mask says by the
    place who is earlier.""",
    STORED, "*(torch.cat([new.detach(), old[:, :, :start]], 2) for new, old in ((k, self.k), (v, "
    "self.v))),")

wrong("KVCache.__init__", "one_buffer_for_both", APPEND,
    """Keys and values share one tensor, so the values overwrite the keys: make two.""",
    "room.clone()", "room")

wrong("KVCache.append", "refuses_the_last_place", ROOM,
    "You refuse the last token that has a place: max_len tokens fit.",
    "if end > self.k.shape[2]:", "if end >= self.k.shape[2]:")

wrong("KVCache.append", "overwrites_the_last_places", ROOM,
    """When there is no room left you overwrite the newest tokens: they are lost, and nobody is
    told. Raise ValueError.""",
    IS_FULL, "if end > self.k.shape[2]:\n            start, end = self.k.shape[2] - k.shape[2], "
    "self.k.shape[2]\n",
    NO_ROOM, "pass\n")

wrong("KVCache.append", "stores_what_fits", ROOM,
    """Of a chunk that is too long you store as much as fits: refuse all of it, and change
    nothing.""",
    IS_FULL, "free = self.k.shape[2] - start\n        k, v, end = k[:, :, :free], v[:, :, :free], "
    "min(end, self.k.shape[2])\n",
    NO_ROOM, "pass\n")

wrong("KVCache.append", "takes_more_room", ROOM,
    """You make the room larger when it is full: max_len is the limit that was asked for, and more
    raises ValueError.""",
    IS_FULL, "if end > self.k.shape[2]:\n            more = torch.zeros_like(self.k)\n            "
    "self.k, self.v = torch.cat([self.k, more], 2), torch.cat([self.v, more], 2)\n",
    NO_ROOM, "pass\n")

wrong("KVCache.append", "counts_before_it_refuses", ROOM,
    """You count the length up before you refuse: after a refusal the cache must be as it was
    before. Raise first, then change.""",
    BOTH_ENDS, f"{BOTH_ENDS}\n        self.length = end")

wrong("KVCache.append", "each_chunk_by_itself", ROOM,
    """You ask whether the new tokens alone fit into the room: what counts is all that is stored
    together.""",
    IS_FULL, IS_FULL.replace("end > self", "k.shape[2] > self") + "        self.k, self.v = "
    "(torch.nn.functional.pad(old, (0, 0, 0, k.shape[2])) for old in (self.k, self.v))\n",
    NO_ROOM, "pass\n")

wrong("KVCache.append", "keeps_the_history", HISTORY,
    """You store k with its history for a backward pass: the memory of every step is kept for ever.
    detach() leaves the numbers, and v needs it too.""",
    "k.detach()", "k", "v.detach()", "v")

wrong("KVCache.append", "keeps_the_history_of_values", HISTORY,
    """Your keys have no history, but your values do, that of every step: detach both.""",
    "v.detach()", "v")

wrong("KVCache.append", "copies_all_of_it", NEW,
    """You copy all that is stored in every call, as clone and torch.cat do: for T tokens these are
    T (T + 1) / 2 copied places. Write the new ones into the buffer, and return a slice of it: a
    view costs nothing.""",
    STORED, "self.k[:, :, :end].clone(), self.v[:, :, :end].clone()")

wrong("KVCache.append", "a_loop_over_what_is_stored", NEW,
    """A Python loop goes over all that is stored, in every call: one slice is enough.""",
    STORED, "*(torch.stack([old[:, :, i] for i in range(end)], 2) for old in (self.k, self.v)),")


@wrong.instead_of("KVCache", NEW)
class grows_with_every_token(nn.Module):
    """A new cache of yours has no room yet. Reserve that for max_len tokens at the start, in two
    buffers: of a tensor that grows with every token all is copied each time."""

    def __init__(self, batch, num_heads, max_len, head_dim, *, dtype=None, device=None):
        super().__init__()
        empty = torch.zeros(batch, num_heads, 0, head_dim, dtype=dtype, device=device)
        self.register_buffer("k", empty, persistent=False)
        self.register_buffer("v", empty.clone(), persistent=False)
        self.max_len = max_len

    @property
    def length(self):
        return self.k.shape[2]

    def append(self, k, v):
        if self.length + k.shape[2] > self.max_len:
            raise ValueError("no room")
        self.k = torch.cat([self.k, k.detach()], 2)
        self.v = torch.cat([self.v, v.detach()], 2)
        return self.k, self.v

    def reset(self):
        self.k, self.v = self.k[:, :, :0], self.v[:, :, :0]

    def reorder(self, rows):
        self.k, self.v = self.k[rows], self.v[rows]


wrong("KVCache.__init__", "dtype_is_not_used", DTYPE,
    "You do not use dtype: both buffers are made in the dtype that is asked for.",
    "dtype=dtype, ", "")

wrong("KVCache.__init__", "device_is_not_used", DTYPE,
    "You do not use device: both buffers are made where it says.",
    ", device=device)", ")")

wrong("KVCache.__init__", "plain_tensors", f"{DTYPE} {NEW}",
    """Your tensors are plain attributes, so .to(...) leaves them where they are: register them as
    buffers.""",
    'self.register_buffer("k", room, persistent=False)', "self.k = room",
    'self.register_buffer("v", room.clone(), persistent=False)', "self.v = room.clone()")

wrong("KVCache.__init__", "parameters_for_buffers", f"{REORDER} {NEW}",
    """Your k and v are parameters: they are not learned, so make buffers of them,
    register_buffer("k", ...). A buffer may be replaced by a plain tensor, as reorder does.""",
    'self.register_buffer("k", room, persistent=False)',
    "self.k = nn.Parameter(room, requires_grad=False)",
    'self.register_buffer("v", room.clone(), persistent=False)',
    "self.v = nn.Parameter(room.clone(), requires_grad=False)")

wrong("KVCache.__init__", "parameters_that_are_learned", APPEND,
    """Your k and v are parameters that ask for a gradient, so torch refuses to write into them.
    What is stored is not learned: make buffers, register_buffer("k", ...), and writing into a slice
    of them works.""",
    'self.register_buffer("k", room, persistent=False)', "self.k = nn.Parameter(room)",
    'self.register_buffer("v", room.clone(), persistent=False)',
    "self.v = nn.Parameter(room.clone())")

wrong("KVCache", "length_is_a_buffer", NEW,
    """Your length is a tensor and one more buffer: it is an int, a plain attribute, and the buffers
    are those of the keys and the values alone.""",
    "self.length = 0", 'self.register_buffer("length", torch.zeros((), dtype=torch.long))',
    BOTH_ENDS, "start = int(self.length)\n        end = start + k.shape[2]",
    "self.length = end", "self.length += k.shape[2]",
    "self.length = 0", "self.length.zero_()")

wrong("KVCache.__init__", "room_of_the_class", APART,
    """Caches of one shape share what they store, as where one tensor belongs to the class: each
    makes its own, in __init__.""",
    'register_buffer("k", room,', 'register_buffer("k", KVCache.__dict__.get("rooms", setattr('
    'KVCache, "rooms", getattr(KVCache, "rooms", {})) or KVCache.rooms).setdefault((*room.shape, '
    'room.dtype, room.device), room),')

wrong("KVCache.reset", "fills_with_zeros", RESET,
    """reset keeps the length: the next token is stored behind the old ones, and they are attended
    to, or zeros if that is what you wrote there. The length becomes 0.""",
    "self.length = 0", "self.k.zero_(), self.v.zero_()")

wrong("KVCache.reset", "forgets_the_newest", RESET,
    "reset forgets the last token only: it forgets all of them.",
    "self.length = 0", "self.length -= 1")

wrong("KVCache.reset", "gives_the_room_back", RESET,
    "After reset there is no room any more: the room stays, and the length becomes 0.",
    "self.length = 0", "self.length, self.k, self.v = 0, self.k[:, :, :0], self.v[:, :, :0]")

wrong("KVCache.reorder", "keys_without_values", REORDER,
    "You reorder the keys and not the values: a text would look for itself and find another.",
    REORDERED, "self.k, self.v = self.k[rows], self.v[torch.arange(len(rows), device=rows.device) "
    "% len(self.v)]")

wrong("KVCache.reorder", "values_keep_their_rows", REORDER,
    """You reorder the keys and leave the values as they were: both have one row for each text, so
    both are indexed with rows.""",
    REORDERED, "self.k = self.k[rows]")

wrong("KVCache.reorder", "written_into_the_old_rows", REORDER,
    """You write the new rows into the old buffers, which have room for as many rows as before.
    There may be fewer or more: self.k = self.k[rows] puts a new buffer in the place of the old
    one.""",
    REORDERED, "self.k[:], self.v[:] = self.k[rows], self.v[rows]")

wrong("KVCache.reorder", "row_by_row_in_place", REORDER,
    """reorder copies row by row within the old buffers. So it may copy a row that was overwritten
    just before, and there stay as many rows as there were, though rows may have fewer or more. Take
    all rows at once, which makes new buffers, and keep those.""",
    REORDERED, "for b, row in enumerate(rows):\n            self.k[b] = self.k[row]\n"
    "            self.v[b] = self.v[row]")

wrong("KVCache.reorder", "written_into_the_first_rows", REORDER,
    """You write the rows that are asked for into the first rows of the old buffers, so these keep
    their size: with fewer rows old ones are left below them, and more do not fit in.""",
    REORDERED, "n = len(rows)\n        "
    "self.k[:n], self.v[:n] = self.k[rows], self.v[rows]")

wrong("KVCache.reorder", "rows_sent_where_they_come_from", REORDER,
    """You write row b to the place rows[b]. It is the other way round: row b becomes what row
    rows[b] was, so the index stands on the right side, self.k[rows].""",
    REORDERED, "self.k[rows], self.v[rows] = self.k[:], self.v[:]")

wrong("KVCache.reorder", "row_by_row_sent_where_they_come_from", REORDER,
    """You write what row b was to the place rows[b], within as many rows as there were. It is the
    other way round: row b becomes what row rows[b] was, and afterwards there are as many rows as
    rows has. Index both buffers with rows.""",
    REORDERED, """keys, values = self.k.clone(), self.v.clone()
        for b, row in enumerate(rows.tolist()):
            self.k[row], self.v[row] = keys[b], values[b]""")

wrong("KVCache.reorder", "reorder_leaves_no_room", REORDER,
    """After reorder the next token finds no room, as where only the places are taken in which
    something is stored. Take rows only and keep the third axis whole: self.k[rows].""",
    REORDERED, "self.k = self.k[rows, :, : self.length]\n"
    "        self.v = self.v[rows, :, : self.length]")

wrong("KVCache", "reorder_cuts_the_room_off", REORDER,
    """In reorder you take only the places where something is stored, so the buffers end there, and
    append writes behind their end. Take rows only and keep the third axis whole: self.k[rows].""",
    'self.register_buffer("k"', 'self.room = max_len\n        self.register_buffer("k"',
    "if end > self.k.shape[2]:", "if end > self.room:",
    REORDERED, "self.k = self.k[rows, :, : self.length]\n"
    "        self.v = self.v[rows, :, : self.length]")

wrong("KVCache.reorder", "reordered_into_plain_attributes", DTYPE,
    """After reorder the keys and values are plain tensors and no buffers: .to(...) leaves them
    behind. Assign to the buffers, self.k = self.k[rows], and do not delete them first.""",
    REORDERED, "k, v = self.k[rows], self.v[rows]\n        del self.k, self.v\n        "
    "self.k, self.v = k, v")

wrong("KVCache.reorder", "equal_rows_in_one_memory", REORDER,
    """Where all rows go on with the same one, yours are that one, seen several times (expand): what
    is stored for one of them is stored for all. Copy it for each: self.k[rows] does.""",
    REORDERED,
    """if len(rows.unique()) == 1:
            first = int(rows[0])
            self.k = self.k[first : first + 1].expand(len(rows), -1, -1, -1)
            self.v = self.v[first : first + 1].expand(len(rows), -1, -1, -1)
        else:
            self.k, self.v = self.k[rows], self.v[rows]""")

wrong("KVCache.reorder", "reorders_heads", REORDER,
    "You reorder the heads: rows are on axis 0.",
    REORDERED, "self.k, self.v = self.k[:, rows % self.k.shape[1]], self.v[:, rows % "
    "self.k.shape[1]]")

wrong("KVCache.reorder", "the_other_way_round", REORDER,
    """You put row b where rows[b] was: it is the other way round, row b becomes what row rows[b]
    was.""",
    REORDERED, "self.k, self.v = self.k[rows.argsort()], self.v[rows.argsort()]")

wrong("KVCache.reorder", "reads_what_it_has_overwritten", REORDER,
    """You copy row after row in place, and read rows that were overwritten already: take all rows
    at once, with one index.""",
    REORDERED, "self.k, self.v = self.k[torch.arange(len(rows)) % len(self.k)], "
    "self.v[torch.arange(len(rows)) % len(self.v)]\n        for b, row in enumerate(rows.tolist())"
    ":\n            self.k[b], self.v[b] = self.k[row], self.v[row]")

wrong("KVCache.reorder", "overwritten_where_rows_are_as_many", REORDER,
    """Where there are as many rows as before, a row that was overwritten already is read again: one
    index takes all rows at once, self.k[rows], before any of them changes.""",
    REORDERED, "if len(rows) != len(self.k):\n            " + REORDERED + "\n            return\n"
    "        for b, row in enumerate(rows.tolist()):\n            self.k[b] = self.k[row]\n"
    "            self.v[b] = self.v[row]")

wrong("KVCache.reorder", "every_row_once", REORDER,
    "You take every row once: a row may come several times.",
    REORDERED, "self.k, self.v = self.k[rows.unique()], self.v[rows.unique()]")

wrong("KVCache.reorder", "as_many_rows_as_before", REORDER,
    """You keep as many rows as before: there may be fewer or more, and afterwards there are as many
    as rows has.""",
    REORDERED, "rows = torch.cat([rows, rows, rows])[: len(self.k)]\n        " + REORDERED)

wrong("KVCache.reorder", "reorder_forgets", REORDER,
    "After reorder you forget what is stored: all that is stored stays stored.",
    REORDERED, REORDERED + "\n        self.length = 0")

# The layer ----------------------------------------------------------------------------------------

wrong("CachedAttention.forward", "first_query_at_the_first_key", f"{CACHED} {CHUNK}",
    """Your mask, or that of torch's is_causal=True, puts the first query at the first key, so a
    chunk behind stored tokens sees the oldest of them only, and not even itself. The last query
    belongs to the last key: causal_mask(t, L).""",
    MASK, "torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=x.device).tril()")

wrong("CachedAttention.forward", "chunks_begin_at_the_first_key", f"{CACHED} {CHUNK}",
    """Several tokens at once are masked as torch's is_causal does it, which puts the first query at
    the first key: behind stored tokens they see the oldest of them only, and not even themselves.
    The last query belongs to the last key: causal_mask(t, L).""",
    MASK, f"{MASK} if q.shape[-2] == 1 else "
    "torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=x.device).tril()")

wrong("CachedAttention.forward", "sizes_of_the_mask_exchanged", f"{CACHED} {CHUNK}",
    """You hand the two sizes to causal_mask in the wrong order: first comes how many queries there
    are, then how many keys.""",
    MASK, "causal_mask(k.shape[-2], q.shape[-2], device=x.device)")

wrong("CachedAttention.forward", "mask_of_the_new_tokens_alone", f"{CACHED} {CHUNK}",
    """Your mask is made for the new tokens alone, t times t: with a cache there are L keys, the
    stored ones too. It is made after append, of how many queries there are, and how many keys.""",
    MASK, "causal_mask(q.shape[-2], device=x.device)")

wrong("CachedAttention.forward", "no_mask_with_a_cache", f"{CACHED} {CHUNK}",
    """With a cache you use no mask, as if all keys were of the past. Those of the chunk itself are
    there too: its tokens must not see the ones behind them.""",
    MASK, f"None if cache is not None else {MASK}")

wrong("CachedAttention.forward", "no_mask_behind_stored_tokens", f"{CACHED} {CHUNK}",
    """You use a mask for the first chunk only: behind stored tokens, the tokens of a chunk must not
    see the ones behind them either.""",
    MASK, f"{MASK} if q.shape[-2] == k.shape[-2] else None")

wrong("CachedAttention.forward", "no_mask_at_all", f"{PLAIN} {CACHED}",
    "No token may see its future: the mask is missing.",
    MASK, "None")

wrong("CachedAttention.forward", "not_itself", f"{CACHED} {PARTS}",
    "A token does not see itself in your mask: it attends to itself and to those before it.",
    MASK, f"{MASK} & (torch.arange(k.shape[-2], device=x.device) < (k.shape[-2] - q.shape[-2] + "
    "torch.arange(q.shape[-2], device=x.device)).clamp(min=1)[:, None])")

wrong("CachedAttention.forward", "sees_itself_and_what_is_stored", f"{CACHED} {CHUNK}",
    """A token of a chunk sees what is stored and itself, but not the tokens before it in the chunk:
    these are of its past as well.""",
    MASK, f"{MASK} & ((torch.arange(k.shape[-2], device=x.device) < k.shape[-2] - q.shape[-2]) | "
    "torch.eye(q.shape[-2], dtype=torch.bool, device=x.device).repeat(1, k.shape[-2] // "
    "q.shape[-2] + 1)[:, -k.shape[-2] :])")

wrong("CachedAttention.forward", "does_not_use_what_is_stored", f"{CACHED} {CHUNK}",
    """With a cache your new tokens see one another alone, and nothing that is stored. Attend to
    what append returns, with a mask that allows all that was stored before, and in train mode as in
    eval mode.""",
    "k, v = cache.append(k, v)", "cache.append(k, v)")

wrong("CachedAttention.forward", "appends_twice", CACHED,
    "You append the same tokens twice, so each stands in the text twice: append once.",
    "k, v = cache.append(k, v)", "cache.append(k, v)\n            k, v = cache.append(k, v)")

wrong("CachedAttention.forward", "new_ones_joined_to_what_is_stored", CACHED,
    """Every new token stands twice among your keys and values: after append they are among what is
    stored, so what append returns is all, and nothing is to be joined to it.""",
    "k, v = cache.append(k, v)", """stored = cache.append(k, v)
            k, v = torch.cat([stored[0], k], dim=2), torch.cat([stored[1], v], dim=2)""")

wrong("CachedAttention.forward", "one_pass_too_late", f"{CACHED} {CHUNK}",
    """You look into the cache before the new tokens are in it: a token attends to itself as
    well.""",
    "k, v = cache.append(k, v)", "start = cache.length\n            k_all, v_all = "
    "cache.append(k, v)\n            k, v = (k_all[:, :, :start], v_all[:, :, :start]) if start "
    "else (k, v)",
    MASK, f"{MASK} if k.shape[-2] == q.shape[-2] else None")

wrong("CachedAttention.forward", "queries_as_keys", CACHED,
    "You store the queries as keys: a query is used once, and the keys are used again.",
    "cache.append(k, v)", "cache.append(q, v)")

wrong("CachedAttention.forward", "keys_as_values_stored", CACHED,
    "You store the keys in the place of the values: append takes k and v.",
    "cache.append(k, v)", "cache.append(k, k)")

wrong("CachedAttention.forward", "one_token_at_a_time", CACHED,
    """With a cache you give the result of the last token only: every token of the chunk has a
    result of its own.""",
    "found, _ = scaled_dot_product_attention(q, k, v, mask)",
    "found, _ = scaled_dot_product_attention(q, k, v, mask)\n        found = found if cache is "
    "None else found[:, :, -1:]")

wrong("CachedAttention.forward", "scaled_by_the_whole_width", f"{PLAIN} {CACHED}",
    "You divide the scores by sqrt(d_model): it is the width of one head.",
    "(q, k, v, mask)", "(q, k, v, mask, scale=x.shape[-1] ** -0.5)")

wrong("CachedAttention.forward", "scaled_twice", f"{PLAIN} {CACHED}",
    """You scale twice: scaled_dot_product_attention divides by the root of a head's width by
    itself, so hand q and k over as they are.""",
    "(q, k, v, mask)", "(q * q.shape[-1] ** -0.5, k, v, mask)")

wrong("CachedAttention.forward", "no_cache_in_train_mode", f"{CACHED} {CHUNK}",
    """You use the cache in eval mode alone: train and eval mode are the same here, and a cache that
    is given is used.""",
    "if cache is not None:", "if cache is not None and not self.training:")

wrong("CachedAttention.forward", "weights_not_unpacked", f"{PLAIN} {CACHED}",
    """scaled_dot_product_attention returns two things, (out, weights), and you take the pair for
    one tensor: unpack it, found, _ = scaled_dot_product_attention(...).""",
    "found, _ =", "found =")

wrong("CachedAttention.forward", "weights_for_the_result", f"{PLAIN} {CACHED}",
    """You go on with the weights, the second thing that scaled_dot_product_attention returns: the
    first is what the tokens found, found, _ = scaled_dot_product_attention(...).""",
    "found, _ =", "_, found =")

wrong("CachedAttention.forward", "heads_mixed_up", f"{PLAIN} {CACHED}",
    """You reshape the heads' results without exchanging the axes of heads and tokens first:
    merge_heads does both.""",
    "merge_heads(found)", "found.reshape(x.shape)")

wrong("CachedAttention.forward", "heads_cut_across_tokens", f"{PLAIN} {CACHED}",
    """A reshape to (B, H, t, head_dim) and back cuts the heads across the tokens: the numbers of
    one token come into several places. The last axis is split first, and then tokens and heads are
    exchanged: split_heads does both, and merge_heads leads back.""",
    "(split_heads(w(x), self.num_heads) for w in (self.w_q, self.w_k, self.w_v))",
    """(
            w(x).reshape(len(x), self.num_heads, x.shape[1], x.shape[2] // self.num_heads)
            for w in (self.w_q, self.w_k, self.w_v)
        )""",
    "merge_heads(found)", "found.reshape(x.shape)")

wrong("CachedAttention.forward", "heads_split_by_a_reshape", f"{PLAIN} {CACHED}",
    """A reshape to (B, H, t, head_dim) does not split the heads: split the last axis, then exchange
    tokens and heads, as split_heads does. merge_heads expects that.""",
    "(split_heads(w(x), self.num_heads) for w in (self.w_q, self.w_k, self.w_v))",
    """(
            w(x).reshape(len(x), self.num_heads, x.shape[1], x.shape[2] // self.num_heads)
            for w in (self.w_q, self.w_k, self.w_v)
        )""")

wrong("CachedAttention.forward", "no_output_projection", f"{PLAIN} {CACHED}",
    "w_o is missing: it mixes what the heads found.",
    "self.w_o(merge_heads(found))", "merge_heads(found)")

wrong("CachedAttention.__init__", "output_always_with_bias", PLAIN,
    "w_o has a bias although bias is False: without biases, none of the four has one.",
    "self.w_o = nn.Linear(d_model, d_model, bias)", "self.w_o = nn.Linear(d_model, d_model)")

wrong("CachedAttention.__init__", "any_number_of_heads", DIVIDE,
    """You accept a number of heads that does not divide the width: refuse it when the layer is
    made.""",
    'if d_model % num_heads:\n            raise ValueError(f"{num_heads} heads cannot share a '
    'width of {d_model} equally")\n', "pass\n")

wrong("CachedAttention.forward", "remembers_the_cache", TEXTS,
    """Where no cache is given, the layer goes on with what an earlier call has left in it, such as
    the cache of that call: a layer serves many texts, so a cache is used in the call that it is
    given to.""",
    WITH_CACHE, "if cache is not None:\n            object.__setattr__(self, 'kept', cache)\n"
    "        if getattr(self, 'kept', None) is not None:\n            k, v = "
    "self.kept.append(k, v)\n")

wrong("CachedAttention.forward", "first_cache_for_ever", TEXTS,
    """The layer keeps the first cache it is given, and uses it for every other text too: use the
    one that this call is given.""",
    WITH_CACHE, "if cache is not None:\n            if not hasattr(self, 'kept'):\n                "
    "object.__setattr__(self, 'kept', cache)\n            k, v = self.kept.append(k, v)\n")

wrong("CachedAttention.forward", "all_weights_of_the_room", f"{CACHED} {UNWRITTEN}",
    """You attend to the whole room of the cache and mask nothing behind the length: what was never
    written takes weight from the others.""",
    "k, v = cache.append(k, v)", "cache.append(k, v)\n            k, v = cache.k, cache.v",
    MASK, f"{MASK} if cache is None else None")

wrong("CachedAttention.forward", "hides_keys_of_zeros", UNWRITTEN,
    """You take the whole room and hide the places that hold zeros: after reset there are old
    numbers in them. The length says what is stored.""",
    "k, v = cache.append(k, v)", "past = cache.append(k, v)[0].shape[2]\n            k, v = "
    "cache.k[:, :, : max(past, int(cache.k.abs().sum((0, 1, 3)).ne(0).sum()))], cache.v[:, :, : "
    "max(past, int(cache.k.abs().sum((0, 1, 3)).ne(0).sum()))]")


@wrong.instead_of("CachedAttention", STEP)
class keeps_tokens_and_projects_them_again(nn.Module):
    """What is stored is multiplied by w_k and w_v again in every step, or copied because its axes
    lie in another order. Store the keys and the values themselves, once, in buffers of shape
    (batch, num_heads, max_len, head_dim), as they are used."""

    def __init__(self, d_model, num_heads, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("the heads must share the width equally")
        self.num_heads = num_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (
            nn.Linear(d_model, d_model, bias) for _ in range(4)
        )

    def forward(self, x, cache=None):
        tokens = x
        if cache is not None:
            parts = split_heads(x, self.num_heads)
            tokens = merge_heads(cache.append(parts, parts)[0])
        q, k, v = (
            split_heads(w(y), self.num_heads)
            for w, y in ((self.w_q, x), (self.w_k, tokens), (self.w_v, tokens))
        )
        mask = causal_mask(x.shape[1], tokens.shape[1], device=x.device)
        return self.w_o(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))


wrong("CachedAttention.forward", "a_loop_over_the_keys", STEP,
    """A Python loop goes over what is stored: one matrix product gives all scores, and one what the
    tokens find.""",
    "found, _ = scaled_dot_product_attention(q, k, v, mask)",
    "scores = torch.stack([(q * k[:, :, j : j + 1]).sum(-1) for j in range(k.shape[2])], -1)\n"
    "        scores = (scores / k.shape[-1] ** 0.5).masked_fill(~mask, -torch.inf)\n"
    "        found = scores.softmax(-1) @ v")

# The model ----------------------------------------------------------------------------------------

wrong("CachedGPT.forward", "positions_begin_again", PARTS,
    """In every call you count the positions from 0: the first of the new tokens stands behind those
    that are stored, at position L - t.""",
    "table[start:end]", "table[: idx.shape[1]]")

wrong("CachedGPT.forward", "positions_begin_again_in_chunks", PARTS,
    """A single new token gets the position behind those that are stored, but several together begin
    at 0 again: they, too, stand at the positions L - t to L - 1.""",
    "table[start:end]",
    "(table[start:end] if idx.shape[1] == 1 else table[: idx.shape[1]])")

wrong("CachedGPT.forward", "positions_begin_again_token_by_token", PARTS,
    """Several new tokens stand behind those that are stored, but a single one gets position 0 in
    every call: it, too, stands behind the others, at position L - 1.""",
    "table[start:end]",
    "(table[start:end] if idx.shape[1] > 1 else table[:1])")

wrong("CachedGPT.forward", "logits_always_by_the_table", f"{PARTS} {OPTIONS}",
    """You always make logits with token_embedding.weight: where the weights are not tied, the last
    matrix is head.weight.""",
    "return self.head(self.norm(x))",
    "return self.norm(x) @ self.token_embedding.weight.T")

wrong("CachedGPT.forward", "all_at_the_last_position", PARTS,
    "You give all new tokens the position of the last one: each has one of its own.",
    "table[start:end]", "table[end - 1 : end]")

wrong("CachedGPT.forward", "all_at_the_first_position", PARTS,
    "You give all tokens of a chunk the position of its first one: each has one of its own.",
    "table[start:end]", "table[start : start + 1]")

wrong("CachedGPT.forward", "one_position_too_early", PARTS,
    """Behind stored tokens your positions are one too early: after L - t tokens, at the positions 0
    to L - t - 1, comes position L - t.""",
    "table[start:end]", "table[max(start - 1, 0) :][: idx.shape[1]]")

wrong("CachedGPT.forward", "one_position_too_late", PARTS,
    """Behind stored tokens your positions are one too late: the length of a cache is how many
    tokens are stored, and so the position of the next one, for positions are counted from 0.""",
    "caches[0].length\n", "caches[0].length + bool(caches[0].length)\n")

wrong("CachedGPT.forward", "positions_counted_from_one", PARTS,
    """All of your positions are one too late, that of the first token of a text as well: positions
    are counted from 0, and the new tokens stand at L - t to L - 1.""",
    "table[start:end]", "table[start + 1 : end + 1]")

wrong("CachedGPT.forward", "positions_end_at_the_length", PARTS,
    """You take too few rows of the table of positions, of an empty cache none at all, as where the
    length of a cache is taken for their end. It says how many tokens were stored before this call:
    positions begin there, and end t further.""",
    "table, start = self.position_embedding.weight, caches[0].length\n"
    "        end = start + idx.shape[1]",
    "table, end = self.position_embedding.weight, caches[0].length\n"
    "        start = end - idx.shape[1]")

wrong("CachedGPT.forward", "no_positions", PARTS,
    "You do not add positions to the tokens.",
    " + table[start:end]", "")

wrong("CachedGPT.forward", "positions_for_the_prompt_only", PARTS,
    """Behind stored tokens you add no positions to the new ones: each token gets its row of the
    table, those that continue a text as well.""",
    "x = self.token_embedding(idx) + table[start:end]",
    "x = self.token_embedding(idx) + (0.0 if start else table[start:end])")

wrong("CachedGPT.forward", "read_after_the_blocks_appended", PARTS,
    """Where a text is continued your positions are too late by the number of new tokens, as if the
    length had been read after they were stored: read it before.""",
    "table[start:end]", "table[(start if not start else start + idx.shape[1]) % table.shape[0] :]"
    "[: idx.shape[1]]")

wrong("CachedGPT.forward", "caches_from_the_last_to_the_first", PARTS,
    """You hand the caches out in reverse: caches[i] is that of block i.""",
    "zip(self.blocks, caches, strict=True)", "zip(self.blocks, caches[::-1], strict=True)")

wrong("CachedGPT.new_caches", "one_cache_several_times", f"{PARTS} {CACHES}",
    """[cache] * n is one cache, n times: all blocks would store their keys in it, one behind the
    other. Make one for each block, by a call of its own.""",
    NEW_CACHES, "[KVCache(*shape, dtype=table.dtype, device=table.device)] * len(self.blocks)")

wrong("CachedGPT.forward", "the_first_cache_for_all", PARTS,
    "All blocks use the first cache: each block has keys of its own, and so a cache of its own.",
    ATTENDS, ATTENDS.replace("cache=cache", "cache=caches[0]"))

wrong("CachedGPT.forward", "caches_never_handed_on", PARTS,
    """Your caches stay empty, and each call sees its own tokens only: the attention of block i gets
    caches[i], which partial(block.attention, cache=cache) takes along, and appends to it in every
    mode.""",
    ATTENDS, "x = block.residual1(x, block.attention)")

wrong("CachedGPT.forward", "only_the_first_block_has_a_cache", PARTS,
    """Only the first block uses its cache: the others see nothing but the new tokens. Each block
    needs its own.""",
    ATTENDS, ATTENDS.replace("cache=cache", "cache=cache if cache is caches[0] else None"))

wrong("CachedGPT.forward", "no_last_norm", PARTS,
    "The last norm is missing, between the blocks and the head.",
    "self.head(self.norm(x))", "self.head(x)")

wrong("CachedGPT.forward", "normalised_before_residual1", PARTS,
    """Your attention is given norm(norm(x)): residual1 normalises x before it calls what you hand
    to it, and adds x afterwards, so nothing is to be normalised by hand.""",
    ATTENDS, """x = block.residual1(
                    x, lambda y, b=block, c=cache: b.attention(b.residual1.norm(y), cache=c))""")

wrong("CachedGPT.forward", "network_normalised_before_residual2", PARTS,
    """Your feed-forward network is given norm(norm(x)): residual2 normalises x before it calls what
    you hand to it, so nothing is to be normalised by hand.""",
    "x = block.residual2(x, block.feed_forward)",
    "x = block.residual2(x, lambda y, b=block: b.feed_forward(b.residual2.norm(y)))")

wrong("CachedGPT.forward", "no_feed_forward", PARTS,
    "The second half of the block is missing: the feed-forward network.",
    "x = block.residual2(x, block.feed_forward)", "pass")

wrong("CachedGPT.forward", "blocks_called_as_they_are", PARTS,
    """You call the block itself, which knows of no cache, and calls its attention with is_causal,
    as GPT does. Go through its two halves here: residual1 with the attention and its cache, then
    residual2 with the feed-forward network.""",
    ATTENDS, "x = block(x)", "x = block.residual2(x, block.feed_forward)", "pass")

wrong("CachedGPT.forward", "cache_handed_to_the_block", PARTS,
    """You hand the cache to the block, which takes x alone. Do here what its forward does:
    residual1 with the attention and its cache, then residual2 with the feed-forward network.""",
    ATTENDS, "x = block(x, cache)", "x = block.residual2(x, block.feed_forward)", "pass")

wrong("CachedGPT.forward", "cache_handed_to_the_block_by_name", PARTS,
    """A block has no argument called cache, only its attention has: go through the two halves of
    the block here, residual1 with the attention and its cache, residual2 with the feed-forward
    network.""",
    ATTENDS, "x = block(x, cache=cache)", "x = block.residual2(x, block.feed_forward)", "pass")

wrong("CachedGPT.forward", "attention_without_its_connection", PARTS,
    """You add what attention gives, but without the norm before it: residual1 is called with x and
    a function, to which it hands the normed x. That is what attention takes, and not x.""",
    ATTENDS, "x = x + block.attention(x, cache)")

wrong("CachedGPT.forward", "both_halves_at_once", PARTS,
    """Both halves of your block get the same x: the second one, with the feed-forward network, gets
    what the first one returned.""",
    ATTENDS, ATTENDS.replace("x = ", "attended = "),
    "x = block.residual2(x, block.feed_forward)",
    "x = attended + block.residual2(x, block.feed_forward) - x")

wrong("CachedGPT.forward", "attention_replaces_x", PARTS,
    "What attention gives is added to x, and does not replace it: use the block's residual1.",
    ATTENDS, "x = block.attention(block.residual1.norm(x), cache)")

wrong("CachedGPT.forward", "a_pair_as_gpt", PARTS,
    "You return a pair of logits and loss: here it is the logits alone.",
    "return self.head(self.norm(x))", "return self.head(self.norm(x)), None")

wrong("CachedGPT.forward", "the_last_logits_only", PARTS,
    "You return the logits of the last position only: wanted are those of all new tokens.",
    "return self.head(self.norm(x))", "return self.head(self.norm(x))[:, -1:]")

wrong("CachedGPT.forward", "probabilities", PARTS,
    "You return probabilities: logits are what comes before the softmax.",
    "return self.head(self.norm(x))", "return self.head(self.norm(x)).softmax(-1)")

wrong("CachedGPT.forward", "no_end_of_the_positions", POSITIONS,
    """You do not ask whether there are positions for L tokens: a cache may have room for more.
    Behind the last position a slice of the table is empty or too short, and a lookup stops. Compare
    L with block_size, and raise ValueError.""",
    NO_POSITION, "pass\n")

wrong("CachedGPT.forward", "only_the_chunk_is_compared", f"{POSITIONS} {FURTHER}",
    """Behind stored tokens you accept more than there are positions. What counts is L, the new
    tokens with all that is stored: compare that with block_size.""",
    "if end > table.shape[0]:", "if idx.shape[1] > table.shape[0]:",
    NO_ROOM, "pass\n")

wrong("CachedGPT.forward", "refuses_the_last_position", POSITIONS,
    "You refuse the token at the last position: block_size tokens have one.",
    "if end > table.shape[0]:", "if end >= table.shape[0]:")

wrong("CachedGPT.forward", "the_last_position_for_the_rest", POSITIONS,
    """Tokens behind the last position are accepted, as if they had one, for example the last one
    again: the model was never trained for that. Raise ValueError.""",
    NO_POSITION, "pass\n", "table[start:end]",
    "table[torch.arange(start, end, device=idx.device).clamp(max=table.shape[0] - 1)]")

wrong("CachedGPT.forward", "refuses_too_late", POSITIONS,
    """You refuse when the blocks have stored the new tokens already: raise before anything is
    changed.""",
    NO_POSITION, "pass\n",
    "table[start:end]", "table[torch.arange(start, end, device=idx.device) % table.shape[0]]",
    "return self.head", "if end > table.shape[0]:\n                raise ValueError(end)\n"
    "            return self.head")

wrong("CachedGPT.forward", "room_is_asked_for_block_by_block", POSITIONS,
    """You do not ask all caches for room before the first block stores its tokens: where a later
    cache is full, they are refused when the earlier ones are changed already.""",
    NO_ROOM, "pass\n")

wrong("CachedGPT.forward", "a_graph_for_nothing", GRAPH,
    """The logits keep the history of every step for a backward pass that never comes: compute under
    torch.no_grad().""",
    "with torch.no_grad():", "with torch.enable_grad():")

wrong("CachedGPT.new_caches", "caches_in_float32", CACHES,
    """Where the model has been made float64 your caches are float32: they have the dtype that its
    weights have now.""",
    "dtype=table.dtype, ", "")

wrong("CachedGPT.new_caches", "caches_on_the_cpu", CACHES,
    """Where the model has been moved your caches lie on the CPU: they lie on the device that its
    weights are on now.""",
    ", device=table.device)", ")")

wrong("CachedGPT.new_caches", "max_len_is_not_used", CACHES,
    """Where max_len is less than block_size your caches have room for block_size tokens all the
    same: max_len says how much room each one has.""",
    "room = block_size if max_len is None else max_len", "room = block_size")

wrong("CachedGPT.new_caches", "no_more_room_than_positions", CACHES,
    "You make less room than max_len where there are fewer positions: max_len says how much.",
    "room = block_size if max_len is None else max_len", "room = min(block_size, max_len or 99)")

wrong("CachedGPT.new_caches", "one_place_less_than_positions", PARTS,
    """Without max_len the token at the last position finds no place in your caches: they have
    block_size places, as many as there are positions, and it is stored as well.""",
    "room = block_size if max_len is None", "room = block_size - 1 if max_len is None")

wrong("CachedGPT.new_caches", "room_for_one_text", PARTS,
    "Your caches have room for one text: they need a row for each of the batch.",
    "shape = batch, ", "shape = 1, ")

wrong("CachedGPT.new_caches", "caches_of_the_whole_width", f"{PARTS} {CACHES}",
    """Your caches are n_embd wide in every head: the heads share the width, so each has
    n_embd // n_head numbers for a token.""",
    "n_embd // self.n_head", "n_embd")

wrong("CachedGPT.new_caches", "kept_in_the_model", f"{CACHES} {TWO}",
    """The model keeps its caches and hands out the same ones every time: two texts would share
    them. Make new ones in every call.""",
    f"return {NEW_CACHES}",
    "known = self.__dict__.setdefault('known', {})\n        return known.setdefault((*shape, "
    f"table.dtype, table.device), {NEW_CACHES})")

wrong("CachedGPT.new_caches", "kept_in_the_model_and_emptied", PARTS,
    """The model keeps its caches, empties them, and hands out the same ones every time: who still
    has a text in them loses it. Make new ones in every call.""",
    f"return {NEW_CACHES}",
    "known = self.__dict__.setdefault('known', {})\n        found = known.setdefault((*shape, "
    f"table.dtype, table.device), {NEW_CACHES})\n        for cache in found:\n"
    "            cache.reset()\n        return found")

wrong("CachedGPT.__init__", "attention_always_with_bias", OPTIONS,
    "Your CachedAttention has biases although bias is False: hand bias on.",
    "CachedAttention(n_embd, n_head, bias)", "CachedAttention(n_embd, n_head)")

wrong("CachedGPT.__init__", "always_tied", f"{PARTS} {OPTIONS}",
    "tie_weights is not handed on to GPT: with False the head has a matrix of its own.",
    "0.0, bias, tie_weights)", "0.0, bias)")

wrong("CachedGPT.__init__", "bias_is_not_handed_on", OPTIONS,
    "bias is not handed on to GPT: with False nothing in a block has a bias.",
    "0.0, bias, tie_weights)", "0.0, tie_weights=tie_weights)")

wrong("CachedGPT.__init__", "bias_in_the_place_of_dropout", f"{PARTS} {OPTIONS}",
    """You hand bias to GPT in the place of its dropout, and tie_weights in that of bias: after
    n_embd comes dropout, which is 0 here. Write the names: bias=bias, tie_weights=tie_weights.""",
    "0.0, bias, tie_weights)", "bias, tie_weights)")

wrong("CachedGPT.__init__", "one_layer_for_all_blocks", PARTS,
    """All blocks share one CachedAttention: each block has weights of its own, so make one in every
    round.""",
    "for block in self.blocks:", "shared = CachedAttention(n_embd, n_head, bias)\n        for "
    "block in self.blocks:", "block.attention = CachedAttention(n_embd, n_head, bias)",
    "block.attention = shared")

# The loop -----------------------------------------------------------------------------------------

wrong("generate_cached", "the_whole_text_again", f"{GREEDY} {WRITING}",
    """Every step gives the whole text to the model, although the caches hold it already: so it
    stands in them several times. Only what is new goes through the model.""",
    CHOSEN, CHOSEN.replace("model(new", "model(text"))

wrong("generate_cached", "new_caches_for_the_whole_text", WRITING,
    """Every step runs the whole text through the model, as with new caches each time: the numbers
    are right, and nothing is saved. Only what is new goes through the model.""",
    CHOSEN, "lengths = [cache.length for cache in caches]\n        if not any(lengths):\n"
    "            fresh = model.new_caches(idx.shape[0])\n            new = model(text, fresh)[:, "
    "-1].argmax(-1, keepdim=True)\n        else:\n            " + CHOSEN)

wrong("generate_cached", "empty_caches_for_every_token", GREEDY,
    """Every step begins with empty caches, so each token sees nothing but itself: make them once,
    before the loop.""",
    CHOSEN, "if new is not idx:\n            caches = model.new_caches(idx.shape[0])\n        "
    + CHOSEN)

wrong("generate_cached", "the_prompt_token_by_token", WRITING,
    """The prompt goes through the model in several calls, as one token at a time: it is known, so
    one call does it all at once, and much faster.""",
    "for _ in range(max_new_tokens):", "for token in idx[:, :-1].split(1, dim=1) if max_new_tokens "
    "else ():\n        model(token, caches)\n    new = idx[:, -1:]\n    for _ in "
    "range(max_new_tokens):")

wrong("generate_cached", "only_the_last_of_the_prompt", GREEDY,
    """Only the last token of the prompt goes through the model, so nothing is known of those before
    it: in the first step all of idx is new.""",
    "new = text = idx", "text, new = idx, idx[:, -1:]")

wrong("generate_cached", "the_first_position_decides", GREEDY,
    """You take the logits of the first of the new tokens: the last one says what comes next.""",
    "[:, -1]", "[:, 0]")

wrong("generate_cached", "without_the_prompt", GREEDY,
    "You return the new tokens alone: the prompt stands at the beginning of the result.",
    "return text", "return text[:, idx.shape[1] :]")

wrong("generate_cached", "draws", GREEDY,
    "You draw the next token: here it is always the one with the largest logit.",
    "argmax(-1, keepdim=True)", "softmax(-1).multinomial(1)")

wrong("generate_cached", "the_least_likely", GREEDY,
    "You take the smallest logit: the largest one is the most likely token.",
    "argmax(-1, keepdim=True)", "argmin(-1, keepdim=True)")

wrong("generate_cached", "the_axis_of_tokens_is_lost", f"{GREEDY} {WRITING}",
    """argmax(dim=-1) takes away the axis that it runs over, so your new tokens are (B,) and no
    column to stand behind the text: keepdim=True makes them (B, 1).""",
    "argmax(-1, keepdim=True)", "argmax(dim=-1)")

wrong("generate_cached", "new_tokens_in_a_row", GREEDY,
    """Your new tokens stand in one row, (1, B), as unsqueeze(0) puts them: each belongs to a text
    of its own, so they are a column, (B, 1). keepdim=True gives that, and so does unsqueeze(1).""",
    "argmax(-1, keepdim=True)", "argmax(dim=-1).unsqueeze(0)")

wrong("generate_cached", "room_for_the_prompt_alone", GREEDY,
    """The caches that you make have room for the prompt alone, and the tokens that are written are
    stored behind it: without max_len, new_caches makes room for as many as there are positions.""",
    "model.new_caches(idx.shape[0])", "model.new_caches(idx.shape[0], idx.shape[1])")

wrong("generate_cached", "all_rows_as_the_first", GREEDY,
    "All rows continue with the token of the first one: each row has its own.",
    "argmax(-1, keepdim=True)", "argmax(-1, keepdim=True)[:1].expand(len(idx), 1)")

wrong("generate_cached", "one_token_less", GREEDY,
    "You write one token less than max_new_tokens.",
    "range(max_new_tokens)", "range(max(max_new_tokens - 1, 0))")

wrong("generate_cached", "always_one_token", GREEDY,
    "You write a token where none is asked for: with max_new_tokens 0 the text comes back.",
    "range(max_new_tokens)", "range(max(max_new_tokens, 1))")

wrong("generate_cached", "given_caches_are_not_used", ON,
    "You make new caches although some were given: what they hold is the beginning of the text.",
    NONE, "caches = model.new_caches(idx.shape[0])\n")

wrong("generate_cached", "empty_caches_are_not_used", ON,
    """You make new caches where those that were given are empty: whoever gave them finds nothing in
    them afterwards, and cannot go on. Ask whether caches is None, and nothing else.""",
    NONE, NONE.replace("caches is None", "not caches or not caches[0].length"))

wrong("generate_cached", "empties_the_given_caches", ON,
    "You reset the caches that were given: what they hold is the beginning of the text.",
    NONE, NONE + "    for cache in caches:\n        cache.reset()\n")

wrong("generate_cached", "idx_begins_with_what_is_stored", ON,
    """You take idx for the whole text, and leave out as many of its tokens as the caches hold. idx
    is what follows them: all of it is new, and goes through the model.""",
    "new = text = idx", "text, new = idx, idx[:, caches[0].length :]")

wrong("generate_cached", "long_prompts_cut", FURTHER,
    """Of a prompt that is longer than block_size you hand on a part alone, as the page sampling
    does with its end: with a cache it is refused. Hand all of it to the model, and let its
    ValueError pass.""",
    "new = text = idx", "text, new = idx, idx[:, -model.position_embedding.weight.shape[0] :]")

wrong("generate_cached", "the_last_token_goes_through_too", f"{ON} {FURTHER}",
    """The last token goes through the model as well, though nothing follows it: that is a call more
    than needed, and whoever goes on with that token stores it twice.""",
    "return text", "if max_new_tokens:\n        model(new, caches)\n    return text")

wrong("generate_cached", "made_once_for_all_calls", TWO,
    """The caches that you make are kept for the next call, as those in a default argument would be:
    the next text would follow this one. Make new ones in every call.""",
    NONE, "if caches is None:\n        known = generate_cached.__dict__.setdefault('known', {})\n"
    "        caches = known.setdefault(id(model), model.new_caches(idx.shape[0]))\n        for "
    "cache in caches:\n            if len(cache.k) != len(idx):\n                "
    "known[id(model)] = caches = model.new_caches(idx.shape[0])\n                break\n")

wrong("generate_cached", "stops_where_positions_end", FURTHER,
    """Where the positions end you neither go on nor refuse: fewer tokens than asked for come back.
    Let the model's ValueError pass.""",
    CHOSEN, "if caches[0].length + new.shape[1] > model.position_embedding.weight.shape[0]:\n"
    "            break\n        " + CHOSEN)
