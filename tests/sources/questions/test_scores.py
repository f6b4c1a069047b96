"""What the questions say of scores and softmax, by experiments with attention."""

from __future__ import annotations

import math

import pytest
import torch

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


def entropy(weights):
    return torch.special.entr(weights).sum(-1)


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

    def test_tokens_need_not_attend_most_to_themselves(self, page, truth, cases_of, attention):
        """In the sentence of six only two do; for two tokens it is as the question says."""
        assert attention(SENTENCE).argmax(-1).tolist() == [0, 1, 1, 1, 2, 1]

        for seed in SEEDS:
            for a, b, cosine in cases_of("similarity_statements", seed):
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

    def test_statements(self, page, cases_of):
        for seed in SEEDS:
            for tokens, gap in cases_of("long_context_statements", seed):
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


class TestTemperature:
    def test_statements(self, page, cases_of):
        """Two logits, divided, by torch."""
        logits = torch.tensor([2.0, 0.0], dtype=torch.float64)
        for seed in SEEDS:
            for (temperature,) in cases_of("temperature_statements", seed):
                plain, now = logits.softmax(0), (logits / temperature).softmax(0)
                colder = (logits / (temperature / 2)).softmax(0)
                shifted = ((logits + 5) / temperature).softmax(0)
                answer = page.temperature_statements(temperature)

                assert ("A" in answer) is bool(now[0] > now[1])
                assert ("B" in answer) is bool(now[0] > 0.9)
                assert ("C" in answer) is bool(now[0] - now[1] < plain[0] - plain[1])
                assert ("D" in answer) is bool(colder[0] < now[0])
                assert ("E" in answer) is not bool(torch.allclose(now, shifted))
