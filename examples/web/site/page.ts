// A site's own script: a client, its events, and identify.
import { createClient } from '@beckon/sdk-js';
import { enableWebPush } from '@beckon/sdk-js/push';

interface ShopEvents {
  'cart.filled': { readonly item: string; readonly price: number };
}

const { apiKey = '' } = document.documentElement.dataset;
const beckon = createClient<ShopEvents>({ apiKey, baseUrl: location.origin, onError: (error) => say(error.message) });

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}.`);
  return found;
};
const say = (text: string): void => {
  element('said').textContent = text;
};
const onClick = (id: string, work: () => Promise<unknown> | undefined): void =>
  element(id).addEventListener('click', () => {
    work()?.catch((error: unknown) => say(String(error)));
  });

onClick('track', () => {
  beckon.track('cart.filled', { item: 'Kettle', price: 39 });
  return undefined;
});
onClick('identify', async () => {
  await beckon.identify('ada', { first_name: 'Ada' });
  say('You are ada.');
});
onClick('push', async () => {
  const { status } = await enableWebPush(beckon, { sw: '/beckon-sw.js' });
  say(`Push: ${status}`);
});
onClick('reset', async () => {
  await beckon.reset();
  say('You are anonymous again.');
});
onClick('next', () => {
  history.pushState(null, '', `/page-${Math.floor(performance.now())}`);
  return undefined;
});

type Received = { readonly eventType: string; readonly userId: string | null; readonly properties: object };
const look = async (): Promise<void> => {
  // Safe: the server of this example returns it.
  const rows = (await (await fetch('/received')).json()) as readonly Received[];
  const lines = rows.map(({ eventType, userId, properties }) => {
    const line = document.createElement('li');
    line.textContent = `${eventType} ${userId ?? 'anonymous'} ${JSON.stringify(properties)}`;
    return line;
  });
  element('received').replaceChildren(...lines);
};
setInterval(() => {
  look().catch(() => say('The service cannot be reached; what you do is kept.'));
}, 1_000);
