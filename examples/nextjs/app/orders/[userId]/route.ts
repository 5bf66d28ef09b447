import { opened } from '../../../lib/beckon.ts';

type Context = { readonly params: Promise<{ readonly userId: string }> };

/** Stores an order and sends a thank-you message. */
export const POST = async (request: Request, { params }: Context): Promise<Response> => {
  const { userId } = await params;
  const { beckon } = await opened();
  await beckon.events.identify({ userId, traits: { email: `${userId}@example.com` } });
  const properties: Record<string, unknown> = Object(await request.json());
  await beckon.events.track({ module: 'shop', eventType: 'order.placed', userId, properties });
  const send = await beckon.email.send({
    userIds: [userId],
    class: 'transactional',
    subject: 'Thank you',
    text: 'We have your order.',
  });
  return Response.json(send, { status: 201 });
};
