"""What the questions call true is true: the sources' numbers, and experiments with attention."""

from __future__ import annotations

import inspect
import math

import pytest
import torch
from torch import nn

from grader.course.catalog import load_catalog
from grader.course.course import find_course
from grader.examiner.collection import collected
from grader.model import Outcome
from grader.programs.draw import Draw
from grader.programs.page import load_by_path
from grader.proof import examine_programs, names_of

COURSE = find_course()
SUITE = COURSE.suite("questions")
SEEDS = range(1, 31)

SENTENCE = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)


@pytest.fixture(scope="module")
def page():
    return load_by_path(COURSE.solution("questions"))


@pytest.fixture(scope="module")
def truth():
    return load_by_path(SUITE.with_name("truth.py"))


@pytest.fixture(scope="module")
def suite():
    """The suite's names, without pytest seeing its marks."""
    names = {"__file__": str(SUITE), "__name__": "suite"}
    text = SUITE.read_text(encoding="utf-8").partition("# Numeric questions")[0]
    exec(compile(text, SUITE, "exec"), names)
    return names


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(20170612)


def questions_of(truth):
    return {n: f for n, f in vars(truth).items() if n.endswith("_statements")}


def cases_of(suite, question, seed):
    return suite[question.replace("_statements", "_cases")](Draw(seed))


def attention(x, causal=False):
    """Tokens of x attend by plain dot products; returns the weights."""
    scores = x @ x.mT
    if causal:
        scores = scores.masked_fill(~torch.ones_like(scores).tril().bool(), -torch.inf)
    return scores.softmax(-1)


def entropy(weights):
    return torch.special.entr(weights).sum(-1)


class TestAnswers:
    """Solution, suite and drawn cases agree, and nobody gets by without looking at the numbers."""

    def test_the_page_says_what_the_suite_holds_true(self, page, truth, suite):
        for question, holds in questions_of(truth).items():
            for seed in SEEDS:
                for case in cases_of(suite, question, seed):
                    expected = page.letters(**holds(*case))

                    assert getattr(page, question)(*case) == expected, (question, case)

    def test_whatever_depends_on_the_numbers_is_seen_true_and_false(self, truth, suite):
        """With every seed, at least two statements a question, no two of them always alike."""
        for question, holds in questions_of(truth).items():
            moving = set()
            for seed in SEEDS:
                seen = [holds(*case) for case in cases_of(suite, question, seed)]
                moving |= {k for k in "ABCDE" if len({answer[k] for answer in seen}) == 2}
            for seed in SEEDS:
                seen = [holds(*case) for case in cases_of(suite, question, seed)]

                assert len(moving) >= 2, question
                assert all(len({answer[k] for answer in seen}) == 2 for k in moving), question

    def test_questions_differ_between_students(self, suite, truth):
        """Where the numbers are drawn: the few yes-or-no questions are asked in full."""
        in_full = {"parallel_statements", "order_statements"}
        for question in questions_of(truth).keys() - in_full:
            drawn = {tuple(cases_of(suite, question, seed)) for seed in SEEDS}

            assert len(drawn) > 10, question

    def test_every_statement_is_there_to_read(self, page, truth):
        for question in questions_of(truth):
            text = inspect.getdoc(getattr(page, question))

            assert all(f"\n{letter}. " in text for letter in "ABCDE"), question

    def test_no_constant_answer_earns_a_point(self, page, truth):
        """All 32 answers to each question, and the page's example for each number."""
        reference = names_of(page)
        letters = ["".join(k for i, k in enumerate("ABCDE") if n >> i & 1) for n in range(32)]
        names = list(questions_of(truth))
        constants = {
            f"always {answer!r}": reference | dict.fromkeys(names, lambda *_, a=answer: a)
            for answer in letters
        }
        suite = collected(COURSE).of(load_catalog(COURSE)["questions"])
        verdicts = examine_programs(suite, constants, diagnosed=False)

        for who, found in verdicts.items():
            passed = {v.check.name for v in found if v.outcome is Outcome.PASSED}
            assert not passed & {f"test_{name}" for name in names}, who


