// Texts of the unsubscribe page, per language.

/** `{}` is replaced by the name of a category. */
export type Texts = {
  readonly title: string;
  readonly askAll: string;
  readonly askOne: string;
  readonly unsubscribe: string;
  readonly doneAll: string;
  readonly doneOne: string;
  readonly resubscribe: string;
  readonly againAll: string;
  readonly againOne: string;
  readonly choose: string;
  readonly any: string;
  readonly save: string;
  readonly saved: string;
};

export const TEXTS = {
  en: {
    title: 'Unsubscribe',
    askAll: 'Do you want to stop getting these emails?',
    askOne: 'Do you want to stop getting emails about “{}”?',
    unsubscribe: 'Unsubscribe',
    doneAll: 'You are unsubscribed. We will not send you these emails any more.',
    doneOne: 'You are unsubscribed. We will not send you emails about “{}” any more.',
    resubscribe: 'Subscribe again',
    againAll: 'You are subscribed to these emails.',
    againOne: 'You are subscribed to emails about “{}”.',
    choose: 'Choose what you want to get',
    any: 'Newsletters and offers',
    save: 'Save',
    saved: 'Your choice is saved.',
  },
  de: {
    title: 'Abmelden',
    askAll: 'Möchten Sie diese E-Mails nicht mehr erhalten?',
    askOne: 'Möchten Sie keine E-Mails zu „{}“ mehr erhalten?',
    unsubscribe: 'Abmelden',
    doneAll: 'Sie sind abgemeldet. Wir senden Ihnen diese E-Mails nicht mehr.',
    doneOne: 'Sie sind abgemeldet. Wir senden Ihnen keine E-Mails zu „{}“ mehr.',
    resubscribe: 'Wieder anmelden',
    againAll: 'Sie sind für diese E-Mails angemeldet.',
    againOne: 'Sie sind für E-Mails zu „{}“ angemeldet.',
    choose: 'Wählen Sie, was Sie erhalten möchten',
    any: 'Newsletter und Angebote',
    save: 'Speichern',
    saved: 'Ihre Auswahl ist gespeichert.',
  },
  fr: {
    title: 'Se désabonner',
    askAll: 'Voulez-vous ne plus recevoir ces e-mails ?',
    askOne: 'Voulez-vous ne plus recevoir d’e-mails sur « {} » ?',
    unsubscribe: 'Se désabonner',
    doneAll: 'Vous êtes désabonné. Nous ne vous enverrons plus ces e-mails.',
    doneOne: 'Vous êtes désabonné. Nous ne vous enverrons plus d’e-mails sur « {} ».',
    resubscribe: 'Se réabonner',
    againAll: 'Vous êtes abonné à ces e-mails.',
    againOne: 'Vous êtes abonné aux e-mails sur « {} ».',
    choose: 'Choisissez ce que vous voulez recevoir',
    any: 'Lettres d’information et offres',
    save: 'Enregistrer',
    saved: 'Votre choix est enregistré.',
  },
  es: {
    title: 'Darse de baja',
    askAll: '¿Quiere dejar de recibir estos correos?',
    askOne: '¿Quiere dejar de recibir correos sobre «{}»?',
    unsubscribe: 'Darse de baja',
    doneAll: 'Se ha dado de baja. No le enviaremos más estos correos.',
    doneOne: 'Se ha dado de baja. No le enviaremos más correos sobre «{}».',
    resubscribe: 'Volver a suscribirse',
    againAll: 'Está suscrito a estos correos.',
    againOne: 'Está suscrito a los correos sobre «{}».',
    choose: 'Elija lo que quiere recibir',
    any: 'Boletines y ofertas',
    save: 'Guardar',
    saved: 'Su elección se ha guardado.',
  },
  pt: {
    title: 'Cancelar a subscrição',
    askAll: 'Quer deixar de receber estes e-mails?',
    askOne: 'Quer deixar de receber e-mails sobre “{}”?',
    unsubscribe: 'Cancelar a subscrição',
    doneAll: 'A subscrição foi cancelada. Não enviaremos mais estes e-mails.',
    doneOne: 'A subscrição foi cancelada. Não enviaremos mais e-mails sobre “{}”.',
    resubscribe: 'Subscrever novamente',
    againAll: 'Está subscrito para receber estes e-mails.',
    againOne: 'Está subscrito para receber e-mails sobre “{}”.',
    choose: 'Escolha o que quer receber',
    any: 'Boletins e ofertas',
    save: 'Guardar',
    saved: 'A sua escolha foi guardada.',
  },
  it: {
    title: 'Annulla l’iscrizione',
    askAll: 'Vuoi smettere di ricevere queste e-mail?',
    askOne: 'Vuoi smettere di ricevere e-mail su “{}”?',
    unsubscribe: 'Annulla l’iscrizione',
    doneAll: 'L’iscrizione è annullata. Non ti invieremo più queste e-mail.',
    doneOne: 'L’iscrizione è annullata. Non ti invieremo più e-mail su “{}”.',
    resubscribe: 'Iscriviti di nuovo',
    againAll: 'Sei iscritto a queste e-mail.',
    againOne: 'Sei iscritto alle e-mail su “{}”.',
    choose: 'Scegli che cosa vuoi ricevere',
    any: 'Newsletter e offerte',
    save: 'Salva',
    saved: 'La tua scelta è salvata.',
  },
  nl: {
    title: 'Afmelden',
    askAll: 'Wilt u deze e-mails niet meer ontvangen?',
    askOne: 'Wilt u geen e-mails over ‘{}’ meer ontvangen?',
    unsubscribe: 'Afmelden',
    doneAll: 'U bent afgemeld. We sturen u deze e-mails niet meer.',
    doneOne: 'U bent afgemeld. We sturen u geen e-mails over ‘{}’ meer.',
    resubscribe: 'Weer aanmelden',
    againAll: 'U bent aangemeld voor deze e-mails.',
    againOne: 'U bent aangemeld voor e-mails over ‘{}’.',
    choose: 'Kies wat u wilt ontvangen',
    any: 'Nieuwsbrieven en aanbiedingen',
    save: 'Opslaan',
    saved: 'Uw keuze is opgeslagen.',
  },
} as const satisfies Readonly<Record<string, Texts>>;

export type Language = keyof typeof TEXTS;

const isLanguage = (text: string): text is Language => Object.hasOwn(TEXTS, text);

/** The language of a locale such as `de-AT`; English if it is unknown or unsupported. Throws nothing. */
export const languageOf = (locale: string | null): Language => {
  const language = (locale ?? '').split(/[-_]/)[0]?.toLowerCase() ?? '';
  return isLanguage(language) ? language : 'en';
};
