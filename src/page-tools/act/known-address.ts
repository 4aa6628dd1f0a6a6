import { quote } from '../clean-text.ts'
import { descendantsOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { livePage, type LivePage } from '../outline/live-page.ts'
import { isReadable, rootOf } from '../outline/region.ts'
import { hiddenReason } from '../outline/visibility.ts'
import type { Page } from '../options.ts'
import { unseenReason } from '../sight/unseen.ts'
import { commitOf } from './commits.ts'
import { mustConfirm } from './must-confirm.ts'
import { leavesSite, linkOf } from './sites.ts'
import { subjectOf } from './subject.ts'

/** Note on an address, for the person before the page goes there. */
export interface AddressNote {
  /** Words for the approval. Empty: nothing to say. */
  readonly text: string
  /** The address always needs approval, as a click on a link to it would. */
  readonly mustAsk: boolean
}

const NOTHING: AddressNote = { text: '', mustAsk: false }

/**
 * Describes how an address differs from those that the page links to. A misled model could write into it what it has
 * read, or bypass the approval of a link.
 */
export function noteOnAddress(url: URL, page: Page): AddressNote {
  const live = livePage(page)
  const ownerDocument = native.ownerDocument(rootOf(live.options))
  const links = linksTo(url, live)
  const asking = links.find((link) => mustConfirm(link, 'click', live.options))
  const doing = asking ?? links.find((link) => commitOf(link, CLICK, live.options))
  if (doing) return { text: likeLink(doing, live), mustAsk: asking !== undefined }
  if (leavesSite(url, viewOf(ownerDocument)))
    return { text: 'leads to another site', mustAsk: false }
  // A new fragment on this page sends nothing anywhere.
  if (withoutHash(url.href) === withoutHash(nativeDocument.URL(ownerDocument))) return NOTHING
  if (links.some((link) => leadsTo(link, url) && isSeen(link))) return NOTHING
  return { text: 'to which no link on the page leads', mustAsk: false }
}

const CLICK = { action: 'click' } as const

/** All readable links to the address. Fragments are ignored, unless the address is on this page. */
function linksTo(url: URL, live: LivePage): Element[] {
  const root = rootOf(live.options)
  const isHere =
    withoutHash(url.href) === withoutHash(nativeDocument.URL(native.ownerDocument(root)))
  const found: Element[] = []
  for (const element of descendantsOf(root))
    if (/^(a|area)$/.test(native.localName(element))) {
      const address = linkOf(element)?.href
      const isSame = isHere ? address === url.href : withoutHash(address) === withoutHash(url.href)
      if (isSame && isReadable(element, live.options)) found.push(element)
    }
  return found
}

/** Compares with the fragment, which survives redirects. An address without one also matches links that have one. */
function leadsTo(link: Element, { href, hash }: URL): boolean {
  const address = linkOf(link)?.href
  return address === href || (hash === '' && withoutHash(address) === href)
}

/** Whether the link is visible, or there for screen readers. Other links don't make an address known. */
function isSeen(link: Element): boolean {
  const reason = unseenReason(link)
  return hiddenReason(link) === null && (reason === null || reason === 'sr-only')
}

function likeLink(link: Element, live: LivePage): string {
  const { role, name, does } = subjectOf(link, live, CLICK)
  const head = name ? `${role} ${quote(name.replace(/"/g, "'"))}` : role
  return `like ${head}, ${does ? `which ${does}` : 'about which a person is always asked'}`
}

function withoutHash(address: string | undefined): string | undefined {
  return address?.replace(/#.*$/, '')
}
