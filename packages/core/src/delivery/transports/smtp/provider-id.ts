/** Characters of an id. Chosen: known ids have up to 120. */
const MAX_CHARACTERS = 255;
/** Reply code, with the enhanced code if present. */
const HEAD = /^250[ -](?:2\.\d{1,3}\.\d{1,3}[ :]*)?/;

const ID = '<?([^\\s<>,;()[\\]]+)>?';
/** Forms in which servers write the id of a mail; the first match counts. Each reply was observed. */
const FORMS: readonly RegExp[] = [
  // Postfix, SendGrid, Mailjet, Brevo, MailHog, Mailpit: `Ok: queued as 4ABC`; Yandex: `queued on HOST 17-AB`, `... as 17-AB`.
  new RegExp(`\\bqueued (?:on \\S+ )?as ${ID}`, 'i'),
  new RegExp(`\\bqueued on \\S+ ${ID}$`, 'i'),
  // Exim: `OK id=1abc-0002XY-3Z`; Stalwart: `Message queued with id 2c5a.`
  new RegExp(`\\bid[= :]+${ID}`, 'i'),
  // Exchange: `<id@host> [InternalId=1, Hostname=x] Queued mail for delivery`; Outlook.com: `OK <id@host> [Hostname=x]`.
  /^(?:OK )?<([^\s<>]+)>/i,
  // Sendmail, OpenSMTPD, Proofpoint: `x1A2b3C4 Message accepted for delivery`; Mimecast: `SmtpThread-1-2@x Received OK`.
  /^(\S+) (?:Message accepted for delivery|Received OK)/i,
  // Gmail: `OK  1700000000 d9443c01a7336-1d9si123pld.12 - gsmtp`.
  /^OK +\d+ (\S+) - gsmtp/i,
  // Haraka: `Message Queued (6E1B-42.1)`.
  /\bqueued \(([^\s()]+)\)/i,
  // Cisco: `ok:  Message 12345678 accepted`.
  /\bMessage (\d+) accepted/i,
  // qmail: `ok 1180000000 qp 12345`.
  /^ok (\d+ qp \d+)/i,
  // SES: `Ok 0100018b5c3c0a4f-...-000000`; SparkPost: `OK 59/D1-24576-ABC`.
  /^OK:? +((?=\S*\d)[\w.@/+=-]{8,})$/i,
];
const PRINTABLE = /^[\x20-\x7e]+$/;

/** The mail's id in a server's reply, which its log and its reports use. Null if there is none. Throws nothing. */
export const providerIdOf = (reply: string): string | null => {
  const last = reply.trim().split(/\r?\n/).at(-1) ?? '';
  if (!HEAD.test(last)) return null;
  const text = last.replace(HEAD, '').trim();
  for (const form of FORMS) {
    const id = form.exec(text)?.[1]?.replace(/\.$/, '');
    if (id) return id.length <= MAX_CHARACTERS && PRINTABLE.test(id) ? id : null;
  }
  return null;
};