class TestScores:
    """Why sqrt(d_k), and what a softmax makes of scores."""

    @pytest.mark.parametrize(("d_k", "printed"), [(16, 4.00), (64, 7.91), (512, 22.6)])
    def test_the_printed_standard_deviations(self, page, generator, d_k, printed):
        q, k = torch.randn(2, 20_000, d_k, generator=generator)
        measured = (q * k).sum(-1).std().item()

        assert page.score_standard_deviation(d_k, 1.0, scaled=False) == pytest.approx(
            printed, rel=0.02
        )
        assert measured == pytest.approx(printed, rel=0.03)

    def test_sigma_and_scaling(self, page, generator):
        q, k = 0.5 * torch.randn(2, 50_000, 36, generator=generator)
        scores = (q * k).sum(-1)

        assert page.score_standard_deviation(36, 0.5, scaled=False) == pytest.approx(
            scores.std().item(), rel=0.02
        )
        assert page.score_standard_deviation(36, 0.5, scaled=True) == pytest.approx(0.25)

    def test_a_product_of_normal_numbers_is_not_normal(self, generator):
        """Its kurtosis is E[q^4] E[k^4] = 9, printed as 9.08; a normal number's is 3."""
        q, k = torch.randn(2, 2_000_000, generator=generator, dtype=torch.float64)
        product = q * k
        kurtosis = (product**4).mean() / (product**2).mean() ** 2

        assert kurtosis.item() == pytest.approx(9.0, abs=0.4)

    def test_scores_of_one_query_and_two_keys(self, page, generator):
        for d_k in (150, 300):
            q, k_1, k_2 = torch.randn(3, 20_000, d_k, generator=generator)
            spread = (q * (k_1 - k_2)).sum(-1).std().item()

            assert (spread > 20) is ("D" in page.scaling_statements(d_k))
            assert spread == pytest.approx(math.sqrt(2 * d_k), rel=0.03)

    def test_the_gradient_fades_as_the_softmax_decides(self):
        def gradient(weight):
            score = torch.tensor([math.log(weight / (1 - weight)), 0.0], requires_grad=True)
            score.softmax(0).backward(torch.tensor([1.0, -1.0]))
            return score.grad[0].item()

        assert gradient(0.99) < gradient(0.6)

    def test_the_printed_entropies(self, generator):
        """.150 without and 3.669 with the scale, for one sentence of 64 tokens of width 512.

        Sentences scatter by .036 and .015; on average it is .18 and 3.69, of log 64 = 4.16.
        """
        q, k = torch.randn(2, 100, 64, 512, generator=generator)
        scores = q @ k.mT
        for scale, printed in ((1.0, 0.150), (512**-0.5, 3.669)):
            sentences = entropy((scale * scores).softmax(-1)).mean(-1)

            assert (sentences.mean() - printed).abs() < 2 * sentences.std()

    def test_tokens_need_not_attend_most_to_themselves(self, page, truth, suite):
        """In the sentence of six only two do; for two tokens it is as the question says."""
        assert attention(SENTENCE).argmax(-1).tolist() == [0, 1, 1, 1, 2, 1]

        for seed in SEEDS:
            for a, b, cosine in cases_of(suite, "similarity_statements", seed):
                x = torch.tensor([[a, 0.0], [b * cosine, b * math.sqrt(1 - cosine**2)]])
                scores, weights = x @ x.T, attention(x.double())
                answer = page.similarity_statements(a, b, cosine)

                assert ("A" in answer) is bool(torch.allclose(scores, scores.T))
                assert ("B" in answer) is bool(scores[0, 0] > scores[0, 1])
                assert ("C" in answer) is bool(torch.allclose(scores[0], weights[0].float()))
                assert ("D" in answer) is bool(weights[0, 1] == weights[1, 0])
                assert ("E" in answer) is bool(scores[1, 1] > scores[1, 0])


