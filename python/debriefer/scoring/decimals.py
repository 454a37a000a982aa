"""Decimal arithmetic that both metrics share: rounding half up, without floats and without blowing up."""

from __future__ import annotations

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_HALF_UP, Context, Decimal, InvalidOperation

# Beyond this power of ten a number is written with an exponent: a cell of ten characters must not become a string of
# a billion digits.
_LONGEST = 1_000
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=ROUND_HALF_UP)
_CENT = Decimal("0.01")


def parse_decimal(text: str) -> Decimal | None:
    """Return the decimal that `text` writes, or `None` where its exponent is beyond any decimal."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def two_decimals(value: Decimal) -> str:
    """Write a number with two decimals, rounded half up (away from zero); −0 is 0.

    >>> two_decimals(Decimal("0.005")), two_decimals(Decimal("-0.001")), two_decimals(Decimal("42E5"))
    ('0.01', '0.00', '4200000.00')
    """
    if value and value.adjusted() > _LONGEST:
        return str(value.normalize(_EXACT))
    rounded = value.quantize(_CENT, context=_EXACT)
    return str(rounded or rounded.copy_abs())


def round_half_up(value: Decimal, places: int) -> Decimal:
    """Round to `places` decimals (below 0: to tens, hundreds …), halves away from zero.

    >>> round_half_up(Decimal("2.5"), 0), round_half_up(Decimal("149"), -2)
    (Decimal('3'), Decimal('1E+2'))
    """
    quantum = Decimal((0, (1,), -places))
    if not value or value.as_tuple().exponent >= -places:  # type: ignore[operator]  # finite by construction
        return value
    return value.quantize(quantum, context=_EXACT)


def hundredth(value: Decimal) -> Decimal:
    """Return what a percentage is as a fraction, exactly."""
    return value.scaleb(-2, context=_EXACT)


def plain(value: Decimal) -> str:
    """Write a number without trailing zeros: `3.10` and `3.1` give `3.1`, `-0` gives `0`.

    >>> plain(Decimal("1e3")), plain(Decimal("3.10"))
    ('1000', '3.1')
    """
    if not value:
        return "0"
    if abs(value.adjusted()) > _LONGEST:
        return str(value.normalize(_EXACT))
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
