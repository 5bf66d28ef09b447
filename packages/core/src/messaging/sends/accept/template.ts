import type { Channel } from '../../../foundation/channel.ts';
import { isBeckonError, validationError } from '../../../foundation/errors.ts';
import { isUuid } from '../../../foundation/ids.ts';
import { isObject } from '../../../foundation/json.ts';
import type { Scope } from '../../../foundation/scope.ts';
import type { Gate } from '../../../platform/plans/plan.ts';
import { bodyWarnings } from '../../templates/content-warnings.ts';
import type { TemplateKind } from '../../templates/kind.ts';
import type { UseTemplate } from '../../templates/use.ts';
import type { SendRequest } from '../schema.ts';
import { gatesOf } from './send-gates.ts';

/** A request that is read once it is known that it was not answered before: what it names may be gone by then. */
export type LateRequest = {
  readonly channel: Channel;
  /** What of it is of a plan, as far as it names it; asked before anything that it names is looked up. */
  readonly gates: readonly Gate[];
  /** Throws VALIDATION_ERROR for what is wrong with its own fields whatever the template says. */
  readonly check: () => void;
  readonly read: () => Promise<SendRequest>;
};

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** The part of a refusal that is about fields which were given: others may come from the template. */
const refuseOverridden = (error: unknown, own: Readonly<Record<string, unknown>>): void => {
  if (!isBeckonError(error, 'VALIDATION_ERROR')) throw error;
  const found = Object.entries(error.details?.fieldErrors ?? {}).filter(([path]) =>
    isPresent(own[path.split('.')[0] ?? '']),
  );
  if (found.length > 0) throw validationError(Object.fromEntries(found));
};

/** Of whoever has no stored templates. */
export const noTemplates: UseTemplate = async () => null;

/** The request with what is to be pointed out in the body's own fields: a template's were looked at when it was saved. */
const withBodyWarnings = (kind: TemplateKind, body: unknown, request: SendRequest): SendRequest => {
  const found = bodyWarnings(kind, body);
  return found.length === 0 ? request : { ...request, warnings: [...(request.warnings ?? []), ...found] };
};

/**
 * Reads a send body that may name a template, whose fields stand where the body has none of its own. Without one `parse`
 * reads it at once; with one when the request is asked for, by the template as it is then.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.templateId` for what is no id; `read` also for a template that there is not
 */
export const withTemplate = (
  use: UseTemplate,
  kind: TemplateKind,
  scope: Scope,
  body: unknown,
  parse: (body: unknown) => SendRequest,
): SendRequest | LateRequest => {
  if (!isObject(body) || body['templateId'] === undefined) return withBodyWarnings(kind, body, parse(body));
  const { templateId, ...own } = body;
  if (typeof templateId !== 'string' || !isUuid(templateId))
    throw validationError({ templateId: ['must be the id of a template'] });
  const { channel } = kind;
  return {
    channel,
    gates: gatesOf(body),
    check: () => {
      try {
        parse(kind.fill({}, own));
      } catch (error) {
        refuseOverridden(error, own);
      }
    },
    read: async () => {
      const template = await use(scope, channel, templateId);
      if (!template) throw validationError({ templateId: [`no ${channel} template with this id in this project`] });
      const request = withBodyWarnings(kind, own, parse(kind.fill(template.content, own)));
      return { ...request, templateId: template.id, templateVersion: template.version };
    },
  };
};
