import { verifyWebhook, WebhookError } from '@beckon/sdk-js/node';

/** Receives webhooks that use this URL. */
export const POST = async (request: Request): Promise<Response> => {
  try {
    const delivery = verifyWebhook(await request.text(), request.headers, process.env['WEBHOOK_SECRET'] ?? []);
    // `type` determines the shape of `data`.
    if (delivery.type === 'email.bounced') console.log(`Bounced: message ${delivery.data.messageId}`);
    else console.log(`Received ${delivery.type}`);
    return new Response(null, { status: 204 });
  } catch (error) {
    return new Response(null, { status: error instanceof WebhookError ? 400 : 500 });
  }
};
