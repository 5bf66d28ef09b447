import type { PureSends } from '../automation/workflows/simulate/simulator.ts';
import { emailChannel } from '../messaging/email/email.ts';
import { emailRenderer } from '../messaging/email/render.ts';
import { pushChannel } from '../messaging/push/channel.ts';
import { planSends } from '../messaging/sends/accept/accept.ts';
import type { Channels } from '../messaging/sends/channel.ts';
import { sendingStatements } from '../messaging/sends/statements.ts';
import { smsChannel } from '../messaging/sms/sms.ts';
import { tablesOf } from './tables.ts';

const refuse = (): never => {
  throw new TypeError('a simulation reads no database');
};

/** Channels for planning and rendering only: they read nothing, and track no link. */
const pureChannels = (): Channels => ({
  // Safe: its tokens are not read here.
  push: pushChannel({ storage: { select: refuse }, tables: tablesOf('sqlite'), scopes: { load: refuse } } as never),
  email: emailChannel(emailRenderer()),
  sms: smsChannel(),
});

let made: PureSends | undefined;

/** Created at the first simulation, so that programs without one pay nothing. */
export const pureSends = (): PureSends => {
  if (made) return made;
  const channels = pureChannels();
  made = { channels, plan: planSends(sendingStatements(tablesOf('sqlite')), channels) };
  return made;
};
