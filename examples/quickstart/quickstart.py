"""Identifies a user, tracks an event and sends an email: KEY=sk_test_... python3 quickstart.py"""

import os

from beckon import Beckon, BeckonError

beckon = Beckon(os.environ["KEY"], os.environ.get("BECKON_URL", "http://127.0.0.1:8080"))

beckon.identify("ada", first_name="Ada", email="ada@example.com")
beckon.track("order.placed", "ada", message_id="order-17", module="shop", total=39)
send = beckon.send_email(userIds=["ada"], subject="Hello {{trait.first_name}}", text="Welcome.")
print("send", send["id"])

try:
    beckon.send_email(subject="Nobody", text="This has no recipient.")
except BeckonError as error:
    print(error.status, error.code)
