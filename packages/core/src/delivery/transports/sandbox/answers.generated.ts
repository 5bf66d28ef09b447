// Made of the schemas in answers.ts by `npm run openapi`.

/** An email as its provider receives it. */
export interface EmailContent {
  /** Addresses of the SMTP envelope. */
  readonly envelope: {
    /** Return path: the address that receives bounces. */
    readonly from: string;
    /** Address that the server delivers to. */
    readonly to: string;
  };
  /** The From header. */
  readonly from: {
    /** Email address of the sender. */
    readonly email: string;
    /** Display name of the sender; null if there is none. */
    readonly name: string | null;
  };
  /** The To header; in a copy it names the main recipient. */
  readonly to: {
    /** Email address of the recipient. */
    readonly email: string;
    /** Display name of the recipient; null if there is none. */
    readonly name: string | null;
  };
  /** The Cc header. */
  readonly cc: readonly {
    /** Email address of the copied recipient. */
    readonly email: string;
    /** Display name of the copied recipient; null if there is none. */
    readonly name: string | null;
  }[];
  /** The Reply-To header; null if none is set. */
  readonly replyTo: {
    /** Email address of the person who receives replies. */
    readonly email: string;
    /** Display name of the person who receives replies; null if there is none. */
    readonly name: string | null;
  } | null;
  /** Rendered subject. */
  readonly subject: string;
  /** Rendered plain text part; null if there is none. */
  readonly text: string | null;
  /** Rendered HTML part; null if there is none. */
  readonly html: string | null;
  /** Further headers, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Attached files, without their contents. */
  readonly attachments: readonly {
    /** Name of the file. */
    readonly filename: string;
    /** Media type without parameters, such as `application/pdf`. */
    readonly contentType: string;
    /** Content id that the HTML refers to as `cid:...`; null for an ordinary attachment. */
    readonly cid: string | null;
    /** Size of the file, in bytes. */
    readonly bytes: number;
  }[];
}

/** A push as its provider receives it. */
export interface PushContent {
  /** Platform of the device. */
  readonly platform: 'ios' | 'android' | 'web';
  /** Device token; of a browser the JSON of its push subscription. */
  readonly token: string;
  /** APNs host of the token; null if unknown or not iOS. */
  readonly apnsEnvironment: 'production' | 'sandbox' | null;
  /** Rendered title; null if there is none. */
  readonly title: string | null;
  /** Rendered text; null if there is none. */
  readonly body: string | null;
  /** Custom data for the app. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Action buttons, at most 4. */
  readonly actions: readonly {
    /** Id that is reported when the button is tapped. */
    readonly id: string;
    /** Label of the button. */
    readonly title: string;
    /** URL that the button opens; missing if it opens none. */
    readonly url?: string | undefined;
    /** URL of the icon; missing if there is none. */
    readonly icon?: string | undefined;
  }[];
  /** Critical alert of iOS, which ignores the mute switch; null for an ordinary push. */
  readonly criticalAlert: {
    /** Name of the sound file. */
    readonly soundName: string;
    /** Volume, 0 to 1. */
    readonly volumeRatio: number;
  } | null;
  /** Interruption level of iOS; null for the default. */
  readonly interruptionLevel: 'passive' | 'active' | 'time-sensitive' | 'critical' | null;
  /** A later push with the same key replaces this one; null if nothing replaces it. */
  readonly collapseKey: string | null;
  /** Group in the notification list; null for the default group. */
  readonly threadId: string | null;
  /** How long the provider tries to deliver, in seconds. */
  readonly ttlSeconds: number;
  /** Delivery priority. */
  readonly priority: 'high' | 'normal';
  /** Number on the app icon; null if it stays unchanged. */
  readonly badge: number | null;
  /** Name of the sound; null for no sound. */
  readonly sound: string | null;
  /** URL of the image; null if there is none. */
  readonly imageUrl: string | null;
  /** Present if the push starts, updates or ends a Live Activity. */
  readonly liveActivity?: {
    /** What the push does to the Live Activity. */
    readonly event: 'start' | 'update' | 'end';
    /** Unix time in seconds; a device ignores pushes that are not newer than the last one. */
    readonly timestamp: number;
    /** State that the app displays; null if it stays unchanged. */
    readonly contentState: Readonly<Record<string, unknown>> | null;
    /** When the state is outdated, in Unix seconds; null if never. */
    readonly staleDate: number | null;
    /** Order among several Live Activities; null for the default. */
    readonly relevanceScore: number | null;
    /** Alert that accompanies the push; null if it is silent. */
    readonly alert: {
      /** Title of the alert. */
      readonly title: string;
      /** Text of the alert. */
      readonly body: string;
      /** Name of the sound file; missing for no sound. */
      readonly sound?: string | undefined;
    } | null;
    /** When iOS removes the ended activity, in Unix seconds; null for the default. */
    readonly dismissalDate: number | null;
    /** Name of the app's attributes type; null unless the activity starts. */
    readonly attributesType: string | null;
    /** Data of the activity that never changes; null unless it starts. */
    readonly attributes: Readonly<Record<string, unknown>> | null;
    /** APNs priority: 5 saves battery, 10 is immediate. */
    readonly priority: 5 | 10;
  } | undefined;
}

