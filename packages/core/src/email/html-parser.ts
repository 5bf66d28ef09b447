// A file of its own, so that whoever loads it on demand gets this part of the library and not its documents.
export { QuoteType, Tokenizer } from 'htmlparser2';
