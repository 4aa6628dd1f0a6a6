import { textDigest } from '../../lib/text-digest.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { DocumentMemoryOptions, DocumentSource } from '../document-options.ts'
import { type DocumentBlock, blocksOfText } from './sections.ts'

/** Maximum bytes of a document. */
const MAX_BYTES = 50_000_000

/** A source and its document's name. */
export interface NamedSource {
  readonly name: string
  readonly title?: string
  readonly url?: string
  readonly text?: string
  readonly blob?: Blob
}

export interface ReadDocument {
  readonly title: string
  readonly blocks: Iterable<DocumentBlock>
}

interface ReadOptions {
  readonly read: DocumentMemoryOptions['read'] | undefined
  readonly signal: AbortSignal | undefined
}

/** Gives a source its name, without reading it. Throws `invalid-config` if the name is missing. */
export function nameSource(source: DocumentSource): NamedSource {
  if (typeof source === 'string' || source instanceof URL) return nameSource({ url: source })
  if ('arrayBuffer' in source) return nameSource({ blob: source, name: source.name })
  const { title, text, blob } = source
  const url = source.url === undefined ? undefined : addressOf(source.url)
  const name = source.name || (url && nameOf(url))
  if (name)
    return {
      name,
      ...(title !== undefined && { title }),
      ...(url && { url: url.href }),
      ...(text !== undefined && { text }),
      ...(blob && { blob }),
    }
  throw new OffstageError(
    'invalid-config',
    'A source of documentMemory has no name. Give each text and blob a name, or an address.',
  )
}

/** Current content of a source, fetched if necessary. */
export async function fetchSource(source: NamedSource, signal?: AbortSignal): Promise<Blob> {
  const blob =
    source.text !== undefined
      ? new Blob([source.text], { type: 'text/plain;charset=utf-8' })
      : (source.blob ?? (await fetchPage(source, signal)))
  if (blob.size <= MAX_BYTES) return blob
  throw new OffstageError(
    'invalid-input',
    `${source.name} is too large: ${blob.size} bytes. A document has ${MAX_BYTES} bytes at most.`,
  )
}

/** Digest of the content, with its type. */
export async function contentVersion(blob: Blob): Promise<string> {
  return `${blob.type} ${textDigest(new TextDecoder('latin1').decode(await blob.arrayBuffer()))}`
}

/** Reads a document, with the app's `read` if that returns a string. */
export async function readDocument(
  blob: Blob,
  { name, title, text }: NamedSource,
  { read, signal }: ReadOptions,
): Promise<ReadDocument> {
  const customText = text ?? (await readCustomText(blob, name, { read, signal }))
  if (customText != null) return fromText(customText, title ?? name)
  const content = await decodeBlob(blob, name)
  if (!/^(?:text\/html|application\/xhtml\+xml)/.test(typeOf(blob, name)))
    return fromText(content, title ?? name)
  const page = readHtml(content)
  return { title: title ?? (page.title || titleIn(page.blocks) || name), blocks: page.blocks }
}

async function readCustomText(
  blob: Blob,
  name: string,
  { read, signal }: ReadOptions,
): Promise<string | null | undefined> {
  try {
    return await read?.(blob, { name, ...(signal && { signal }) })
  } catch (cause) {
    throw new OffstageError(
      'invalid-output',
      `read() failed for ${name}: ${describeThrown(cause)}`,
      {
        cause,
      },
    )
  }
}

function fromText(text: string, title: string): ReadDocument {
  return { title, blocks: blocksOfText(text) }
}

function titleIn(blocks: readonly DocumentBlock[]): string | undefined {
  return blocks.find(({ level }) => level === 1)?.text
}

async function fetchPage({ name, url = '' }: NamedSource, signal?: AbortSignal): Promise<Blob> {
  let response
  try {
    response = await fetch(url, { ...(signal && { signal }) })
  } catch (cause) {
    throw new OffstageError('network', `${name} could not be fetched: ${describeThrown(cause)}`, {
      retryable: true,
      cause,
    })
  }
  if (response.ok) return response.blob()
  throw new OffstageError(
    'bad-response',
    `${name} could not be fetched: status ${response.status}.`,
    {
      retryable: response.status >= 500,
      details: { status: response.status },
    },
  )
}

async function decodeBlob(blob: Blob, name: string): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  const text = decode(bytes, charsetOf(blob, bytes))
  if (text !== null && !text.includes('\0')) return text
  throw new OffstageError(
    'invalid-input',
    `${name} is no text that can be read${blob.type ? ` (${blob.type})` : ''}. Return its text from read().`,
  )
}

