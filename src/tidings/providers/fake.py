"""A network that goes nowhere: keeps what was asked and answers as told. For tests and trials."""

from collections.abc import Sequence

from tidings.providers.delivery import Network
from tidings.providers.exchange import Encoded, Response, SmtpRequest, SmtpResponse

_OK = Response(status=200, body=b"{}")


class FakeHttp:
    """Gives the answers in turn, and the last one again and again; an exception is raised."""

    def __init__(self, *answers: Response | Exception) -> None:
        self._answers: list[Response | Exception] = list(answers) or [_OK]
        self.requests: list[Encoded] = []

    async def send(self, request: Encoded) -> Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def close(self) -> None:
        pass


class FakeMail:
    def __init__(self, *answers: SmtpResponse | Exception) -> None:
        self._answers: list[SmtpResponse | Exception] = list(answers) or [SmtpResponse(code=250)]
        self.requests: list[SmtpRequest] = []

    async def send(self, request: SmtpRequest) -> SmtpResponse:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def close(self) -> None:
        pass


def fake_network(
    http: Sequence[Response | Exception] = (), mail: Sequence[SmtpResponse | Exception] = ()
) -> tuple[Network, FakeHttp, FakeMail]:
    fake_http, fake_mail = FakeHttp(*http), FakeMail(*mail)
    return Network(fake_http, fake_mail), fake_http, fake_mail
