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

/**
 * A request that is read after the idempotency check: a repeated call returns its first answer even if the template was
 * deleted since.
 */
export type LateRequest = {
  readonly channel: Channel;
  /** Plan features that the body itself needs; checked before the template is looked up. */
  readonly gates: readonly Gate[];
  /** Throws VALIDATION_ERROR for faults in the body's own fields that no template can fix. */
  readonly check: () => void;
  readonly read: () => Promise<SendRequest>;
};

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Rethrows only the field errors of fields that the body has; a template may supply the others. */
const refuseOverridden = (error: unknown, own: Readonly<Record<string, unknown>>): void => {
  if (!isBeckonError(error, 'VALIDATION_ERROR')) throw error;
  const found = Object.entries(error.details?.fieldErrors ?? {}).filter(([path]) =>
    isPresent(own[path.split('.')[0] ?? '']),
  );
  if (found.length > 0) throw validationError(Object.fromEntries(found));
};

/** For engines without stored templates. */
export const noTemplates: UseTemplate = async () => null;

/** Adds warnings about the body's own fields. Template fields were checked when the template was saved. */
const withBodyWarnings = (kind: TemplateKind, body: unknown, request: SendRequest): SendRequest => {
  const found = bodyWarnings(kind, body);
  return found.length === 0 ? request : { ...request, warnings: [...(request.warnings ?? []), ...found] };
};

/**
 * Reads a send body that may name a template. Template fields fill in what the body lacks. Without a template, `parse`
 * reads the body at once; with one, the body is read at `read`, with the template version current then.
 *
 * @throws VALIDATION_ERROR with `fieldErrors.templateId` for an invalid id; `read` also throws it for an unknown
 * template
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
