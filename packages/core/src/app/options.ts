import type { AiOptions } from '../automation/ai/api.ts';
import type { PostgresPool } from '../database/postgres/host.ts';
import type { OutboundOptions } from '../delivery/providers/outbound.ts';
import type { OwnTransports } from '../delivery/providers/own-transport.ts';
import type { Log } from '../foundation/log.ts';
import type { Meter } from '../foundation/meter.ts';
import type { Environment } from '../foundation/scope.ts';
import type { AuthOptions } from '../identity/module.ts';
import type { PlanInput } from '../platform/plans/plan.ts';
import type { OrgReference, ProjectReference } from '../platform/tenancy/api.ts';
import type { Hooks } from './host/hooks.ts';

/** What a host or the CLI passes to `createBeckon`. Unknown keys are refused with a TypeError. */
export type BeckonOptions = {
  /**
   * `sqlite:PATH`, `sqlite::memory:`, `postgres://...`, or the host's own `pg.Pool`: then one of its connections listens
   * while the worker runs, `close` leaves it open, and its type parsers have to be node-postgres's own.
   */
  readonly db: string | PostgresPool;
  /**
   * Decrypts what is stored encrypted, such as provider credentials: keep it, for example as BECKON_MASTER_KEY in the
   * environment. 32 bytes as hex, base64 or base64url, as `newMasterKey()` makes one; several, comma-separated, during
   * rotation. Only `sqlite::memory:` works without it: nothing outlives the process. Otherwise a missing key is a TypeError.
   */
  readonly masterKey?: string | undefined;
  /**
   * The organization and the project of this program: found by name, created the first time. `beckon.project` is then the
   * client of this project. The same program run twice, or in two processes at once, has one of each. Only both together.
   */
  readonly org?: OrgReference | undefined;
  readonly project?: ProjectReference | undefined;
  /** The environment of `beckon.project`. Default `test`, whose messages stay in the outbox. */
  readonly environment?: Environment | undefined;
  /** `auto` (default) applies missing migrations; `check` throws SchemaError when any is missing. */
  readonly migrate?: 'auto' | 'check' | undefined;
  readonly durability?: 'full' | 'process' | undefined;
  /**
   * SQLite: the file may be a symbolic link or another user's, and its folder one that others may write into; default false,
   * and UnsafeDatabase is thrown for each.
   */
  readonly trustPath?: boolean | undefined;
  /** How often to look for due work besides being woken; milliseconds, default 1,000. */
  readonly pollMs?: number | undefined;
  readonly poolSize?: number | undefined;
  /**
   * PostgreSQL: false behind a pooler that gives each transaction another session. Then no statement is kept prepared and
   * nothing listens: work is found by looking every `pollMs`. Default true.
   */
  readonly preparedNames?: boolean | undefined;
  /** Replaces the clock: by default that of the database server on PostgreSQL, and this machine's on SQLite. For tests. */
  readonly clock?: { now(): Date } | undefined;
  readonly log?: Log | undefined;
  /**
   * Where this service is reached from outside, without a slash at its end: providers report to it, and what is tracked
   * of mails leads to `/api/v1` below it.
   */
  readonly publicUrl?: string | undefined;
  /** Sign-in of end users. */
  readonly auth?: AuthOptions | undefined;
  readonly email?:
    | {
        /** Name servers, `address` or `address:port`, that tell of sending domains; default those of the system. */
        readonly dnsServers?: readonly string[] | undefined;
        /**
         * Mail of `prod` is from verified domains only, in projects that have none as well. Default false: a project is
         * held to its domains once it has one.
         */
        readonly requireVerifiedDomains?: boolean | undefined;
        /**
         * Mails that an org may ask for in a minute of `prod`, and at once, where it is not on probation; 1 to 60,000,
         * default 60. More than that are refused over HTTP, and delayed where the host or a workflow sends them.
         */
        readonly mailsPerMinute?: number | undefined;
        /** How many days the tracked links of a mail lead anywhere, 1 to 3,650; default 400. */
        readonly linkDays?: number | undefined;
      }
    | undefined;
  /** How many calls of the HTTP interface are let pass, where an org has no numbers of its own. */
  readonly limits?:
    | {
        /** Of each kind, client network and project in a minute, and at once; 1 to 1,000,000, default 200. */
        readonly callsPerMinute?: number | undefined;
        /** Events by each client network, or requests by each secret key, in a second; 1 to 1,000,000, default 1,000. */
        readonly ingestPerSecond?: number | undefined;
        /** How many of them at once; 1 to 1,000,000, default 5,000. */
        readonly ingestBurst?: number | undefined;
      }
    | undefined;
  /**
   * Plans of this deployment, from the least on, each with the gates that it adds; default: `free`, `starter`, `growth` and
   * `business` as the service has them. `unlimited` is always there, and what orgs have that were given none.
   */
  readonly plans?: readonly PlanInput[] | undefined;
  readonly sms?:
    | {
        /** A message is sent again when nobody knows whether its provider took it. Default false. */
        readonly resendOnAmbiguous?: boolean | undefined;
      }
    | undefined;
  /** The operator's word on hosts; what a tenant sets never changes it. */
  readonly outbound?: OutboundOptions | undefined;
  /** The deployment's own provider of models, for orgs that bring none, and models of steps that name none. */
  readonly ai?: AiOptions | undefined;
  /** What runs in `test` do beside catching their messages. */
  readonly sandbox?:
    | {
        /** Steps that ask a model do; default false: they are given a stand-in for an answer. */
        readonly callModels?: boolean | undefined;
        /** Webhook steps are posted; default false: they end well and nothing is posted. */
        readonly deliverWebhookSteps?: boolean | undefined;
      }
    | undefined;
  /** What sends in `prod` in place of configured credentials. */
  readonly transports?: OwnTransports | undefined;
  /** What the host does about messages that end and events that are accepted. */
  readonly hooks?: Hooks | undefined;
  /** Takes figures about the running service; `createMetrics` of `@beckon/http` makes one for Prometheus. */
  readonly meter?: Meter | undefined;
};
