"""An asynchronous client of a Content Database Service: typed calls, frozen records, a tree of errors."""

from cdb_desktop.client.api import AskProxyLogin, Client
from cdb_desktop.client.errors import (
    AddressProblem,
    AnswerError,
    AnswerProblem,
    ApiError,
    CertificateError,
    CertificateProblem,
    ClientCertificateError,
    ClientError,
    GatewayError,
    LoginRefusedError,
    MissingRightError,
    NetworkOptionsError,
    NotFoundError,
    NotReadyError,
    OptionField,
    OptionProblem,
    ProxyLoginError,
    ServerError,
    ServiceError,
    SessionLostError,
    SignInError,
    SignInProblem,
    SlowAnswerError,
    TooLargeError,
    UnreachableError,
    UnreachableKind,
    UserError,
    VersionMismatchError,
)
from cdb_desktop.client.exchange import Exchange, RequestForm
from cdb_desktop.client.generation6.loopback import Authorization, BrowserTexts, authorization, parse_redirect
from cdb_desktop.client.generation6.sign_in import OAuthClient, Tokens
from cdb_desktop.client.network import (
    NO_PROXY,
    SYSTEM_PROXY,
    Certificate,
    ClientCertificate,
    NetworkOptions,
    ProxyLogin,
    certificate_fingerprint,
    check_options,
    proxy_for,
)
from cdb_desktop.client.query import SORT_FIELDS, CsvOptions, EventFilter, Sort, ranges_of
from cdb_desktop.client.records import (
    Capabilities,
    CommitQuestion,
    Event,
    EventPage,
    Fault,
    FaultInjection,
    Instance,
    ObjectVersion,
    Polled,
    Record,
    ServerErrorDetails,
    Session,
    Settings,
    Unreadable,
    UnreadableReason,
    User,
    has_right,
)
from cdb_desktop.client.transport import fetch_certificates, load_libraries
