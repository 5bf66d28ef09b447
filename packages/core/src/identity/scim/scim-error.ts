/** Keyword of a SCIM error. Source: RFC 7644, table 9. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

/** A request that SCIM refuses; `responses.ts` makes the body of the response. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | null;

  constructor(status: number, scimType: ScimType | null, detail: string) {
    super(detail);
    this.name = 'ScimError';
    this.status = status;
    this.scimType = scimType;
  }
}

/** A 400 with this keyword. */
export const refused = (scimType: ScimType, detail: string): ScimError => new ScimError(400, scimType, detail);

/** Text of a request as an error repeats it: short, so that an error is never larger than its request. */
export const quoted = (text: string): string => `"${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`;
