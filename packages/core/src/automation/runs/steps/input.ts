// The steps of a workflow as their author writes them. Every type is derived from the schema that checks it; what a
// schema has only as a refinement (one of several keys) is a union here.

import type { z } from 'zod';
import type { ConditionInput } from '../../../people/audiences/predicate/types.ts';
import type { StoredStep } from '../cursor.ts';
import type { stepTypes } from './list.ts';

type RawStep = z.input<typeof stepTypes.schema>;
type StepType = RawStep['type'];

/** Deeply readonly, with exact conditions and nested steps. Not distributive: unions such as a condition stay whole. */
type Written<T> = unknown extends T
  ? T
  : [Exclude<T, undefined>] extends [ConditionInput]
    ? T
    : [Exclude<T, undefined>] extends [readonly StoredStep[]]
      ? readonly StepInput[] | Extract<T, undefined>
      : Each<T>;
type Each<T> = T extends readonly (infer Item)[]
  ? readonly Written<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Written<T[Key]> }
    : T;

type ConfigOf<Type extends StepType> = Extract<RawStep, { type: Type }>['config'] extends infer Config
  ? { readonly [Key in keyof Config]: Written<Config[Key]> }
  : never;

/** All keys of `One` as not allowed. */
type Without<Keys extends PropertyKey> = { readonly [Key in Keys]?: undefined };
/** These keys, required. */
type Needed<Config, Keys extends keyof Config> = {
  readonly [Key in Keys]-?: Exclude<Config[Key], undefined>;
};
/** At least one of the keys. */
type AtLeastOne<Config, Keys extends keyof Config> = Keys extends keyof Config ? Needed<Config, Keys> : never;

type Email = ConfigOf<'send_email'>;
type Sms = ConfigOf<'send_sms'>;
type Push = ConfigOf<'send_push'>;
type Update = ConfigOf<'update_profile'>;
type Branch = ConfigOf<'branch'>;
type Wait = ConfigOf<'wait'>;
type Ai = ConfigOf<'ai_action'>;

/** Config of each step type. */
export type StepConfigs = {
  /** At least one of `text`, `html`, `bodyHtml`, `localized` and `templateId`; not both `html` and `bodyHtml`. */
  readonly send_email: Email &
    AtLeastOne<Email, 'text' | 'html' | 'bodyHtml' | 'localized' | 'templateId'> &
    (Without<'html'> | Without<'bodyHtml'>);
  /** At least one of `title`, `body`, `localizedTitle`, `localizedBody`, `data` and `templateId`. */
  readonly send_push: Push &
    AtLeastOne<Push, 'title' | 'body' | 'localizedTitle' | 'localizedBody' | 'data' | 'templateId'>;
  /** At least one of `body`, `localizedBody` and `templateId`; not both `from` and `messagingServiceId`. */
  readonly send_sms: Sms &
    AtLeastOne<Sms, 'body' | 'localizedBody' | 'templateId'> &
    (Without<'from'> | Without<'messagingServiceId'>);
  /** At least one of `set`, `setOnce`, `unset`, `increment`, `append` and `remove`. */
  readonly update_profile: Update & AtLeastOne<Update, 'set' | 'setOnce' | 'unset' | 'increment' | 'append' | 'remove'>;
  readonly webhook: ConfigOf<'webhook'>;
  /** Exactly one of `branches` and `split`; `else` only with `branches`. */
  readonly branch: Branch &
    ((Needed<Branch, 'branches'> & Without<'split'>) | (Needed<Branch, 'split'> & Without<'branches' | 'else'>));
  /** Exactly one of `minutes`, `until`, `window` and `event`; `offsetMinutes` and `timezone` only with `until`. */
  readonly wait: Wait &
    (
      | (Needed<Wait, 'until'> & Without<'minutes' | 'window' | 'event'>)
      | (Without<'until' | 'offsetMinutes' | 'timezone'> &
          (
            | (Needed<Wait, 'minutes'> & Without<'window' | 'event'>)
            | (Needed<Wait, 'window'> & Without<'minutes' | 'event'>)
            | (Needed<Wait, 'event'> & Without<'minutes' | 'window'>)
          ))
    );
  /** `options` (and `fallback`) only for `decide`, `schema` only for `extract`, where they are required. */
  readonly ai_action: Ai &
    (
      | ({ readonly flavor: 'generate' } & Without<'options' | 'fallback' | 'schema'>)
      | ({ readonly flavor: 'decide' } & Needed<Ai, 'options'> & Without<'schema'>)
      | ({ readonly flavor: 'extract' } & Needed<Ai, 'schema'> & Without<'options' | 'fallback'>)
    );
};

/** A step of a workflow as an author writes it, by its type. */
export type StepInput = {
  readonly [Type in StepType]: {
    readonly type: Type;
    readonly config: StepConfigs[Type];
    /** Minutes before the step starts. At most 525,600. Default: 0. */
    readonly delayMinutes?: number | undefined;
  };
}[StepType];
