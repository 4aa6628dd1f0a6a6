import { OffstageError } from '../../protocol/error.ts'
import type { Block } from './sections.ts'

const LEFT_OUT =
  'script, style, noscript, template, svg, math, iframe, object, nav, footer, select, button, [hidden], [aria-hidden="true"]'
const BLOCKS =
  'p, li, dt, dd, h1, h2, h3, h4, h5, h6, pre, tr, caption, figcaption, blockquote, div, section, article, main, header, aside, address, details, summary, fieldset, form, ul, ol, dl, table, body'

/** Reads the title and text of an HTML page. Parses an inert document: no script runs, nothing is loaded. */
export function readHtml(html: string): { readonly title: string; readonly blocks: Block[] } {
  const page = parse(html)
  const body = page.querySelector('main, [role="main"]') ?? page.body
  return { title: oneLine(page.title), blocks: body ? blocksIn(body) : [] }
}

function blocksIn(root: Element): Block[] {
  const blocks: Block[] = []
  let block: Element | null = null
  let cell: Element | null = null
  let text = ''
  const flush = (): void => {
    const isAsIs = block?.matches('pre')
    const level = /^H[1-6]$/.test(block?.tagName ?? '') ? Number(block?.tagName.slice(1)) : 0
    const words = isAsIs
      ? text.trim()
      : text
          .replace(/[^\S\n]+/g, ' ')
          .replace(/ ?\n ?/g, '\n')
          .trim()
    if (words !== '') blocks.push({ level, text: level > 0 ? oneLine(words) : words })
    text = ''
  }
  for (const node of nodesIn(root)) {
    const { parentElement } = node
    const inside = parentElement?.closest(BLOCKS) ?? null
    if (inside !== block) flush()
    const inCell = parentElement?.closest('td, th') ?? null
    if (inCell !== cell && inside === block && text.trim() !== '') text += ' | '
    block = inside
    cell = inCell
    if (node.nodeName === 'BR') text += '\n'
    else if (node.nodeName === 'IMG') text += ` ${(node as Element).getAttribute('alt') ?? ''} `
    else text += inside?.matches('pre') ? node.nodeValue : node.nodeValue?.replace(/\s+/g, ' ')
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
      if (node.matches(LEFT_OUT)) return NodeFilter.FILTER_REJECT
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

let trust: ((html: string) => string) | undefined

function parse(html: string): Document {
  if (typeof DOMParser === 'undefined')
    throw new OffstageError('invalid-input', 'HTML is read in pages only. Pass its text instead.')
  trust ??= policy()
  return new DOMParser().parseFromString(trust(html), 'text/html')
}

/** A Trusted Types policy for parsed HTML, since the page's CSP may require one. */
function policy(): (html: string) => string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  if (!trustedTypes) return String
  try {
    const made = trustedTypes.createPolicy('offstage-documents', { createHTML: (html) => html })
    return (html) => made.createHTML(html)
  } catch {
    return String
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
