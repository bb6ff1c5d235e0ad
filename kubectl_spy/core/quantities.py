"""Quantities of resources: 500m, 1Gi, 1e3.

https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

from __future__ import annotations

import re
from decimal import Context, Decimal

from kubectl_spy.core.objects import JSON

FACTORS = {  # by suffix
    "": Decimal(1),
    **{unit: Decimal(1000) ** -power for power, unit in enumerate("mun", 1)},
    **{unit: Decimal(1000) ** power for power, unit in enumerate("kMGTPE", 1)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}
EXACT = Context(prec=200)
"""No result of what is read here has more digits."""
_QUANTITY = re.compile(
    r"([+-]?[0-9]{1,20}(?:\.[0-9]{0,18})?)(?:[eE]([+-]?[0-9]{1,2})|([KMGTPE]i|[numkMGTPE]?))"
)


def quantity(value: JSON) -> Decimal | None:
    """Return the quantity *value* as a number, or None.

    >>> quantity("1Ki"), quantity("500m"), quantity("1e3"), quantity("much")
    (Decimal('1024'), Decimal('0.500'), Decimal('1E+3'), None)
    """
    found = _QUANTITY.fullmatch(str(value))
    if found is None:
        return None
    if found[2]:
        return EXACT.scaleb(Decimal(found[1]), int(found[2]))
    return EXACT.multiply(Decimal(found[1]), FACTORS[found[3]])
