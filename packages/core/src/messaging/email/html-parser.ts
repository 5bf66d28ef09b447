// A file of its own, so that whoever loads it on demand gets this part of the libraries and not their documents.
export { decodeHTMLAttribute } from 'entities/decode';
export { QuoteType, Tokenizer } from 'htmlparser2';
