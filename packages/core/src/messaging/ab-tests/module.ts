import { pageLimit } from '../../foundation/page.ts';
import { bindReaction } from '../../people/events/pipeline.ts';
import { gated } from '../../platform/plans/gated.ts';
import type { RequirePlan } from '../../platform/plans/plans.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Sending } from '../sends/sending.ts';
import { abTestsApi } from './ab-tests.ts';
import { conversions } from './conversions.ts';
import { type AbTestReader, abTestReader } from './messages.ts';
import { parseAbTest, parseAbTestPatch, parseComplete } from './schema.ts';
import { abTestStatements } from './statements.ts';
import type { AbTestTables } from './tables.ts';

export type AbTestsPlatform = Platform<AbTestTables>;

/** Tests for sending and workflows. Built before sending, from the platform alone. */
export const abTestContributions = ({ storage, tables, clock }: AbTestsPlatform) => {
  const reader = abTestReader({ storage, hot: abTestStatements(tables), clock });
  return { name: 'A/B test reader', internal: reader, close: reader.close };
};

type Needs = {
  readonly reader: AbTestReader;
  /** Messages with variants. */
  readonly variants: Sending['variants'];
  readonly requirePlan: RequirePlan;
};

/** The API of tests, and conversions by events. Built after sending, which provides `variants`. */
export const abTestsModule = ({ storage, tables, clock, ids }: AbTestsPlatform, needs: Needs) => {
  const { reader, variants, requirePlan } = needs;
  const { close, ...counted } = conversions({ storage, hot: abTestStatements(tables), clock, variants });
  const api = abTestsApi({ storage, tables, clock, ids, reader, variants });
  return {
    name: 'A/B tests',
    api: gated(requirePlan, 'abTests', api, {
      create: (_, channel, body) => parseAbTest(channel, body),
      update: (_, channel, _id, body) => parseAbTestPatch(channel, body),
      complete: (_, _channel, _id, body) => parseComplete(body),
      list: (_, _channel, query) => pageLimit(query?.limit),
    }),
    ingestReactions: [bindReaction(counted)],
    close,
  };
};
