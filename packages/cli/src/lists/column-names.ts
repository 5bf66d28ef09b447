// Column names of exports from email providers, customer databases and spreadsheets, in several languages. They are
// compared without case, accents, blanks and punctuation.

import type { ListKind } from './values.ts';

/** A name in the form that is compared. */
export const plainName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/).map(plainName));

/** `exact` names identify the content of the column; `loose` names are ambiguous. */
type Names = { readonly exact: ReadonlySet<string>; readonly loose: ReadonlySet<string> };

/** Column names by content. */
export const NAMES: Readonly<Record<ListKind, Names>> = {
  email: {
    exact: words(`
      email emails e-mail email-address e-mail-addresses email-addresses mail mail-address emailaddr user-email
      customer-email contact-email member-email subscriber-email subscriber-email-address recipient-email
      recipient-email-address recipient-address
      to-email email-to primary-email primary-email-address email-id email-1 e-mail-1-value email-1-value email-value
      emails-0-address
      e-mail-adresse email-adresse mailadresse e-mail-anschrift
      courriel adresse-courriel adresse-e-mail adresse-email adresse-mail adresse-électronique mél
      correo correo-electrónico dirección-de-correo dirección-de-correo-electrónico e-mail-del-cliente
      indirizzo-email indirizzo-e-mail indirizzo-di-posta-elettronica posta-elettronica
      endereço-de-e-mail endereço-de-email correio-eletrônico correio-eletrónico
      e-mailadres emailadres mailadres e-postadress e-post epost e-postadresse mailadresse
      sähköposti sähköpostiosoite adres-e-mail adres-email e-posta e-posta-adresi eposta
      メールアドレス メール 电子邮件 电子邮箱 邮箱 電子郵件 이메일 почта эл-почта электронная-почта
    `),
    loose: words(
      'address addresses recipient recipients to contact user username login adresse destinataire empfänger',
    ),
  },
  phone: {
    exact: words(`
      phone phones phone-number phone-numbers mobile mobile-number mobile-phone mobile-phone-number cell cellphone
      cell-phone cell-number telephone telephone-number tel msisdn sms sms-number sms-phone user-phone customer-phone
      contact-phone recipient-phone primary-phone phone-1 phone-1-value e164 whatsapp-number
      telefon telefonnummer telefon-nr rufnummer handy handynummer mobil mobilnummer mobiltelefon mobilfunknummer
      téléphone numéro-de-téléphone portable téléphone-portable téléphone-mobile mobile-portable
      teléfono número-de-teléfono móvil teléfono-móvil celular
      telefono numero-di-telefono cellulare telefone número-de-telefone celular telemóvel
      telefoon telefoonnummer mobiel mobiele-telefoon puhelin puhelinnumero numer-telefonu
      電話番号 携帯電話 手机 手机号 电话 전화번호 телефон
    `),
    loose: words('number to recipient recipients contact address nummer numéro número numero'),
  },
  user: {
    exact: words(`
      user-id userid user-uuid user-ids users-id external-id external-user-id customer-id customer-external-id
      distinct-id member-id account-user-id app-user-id
      benutzer-id benutzerkennung nutzer-id kunden-id kundennummer kundennr kunden-nr
      id-utilisateur identifiant-utilisateur id-client numéro-client
      id-de-usuario id-usuario id-de-cliente id-cliente id-utente codice-cliente id-do-usuário
      gebruikers-id klant-id klantnummer
    `),
    loose: words('id ids uid uuid user users customer member username identifier kennung identifiant'),
  },
};

/** Other column names. Together with `NAMES` they distinguish a header from a first row. */
const OTHERS = words(`
  name full-name display-name first-name last-name given-name family-name middle-name nickname surname title
  vorname nachname nom prénom nombre apellido apellidos nome cognome naam voornaam achternaam
  plan tier type status state reason category tag tags label labels group groups list lists segment source
  created created-at created-on updated updated-at joined joined-at date timestamp time last-seen last-seen-at
  country city region zip postal-code language locale timezone gender age birthday company organization role note notes
  score count total amount price currency traits properties record-id klaviyo-id
`);

/** True for a cell that is a known column name. */
export const isColumnName = (cell: string): boolean => {
  const name = plainName(cell);
  return OTHERS.has(name) || Object.values(NAMES).some(({ exact, loose }) => exact.has(name) || loose.has(name));
};
