// Made of the schemas in answers.ts by `npm run openapi`.

/** A passkey of a user. */
export interface Passkey {
  /** Passkey id. */
  readonly id: string;
  /** Name that the user sees. */
  readonly name: string;
  /** When the passkey was added. */
  readonly createdAt: Date;
  /** When the passkey was last used; null if never. */
  readonly lastUsedAt: Date | null;
  /** Whether the passkey is copied to other devices of the user. */
  readonly backedUp: boolean;
  /** How the browser reaches the authenticator. */
  readonly transports: readonly ('usb' | 'nfc' | 'ble' | 'smart-card' | 'hybrid' | 'internal')[];
  /** Model of the authenticator; zeros if it does not tell. */
  readonly aaguid: string;
}

/** Options to use a passkey. */
export interface PasskeyRequest {
  /** Challenge id. Send it with the response. It works once, for 5 minutes. */
  readonly challengeId: string;
  /** Input of `navigator.credentials.get`, after `PublicKeyCredential.parseRequestOptionsFromJSON`. */
  readonly publicKey: {
    /** Domain that the passkeys belong to. */
    readonly rpId: string;
    /** Challenge in base64url. */
    readonly challenge: string;
    /** Milliseconds that the browser waits. */
    readonly timeout: number;
    /** Passkeys that are accepted. Empty: any passkey of the domain. */
    readonly allowCredentials: readonly {
      /** Credential id in base64url. */
      readonly id: string;
      /** Always `public-key`. */
      readonly type: 'public-key';
      /** How the browser reaches the authenticator. */
      readonly transports: readonly ('usb' | 'nfc' | 'ble' | 'smart-card' | 'hybrid' | 'internal')[];
    }[];
    /** The authenticator verifies the user. */
    readonly userVerification: 'required';
  };
}

/** Options to create a passkey. */
export interface PasskeyRegistration {
  /** Challenge id. Send it with the response. It works once, for 5 minutes. */
  readonly challengeId: string;
  /** Input of `navigator.credentials.create`, after `PublicKeyCredential.parseCreationOptionsFromJSON`. */
  readonly publicKey: {
    /** Your service. */
    readonly rp: {
      /** Domain that the passkey will belong to. */
      readonly id: string;
      /** Name that the browser shows. */
      readonly name: string;
    };
    /** The user. */
    readonly user: {
      /** Random handle of the user in base64url. */
      readonly id: string;
      /** Email address or user id. */
      readonly name: string;
      /** Name that the browser shows. */
      readonly displayName: string;
    };
    /** Challenge in base64url. */
    readonly challenge: string;
    /** Signature algorithms in order of preference: ES256, Ed25519, RS256. */
    readonly pubKeyCredParams: readonly {
      /** Always `public-key`. */
      readonly type: 'public-key';
      /** COSE number of the algorithm. */
      readonly alg: -7 | -8 | -257;
    }[];
    /** Milliseconds that the browser waits. */
    readonly timeout: number;
    /** Passkeys that the user has. */
    readonly excludeCredentials: readonly {
      /** Credential id in base64url. */
      readonly id: string;
      /** Always `public-key`. */
      readonly type: 'public-key';
      /** How the browser reaches the authenticator. */
      readonly transports: readonly ('usb' | 'nfc' | 'ble' | 'smart-card' | 'hybrid' | 'internal')[];
    }[];
    /** What the authenticator must do. */
    readonly authenticatorSelection: {
      /** The passkey should work without a user name. */
      readonly residentKey: 'preferred';
      /** Always false. */
      readonly requireResidentKey: false;
      /** The authenticator verifies the user. */
      readonly userVerification: 'required';
    };
    /** No statement about the authenticator is asked for. */
    readonly attestation: 'none';
  };
}

/** Options to use a passkey as a second factor. */
export interface MfaPasskeyRequest {
  /** Input of `navigator.credentials.get`, after `PublicKeyCredential.parseRequestOptionsFromJSON`. */
  readonly publicKey: {
    /** Domain that the passkeys belong to. */
    readonly rpId: string;
    /** Challenge in base64url. */
    readonly challenge: string;
    /** Milliseconds that the browser waits. */
    readonly timeout: number;
    /** Passkeys that are accepted. Empty: any passkey of the domain. */
    readonly allowCredentials: readonly {
      /** Credential id in base64url. */
      readonly id: string;
      /** Always `public-key`. */
      readonly type: 'public-key';
      /** How the browser reaches the authenticator. */
      readonly transports: readonly ('usb' | 'nfc' | 'ble' | 'smart-card' | 'hybrid' | 'internal')[];
    }[];
    /** The authenticator verifies the user. */
    readonly userVerification: 'required';
  };
}

/** A deleted passkey: input of `PublicKeyCredential.signalUnknownCredential`. */
export interface PasskeyDeleted {
  /** Domain that the passkey belonged to. */
  readonly rpId: string;
  /** Credential id in base64url. */
  readonly credentialId: string;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly Passkey: Passkey;
  readonly PasskeyRequest: PasskeyRequest;
  readonly PasskeyRegistration: PasskeyRegistration;
  readonly MfaPasskeyRequest: MfaPasskeyRequest;
  readonly PasskeyDeleted: PasskeyDeleted;
}
