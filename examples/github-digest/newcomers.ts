// Two users who become regulars, and the expected result: `regulars.bundle.json`, written out.

import { mailKey, textKey } from './expected.ts';

type Newcomer = { readonly userId: string; readonly name: string; readonly email: string; readonly phone?: string };

/** Has a phone number, and becomes a sponsor. */
export const TEXTED = { userId: 'mona', name: 'Mona', email: 'mona@example.com', phone: '+15550100104' };
/** Has an email address only, and does not become a sponsor. */
export const WRITTEN = { userId: 'hubot', name: 'Hubot', email: 'hubot@example.com' };
/** Both, in the order in which they arrive. */
export const NEWCOMERS: readonly Newcomer[] = [TEXTED, WRITTEN];
/** Their userIds. */
export const IDS = NEWCOMERS.map(({ userId }) => userId);

/** One message from each arm of the branch. */
export const GREETED = [
  textKey(TEXTED.phone, 'Mona, you are one of the Regulars.'),
  mailKey(WRITTEN.email, 'You are one of the Regulars', 'Welcome, Hubot.\n'),
];
/** What follows the wait, rendered with the event that ended it. */
export const THANKED = mailKey(TEXTED.email, 'Thank you for $5 a month', 'Mona, the money goes to octocat.\n');

/** Expected webhook deliveries: everything about the run that completed, and of the other what came before its wait. */
export const EXPECTED_DELIVERIES = [
  ...IDS.map((userId) => `workflow.run_started ${userId}`),
  ...IDS.map((userId) => `workflow.step_executed ${userId} 0 ok`),
  `workflow.step_executed ${TEXTED.userId} 0.0.0 ok`,
  `workflow.step_executed ${WRITTEN.userId} 0.else.0 ok`,
  `workflow.step_executed ${TEXTED.userId} 1 ok`,
  `workflow.step_executed ${TEXTED.userId} 2 ok`,
  `workflow.run_completed ${TEXTED.userId} completed ok`,
];