function decode(bytes: Uint8Array, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Character set of a document: from its byte order mark, its type, or an HTML page's `<meta>`. */
function charsetOf({ type }: Blob, bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  const inHead = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(head)
  return (/charset="?([\w-]+)/i.exec(type) ?? inHead)?.[1] ?? 'utf-8'
}

/** Media type. Some files have none, so the file extension decides. */
function typeOf({ type }: Blob, name: string): string {
  return type || (/\.x?html?$/i.test(name) ? 'text/html' : '')
}

function addressOf(url: string | URL): URL {
  try {
    return new URL(url, globalThis.document?.baseURI)
  } catch {
    throw new OffstageError('invalid-config', `A source of documentMemory is no address: ${url}`)
  }
}

/** Name of a page: path and query on this site, otherwise the whole URL. */
function nameOf({ origin, pathname, search, href }: URL): string {
  return origin === globalThis.location?.origin ? pathname + search : href
}

const SKIPPED =
  'script, style, noscript, template, svg, math, iframe, object, nav, footer, select, button, [hidden], [aria-hidden="true"]'
const BLOCKS =
  'p, li, dt, dd, h1, h2, h3, h4, h5, h6, pre, tr, caption, figcaption, blockquote, div, section, article, main, header, aside, address, details, summary, fieldset, form, ul, ol, dl, table, body'

/** Reads the title and text of an HTML page. Parses an inert document: no script runs, nothing is loaded. */
function readHtml(html: string): { readonly title: string; readonly blocks: DocumentBlock[] } {
  const page = parse(html)
  const body = page.querySelector('main, [role="main"]') ?? page.body
  return { title: oneLine(page.title), blocks: body ? blocksIn(body) : [] }
}

function blocksIn(root: Element): DocumentBlock[] {
  const blocks: DocumentBlock[] = []
  let block: Element | null = null
  let cell: Element | null = null
  let text = ''
  const flush = (): void => {
    const isPreformatted = block?.matches('pre')
    const level = /^H[1-6]$/.test(block?.tagName ?? '') ? Number(block?.tagName.slice(1)) : 0
    const blockText = isPreformatted
      ? text.trim()
      : text
          .replace(/[^\S\n]+/g, ' ')
          .replace(/ ?\n ?/g, '\n')
          .trim()
    if (blockText !== '') blocks.push({ level, text: level > 0 ? oneLine(blockText) : blockText })
    text = ''
  }
  for (const node of nodesIn(root)) {
    const { parentElement } = node
    const parentBlock = parentElement?.closest(BLOCKS) ?? null
    if (parentBlock !== block) flush()
    const parentCell = parentElement?.closest('td, th') ?? null
    if (parentCell !== cell && parentBlock === block && text.trim() !== '') text += ' | '
    block = parentBlock
    cell = parentCell
    if (node.nodeName === 'BR') text += '\n'
    else if (node.nodeName === 'IMG') text += ` ${(node as Element).getAttribute('alt') ?? ''} `
    else text += parentBlock?.matches('pre') ? node.nodeValue : node.nodeValue?.replace(/\s+/g, ' ')
  }
  flush()
  return blocks
}

/** Texts, pictures and line breaks, without elements that people don't read. */
function* nodesIn(root: Element): Generator<Node> {
  const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE
  const walker = root.ownerDocument.createTreeWalker(
    root,
    NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT,
    (node) => {
      if (!isElement(node)) return NodeFilter.FILTER_ACCEPT
      if (node.matches(SKIPPED)) return NodeFilter.FILTER_REJECT
      return node.matches('br, img') ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP
    },
  )
  for (let node = walker.nextNode(); node; node = walker.nextNode()) yield node
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(html: string): string },
  ): {
    createHTML(html: string): string
  }
}

let toTrustedHtml: ((html: string) => string) | undefined

function parse(html: string): Document {
  if (typeof DOMParser === 'undefined')
    throw new OffstageError('invalid-input', 'HTML is read in pages only. Pass its text instead.')
  toTrustedHtml ??= createHtmlPolicy()
  return new DOMParser().parseFromString(toTrustedHtml(html), 'text/html')
}

/** A Trusted Types policy for parsed HTML, since the page's CSP may require one. */
function createHtmlPolicy(): (html: string) => string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  if (!trustedTypes) return String
  try {
    const policy = trustedTypes.createPolicy('offstage-documents', { createHTML: (html) => html })
    return (html) => policy.createHTML(html)
  } catch {
    return String
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
