// Reads XML with the parser that node-saml and xml-crypto use. Attackers bypass
// signatures with documents that two parsers read differently, so a test asserts that one copy is installed. It loads with the first call.

import { assertSaml, refuse } from './refusal.ts';

export const SAML_NS = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const SAMLP_NS = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const METADATA_NS = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const DS_NS = 'http://www.w3.org/2000/09/xmldsig#';
export const XENC_NS = 'http://www.w3.org/2001/04/xmlenc#';
export const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const XMLNS_NS = 'http://www.w3.org/2000/xmlns/';

const ELEMENT = 1;
const TEXT = 3;
const PROCESSING_INSTRUCTION = 7;

export type XmlAttribute = {
  readonly name: string;
  readonly prefix: string | null;
  readonly local: string;
  readonly value: string;
};

export type XmlElement = {
  /** With the prefix. */
  readonly name: string;
  readonly local: string;
  readonly namespace: string;
  /** Without namespace declarations. */
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** Its own text, without the text of its children. */
  readonly text: string;
};

/** The part of the DOM that is read. Its own types would bring those of a browser into the whole package. */
type DomNode = {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly localName?: string | null;
  readonly prefix?: string | null;
  readonly namespaceURI?: string | null;
  readonly firstChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly attributes?: { readonly length: number; item(index: number): DomNode | null };
};

/** Source: authentication design, SAML. */
const MAX_NODES = 5_000;
const MAX_DEPTH = 40;

// Characters that XML 1.0 allows, section 2.2.
const isXmlText = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that XML forbids are control characters.
  text.isWellFormed() && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text);

const isAbsoluteUri = (uri: string): boolean => /^(?:https?|urn):[^\s\p{Cc}]+$/u.test(uri);

const siblingsFrom = function* (first: DomNode | null): Generator<DomNode> {
  for (let node = first; node !== null; node = node.nextSibling) yield node;
};

const readAttributes = (node: DomNode): readonly XmlAttribute[] => {
  const attributes: XmlAttribute[] = [];
  const names = new Set<string>();
  for (let index = 0; index < (node.attributes?.length ?? 0); index++) {
    const attribute = node.attributes?.item(index);
    if (!attribute) continue;
    const value = attribute.nodeValue ?? '';
    const local = attribute.localName ?? attribute.nodeName;
    assertSaml(isXmlText(value), 'xml');
    if (attribute.namespaceURI === XMLNS_NS) {
      // A relative or empty namespace URI makes canonicalisation fail in some libraries, which then sign an empty text.
      assertSaml(isAbsoluteUri(value) && !/^xml/i.test(attribute.prefix ? local : ''), 'namespaces');
      assertSaml(!value.startsWith(XMLNS_NS), 'namespaces');
      continue;
    }
    const hasPrefix = attribute.nodeName.includes(':');
    assertSaml(!hasPrefix || Boolean(attribute.namespaceURI), 'namespaces');
    const key = `${hasPrefix ? attribute.namespaceURI : ''} ${local}`;
    assertSaml(!names.has(key), 'xml');
    names.add(key);
    attributes.push({ name: attribute.nodeName, prefix: attribute.prefix ?? null, local, value });
  }
  return attributes;
};

const readElement = (node: DomNode, count: { nodes: number }, depth: number): XmlElement => {
  count.nodes += 1 + (node.attributes?.length ?? 0);
  assertSaml(depth <= MAX_DEPTH && count.nodes <= MAX_NODES, 'too_large');
  assertSaml(Boolean(node.namespaceURI), 'namespaces');
  const children: XmlElement[] = [];
  let text = '';
  for (const child of siblingsFrom(node.firstChild)) {
    if (child.nodeType === ELEMENT) children.push(readElement(child, count, depth + 1));
    else {
      count.nodes += 1;
      assertSaml(child.nodeType === TEXT && isXmlText(child.nodeValue ?? ''), 'xml');
      text += child.nodeValue ?? '';
    }
  }
  return {
    name: node.nodeName,
    local: node.localName ?? node.nodeName,
    namespace: node.namespaceURI ?? '',
    attributes: readAttributes(node),
    children,
    text,
  };
};

const stop = (): never => refuse('xml');

const DECLARATION =
  /^<\?xml version=(["'])1\.0\1(?: encoding=(["'])utf-8\2)?(?: standalone=(["'])(?:yes|no)\3)?\s*\?>\s*/i;

/**
 * Parses a document of elements, attributes and text alone. Refuses document types, comments, CDATA, processing instructions,
 * unbound prefixes, relative namespaces, and documents about which the parser warns.
 *
 * @throws SamlRefusal
 */
export const parseXml = async (xml: string): Promise<XmlElement> => {
  const body = xml.replace(DECLARATION, '');
  assertSaml(isXmlText(xml) && body.startsWith('<') && !body.includes('<!') && !body.includes('<?'), 'xml');
  const { DOMParser } = await import('@xmldom/xmldom');
  let roots: DomNode[];
  try {
    const document: { readonly firstChild: DomNode | null } = new DOMParser({
      errorHandler: { warning: stop, error: stop, fatalError: stop },
    }).parseFromString(xml, 'text/xml');
    roots = [...siblingsFrom(document.firstChild)].filter(
      ({ nodeType, nodeName }) => nodeType !== TEXT && !(nodeType === PROCESSING_INSTRUCTION && nodeName === 'xml'),
    );
  } catch {
    return stop();
  }
  const [root] = roots;
  if (root === undefined || roots.length !== 1 || root.nodeType !== ELEMENT) return stop();
  // The parser ignores text after the root, so the end of the document is compared as text.
  const end = `</${root.nodeName}`;
  assertSaml(body.split(end).length === 2 && /^\s*>\s*$/.test(body.slice(body.indexOf(end) + end.length)), 'xml');
  return readElement(root, { nodes: 0 }, 1);
};

/** The value of an attribute without prefix; null when absent. */
export const attributeOf = (element: XmlElement, name: string): string | null =>
  element.attributes.find((attribute) => attribute.name === name)?.value ?? null;

/** The element and all below it. */
export const allElements = function* (element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* allElements(child);
};

export const childrenNamed = (element: XmlElement, namespace: string, local: string): readonly XmlElement[] =>
  element.children.filter((child) => child.namespace === namespace && child.local === local);

/** The one child of this name; null when there is none or more than one. */
export const onlyChild = (element: XmlElement, namespace: string, local: string): XmlElement | null => {
  const found = childrenNamed(element, namespace, local);
  return found.length === 1 ? (found[0] ?? null) : null;
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for XML, also for attributes. */
export const escapeXml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** Bytes of base64 in its one canonical spelling; null otherwise. */
export const bytesOfBase64 = (text: string): Buffer | null => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
};