/** An SMS as its provider receives it. */
export interface SmsContent {
  /** Recipient number in E.164 format. */
  readonly to: string;
  /** Sender number or name; null if a messaging service sends it. */
  readonly from: string | null;
  /** Id of the provider's messaging service; null if `from` sends it. */
  readonly messagingServiceId: string | null;
  /** Rendered text. */
  readonly body: string;
  /** URLs of attached media. */
  readonly mediaUrls: readonly string[];
  /** URL for delivery reports; null if none are requested. */
  readonly statusCallback: string | null;
  /** How long the provider tries to deliver, in seconds; null for the provider's default. */
  readonly validitySeconds: number | null;
}

/** A push in the outbox, with the request to its provider. */
export interface OutboxPushContent extends PushContent {
  /** Request that the provider of the platform would receive. */
  readonly request?: {
    /** Provider of the platform. */
    readonly provider: 'apns' | 'fcm' | 'webpush';
    /** Headers of the request, without credentials. */
    readonly headers: Readonly<Record<string, string>>;
    /** Body of the request. */
    readonly payload: unknown;
    /** Size of the body, in bytes of UTF-8. */
    readonly bytes: number;
  } | undefined;
}

/** An email in the outbox. */
export interface OutboxEmail {
  /** Id of the entry. */
  readonly id: string;
  /** Send of the message. */
  readonly sendId: string;
  /** Id of the message. */
  readonly messageId: string;
  /** User who receives the message; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token. */
  readonly address: string;
  /** When the message was stored. */
  readonly createdAt: Date;
  /** Channel. */
  readonly channel: 'email';
  /** The message as its provider would receive it. */
  readonly content: EmailContent;
}

/** A push in the outbox. */
export interface OutboxPush {
  /** Id of the entry. */
  readonly id: string;
  /** Send of the message. */
  readonly sendId: string;
  /** Id of the message. */
  readonly messageId: string;
  /** User who receives the message; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token. */
  readonly address: string;
  /** When the message was stored. */
  readonly createdAt: Date;
  /** Channel. */
  readonly channel: 'push';
  /** The message as its provider would receive it. */
  readonly content: OutboxPushContent;
}

/** An SMS in the outbox. */
export interface OutboxSms {
  /** Id of the entry. */
  readonly id: string;
  /** Send of the message. */
  readonly sendId: string;
  /** Id of the message. */
  readonly messageId: string;
  /** User who receives the message; null if the address has no user. */
  readonly userId: string | null;
  /** Email address, phone number or device token. */
  readonly address: string;
  /** When the message was stored. */
  readonly createdAt: Date;
  /** Channel. */
  readonly channel: 'sms';
  /** The message as its provider would receive it. */
  readonly content: SmsContent;
}

/** A message in the outbox of `test`; `channel` determines the type of `content`. */
export type OutboxMessage = OutboxEmail | OutboxPush | OutboxSms;

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly EmailContent: EmailContent;
  readonly PushContent: PushContent;
  readonly SmsContent: SmsContent;
  readonly OutboxPushContent: OutboxPushContent;
  readonly OutboxEmail: OutboxEmail;
  readonly OutboxPush: OutboxPush;
  readonly OutboxSms: OutboxSms;
  readonly OutboxMessage: OutboxMessage;
}
