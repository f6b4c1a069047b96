"""Which letter is the cause in each program of ``clinic``, and why another one is not."""

from __future__ import annotations

LETTERS = {
    "norm": "D",
    "positions": "B",
    "sublayer": "C",
    "encoder_layer": "E",
    "causal_weights": "B",
    "attend": "A",
    "cross": "D",
    "next_probabilities": "C",
    "feed_forward": "B",
    "loss": "E",
}

NOT = {
    "norm": {
        "A": "eps is added below the root, and so small that it changes no third digit at scale 1.",
        "B": "The mean of a wrong axis would be wrong at a width of 512 as well.",
        "C": "Weight and bias exchanged would be wrong at every width, and not by a common factor.",
        "E": "eps is 0.00001 at every width: it takes away no seventh.",
    },
    "positions": {
        "A": "Sine and cosine exchanged would make other waves, but waves in every column.",
        "C": "Positions from 1 on move the picture by one row; its right half stays the same.",
        "D": "The base is the paper's: with right exponents, below 1, fewer columns stand still.",
        "E": "d_model is the width of the paper's formula. In what was given, the number that is "
        "divided by it was wrong.",
    },
    "sublayer": {
        "A": "The network gets the normalised x, as it should. With w2 = 0 it adds nothing anyway.",
        "B": "With w2 = 0 no order of the two matrices lets anything through.",
        "D": "With w2 = 0 the right program adds 0, with or without a bias of w1.",
        "E": "With w2 = 0 and relu around the sum, a positive x would come out unchanged. Here it "
        "does not.",
    },
    "encoder_layer": {
        "A": "A small learning rate makes small steps. The gradient is a number all the same.",
        "B": "Dead units give a gradient of 0. None says that no path leads there at all.",
        "C": "A gradient that vanishes is small or 0. None says that no path leads there at all.",
        "D": "The optimizer comes after backward(): it cannot take a gradient away that was there.",
    },
    "causal_weights": {
        "A": "A softmax along the queries would be wrong in the training as well.",
        "C": "Upside down, the mask would be wrong in the training as well.",
        "D": "Without its own token the first query in training would have no key: NaN.",
        "E": "Keys are not normalised in this function, neither new ones nor kept ones.",
    },
    "attend": {
        "B": "With the wrong polarity nothing at all would be left without padding.",
        "C": "A wrong root changes the weights, but never their sum.",
        "D": "The weights were added up, not the values: their sum is less than 1.",
        "E": "A mask that is not broadcast would raise an error, or hide too little; the sum of a "
        "softmax would be 1 all the same.",
    },
    "cross": {
        "A": "That line is where two lengths meet. They were made different before, where k and v "
        "were cut into tokens.",
        "B": "If heads did not divide n, equal lengths would raise an error as well.",
        "C": "With queries and keys exchanged no length is wrong: the output would have S rows.",
        "E": "The two lengths may differ, that is what cross-attention is for. Padding hides the "
        "error, and adds keys that nobody wrote.",
    },
    "next_probabilities": {
        "A": "Rightly made, the probabilities of the first position sum to 1 as well.",
        "B": "A softmax of probabilities still sums to 1 over the tokens.",
        "D": "A softmax along the positions would not depend on the other texts of the batch.",
        "E": "A temperature changes how sharp the probabilities are. They sum to 1 all the same.",
    },
    "feed_forward": {
        "A": "Dropout on the output is wrong as well, but in eval mode it would not act either.",
        "C": "In eval mode nothing should be dropped, so nothing is to be divided.",
        "D": "In eval mode p should play no part at all, whatever it means.",
        "E": "A seed makes the chance repeatable. In eval mode there should be none.",
    },
    "loss": {
        "A": "Then the loss would go to 0 quickly, for the model has read the token just now.",
        "B": "A sum would not begin at ln 5.",
        "C": "This loss knows of no padding; counted padding would not hold it at 0.90 either.",
        "D": "A large learning rate makes a loss jump. 0.90 is ln(e + 4) - 1, a bound.",
    },
}
