// A separate file, so that loading it on demand does not load the other parts of the libraries.
export { decodeHTMLAttribute } from 'entities/decode';
export { QuoteType, Tokenizer } from 'htmlparser2';
