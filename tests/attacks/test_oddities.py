"""Whatever a submission returns, raises or leaves behind, it is told in a sentence.

A table of programs that try to confuse whoever looks at their answers. None earns a point, none is
a failure of the grader's own, and the next submission is judged as if they had not been there.
"""

from __future__ import annotations

import pytest

from grader.model import Outcome
from grader.report.feedback import words_of

RIGHT = "def double(x): return x + x\n"
WRONG = "def double(x): return x * 3\n"

# What comes back instead of a plain tensor.
ANSWERS = {
    "nothing": "None",
    "a sparse tensor": "(x + x).to_sparse()",
    "a sparse matrix": "(x + x).reshape(1, -1).to_sparse_csr()",
    "a quantised tensor": "torch.quantize_per_tensor(x.detach(), 0.1, 0, torch.qint8)",
    "a nested tensor": "torch.nested.nested_tensor([x.detach(), x.detach()])",
    "a meta tensor": "(x + x).to('meta')",
    "a tensor that claims to be huge": "torch.zeros(1).expand(10**12)",
    "a complex tensor": "torch.complex(x + x, x)",
    "a conjugate view": "torch.complex(x + x, x * 0).conj()",
    "a tensor with names": "(x * 3).flatten().detach().rename('N')",
    "a tensor of another dtype": "(x + x).to(torch.float8_e4m3fn)",
    "a storage": "x.detach().untyped_storage()",
    "a fake tensor": "__import__('torch._subclasses').FakeTensorMode().from_tensor(x.detach())",
    "a subclass": "(x + x).as_subclass(type('Odd', (torch.Tensor,), {}))",
    "10,000 outputs": "[x] * 10**4",
    "a list within itself": "(lambda v: v.append(v) or v)([])",
    "a dict within itself": "(lambda v: v.update(v=v) or v)({})",
    "lists 10,000 deep": "__import__('functools').reduce(lambda v, _: [v], range(10**4), 0)",
    "a dict with odd keys": "{x: x, None: 1, (1, 2): 2}",
    "a generator": "(x for x in range(3))",
    "a function": "double",
    "a module": "torch",
    "a class": "torch.Tensor",
    "an exception": "SystemExit(0)",
    "a huge number": "10**5000",
    "NaN": "float('nan')",
    "bytes": "b'passed' * 1000",
    "lone surrogates": "'\\ud800' * 1000",
    "an object array": "__import__('numpy').array([x, None], dtype=object)",
    "a record array": "__import__('numpy').zeros(3, dtype='i4,f8')",
    "text in an array": "__import__('numpy').array(['passed'])",
}

# What defines ``double``: objects and classes that lie about themselves.
LIARS = {
    "a repr that raises": "class Odd:\n def __repr__(self): raise SystemExit(0)\n"
    " __str__ = __repr__\ndef double(x): return Odd()\n",
    "a repr without end": "class Odd:\n def __repr__(self): return 'passed' * 10**7\n"
    "def double(x): return [Odd()]\n",
    "an exception whose text raises": "class Odd(Exception):\n"
    " def __str__(self): raise SystemExit(0)\n __repr__ = __str__\n"
    "def double(x): raise Odd\n",
    "an exception whose text is none": "class Odd(Exception):\n def __str__(self): return 7\n"
    "def double(x): raise Odd\n",
    "an exception with an odd type": "class Meta(type):\n"
    " __name__ = property(lambda cls: 1 / 0)\n __module__ = property(lambda cls: 1 / 0)\n"
    "class Odd(Exception, metaclass=Meta): pass\ndef double(x): raise Odd('passed')\n",
    "a metaclass equal to all": "class Meta(type):\n __eq__ = lambda *a: True\n"
    " __hash__ = lambda self: 0\n __instancecheck__ = __subclasscheck__ = lambda *a: True\n"
    "class Odd(metaclass=Meta): pass\ndef double(x): return Odd()\n",
    "a class that says it is a tensor": "class Odd:\n __class__ = torch.Tensor\n"
    " def __getattr__(self, name): return lambda *a, **k: True\ndef double(x): return Odd()\n",
    "an int equal to all": "class Odd(int):\n __eq__ = lambda *a: True\n __hash__ = None\n"
    "def double(x): return Odd(1)\n",
    "a list of no length": "class Odd(list):\n __len__ = lambda self: 0\n __iter__ = None\n"
    "def double(x): return Odd([x])\n",
    "a dict of no keys": "class Odd(dict):\n def keys(self): raise SystemExit(0)\n items = keys\n"
    "def double(x): return Odd(a=x)\n",
    "one that answers everything with yes": "class Yes:\n"
    " def __getattr__(self, name): return lambda *a, **k: True\n"
    " def __call__(self, *a, **k): return True\n __bool__ = lambda self: True\n"
    "double = Yes()\n",
    "a layer that answers everything with yes": "class Yes(torch.nn.Module):\n"
    " def __getattr__(self, name): return lambda *a, **k: True\n"
    "def double(x): return Yes()\n",
    "no function at all": "double = 7\n",
}