class TestLongContext:
    """One score above many others, computed by torch."""

    @staticmethod
    def weights(tokens, gap):
        scores = torch.zeros(tokens, dtype=torch.float64)
        scores[0] = gap
        return scores.softmax(0)

    @pytest.mark.parametrize("tokens", [2, 10, 1000])
    def test_weight_gap_and_entropy(self, page, tokens):
        weights = self.weights(tokens, 1.7)
        largest = weights[0].item()

        assert page.largest_weight(tokens, 1.7) == pytest.approx(largest)
        assert page.gap_for_weight(tokens, largest) == pytest.approx(1.7)
        assert page.entropy_of_weights(tokens, largest) == pytest.approx(entropy(weights).item())

    @pytest.mark.parametrize("tokens", [2, 64, 5000])
    def test_equal_scores_have_the_entropy_log_n(self, page, tokens):
        assert page.entropy_of_weights(tokens, 1 / tokens) == pytest.approx(math.log(tokens))
        assert page.entropy_of_weights(tokens, 1.0) == 0.0

    def test_statements(self, page, suite):
        for seed in SEEDS:
            for tokens, gap in cases_of(suite, "long_context_statements", seed):
                now, later = self.weights(tokens, gap), self.weights(10 * tokens, gap)
                doubled = entropy(self.weights(2 * tokens, 0)) - 2 * entropy(
                    self.weights(tokens, 0)
                )
                answer = page.long_context_statements(tokens, gap)

                assert ("A" in answer) is bool(later.sum() > 1 + 1e-9)
                assert ("B" in answer) is bool(now[0] > now[1:].sum())
                assert ("C" in answer) is bool(later[0] < now[0] / 2)
                assert ("D" in answer) is bool(doubled.abs() < 1e-9)
                assert ("E" in answer) is bool(self.weights(tokens, 2 * gap)[0] > now[0])


class TestSteps:
    """Who reaches whom, counted on graphs and gradients."""

    @pytest.mark.parametrize("kernel", [2, 3, 5])
    @pytest.mark.parametrize("distance", [1, 7, 8, 9])
    def test_hops_of_causal_convolutions(self, page, kernel, distance):
        """As many layers as it takes for a gradient to come back from the output."""
        x = torch.zeros(1, 1, distance + 1, requires_grad=True)
        layers, out, reached = 0, x, False
        while not reached:
            out = nn.functional.conv1d(
                nn.functional.pad(out, (kernel - 1, 0)), torch.ones(1, 1, kernel)
            )
            layers += 1
            reached = bool(torch.autograd.grad(out[0, 0, -1], x, retain_graph=True)[0][0, 0, 0])

        assert page.path_length("convolution", distance, kernel) == layers
        assert ("C" in page.distance_statements(distance, kernel)) is (layers <= 4)

    def test_fading(self, page):
        for distance in (*range(34, 44), *range(44, 61)):
            left = math.prod([0.9] * distance)

            assert ("B" in page.distance_statements(distance, 3)) is (left < 0.01)

    def test_an_rnn_takes_every_step(self):
        """A state equals that of one cell applied token by token, each to the state before."""
        rnn, cell = nn.LSTM(3, 4), nn.LSTMCell(3, 4)
        cell.load_state_dict({k.removesuffix("_l0"): v for k, v in rnn.state_dict().items()})
        x, state = torch.randn(6, 1, 3), None
        for token in x:
            state = cell(token, state)

        torch.testing.assert_close(rnn(x)[0][-1], state[0])

    def test_training_in_one_pass_gives_what_generation_gives_step_by_step(self):
        """Causal attention over all positions at once equals the last rows of all prefixes."""
        x = torch.randn(7, 4, dtype=torch.float64)
        at_once = attention(x, causal=True) @ x
        one_by_one = torch.stack([(attention(x[:n]) @ x[:n])[-1] for n in range(1, 8)])

        torch.testing.assert_close(at_once, one_by_one)


