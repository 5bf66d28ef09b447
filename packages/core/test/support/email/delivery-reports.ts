// Delivery reports in the forms of common mail servers. The forms follow RFC 3464; names and texts are made up.

import { returnPathOf } from '../../../src/messaging/email/bounce-mail.ts';

/** The message of every report in this file. */
export const REPORTED_MESSAGE = '01890000-0000-7000-8000-000000000001';
const RETURN_PATH = returnPathOf(REPORTED_MESSAGE, 'bounces.shop.test');

/** The expected result of a report; null: none. */
export type ExpectedReport = {
  readonly code: string;
  /** `listed`: the address is dead. `failed`: the email was not delivered. `noted`: it may have been delivered. */
  readonly outcome: 'listed' | 'failed' | 'noted';
};
export type DeliveryReportSample = {
  readonly says: string;
  readonly mail: string;
  readonly expected: ExpectedReport | null;
};

type Form = {
  readonly from: string;
  readonly subject: string;
  readonly words: string;
  /** The fields about the message, before those of the recipients. */
  readonly fields: string;
  readonly head?: string;
  readonly type?: string;
  readonly eol?: string;
};

/**
 * A complete report email in a server's form. @param recipients the fields of each recipient, as the server writes them
 */
const reportOf = (form: Form, ...recipients: readonly string[]): string => {
  const { from, subject, words, fields, head = '', type = 'message/delivery-status', eol = '\r\n' } = form;
  const lines = `Return-Path: <>
Delivered-To: ${RETURN_PATH}
Received: from mx.example.com (mx.example.com [192.0.2.25])
\tby bounces.shop.test with ESMTP id 5.1.1; Sat, 28 Nov 2026 10:00:00 +0000
From: ${from}
To: ${RETURN_PATH}
Subject: ${subject}
${head}MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="=_report/5.1.1"
Message-ID: <20261128100000.5F1E@mx.example.com>

This is a MIME-encapsulated message.

--=_report/5.1.1
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

${words}

--=_report/5.1.1
Content-Description: Delivery report
Content-Type: ${type}

${[fields, ...recipients].join('\n\n')}

--=_report/5.1.1
Content-Type: message/rfc822

From: Shop <news@shop.test>
To: Ann <ann@example.com>
Subject: Status: 5.1.1
Content-Type: text/plain

Action: failed
Status: 5.1.1
--=_report/5.1.1--
`;
  return lines.replaceAll('\n', eol);
};

const POSTFIX: Form = {
  from: 'MAILER-DAEMON@mx.example.com (Mail Delivery System)',
  subject: 'Undelivered Mail Returned to Sender',
  words: `This is the mail system at host mx.example.com.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

<ann@example.com>: user unknown (5.1.1)`,
  fields: `Reporting-MTA: dns; mx.example.com
X-Postfix-Queue-ID: 5F1E20ABCD
X-Postfix-Sender: rfc822; ${RETURN_PATH}
Arrival-Date: Sat, 28 Nov 2026 10:00:00 +0000 (UTC)`,
};
const postfix = (status: string, diagnostic: string, action = 'failed'): string =>
  reportOf(
    POSTFIX,
    `Final-Recipient: rfc822; ann@example.com
Original-Recipient: rfc822;ann@example.com
Action: ${action}
Status: ${status}
Remote-MTA: dns; mail.example.com
Diagnostic-Code: ${diagnostic}`,
  );

