"""Which model does which job, and the `dspy.LM` for it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from debriefer.errors import ModelError
from debriefer.models import compat
from debriefer.models.budget import Meter, metered
from debriefer.models.engine import AsyncEngine, Engine, Pool
from debriefer.models.environment import configured
from debriefer.models.journal import Journal
from debriefer.models.ledger import Ledger
from debriefer.models.limiter import Limiter
from debriefer.models.redact import Redactor
from debriefer.models.retry import RetryPolicy
from debriefer.models.settings import ROLES, ModelSettings

if TYPE_CHECKING:
    import dspy


class Models:
    """The language models of a run: one for all roles, or others for some.

    Attributes:
        ledger: One record for each attempt of each request.
        policy: How transient failures are repeated.
        limiter: How many requests are under way at once.

    Args:
        default: The model of every role that `roles` does not name.
        roles: Other models for single roles; see `ROLES`.
        limiter: Shared by all roles; 8 requests at once where none is given.
        ledger: Where calls are recorded.
        policy: How transient failures are repeated.
        environment: Where providers' own variables are looked up (`OPENAI_API_KEY`, ...).
        sender_factory: How requests leave: `(settings, number of the endpoint, environment)` to a function of
            request and seconds. The default speaks HTTP.
    """

    def __init__(
        self,
        default: ModelSettings,
        roles: Mapping[str, ModelSettings] | None = None,
        *,
        limiter: Limiter | None = None,
        ledger: Ledger | None = None,
        policy: RetryPolicy | None = None,
        environment: Mapping[str, str] | None = None,
        sender_factory: compat.SenderFactory = compat.native_sender,
    ) -> None:
        for role in roles or {}:
            _known(role)
        self._default = default
        self._roles = dict(roles or {})
        self.limiter = Limiter() if limiter is None else limiter
        self.ledger = Ledger() if ledger is None else ledger
        self.policy = RetryPolicy() if policy is None else policy
        self._environment = dict(os.environ if environment is None else environment)
        self._factory = sender_factory
        secrets = [secret for settings in (default, *self._roles.values()) for secret in settings.secrets]
        self._redactor = Redactor(secrets, self._environment)
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._pools: dict[ModelSettings, Pool] = {}
        self._lms: dict[tuple[str, bool], dspy.LM] = {}

    @classmethod
    def from_environment(
        cls,
        *,
        lm: str | None = None,
        environment: Mapping[str, str] | None = None,
        roles: Mapping[str, str] | None = None,
        **options: Any,  # noqa: ANN401 -- the constructor's own
    ) -> Self | None:
        """Return the models that the environment configures, or `None` where it configures none.

        `MODEL_API_URL` (several addresses separated by commas), `MODEL_API_KEY` and `MODEL_NAME` name an
        OpenAI-compatible server; `lm` is what `--lm` was given, any DSPy string, and comes before `MODEL_NAME`.
        `DEBRIEFER_MODEL_<ROLE>` (with `_URL` and `_KEY` where the role's model lives elsewhere) or `roles` choose
        another model for one role. `docs/models.md` lists all variables.

        Args:
            lm: `provider/model`, or the bare name of a model that `MODEL_API_URL` serves.
            environment: Variables; those of the process where none are given.
            roles: Role to model string; comes before the variables.
            options: Passed to the constructor.

        Raises:
            ModelError: Something is set and something it needs is not, or a value cannot be read.
        """
        environment = dict(os.environ if environment is None else environment)
        found = configured(lm, environment, roles)
        if found is None:
            return None
        folder = None if found.slots is None else Path(found.slots)
        options.setdefault("limiter", Limiter(found.concurrency, folder=folder))
        return cls(found.default, found.roles, environment=environment, **options)

    def journalled(self, journal: Journal) -> Models:
        """Return the same models with their requests behind a journal; what they share is shared, `stop` included."""
        behind = Models(
            self._default,
            self._roles,
            limiter=self.limiter,
            ledger=self.ledger,
            policy=self.policy,
            environment=self._environment,
            sender_factory=journal.factory(self._factory),
        )
        behind._stopped = self._stopped
        return behind

    def settings(self, role: str) -> ModelSettings:
        """Return the settings of the model that does `role`.

        Raises:
            ModelError: There is no such role.
        """
        _known(role)
        return self._roles.get(role, self._default)

    def engine(self, role: str) -> Engine:
        """Return a new engine for `role`; engines of one model share its endpoints."""
        settings = self.settings(role)
        with self._lock:
            pool = self._pools.get(settings)
            if pool is None:
                pool = self._pools[settings] = Pool(settings, self._factory, self._environment)
        return Engine(
            role,
            pool,
            ledger=self.ledger,
            limiter=self.limiter,
            policy=self.policy,
            redactor=self._redactor,
            stopped=self._stopped,
        )

    def lm(self, role: str, *, cache: bool = False) -> dspy.LM:
        """Return the `dspy.LM` for `role`, the same object each time.

        Args:
            role: One of `ROLES`.
            cache: Whether DSPy may answer from its cache. Off by default: a vote or a retry needs a new reply, and
                an unparsable one would be replayed for ever. Entries are kept apart by model, endpoints and every
                setting that could change a reply. A hit is not counted and not recorded, since nothing is sent.
        """
        key = role, cache
        engine = self.engine(role)
        with self._lock:
            if key not in self._lms:
                self._lms[key] = compat.make_lm(engine, AsyncEngine(engine), engine.settings, cache=cache)
            return self._lms[key]

    @contextmanager
    def using(self, role: str, meter: Meter | None = None, **settings: Any) -> Iterator[dspy.LM]:  # noqa: ANN401
        """Make the model of `role` DSPy's own for the block, counted against `meter`.

        History and traces are off, since DSPy keeps every message and image in them; pass `trace=[]` or
        `disable_history=False` to have them. The LM never becomes part of a program, so that none is saved with one.
        """
        import dspy  # noqa: PLC0415 -- half a second; only who asks a model pays it

        lm = self.lm(role)
        values = {"lm": lm, "disable_history": True, "trace": None, **settings}
        with dspy.context(**values):
            if meter is None:
                yield lm
            else:
                with metered(meter):
                    yield lm

    def stop(self) -> None:
        """Let every request that waits, for its turn or for its reply, fail; nothing is sent any more.

        Safe in a signal handler.
        """
        self._stopped.set()

    def to_dict(self) -> dict[str, Any]:
        """Return the settings of each role that differs from the default, without keys."""
        return {
            "default": self._default.to_dict(),
            "roles": {role: settings.to_dict() for role, settings in sorted(self._roles.items())},
        }

    def __repr__(self) -> str:
        return f"Models({self._default!r}, roles={self._roles!r})"


def _known(role: str) -> None:
    if role not in ROLES:
        message = f"`{role}` is no role of a model"
        raise ModelError(message, hint=f"the roles are {', '.join(ROLES)}")