class TestCostAndSize:
    """Multiplications and parameters, counted on the meta device."""

    @staticmethod
    def multiplications(work):
        from torch.utils.flop_counter import FlopCounterMode

        with torch.device("meta"), FlopCounterMode(display=False) as counter:
            work()
        return counter.get_total_flops() // 2

    @pytest.mark.parametrize(("n", "d"), [(20, 50), (70, 50), (130, 50)])
    def test_cost(self, page, n, d):
        scores = self.multiplications(lambda: torch.empty(n, d) @ torch.empty(d, n))
        context = self.multiplications(lambda: torch.empty(n, n) @ torch.empty(n, d))
        projections = self.multiplications(
            lambda: [torch.empty(n, d) @ torch.empty(d, d) for _ in range(4)]
        )

        assert scores == context == page.operations_per_layer("self-attention", n, d, 3)
        assert projections == 4 * page.operations_per_layer("recurrent", n, d, 3)
        assert ("E" in page.cost_statements(n, d)) is (projections > scores + context)

    def test_convolution(self, page):
        """Table 1's k n d^2, with as many outputs as tokens."""
        found = self.multiplications(
            lambda: nn.functional.conv1d(torch.empty(1, 8, 12), torch.empty(8, 8, 3))
        )

        assert found == page.operations_per_layer("convolution", 12 - 2, 8, 3)

    def test_scores_of_a_mebibyte(self, page):
        for tokens in (511, 512, 513):
            scores = torch.empty(tokens, tokens, device="meta")

            assert ("D" in page.cost_statements(tokens, 64)) is (scores.nbytes > 2**20)

    @pytest.mark.parametrize("d_model", [64, 512])
    def test_parameters_do_not_depend_on_the_heads(self, d_model):
        with torch.device("meta"):
            counts = {
                sum(p.numel() for p in nn.MultiheadAttention(d_model, h, bias=False).parameters())
                for h in (1, 2, 8, 64)
            }

        assert counts == {4 * d_model**2}

    def test_heads(self, page, suite):
        for seed in SEEDS:
            for d_model, num_heads in cases_of(suite, "heads_statements", seed):
                with torch.device("meta"):
                    layer = nn.MultiheadAttention(d_model, num_heads, batch_first=True)
                    x = torch.empty(1, 100, d_model)
                    weights = layer(x, x, x, average_attn_weights=False)[1]
                answer = page.heads_statements(d_model, num_heads)

                assert ("C" in answer) is (math.sqrt(layer.head_dim) == 8)
                assert ("D" in answer) is (weights.numel() > d_model**2)

    def test_blocks(self, page, suite):
        for seed in SEEDS:
            for d_model, d_ff in cases_of(suite, "block_statements", seed):
                with torch.device("meta"):
                    layer = nn.TransformerEncoderLayer(d_model, 1, d_ff)
                attention = layer.self_attn.in_proj_weight, layer.self_attn.out_proj.weight
                network = layer.linear1.weight, layer.linear2.weight
                norms = *layer.norm1.parameters(), *layer.norm2.parameters()
                sizes = [sum(p.numel() for p in group) for group in (attention, network, norms)]
                answer = page.block_statements(d_model, d_ff)

                assert ("A" in answer) is (sizes[1] > sizes[0])
                assert ("E" in answer) is (sizes[2] < 0.01 * sizes[0])

    def test_a_layer_norm_without_bias(self):
        layer = nn.LayerNorm(5, bias=False)

        assert layer.bias is None
        assert layer(torch.randn(3, 5)).mean(-1).abs().max() < 1e-6


class TestOrderAndMasks:
    """Shuffled words, replaced words, and what the mask does."""

    @pytest.mark.parametrize("positions", [False, True])
    @pytest.mark.parametrize("causal", [False, True])
    def test_order(self, page, positions, causal):
        words = 0.3 * torch.randn(6, 8, dtype=torch.float64)
        words[4] = words[1]
        places = 0.3 * torch.randn(6, 8, dtype=torch.float64) * positions

        def layer(words):
            x = words + places
            return attention(x, causal) @ x

        out, order = layer(words), torch.tensor([3, 0, 4, 1, 2, 5])
        others = torch.cat([words[:1], torch.randn(5, 8, dtype=torch.float64)])
        keys = words + places
        found = {
            "A": torch.allclose(layer(words[order]), out[order]),
            "C": torch.allclose(layer(words[order])[-1], out[-1]),
            "D": torch.allclose(layer(others)[0], out[0]),
            "E": torch.equal(keys[1], keys[4]),
        }
        answer = page.order_statements(positions, causal)

        assert {letter: letter in answer for letter in "ACDE"} == found
        assert "B" not in answer

    def test_masks(self, page, suite):
        for seed in SEEDS:
            for tokens, position in cases_of(suite, "mask_statements", seed):
                weights = attention(torch.zeros(tokens, 1), causal=True)
                answer = page.mask_statements(tokens, position)

                assert ("A" in answer) is bool((weights[position] == 0).sum() > tokens / 2)
                assert ("B" in answer) is bool(weights[position, position] > 0.1 + 1e-6)
                assert ("E" in answer) is bool((weights[-1] > 0).all())

    def test_zeros_after_the_softmax_are_not_the_same(self):
        x = torch.randn(5, 3)

        assert not torch.allclose(attention(x).tril(), attention(x, causal=True))


