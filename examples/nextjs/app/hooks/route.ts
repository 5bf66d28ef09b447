import { verifyWebhook, WebhookError } from '@beckon/sdk-js/node';

/** What the service posts, where a webhook names this URL. */
export const POST = async (request: Request): Promise<Response> => {
  try {
    const { event } = verifyWebhook(await request.text(), request.headers, process.env['WEBHOOK_SECRET'] ?? []);
    console.log(`Told of ${event.type}`);
    return new Response(null, { status: 204 });
  } catch (error) {
    return new Response(null, { status: error instanceof WebhookError ? 400 : 500 });
  }
};
