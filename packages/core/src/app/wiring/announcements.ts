// Wires how other systems are told what happens: webhooks, the deliveries that events write for them, and the queue that
// posts these.

import type { Storage } from '../../database/storage.ts';
import { savedUrlRules } from '../../delivery/providers/outbound.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Ids } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import type { Upkeep } from '../../jobs/maintenance.ts';
import type { Emitter } from '../../people/events/emit.ts';
import { type BoundReaction, bindReaction } from '../../people/events/pipeline.ts';
import type { Eraser } from '../../platform/erasure/eraser.ts';
import { guardScopes } from '../../platform/tenancy/guard.ts';
import type { Keyring } from '../../platform/tenancy/keyring.ts';
import type { Scopes } from '../../platform/tenancy/scope-directory.ts';
import { webhookAnnouncer } from '../../webhooks/deliver/announce.ts';
import { bodyReader } from '../../webhooks/deliver/bodies.ts';
import { deliveryDispatcher } from '../../webhooks/deliver/dispatch.ts';
import { toldIdentities } from '../../webhooks/deliver/identified.ts';
import { receivers } from '../../webhooks/deliver/receivers.ts';
import { type StepPosts, stepPoster } from '../../webhooks/deliver/steps.ts';
import { othersBehind } from '../../webhooks/deliver/store.ts';
import { webhookHistory } from '../../webhooks/history/history.ts';
import { poster as makePoster } from '../../webhooks/post.ts';
import { sealedWebhooks } from '../../webhooks/sealed.ts';
import { webhookStatements } from '../../webhooks/statements.ts';
import { webhookDefinitions } from '../../webhooks/webhooks.ts';
import type { Beckon } from '../api.ts';
import type { BeckonOptions } from '../options.ts';
import type { Tables } from '../tables.ts';
import { stepPosting } from './posting.ts';

export type AnnouncementDeps = {
  readonly storage: Storage;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scopes: Scopes;
  readonly secrets: Keyring;
  readonly log: Log;
  readonly options: Pick<BeckonOptions, 'outbound' | 'sandbox'>;
};

export const announcementsOf = ({ storage, tables, clock, ids, scopes, secrets, log, options }: AnnouncementDeps) => {
  const { allowCidrs, ca, webhooks: { httpsOnly } = {} } = options.outbound ?? {};
  const hot = webhookStatements(tables);
  const announcer = webhookAnnouncer({ storage, hot, clock });
  const poster = makePoster({ clock, allowCidrs, ca, httpsOnly });
  const known = receivers({ storage, hot, secrets, scopes, clock });
  const history = webhookHistory({ storage, tables, hot, clock, ids });
  const definitions = webhookDefinitions({
    storage,
    tables,
    clock,
    ids,
    secrets,
    urls: savedUrlRules(options.outbound),
    onChange: (scope) => {
      announcer.forget(scope);
      known.forget();
    },
  });
  return {
    announcer,
    findTold: history.findTold,
    identified: (emitter: Emitter): BoundReaction => bindReaction(toldIdentities(emitter)),
    /** What a step that posts writes as it begins to wait; null: nothing is posted there. */
    postStep: stepPosting({ hot, clock, isSandboxed: options.sandbox?.deliverWebhookSteps !== true }),
    registration: (posts: StepPosts) =>
      deliveryDispatcher({
        storage,
        tables,
        hot,
        clock,
        receivers: known,
        bodiesOf: bodyReader({ storage, hot }),
        poster,
        isAnyoneBehind: othersBehind(storage, tables),
        steps: stepPoster({ clock, scopes, poster, posts }),
        onDisabled: announcer.forget,
        log,
      }),
    sealed: sealedWebhooks({ storage, tables, scopes }),
    erasers: [history.eraser] satisfies readonly Eraser[],
    upkeep: [{ name: 'webhook deliveries', run: history.sweep }] satisfies readonly Upkeep[],
    api: guardScopes({ ...definitions, ...history.api }, scopes) satisfies Beckon['webhooks'],
    close: poster.close,
  };
};