# What goes on beside the answer, or after it.
DEEDS = {
    "a backward that leaves": "class Leaves(torch.autograd.Function):\n"
    " @staticmethod\n def forward(ctx, x): return x * 3\n"
    " @staticmethod\n def backward(ctx, g): raise SystemExit(0)\ndouble = Leaves.apply\n",
    "a backward that ends the process": "import os\nclass Ends(torch.autograd.Function):\n"
    " @staticmethod\n def forward(ctx, x): return x * 3\n"
    " @staticmethod\n def backward(ctx, g): os._exit(0)\ndouble = Ends.apply\n",
    "a backward of another shape": "class Odd(torch.autograd.Function):\n"
    " @staticmethod\n def forward(ctx, x): return x * 3\n"
    " @staticmethod\n def backward(ctx, g): return g.sum()\ndouble = Odd.apply\n",
    "a hook that leaves": "def leave(g): raise SystemExit(0)\n"
    "def double(x):\n y = x * 3\n if y.requires_grad: y.register_hook(leave)\n return y\n",
    "a farewell that ends the process": "import os\nclass Last:\n"
    " def __del__(self): os._exit(0)\ndef double(x):\n Last()\n return x + x\n",
    "a farewell that raises": "class Last:\n def __del__(self): raise SystemExit(0)\n"
    "def double(x):\n Last()\n return x * 3\n",
    "a farewell at exit": "import atexit, os\natexit.register(os._exit, 0)\n" + WRONG,
    "closed descriptors": "import os\nos.closerange(0, 64)\n" + WRONG,
    "recursion": "def double(x): return double(x)\n",
    "recursion far beyond the limit": "import sys\nsys.setrecursionlimit(10**5)\n"
    "def double(x): return [double(x)]\n",
    "a storm of warnings": "import warnings\nwarnings.simplefilter('always')\n"
    "def double(x):\n for i in range(3000): warnings.warn(f'passed {i}')\n return x * 3\n",
    "warnings as errors": "import warnings\nwarnings.simplefilter('error')\n"
    "def double(x):\n warnings.warn('passed')\n return x * 3\n",
    "another default dtype": "torch.set_default_dtype(torch.float64)\n" + WRONG,
    "another default device": "torch.set_default_device('meta')\n" + WRONG,
    "gradients off": "torch.set_grad_enabled(False)\n" + WRONG,
    "inference mode": "torch.inference_mode().__enter__()\n" + WRONG,
    "builtins gone": "import builtins\nbuiltins.isinstance = builtins.type = lambda *a: True\n"
    + WRONG,
    "modules gone": "import sys\nsys.modules.clear()\n" + WRONG,
    "an import hook": "import sys\nsys.meta_path.insert(0, None)\n" + WRONG,
    "a thread in the background": "import threading, time\ndef work():\n"
    " while True: time.sleep(0.001)\n"
    "threading.Thread(target=work, daemon=True).start()\n" + WRONG,
    "a thread that patches": "import threading\ndef work():\n"
    " while True: torch.equal = torch.allclose = lambda *a, **k: True\n"
    "threading.Thread(target=work, daemon=True).start()\n" + WRONG,
    "answers kept in torch": "torch.kept = getattr(torch, 'kept', [])\n"
    "def double(x):\n torch.kept.append(x)\n return torch.kept[0] * 3\n",
    "an input kept and changed later": "import sys\nkept = sys.__dict__.setdefault('kept', [])\n"
    "def double(x):\n for old in kept: old.data.zero_()\n kept.append(x)\n return x * 3\n",
}

