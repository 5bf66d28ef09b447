import type { z } from 'zod';
import { aiAction } from './ai-action.ts';
import { branch } from './branch.ts';
import { catalogOf } from './catalog.ts';
import { sendEmail } from './send-email.ts';
import { sendPush } from './send-push.ts';
import { sendSms } from './send-sms.ts';
import { updateProfile } from './update-profile.ts';
import { wait } from './wait/wait.ts';
import { webhook } from './webhook.ts';

/** All step types of this version. Schemas, bundles, imports and runs derive from this list. */
export const stepTypes = catalogOf([sendEmail, sendPush, sendSms, updateProfile, webhook, branch, wait, aiAction]);

/** A step that this version can run; `type` determines the config. */
export type Step = z.output<typeof stepTypes.schema>;
