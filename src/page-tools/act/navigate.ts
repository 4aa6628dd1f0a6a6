import { quote, shownAddress } from '../clean-text.ts'
import { descendantsOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { livePage, type LivePage } from '../outline/live-page.ts'
import { isReadable, rootOf } from '../outline/region.ts'
import { type ActOptions, type Page, PageError } from '../page.ts'
import { createTimeLimit, poll } from '../waiting.ts'
import { type ActionReport, perform } from './perform.ts'
import { isAllowedSite, leavesSite, linkOf, otherSite } from './sites.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { unseenReason } from '../sight/unseen.ts'
import { commitOf, pageOf, withoutHash } from './commits.ts'
import { mustConfirm } from './guard-actions.ts'
import { describeApprovalTarget } from './approval-target.ts'

/** Note on an address, shown to the person before the page goes there. */
export interface AddressNote {
  /** Text for the approval. Empty if there is nothing to say. */
  readonly text: string
  /** The address always needs approval, as a click on a link to it would. */
  readonly needsApproval: boolean
}

const NOTHING: AddressNote = { text: '', needsApproval: false }

/**
 * Describes how an address differs from those that the page links to. A misled model could put what it has read into an
 * address, or bypass the approval of a link.
 */
export function noteOnAddress(url: URL, page: Page): AddressNote {
  const live = livePage(page)
  const root = rootOf(live.options)
  const isSamePage = withoutHash(url.href) === pageOf(root)
  const links = findLinksTo(url, isSamePage, live)
  const approvalLink = links.find((link) => mustConfirm(link, 'click', live.options))
  const effectLink = approvalLink ?? links.find((link) => commitOf(link, CLICK, live.options))
  if (effectLink)
    return { text: describeLink(effectLink, live), needsApproval: approvalLink !== undefined }
  if (leavesSite(url, viewOf(root))) return { text: 'leads to another site', needsApproval: false }
  // A new fragment on this page sends nothing anywhere.
  if (isSamePage) return NOTHING
  if (links.some((link) => isLinkTo(link, url) && isPerceivable(link))) return NOTHING
  return { text: 'to which no link on the page leads', needsApproval: false }
}

const CLICK = { action: 'click' } as const

/** All readable links to the address. Fragments are ignored, unless the address is on this page. */
function findLinksTo(url: URL, isSamePage: boolean, { options }: LivePage): readonly Element[] {
  const comparable = isSamePage ? (address: string) => address : withoutHash
  const comparedAddress = comparable(url.href)
  return [...descendantsOf(rootOf(options))].filter((element) => {
    const address = /^(a|area)$/.test(native.localName(element)) && linkOf(element)?.href
    return address && comparable(address) === comparedAddress && isReadable(element, options)
  })
}

/**
 * Compares the fragment, too, which survives redirects. An address without a fragment also matches links with a
 * fragment.
 */
function isLinkTo(link: Element, { href, hash }: URL): boolean {
  const address = linkOf(link)?.href ?? ''
  return address === href || (hash === '' && withoutHash(address) === href)
}

/** Whether the link is visible, or there for screen readers. Other links don't make an address known. */
function isPerceivable(link: Element): boolean {
  const reason = unseenReason(link)
  return hiddenReason(link) === null && (reason === null || reason === 'sr-only')
}

function describeLink(link: Element, live: LivePage): string {
  const { role, name, does: effect } = describeApprovalTarget(link, live, CLICK)
  const head = name ? `${role} ${quote(name.replace(/"/g, "'"))}` : role
  return `like ${head}, ${effect ? `which ${effect}` : 'about which a person is always asked'}`
}

/** How long a navigation may take to begin. Milliseconds. */
const NAVIGATION_MS = 10_000

export async function navigate(address: string, options: ActOptions = {}): Promise<ActionReport> {
  const { location } = getWindow(options)
  const url = allowedUrl(address, options)
  if (url.href === location.href)
    return { changed: false, text: `The page is at ${shownAddress(url.href)} already.` }
  const before = location.href
  return perform(options, async ({ signal }) => {
    const isFragmentOnly = url.hash !== '' && url.href.split('#')[0] === location.href.split('#')[0]
    location.assign(url)
    // A page may handle a navigation itself and stay, or go back to its address.
    if (!isFragmentOnly)
      await poll(() => location.href !== before, createTimeLimit(NAVIGATION_MS), { signal })
    const summary = (): string =>
      location.href === before
        ? `The page did not go there: it is still at ${shownAddress(before)}.`
        : `Went to ${shownAddress(location.href)}.`
    return { summary }
  })
}

export async function goBack(options: ActOptions = {}): Promise<ActionReport> {
  const view: WithNavigation = getWindow(options)
  if (view.history.length < 2)
    throw new PageError('unsupported', 'There is no page to go back to in this tab.')
  if (!canGoBack(view))
    throw new PageError(
      'outside',
      `The page before this one is another site's, or there is none. Only pages of ${view.location.origin} may be opened: use a link, or navigate.`,
    )
  return perform(options, async ({ signal }) => {
    const { href } = view.location
    stepBack(view)
    await poll(() => view.location.href !== href, createTimeLimit(1500), { signal })
    return {
      summary: () => (view.location.href === href ? 'The page did not go back.' : 'Went back.'),
    }
  })
}

type WithNavigation = Window & { readonly navigation?: Navigation }

/**
 * Whether the previous history entry is of this site. Without the Navigation API, the referrer decides. Without a
 * referrer, the answer is yes.
 */
function canGoBack({ navigation, document, location }: WithNavigation): boolean {
  if (navigation) return navigation.canGoBack
  return (
    !nativeDocument.referrer(document) ||
    URL.parse(nativeDocument.referrer(document))?.origin === location.origin
  )
}

/** Prefers the Navigation API: in a frame, `history.back()` may be a step of the page around it. */
function stepBack({ navigation, history }: WithNavigation): void {
  if (!navigation) return history.back()
  const { committed, finished } = navigation.back()
  // Ignore rejections: the report compares addresses.
  for (const step of [committed, finished]) step?.catch(() => undefined)
}

function getWindow(options: ActOptions): Window {
  return viewOf(rootOf(livePage(options.page).options))
}

/** Throws `invalid-input` for text that isn't a web address, and `outside` for a site that isn't allowed. */
export function allowedUrl(address: string, options: ActOptions): URL {
  const view = getWindow(options)
  const url = URL.parse(address.trim(), native.baseURI(view.document))
  if (!url || !/^https?:$/.test(url.protocol))
    throw new PageError('invalid-input', `"${address}" is no web address.`)
  if (!isAllowedSite(url, view, livePage(options.page).options)) throw otherSite(url, view)
  return url
}
