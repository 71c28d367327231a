"""Numbers as readr writes them into a CSV file.

readr finds the shortest digits that give a number back with the algorithm Grisu3 (Loitsch 2010,
"Printing Floating-Point Numbers Quickly and Accurately with Integers"). It computes in 64 bits, and
for about one number in 260 it can't tell whether its digits are the shortest. readr then writes 17
digits, and so `number` must know for which numbers that is so.
"""

import math
from decimal import Decimal
from fractions import Fraction
from functools import cache

_BITS = 64
_LOG10_2 = 0.30102999566398114
_LEAST_EXPONENT = -60
"""The scaled number has at most so many bits after its point, which leaves room for a digit."""
_LEAST_POWER, _POWER_STEP = -348, 8
"""The algorithm has a table of every eighth power of ten."""


def number(value: float | None) -> str:
    """Write a number; None is NA.

    >>> number(1.0), number(650000.0), number(9e-06), number(0.0025), number(None), number(1e15)
    ('1', '650000', '9e-6', '0.0025', 'NA', '1e15')

    Published, for a number whose shortest digits are 0.6563510890662066:

    >>> number(0.6563510890662066)
    '0.65635108906620665'
    """
    if value is None:
        return "NA"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    sign = "-" if math.copysign(1, value) < 0 else ""
    if value and not _has_shortest_digits(abs(value)):
        return f"{sign}{abs(value):.17g}"
    _, digits, power = Decimal(repr(abs(float(value)))).normalize().as_tuple()
    assert isinstance(power, int)
    text, size = "".join(map(str, digits)), len(digits) + power
    if 0 <= power <= max(2, 15 - len(text)):
        text += "0" * power
    elif power > 0:
        text += f"e{power}"
    elif size > 0:
        text = f"{text[:size]}.{text[size:]}"
    elif size > -3:
        text = f"0.{'0' * -size}{text}"
    else:
        text = f"{text[0]}.{text[1:]}".removesuffix(".") + f"e{size - 1}"
    return sign + text


def _has_shortest_digits(value: float) -> bool:
    """Say whether Grisu3 finds the shortest digits of a positive number.

    The number and the two halfway points to its neighbours are scaled by a power of ten, each with
    an error of at most one unit in the last of 64 bits. Digits of the upper point are generated
    until what is left of them is smaller than the distance to the lower point.
    """
    mantissa, exponent = math.frexp(value)
    whole, exponent = int(mantissa * 2**53), exponent - 53
    if exponent < -1074:  # a number with fewer bits
        whole, exponent = whole >> (-1074 - exponent), -1074
    upper, lower = 4 * whole + 2, 4 * whole - (1 if whole == 2**52 and exponent > -1074 else 2)
    shift = _BITS - upper.bit_length()
    power, power_exponent = _scale(exponent - 2 - shift)
    upper, middle, lower = (
        ((point << shift) * power + 2 ** (_BITS - 1)) >> _BITS
        for point in (upper, 4 * whole, lower)
    )
    places = -(exponent - 2 - shift + power_exponent + _BITS)
    upper, lower, unit = upper + 1, lower - 1, 1
    width, distance = upper - lower, upper - middle
    digits, rest = upper >> places, upper & ((1 << places) - 1)
    step = 10 ** (len(str(digits)) - 1)
    while step:
        digits %= step
        left = (digits << places) + rest
        if left < width:
            return _is_safe(left, width, distance, step << places, unit)
        step //= 10
    while True:
        rest, unit, width = rest * 10 & ((1 << places) - 1), unit * 10, width * 10
        if rest < width:
            return _is_safe(rest, width, distance * unit, 1 << places, unit)


def _is_safe(left: int, width: int, distance: int, step: int, unit: int) -> bool:
    """Lower the last digit towards the number, and say whether the error can't change the result.

    All are measured from the upper point: `left` is the distance of the digits, `distance` that of
    the number, known to within `unit`, and `width` that of the lower point.
    """

    def is_closer(target: int, *, when_equal: bool) -> bool:
        if left >= target or width - left < step:
            return False
        gain = (target - left) - (left + step - target)
        return left + step < target or gain > 0 or (when_equal and gain == 0)

    while is_closer(distance - unit, when_equal=True):
        left += step
    return not is_closer(distance + unit, when_equal=False) and (
        2 * unit <= left <= width - 4 * unit
    )


def _scale(exponent: int) -> tuple[int, int]:
    """Return the power of ten that scales numbers of a binary exponent, as 64 bits and exponent."""
    least = math.ceil((_LEAST_EXPONENT - exponent - 1) * _LOG10_2)
    return _power_of_ten(_LEAST_POWER + _POWER_STEP * -((_LEAST_POWER - least) // _POWER_STEP))


@cache
def _power_of_ten(power: int) -> tuple[int, int]:
    exact = Fraction(10) ** power
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length() - _BITS
    if exact / Fraction(2) ** exponent >= 2**_BITS:
        exponent += 1
    return round(exact / Fraction(2) ** exponent), exponent