const EXIM: Form = {
  from: 'Mail Delivery System <Mailer-Daemon@mx.example.com>',
  subject: 'Mail delivery failed: returning message to sender',
  words: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ann@example.com
    host mail.example.com [192.0.2.1]
    SMTP error from remote mail server after RCPT TO:<ann@example.com>:
    550 5.1.1 unknown`,
  fields: 'Reporting-MTA: dns; mx.example.com',
  head: 'X-Failed-Recipients: ann@example.com\nAuto-Submitted: auto-replied\n',
};
const exim = (diagnostic: string | null): string =>
  reportOf(
    EXIM,
    `Action: failed
Final-Recipient: rfc822;ann@example.com
Status: 5.0.0${diagnostic === null ? '' : `\nRemote-MTA: dns; mail.example.com\nDiagnostic-Code: smtp; ${diagnostic}`}`,
  );

const EXCHANGE: Form = {
  from: 'Microsoft Outlook <MicrosoftExchange329e71ec@example.com>',
  subject: 'Undeliverable: Hello',
  words: "Your message to ann@example.com couldn't be delivered.",
  fields: `Reporting-MTA: dns;DB5EUR01.prod.protection.example.com
Received-From-MTA: dns;mx.shop.test
Arrival-Date: Sat, 28 Nov 2026 10:00:00 +0000`,
  head: 'X-MS-Exchange-Message-Is-Ndr: true\n',
};
const exchange = (status: string, diagnostic: string): string =>
  reportOf(
    EXCHANGE,
    `Final-Recipient: rfc822;ann@example.com
Action: failed
Status: ${status}
Diagnostic-Code: smtp;${diagnostic}
X-Display-Name: Ann`,
  );

const GMAIL: Form = {
  from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.example>',
  subject: 'Delivery Status Notification (Failure)',
  words: '** Address not found **\n\nYour message was not delivered to ann@example.com.',
  fields: `Reporting-MTA: dns; googlemail.example
Received-From-MTA: dns; news@shop.test
Arrival-Date: Sat, 28 Nov 2026 02:00:00 -0800 (PST)
X-Original-Message-ID: <m-1@shop.test>`,
  eol: '\n',
};
const gmail = (status: string, diagnostic: string, action = 'failed'): string =>
  reportOf(
    GMAIL,
    `Final-Recipient: rfc822; ann@example.com
Action: ${action}
Status: ${status}
Remote-MTA: dns; mail.example.com. (192.0.2.1, the server for the domain example.com.)
Diagnostic-Code: smtp; ${diagnostic}
Last-Attempt-Date: Sat, 28 Nov 2026 02:00:01 -0800 (PST)`,
  );

const SENDMAIL: Form = {
  from: 'Mail Delivery Subsystem <MAILER-DAEMON@mx.example.com>',
  subject: 'Returned mail: see transcript for details',
  words: `The original message was received at Sat, 28 Nov 2026 10:00:00 GMT
   ----- The following addresses had permanent fatal errors -----
<ann@example.com>
   ----- Transcript of session follows -----
550 5.1.1 <ann@example.com>... User unknown`,
  fields: `Reporting-MTA: dns; mx.example.com
Received-From-MTA: DNS; mx.shop.test
Arrival-Date: Sat, 28 Nov 2026 10:00:00 GMT`,
};
const sendmail = (status: string, diagnostic: string, action = 'failed'): string =>
  reportOf(
    SENDMAIL,
    `Final-Recipient: RFC822; ann@example.com
Action: ${action}
Status: ${status}
Remote-MTA: DNS; mail.example.com
Diagnostic-Code: SMTP; ${diagnostic}
Last-Attempt-Date: Sat, 28 Nov 2026 10:00:01 GMT`,
  );

const recipient = (name: string, action: string, status: string, diagnostic: string): string =>
  `Original-Recipient: rfc822;ann@example.com
Final-Recipient: rfc822;${name}@inside.example
Action: ${action}
Status: ${status}
Diagnostic-Code: smtp; ${diagnostic}`;
const ironport = (status: string, inner: string): string =>
  reportOf(
    { ...POSTFIX, fields: 'Reporting-MTA: dns; esa.example.com' },
    `Final-Recipient: rfc822;ann@example.com
Action: failed
Status: ${status} (permanent failure)
Remote-MTA: dns; [192.0.2.1]
Diagnostic-Code: smtp; 5.1.0 - Unknown address error 550-'${inner}' (delivery attempts: 0)`,
  );

const QMAIL = `Return-Path: <>
Delivered-To: ${RETURN_PATH}
From: MAILER-DAEMON@mx.example.com
To: ${RETURN_PATH}
Subject: failure notice

Hi. This is the qmail-send program at mx.example.com.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<ann@example.com>:
192.0.2.1 does not like recipient.
Remote host said: 550 5.1.1 no such user
Giving up on 192.0.2.1.

--- Below this line is a copy of the message.
`;
const QMAIL_DSN: Form = {
  from: 'MAILER-DAEMON@mx.example.com',
  subject: 'failure notice',
  words: 'Hi. This is the qmail-send program at mx.example.com.',
  fields: 'Reporting-MTA: dns; mx.example.com',
  eol: '\n',
};
const qmail = (status: string, diagnostic: string): string =>
  reportOf(
    QMAIL_DSN,
    `Final-Recipient: rfc822; ann@example.com
Action: failed
Status: ${status}
Diagnostic-Code: ${diagnostic}`,
  );

const sample = (says: string, mail: string, expected: string | null): DeliveryReportSample => {
  const [outcome, code = ''] = expected?.split(' ') ?? [];
  const isKnown = outcome === 'listed' || outcome === 'failed' || outcome === 'noted';
  return { says, mail, expected: isKnown ? { outcome, code } : null };
};

/** Reports with their expected results: `listed`, `failed` or `noted` with the code, or null. */
export const DELIVERY_REPORTS: readonly DeliveryReportSample[] = [
  sample('Postfix: user unknown', postfix('5.1.1', 'smtp; 550 5.1.1 <ann@example.com>: User unknown'), 'listed 5.1.1'),
  sample('Postfix: local user unknown', postfix('5.1.1', 'x-unix; user unknown'), 'listed 5.1.1'),
  sample('Postfix: null MX', postfix('5.1.10', 'X-Postfix; Domain does not accept mail (nullMX)'), 'listed 5.1.10'),
  sample('Postfix: sender address', postfix('5.1.8', 'smtp; 553 5.1.8 sender address rejected'), 'failed 5.1.8'),
  sample('Postfix: no code in the reply', postfix('5.0.0', 'smtp; 550 No such user here'), 'failed 5.0.0'),
  sample('Postfix: policy in the text', postfix('5.0.0', 'smtp; 550 5.7.1 rejected by policy'), 'failed 5.7.1'),
  sample('Postfix: full mailbox in the text', postfix('5.0.0', 'smtp; 552 5.2.2 mailbox full'), 'failed 5.2.2'),
  sample('Postfix: host not found', postfix('5.4.4', 'X-Postfix; Host or domain name not found'), 'failed 5.4.4'),
  sample('Postfix: mail loop', postfix('5.4.6', 'X-Postfix; mail for example.com loops back'), 'failed 5.4.6'),
  sample('Postfix: expired', postfix('4.4.1', 'X-Postfix; connect to mail.example.com: timed out'), 'failed 4.4.1'),
  sample('Postfix: delayed', postfix('4.4.1', 'X-Postfix; connection timed out', 'delayed'), null),
  sample('Postfix: delivered', postfix('2.0.0', 'smtp; 250 2.0.0 Ok', 'delivered'), null),
  sample('Postfix: relayed', postfix('2.1.5', 'smtp; 250 Ok', 'relayed'), null),
  sample('Postfix: expanded', postfix('2.1.5', 'smtp; 250 Ok', 'expanded'), null),
  sample('Exim: unknown in the text', exim('550 5.1.1 <ann@example.com>: Recipient rejected'), 'listed 5.1.1'),
  sample('Exim: several lines', exim('550-5.1.1 The account does not exist.\n 550 5.1.1 Learn more'), 'listed 5.1.1'),
  sample('Exim: disabled', exim('554 5.2.1 mailbox disabled'), 'listed 5.2.1'),
  sample('Exim: over quota', exim('552 5.2.2 over quota'), 'failed 5.2.2'),
  sample('Exim: no code', exim('550 Administrative prohibition'), 'failed 5.0.0'),
  sample('Exim: no text', exim(null), 'failed 5.0.0'),
  sample(
    'Exim: list of hosts',
    exim('550 Blocked, see https://example.com/5.1.1 [192.0.2.1] (#5.7.1)'),
    'failed 5.7.1',
  ),
  sample(
    'Exchange: recipient not found',
    exchange('5.1.10', '550 5.1.10 RESOLVER.ADR.RecipientNotFound'),
    'listed 5.1.10',
  ),
  sample('Exchange: restricted group', exchange('5.7.1', '550 5.7.1 RESOLVER.RST.AuthRequired'), 'failed 5.7.1'),
  sample(
    'Exchange: directory',
    exchange('5.4.1', '550 5.4.1 Recipient address rejected: Access denied'),
    'failed 5.4.1',
  ),
  sample('Exchange: sender denied', exchange('5.1.0', '554 5.1.0 Sender denied'), 'failed 5.1.0'),
  sample('Exchange: invalid sender', exchange('5.1.7', '550 5.1.7 Invalid address'), 'failed 5.1.7'),
  sample('Exchange: too large', exchange('5.2.3', '550 5.2.3 RESOLVER.RST.RecipSizeLimit'), 'failed 5.2.3'),
  sample('Exchange: limit of the sender', exchange('5.1.90', '550 5.1.90 daily limit of recipients'), 'failed 5.1.90'),
  sample('Exchange: expired', exchange('5.4.7', '550 4.4.7 QUEUE.Expired; message expired'), 'failed 5.4.7'),
  sample('Gmail: not found', gmail('5.1.1', '550-5.1.1 The email account does not exist.'), 'listed 5.1.1'),
  sample('Gmail: disabled', gmail('5.2.1', '550 5.2.1 The email account is disabled.'), 'listed 5.2.1'),
  sample(
    'Gmail: unauthenticated',
    gmail('5.7.26', '550-5.7.26 Unauthenticated email is not accepted'),
    'failed 5.7.26',
  ),
  sample('Gmail: DNS', gmail('4.0.0', 'DNS Error: DNS type mx lookup of example.com: NXDOMAIN'), 'failed 4.0.0'),
  sample('Gmail: delay', gmail('4.2.2', '452-4.2.2 The email account is over quota.', 'delayed'), null),
  sample('Gmail: over quota for days', gmail('4.2.2', '452-4.2.2 The email account is over quota.'), 'failed 4.2.2'),
  sample('Sendmail: unknown', sendmail('5.1.1', '550 5.1.1 <ann@example.com>... User unknown'), 'listed 5.1.1'),
  sample('Sendmail: host unknown', sendmail('5.1.2', '550 Host unknown'), 'listed 5.1.2'),
  sample('Sendmail: system', sendmail('5.3.0', '553 5.3.0 spam refused'), 'failed 5.3.0'),
  sample('Sendmail: protocol', sendmail('5.5.0', '554 Service unavailable'), 'failed 5.5.0'),
  sample('Sendmail: content', sendmail('5.6.0', '554 5.6.0 Message contains no plain text'), 'failed 5.6.0'),
  sample('Sendmail: expired', sendmail('4.4.7', '451 4.4.1 reply: read error'), 'failed 4.4.7'),
  sample('Sendmail: relayed', sendmail('2.6.0', '250 2.6.0 Ok', 'relayed (to non-DSN-aware mailer)'), null),
  sample('qmail: words alone', QMAIL, null),
  sample('qmail: unknown', qmail('5.1.1', 'X-Qmail; sorry, no mailbox here by that name. (#5.1.1)'), 'listed 5.1.1'),
  sample('qmail: code in the words', qmail('5.0.0', 'X-Qmail; Sorry, no mailbox here. (#5.1.1)'), 'listed 5.1.1'),
  sample('qmail: route', qmail('5.4.6', 'X-Qmail; Sorry. This message is looping'), 'failed 5.4.6'),
  sample('a gateway: unknown', ironport('5.1.0', '5.1.1 User unknown'), 'listed 5.1.0'),
  sample('a gateway: policy', ironport('5.1.0', '5.7.1 Message blocked'), 'failed 5.1.0'),
  sample('a gateway: unspecific', ironport('5.0.0', '5.7.1 Message blocked'), 'failed 5.7.1'),
  sample(
    'all of several unknown',
    reportOf(
      POSTFIX,
      recipient('ann', 'failed', '5.1.1', '550 5.1.1'),
      recipient('bob', 'failed', '5.1.2', '550 5.1.2'),
    ),
    'listed 5.1.1',
  ),
  sample(
    'one of several unknown, another full',
    reportOf(
      POSTFIX,
      recipient('ann', 'failed', '5.1.1', '550 5.1.1'),
      recipient('bob', 'failed', '5.2.2', '552 5.2.2'),
    ),
    'failed 5.2.2',
  ),
  sample(
    'one of several unknown, another delivered',
    reportOf(
      POSTFIX,
      recipient('ann', 'failed', '5.1.1', '550 5.1.1'),
      recipient('bob', 'delivered', '2.0.0', '250 Ok'),
    ),
    'noted 5.1.1',
  ),
  sample(
    'one of several unknown, another delayed',
    reportOf(POSTFIX, recipient('ann', 'delayed', '4.4.1', '421'), recipient('bob', 'failed', '5.1.1', '550 5.1.1')),
    'noted 5.1.1',
  ),
  sample(
    'a list that was expanded, with a dead member',
    reportOf(POSTFIX, recipient('ann', 'expanded', '2.1.5', '250'), recipient('bob', 'failed', '5.1.1', '550 5.1.1')),
    'noted 5.1.1',
  ),
  sample(
    'an address beyond ASCII',
    reportOf(
      { ...POSTFIX, type: 'message/global-delivery-status' },
      'Final-Recipient: utf-8; änn@example.com\nAction: failed\nStatus: 5.1.1',
    ),
    'listed 5.1.1',
  ),
  sample('no action', reportOf(POSTFIX, 'Final-Recipient: rfc822; ann@example.com\nStatus: 5.1.1'), 'listed 5.1.1'),
  sample('no action, class 4', reportOf(POSTFIX, 'Final-Recipient: rfc822; ann@example.com\nStatus: 4.1.1'), null),
  sample('no status', reportOf(POSTFIX, 'Action: failed\nDiagnostic-Code: smtp; 550 5.1.1 unknown'), 'listed 5.1.1'),
  sample('no code at all', reportOf(POSTFIX, 'Action: failed\nDiagnostic-Code: smtp; 550 No such user'), 'failed 550'),
  sample('no fields but the action', reportOf(POSTFIX, 'Action: failed'), 'failed failed'),
];
