import type { AiOptions } from '../automation/ai/api.ts';
import type { PostgresPool } from '../database/postgres/host.ts';
import type { OutboundOptions } from '../delivery/providers/outbound.ts';
import type { OwnTransports } from '../delivery/providers/own-transport.ts';
import type { Log } from '../foundation/log.ts';
import type { Meter } from '../foundation/meter.ts';
import type { Environment } from '../foundation/scope.ts';
import type { AuthOptions } from '../identity/shapes/options.ts';
import type { PlanInput } from '../platform/plans/plan.ts';
import type { OrgReference, ProjectReference } from '../platform/tenancy/api.ts';
import type { Hooks } from './host/hooks.ts';

/** What a host or the CLI passes to `createBeckon`. Unknown keys are rejected with a TypeError. */
export type BeckonOptions = {
  /**
   * `sqlite:PATH`, `sqlite::memory:`, `postgres://...`, or the host's own `pg.Pool`: then one of its connections
   * listens while the worker runs, `close` leaves it open, and its type parsers must be node-postgres's own.
   */
  readonly db: string | PostgresPool;
  /**
   * Decrypts what is stored encrypted, such as provider credentials: keep it, for example as BECKON_MASTER_KEY in the
   * environment. 32 bytes as hex, base64 or base64url, as `newMasterKey()` makes one; several, comma-separated, during
   * rotation. Only `sqlite::memory:` works without it: nothing outlives the process. Otherwise a missing key is a
   * TypeError.
   */
  readonly masterKey?: string | undefined;
  /**
   * The organization and the project of this program: found by name, created the first time. `beckon.project` is then
   * the client of this project. The same program run twice, or in two processes at once, has one of each. Only both
   * together.
   */
  readonly org?: OrgReference | undefined;
  readonly project?: ProjectReference | undefined;
  /** The environment of `beckon.project`. Default `test`, whose messages stay in the outbox. */
  readonly environment?: Environment | undefined;
  /**
   * `auto` (default) applies missing migrations; `check` and `off` throw SchemaError when any is missing. A database that
   * a newer program migrated is a SchemaError too, unless this is `off` and the newer program is of the next minor
   * release: so an old process can start again during an upgrade.
   */
  readonly migrate?: 'auto' | 'check' | 'off' | undefined;
  readonly durability?: 'full' | 'process' | undefined;
  /**
   * SQLite: allows a file that is a symbolic link or another user's, and a folder that others may write to. Default
   * false: each of them throws UnsafeDatabase.
   */
  readonly trustPath?: boolean | undefined;
  /** Polling interval for due jobs, in addition to wake signals; milliseconds, default 1,000. */
  readonly pollMs?: number | undefined;
  readonly poolSize?: number | undefined;
  /**
   * PostgreSQL: set false behind a pooler that gives each transaction another session. Then no statement stays prepared
   * and nothing listens: jobs are found by polling every `pollMs`. Default true.
   */
  readonly preparedNames?: boolean | undefined;
  /** Replaces the clock: by default that of the database server on PostgreSQL, and this machine's on SQLite. For tests. */
  readonly clock?: { now(): Date } | undefined;
  readonly log?: Log | undefined;
  /**
   * The public URL of this service, without a trailing slash: providers post delivery webhooks to it, and tracking
   * links of emails point to `/api/v1` below it.
   */
  readonly publicUrl?: string | undefined;
  /** Sign-in of end users. */
  readonly auth?: AuthOptions | undefined;
  readonly email?:
    | {
        /** Name servers, `address` or `address:port`, for checks of sender domains. Default: those of the system. */
        readonly dnsServers?: readonly string[] | undefined;
        /**
         * Requires verified domains for `prod` emails in projects without domains too. Default false: a project must
         * use its verified domains once it has one.
         */
        readonly requireVerifiedDomains?: boolean | undefined;
        /**
         * Email sends of an organization in `prod` per minute, and at once, unless it is on probation; 1 to 60,000,
         * default 60.
         * Further ones are rejected over HTTP, and delayed if the host or a workflow sends them.
         */
        readonly mailsPerMinute?: number | undefined;
        /** Days until the tracking links of an email expire, 1 to 3,650; default 400. */
        readonly linkDays?: number | undefined;
      }
    | undefined;
  /** Default rate limits of the HTTP API, for organizations without their own. */
  readonly limits?:
    | {
        /** Calls of each kind, client network and project per minute, and at once; 1 to 1,000,000, default 200. */
        readonly callsPerMinute?: number | undefined;
        /** Events of each client network, or requests of each secret key, per second; 1 to 1,000,000, default 1,000. */
        readonly ingestPerSecond?: number | undefined;
        /** The burst of these; 1 to 1,000,000, default 5,000. */
        readonly ingestBurst?: number | undefined;
      }
    | undefined;
  /**
   * Plans of this deployment, smallest first, each with the features that it adds. Default: `free`, `starter`, `growth`
   * and
   * `business` of the service. `unlimited` always exists, and organizations without a plan have it.
   */
  readonly plans?: readonly PlanInput[] | undefined;
  readonly sms?:
    | {
        /** Sends a message again if it is unknown whether its provider accepted it. Default false. */
        readonly resendOnAmbiguous?: boolean | undefined;
      }
    | undefined;
  /** The operator's rules for hosts; settings of tenants never change them. */
  readonly outbound?: OutboundOptions | undefined;
  /** The deployment's own AI provider, for organizations without one, and models of steps that name none. */
  readonly ai?: AiOptions | undefined;
  /** What runs in `test` do besides storing their messages in the outbox. */
  readonly sandbox?:
    | {
        /** AI steps call a model. Default false: they get a placeholder response. */
        readonly callModels?: boolean | undefined;
        /** Webhook steps are posted. Default false: they succeed without a request. */
        readonly deliverWebhookSteps?: boolean | undefined;
      }
    | undefined;
  /** Transports that send in `prod` in place of configured providers. */
  readonly transports?: OwnTransports | undefined;
  /** The host's reactions to final messages and accepted events. */
  readonly hooks?: Hooks | undefined;
  /** Receives metrics of the running service; `createMetrics` of `@beckon/http` creates one for Prometheus. */
  readonly meter?: Meter | undefined;
};
