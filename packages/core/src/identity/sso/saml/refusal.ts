/** Why a SAML document was refused. For the audit alone: a client sees one error for every reason. */
export type SamlFault =
  | 'encoding'
  | 'xml'
  | 'too_large'
  | 'root'
  | 'namespaces'
  | 'ids'
  | 'assertions'
  | 'signatures'
  | 'algorithm'
  | 'unsigned'
  | 'version'
  | 'status'
  | 'destination'
  | 'in_response_to'
  | 'issuer'
  | 'encryption'
  | 'certificate'
  | 'signature'
  | 'subject'
  | 'recipient'
  | 'expired'
  | 'not_yet_valid'
  | 'audience'
  | 'session'
  | 'attributes'
  | 'idp_initiated';

/** Thrown inside this folder; `verifySamlResponse` and `readIdpMetadata` return its fault as their reason. */
export class SamlRefusal extends Error {
  readonly fault: SamlFault;

  constructor(fault: SamlFault) {
    super(`SAML document refused: ${fault}`);
    this.fault = fault;
  }
}

export function refuse(fault: SamlFault): never {
  throw new SamlRefusal(fault);
}

/** Throws unless the condition holds. */
export function assertSaml(condition: boolean, fault: SamlFault): asserts condition {
  if (!condition) refuse(fault);
}
