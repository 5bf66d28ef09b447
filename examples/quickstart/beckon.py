"""A client of Beckon with the standard library of Python alone. It retries what the server did not store."""

import base64
import hashlib
import hmac
import json
import time
import urllib.error
import urllib.request
import uuid


class BeckonError(Exception):
    def __init__(self, status, error):
        super().__init__(error.get("message", f"HTTP {status}"))
        self.status = status
        self.code = error.get("code")
        self.details = error.get("details")


class Beckon:
    def __init__(self, api_key, base_url, attempts=3):
        self.headers = {"x-api-key": api_key, "content-type": "application/json"}
        self.base_url = base_url.rstrip("/") + "/api/v1/"
        self.attempts = attempts

    def call(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(1, self.attempts + 1):
            request = urllib.request.Request(
                self.base_url + path, data, {**self.headers, **(headers or {})}, method=method
            )
            try:
                with urllib.request.urlopen(request, timeout=10) as response:
                    return json.load(response)["data"]
            except urllib.error.HTTPError as error:
                retried = error.code in (429, 502, 503) and attempt < self.attempts
                if not retried:
                    try:
                        content = json.load(error).get("error", {})
                    except ValueError:
                        content = {}
                    raise BeckonError(error.code, content) from None
                time.sleep(min(float(error.headers.get("retry-after") or attempt), 60))

    def identify(self, user_id, **traits):
        return self.call("POST", "identify", {"userId": user_id, "traits": traits})

    def track(self, event_type, user_id, message_id=None, module="app", **properties):
        return self.call(
            "POST",
            "events",
            {
                "module": module,
                "eventType": event_type,
                "userId": user_id,
                # The same id in every attempt: the event takes effect once.
                "messageId": message_id or str(uuid.uuid4()),
                "properties": properties,
            },
        )

    def send_email(self, **body):
        return self.call("POST", "email/send", body, {"Idempotency-Key": str(uuid.uuid4())})


def verify_webhook(raw_body, headers, secret, now=None):
    """The event of a webhook request. Raises ValueError. `raw_body` is the bytes of the request, `headers` has lower-case names."""
    timestamp = headers["webhook-timestamp"]
    if abs((time.time() if now is None else now) - int(timestamp)) > 300:
        raise ValueError("The timestamp is more than five minutes away.")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{timestamp}.".encode() + raw_body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = [part.partition(",")[2] for part in headers["webhook-signature"].split() if part.startswith("v1,")]
    if not any(hmac.compare_digest(expected, signature) for signature in signatures):
        raise ValueError("No signature matches the secret.")
    return json.loads(raw_body)
