// Serves every channel of the `test` environment: records the message that a real transport would send. Some addresses
// simulate a provider's failures, so that failure paths can be tested.

import { contained } from '../../../foundation/contained.ts';
import { semaphore } from '../../../jobs/concurrency/semaphore.ts';
import type { EmailMessage, PushMessage, SendOutcome, SimulatedReport, SmsMessage, Transport } from '../port.ts';
import { isSafe, UNSAFE_MAIL } from '../smtp/mail.ts';
import { type SandboxRequest, sandboxRequest } from './request.ts';

/** Concurrent calls. Chosen: the sandbox is limited only by the rows that a worker holds. */
export const SANDBOX_IN_FLIGHT = 2_048;
/** Concurrent mails. Chosen: each may hold a megabyte of HTML. */
export const SANDBOX_MAILS_IN_FLIGHT = 256;
/** Milliseconds that `sandbox-slow` takes. Chosen: long enough to notice, far below the limit of a call. */
export const SANDBOX_SLOW_MS = 3_000;

/** Messages of every channel. */
export type SandboxedMessage = EmailMessage | PushMessage | SmsMessage;

export type SandboxOptions<M> = {
  /**
   * Stores the message, and for a push its request; resolves when they are on disk. Called once per accepted message.
   */
  readonly record: (message: M, request: SandboxRequest | null) => Promise<void>;
  readonly slowMs?: number;
  readonly maxInFlight?: number;
};

const BEHAVIOURS = ['dead', 'retry', 'slow', 'reject'] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

/** Addresses that simulate a later report. Source: contract, Simulated outcomes in `test`. */
const SIMULATED_MAIL = ['delivered', 'bounced', 'complained'] as const satisfies readonly SimulatedReport[];
const SIMULATED_DOMAIN = '@sandbox.invalid';
const SIMULATED_NUMBERS: ReadonlyMap<string, SimulatedReport> = new Map([
  ['+15555550101', 'delivered'],
  ['+15555550102', 'failed'],
]);
/** A token that its platform no longer knows. */
const UNREGISTERED = 'sandbox-unregistered';

const answers = {
  retry: { result: 'retry', code: 'sandbox_retry', message: 'The sandbox simulates a busy provider.', processed: 'no' },
  reject: {
    result: 'failed',
    code: 'sandbox_reject',
    message: 'The sandbox simulates a provider that rejects this message.',
  },
  accepted: { result: 'accepted', providerId: null },
  aborted: { result: 'retry', code: 'timeout', message: 'No answer within the time of a call.', processed: 'unknown' },
  closed: { result: 'retry', code: 'closed', message: 'The transport is closing.', processed: 'no' },
  unrecorded: {
    result: 'retry',
    code: 'unrecorded',
    message: 'The outbox could not be written.',
    processed: 'unknown',
  },
} as const satisfies Record<string, SendOutcome>;

const dead = (message: SandboxedMessage): SendOutcome => ({
  result: 'failed',
  code: 'sandbox_dead',
  message: 'The sandbox simulates an address that does not exist.',
  address: 'envelope' in message ? 'bounced' : 'token' in message ? 'dead' : 'opted_out',
});

/** An SMS number has only digits: the endings 0001 to 0004 simulate these outcomes in order. */
const byNumber = (to: string): Behaviour | undefined => BEHAVIOURS[Number(/000([1-4])$/.exec(to)?.[1] ?? 0) - 1];

