import type { OwnTransports } from '../../../../src/delivery/providers/own-transport.ts';
import type { SendOutcome } from '../../../../src/delivery/transports/port.ts';
import type { Random } from './random.ts';

const BUSY: SendOutcome = { result: 'retry', processed: 'no', code: '421', message: 'busy' };
const REFUSED: SendOutcome = { result: 'failed', code: '554', message: 'no' };

/** An email provider that survives process crashes, is sometimes slow or busy, and records its messages. */
export const courierOf = (random: Random) => {
  /** How often each message was accepted. */
  const accepted = new Map<string, number>();
  type Hold = {
    readonly only?: string | undefined;
    readonly held: (id: string) => void;
    readonly released: Promise<void>;
  };
  let holding: Hold | null = null;
  const send = async (messageId: string): Promise<SendOutcome> => {
    if (holding && (holding.only ?? messageId) === messageId) {
      const { held, released } = holding;
      holding = null;
      held(messageId);
      await released;
    }
    // Slow: other work continues meanwhile.
    for (let turns = random.int(0, 3); turns > 0; turns -= 1) await new Promise(setImmediate);
    if (random.chance(0.1)) return BUSY;
    if (random.chance(0.05)) return REFUSED;
    accepted.set(messageId, (accepted.get(messageId) ?? 0) + 1);
    return { result: 'accepted', providerId: messageId };
  };
  const transports: OwnTransports = {
    email: {
      name: 'courier',
      from: { email: 'shop@example.com', name: null },
      make: () => ({
        name: 'courier',
        maxInFlight: 8,
        send: ({ messageId }) => send(messageId),
        close: async () => undefined,
      }),
    },
  };
  /** Makes the next call hang, or the next call for one message; returns the message and releases it. */
  const hold = (only?: string) => {
    const [held, released] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
    holding = { only, held: held.resolve, released: released.promise };
    return {
      isHeld: held.promise,
      release: (): void => {
        if (holding?.released === released.promise) holding = null;
        released.resolve();
      },
    };
  };
  return { transports, accepted, hold };
};