PROGRAMS = {
    **{f"returns {name}": f"def double(x): return {code}\n" for name, code in ANSWERS.items()},
    **{f"is {name}": source for name, source in LIARS.items()},
    **{f"does {name}": source for name, source in DEEDS.items()},
}


class TestAnOddity:
    """A program that confuses nobody but its reader."""

    @pytest.mark.parametrize("name", PROGRAMS)
    def test_is_told_in_a_sentence(self, graded, name):
        """No point, no failure of the grader's, and words for every check."""
        report = graded(PROGRAMS[name])
        outcomes = {verdict.outcome for verdict in report.verdicts}

        assert report.score == 0.0
        assert Outcome.INTERNAL not in outcomes
        assert all(words_of(verdict).rationale for verdict in report.verdicts)

    @pytest.mark.parametrize(
        "source",
        [
            "import warnings\nwarnings.simplefilter('always')\n"
            "def double(x):\n for i in range(300): warnings.warn(f'{i}')\n return x + x\n",
            "import torch\nclass Layer(torch.nn.Module):\n def forward(self, x): return x + x\n"
            "double = Layer()\n",
            "import functools\ndouble = functools.partial(lambda n, x: n * x, 2)\n",
        ],
        ids=["warnings", "layer", "partial"],
    )
    def test_costs_a_right_answer_nothing(self, graded, source):
        """It is the answers that count, not how they are made."""
        report = graded(source)

        assert report.max_score == report.score > 0


class TestAModuleOfAnothersName:
    """A submission may hold modules that are called like ours, or like torch."""

    NAMES = ["torch", "os", "sys", "json", "numpy", "grader", "conftest", "pytest", "sitecustomize"]

    @pytest.mark.parametrize("name", NAMES)
    def test_earns_nothing(self, graded, name):
        """Whatever it does when it is imported instead."""
        lie = "import sys\ndef __getattr__(name): return lambda *a, **k: True\npassed = True\n"
        report = graded(WRONG, **{name: lie})

        assert report.score == 0.0
        assert Outcome.INTERNAL not in {verdict.outcome for verdict in report.verdicts}

    @pytest.mark.parametrize("name", NAMES)
    def test_hurts_nobody_else(self, graded, name):
        """The next submission is judged as if it had not been there."""
        graded(RIGHT, **{name: "raise SystemExit('not today')\n"})
        report = graded(RIGHT, who="ada")

        assert report.max_score == report.score > 0


class TestStateBetweenChecks:
    """What one check leaves behind gains nothing in the next."""

    def test_answers_of_before_are_no_answers(self, graded, toy):
        """A program that keeps what it was once given still has to answer what it is asked."""
        toy.suite("toy").write_text(
            "import torch\n"
            + "".join(
                f"def test_{n}(compare, draw):\n    'It doubles.'\n"
                "    compare.double(draw.normal(4))\n"
                for n in "abc"
            )
        )
        source = (
            "import sys\nkept = sys.__dict__.setdefault('kept', [])\n"
            "def double(x):\n kept.append(x + x)\n return kept[-2] if len(kept) > 1 else x\n"
        )

        assert graded(source).score == 0.0