class TestByHand:
    """The network that continues aabaab..., and its head."""

    def test_window(self, page, suite):
        for seed in SEEDS:
            for position, window, score in cases_of(suite, "window_statements", seed):
                places = torch.arange(8)
                back = places[:, None] - places
                windows = ((back >= 0) & (back < window)).double()
                scores = score * windows[position]
                own = windows[position].bool()
                tied = (score * windows @ windows.T)[position].softmax(0)
                weights = scores.softmax(0)
                answer = page.window_statements(position, window, score)

                assert ("A" in answer) is bool(torch.allclose(tied[own], tied[position]))
                assert tied.argmax() == position or tied[position] == tied.max()
                assert ("B" in answer) is ((scores == scores.max()).sum().item() == window)
                assert ("C" in answer) is bool(weights[~own].sum() < 0.01)
                assert ("D" in answer) is bool((scores[position + 1 :] == scores.max()).any())
                assert ("E" in answer) is bool(
                    torch.allclose((2 * scores).softmax(0)[own], (2 * scores).softmax(0)[position])
                )

    @staticmethod
    def logits(text, scale, *, masked=True, residual=True):
        """Width 8: five places, two tokens (a and b), one value that is 1 for a and -1 for b."""
        tokens = torch.tensor([" ab".index(c) - 1 for c in text])
        n = len(tokens)
        x = torch.cat([torch.eye(5)[:n], torch.eye(2)[tokens], torch.zeros(n, 1)], 1).double()
        places = torch.eye(5, dtype=torch.float64)
        query = 1024 * x[:, :5] @ (places + places.roll(-1, 1).tril())
        value = x[:, 5] - x[:, 6]
        scores = query @ x[:, :5].T / math.sqrt(8)
        if masked:
            scores = scores.masked_fill(~torch.ones(n, n).tril().bool(), -torch.inf)
        seen = scores.softmax(-1) @ value
        branch = scale * torch.stack([1 - seen, seen], 1)
        return x[:, 5:7] * residual + branch

    def right_answers(self, scale, **options):
        text, right = "aab" * 10, 0
        for end in range(2, 29):
            context = text[max(0, end - 5) : end]
            answer = self.logits(context, scale, **options)[-1].argmax().item()
            right += "ab"[answer] == text[end]
        return right

    def test_the_printed_logits(self):
        """Those for "aabaa", and for "bb", which never comes up."""
        printed = [[1, 1024], [1, 1024], [1024, 1], [1025, 0], [1, 1024]]

        assert self.logits("aabaa", 1024.0).tolist() == printed
        assert self.logits("bb", 1024.0)[-1].tolist() == [2048, -1023]

    def test_two_is_enough_and_one_is_not(self):
        """1 gets 18 of 27: after "aa" it is a draw, which a wins."""
        assert [self.right_answers(scale) for scale in (1.0, 2.0, 1024.0)] == [18, 27, 27]

    def test_the_mask_is_not_needed(self):
        assert self.right_answers(1024.0, masked=False) == 27

    def test_residual(self, page, suite):
        for seed in SEEDS:
            for (scale,) in cases_of(suite, "residual_statements", seed):
                found = {t: self.logits(t, scale)[-1] for t in ("aa", "ab", "ba")}
                answer = page.residual_statements(scale)

                assert ("A" in answer) is (found["ba"].argmax().item() == 0)
                assert ("B" in answer) is (found["aa"].argmax().item() == 1)
                assert ("D" in answer) is (self.right_answers(scale, residual=False) == 27)
                assert ("E" in answer) is (found["ab"].softmax(0)[0].item() > 0.99)
