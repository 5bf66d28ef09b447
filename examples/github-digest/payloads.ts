import { createRequire } from 'node:module';

/** The body of a webhook as GitHub posted it. */
type Payload = {
  readonly action?: string;
  readonly sender?: { readonly login: string; readonly name?: string; readonly type: string };
  readonly repository?: { readonly full_name: string };
  readonly security_advisory?: { readonly ghsa_id: string };
  readonly [key: string]: unknown;
};

/** An event in the format of `POST /api/v1/events/batch`; it has one of the two ids. */
export type GithubEvent = {
  readonly module: 'github';
  /** `github.issues`; the payload's `action` stays a property. */
  readonly eventType: string;
  readonly messageId: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly properties: Payload;
};

/** Traits of a sender, set before the first event. */
export type Traits = {
  readonly login: string;
  readonly name: string;
  readonly type: string;
  readonly email: string;
  readonly phone?: string;
};

/** Bytes of a batch. Source: interface, Request body caps. */
export const MAX_BATCH_BYTES = 65_536;
/** Events of a batch. Source: contract, Ingest and profiles. */
const MAX_BATCH_EVENTS = 500;
/** The body around the events. */
const FRAME = '{"batch":[]}';

/** `octocoders-linter[bot]` has brackets, which an address may not have. */
const slug = (login: string): string =>
  login
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const personOf = ({ sender, repository, security_advisory }: Payload): Pick<GithubEvent, 'userId' | 'anonymousId'> => {
  if (sender) return { userId: sender.login };
  // Security advisories have neither sender nor repository.
  const anonymousId = repository?.full_name ?? security_advisory?.ghsa_id;
  if (anonymousId === undefined) throw new Error('A payload names nobody: no sender, no repository, no advisory.');
  return { anonymousId };
};

/** The 329 payloads of @octokit/webhooks-examples as events, in the package's order. */
export const readEvents = (): GithubEvent[] => {
  const require = createRequire(import.meta.url);
  const webhooks: readonly { readonly name: string; readonly examples: readonly Payload[] }[] =
    require('@octokit/webhooks-examples');
  return webhooks.flatMap(({ name, examples }) =>
    examples.map(
      (payload, index): GithubEvent => ({
        module: 'github',
        eventType: `github.${name}`,
        messageId: `${name}-${index + 1}`,
        ...personOf(payload),
        properties: payload,
      }),
    ),
  );
};

/** Every sender once, by userId, with the traits of its identify call; some have a phone number. */
export const sendersOf = (
  events: readonly GithubEvent[],
  phones: ReadonlyMap<string, { readonly phone: string }>,
): ReadonlyMap<string, Traits> => {
  const senders = new Map<string, Traits>();
  for (const { userId, properties } of events) {
    const { sender } = properties;
    if (userId === undefined || !sender || senders.has(userId)) continue;
    const { login, name = login, type } = sender;
    const phone = phones.get(userId)?.phone;
    senders.set(userId, { login, name, type, email: `${slug(login)}@example.com`, ...(phone && { phone }) });
  }
  return senders;
};

/** Packs events into request bodies, in order, each as full as the limits allow. */
export const batchesOf = (events: readonly GithubEvent[]): { readonly body: string; readonly count: number }[] => {
  const batches: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const event of events) {
    const text = JSON.stringify(event);
    // One more for the comma.
    const size = Buffer.byteLength(text) + 1;
    const open = batches.at(-1);
    if (open && bytes + size <= MAX_BATCH_BYTES && open.length < MAX_BATCH_EVENTS) {
      open.push(text);
      bytes += size;
    } else {
      batches.push([text]);
      bytes = FRAME.length + size;
    }
  }
  return batches.map((batch) => ({ body: `{"batch":[${batch.join(',')}]}`, count: batch.length }));
};
