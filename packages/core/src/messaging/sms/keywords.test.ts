import { describe, expect, it } from 'vitest';
import { keywordOf } from './keywords.ts';

describe('keywordOf', () => {
  it.each([
    // Keywords that carriers and providers require.
    ['stop', 'STOP STOPALL UNSUBSCRIBE CANCEL END QUIT REVOKE OPTOUT OPT-OUT REMOVE ARRET ARRETE TD'],
    ['start', 'START YES UNSTOP'],
    ['help', 'HELP INFO AIDE'],
    // Spanish, French, Portuguese, German, Italian.
    ['stop', 'parar baja cancelar alto arrêt Désabonner sair pare abmelden stopp basta annulla'],
    ['start', 'alta comenzar démarrer iniciar começar starten inizia'],
    ['help', 'ayuda aide ajuda hilfe aiuto'],
  ])('a message with one word is the keyword %s: %s', (keyword, words) => {
    for (const word of words.split(' ')) {
      expect([word, keywordOf(word)]).toEqual([word, keyword]);
      expect(keywordOf(word.toLowerCase())).toBe(keyword);
      expect(keywordOf(word.normalize('NFD'))).toBe(keyword);
    }
  });

  it('case, white space, punctuation, quotes and invisible characters around a keyword are ignored', () => {
    for (const text of [
      ' stop ',
      'Stop.',
      'STOP!!',
      'stop…',
      '"STOP"',
      '“Stop”',
      '¡Alto!',
      'stop\r\n',
      '\ufeffstop\u200b',
    ])
      expect([text, keywordOf(text)]).toEqual([text, 'stop']);
    expect(keywordOf('ＳＴＯＰ')).toBe('stop');
    expect(keywordOf('STOP  ALL')).toBe('stop');
    expect(keywordOf('opt\tout')).toBe('stop');
    expect(keywordOf('s\u0131top')).toBeNull();
  });

  it('a message with other text is no keyword', () => {
    for (const text of [
      'please stop',
      'stop please',
      'STOP it',
      'stopping',
      'do not stop',
      'st op',
      'stop,start',
      'end of May',
    ])
      expect([text, keywordOf(text)]).toEqual([text, null]);
    for (const text of ['', ' ', '?', 'ok', '12345', 'STOP '.repeat(1_000), ` ${' '.repeat(99)}stop`])
      expect(keywordOf(text)).toBeNull();
  });
});