/** A browser's token is JSON; the last path segment of its endpoint is the simulated address. */
const endpointName = (token: string): string => /"endpoint"\s*:\s*"[^"]*\/([^"/]+)"/.exec(token)?.[1] ?? token;

const behaviourOf = (message: SandboxedMessage): Behaviour | undefined => {
  if ('body' in message && 'to' in message) return byNumber(message.to);
  const address = 'token' in message ? endpointName(message.token) : message.envelope.to;
  const name = address.toLowerCase();
  if ('token' in message && name.startsWith(UNREGISTERED)) return 'dead';
  return BEHAVIOURS.find((word) => name.startsWith(`sandbox-${word}`));
};

const simulatedReport = (message: SandboxedMessage): SimulatedReport | undefined => {
  if ('token' in message) return undefined;
  if ('body' in message) return SIMULATED_NUMBERS.get(message.to);
  const address = message.envelope.to.toLowerCase();
  if (!address.endsWith(SIMULATED_DOMAIN)) return undefined;
  // A label after a plus sign gives as many such addresses as a test needs.
  const [word] = address.slice(0, -SIMULATED_DOMAIN.length).split('+');
  return SIMULATED_MAIL.find((one) => one === word);
};

const until = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'aborted'> =>
  new Promise((resolve, reject) => {
    const stop = contained(() => resolve('aborted'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    // Also after an abort: an unhandled rejection would end the process.
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

/**
 * The sandbox of a channel. It accepts any address. These words simulate outcomes at the start of a local part, of a
 * token, or of the last path segment of a browser's endpoint: `sandbox-dead` (mail bounces, a token is dead),
 * `sandbox-retry` (retry, every time), `sandbox-slow` (accepted after `slowMs`), `sandbox-reject` (refused, the address
 * stays valid). SMS numbers that end in 0001 to 0004 simulate them in this order; the dead one has opted out. Messages
 * that are not accepted are not recorded. A push that its platform would refuse fails here as well, and so does a mail
 * that the real transport would not send. A token that begins with `sandbox-unregistered` is dead, too. Messages to
 * `delivered@`, `bounced@` and `complained@sandbox.invalid`, `+15555550101` and `+15555550102` are accepted, and the
 * outcome names the later report.
 * Source: transports, Environments; contract, Simulated outcomes in `test`.
 */
export const sandboxTransport = <M extends SandboxedMessage>({
  record,
  slowMs = SANDBOX_SLOW_MS,
  maxInFlight = SANDBOX_IN_FLIGHT,
}: SandboxOptions<M>): Transport<M, unknown> => {
  const permits = semaphore(maxInFlight);
  const underWay = new Set<Promise<SendOutcome>>();
  let isClosed = false;

  const pause = async (signal: AbortSignal): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined;
    const slept = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, slowMs);
    });
    const result = await until(slept, signal);
    clearTimeout(timer);
    return result !== 'aborted';
  };

  const deliver = async (message: M, signal: AbortSignal): Promise<SendOutcome> => {
    const request = 'token' in message ? sandboxRequest(message) : null;
    if (request !== null && 'result' in request) return request;
    if ('envelope' in message && !isSafe(message)) return UNSAFE_MAIL;
    const behaviour = behaviourOf(message);
    if (behaviour === 'dead') return dead(message);
    if (behaviour !== undefined && behaviour !== 'slow') return answers[behaviour];
    if (behaviour === 'slow' && !(await pause(signal))) return answers.aborted;
    try {
      if ((await until(record(message, request), signal)) === 'aborted') return answers.aborted;
      const simulated = simulatedReport(message);
      return simulated === undefined ? answers.accepted : { ...answers.accepted, simulated };
    } catch {
      return answers.unrecorded;
    }
  };

  const withPermit = async (message: M, signal: AbortSignal): Promise<SendOutcome> => {
    if (!(await permits.acquire(signal))) return { ...answers.aborted, processed: 'no' };
    try {
      return await deliver(message, signal);
    } finally {
      permits.release();
    }
  };

  return {
    name: 'sandbox',
    maxInFlight,
    check: () => [],
    send: (message, { signal }) => {
      if (isClosed) return Promise.resolve(answers.closed);
      const sending = withPermit(message, signal);
      underWay.add(sending);
      return sending.finally(() => underWay.delete(sending));
    },
    close: async () => {
      isClosed = true;
      await Promise.all(underWay);
    },
  };
};
