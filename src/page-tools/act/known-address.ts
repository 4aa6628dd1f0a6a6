import { viewOf } from '../dom.ts'
import { livePage, treesOf } from '../outline/live-page.ts'
import { isReadable, rootOf } from '../outline/region.ts'
import type { Page } from '../options.ts'
import { leavesSite } from './sites.ts'

/**
 * What sets an address apart from those that the page itself leads to, in words for a person; empty for nothing. A model
 * that was led astray could write into it what it has read.
 */
export function strangeness(url: URL, page: Page): string {
  const live = livePage(page)
  const { ownerDocument } = rootOf(live.options)
  if (leavesSite(url, viewOf(ownerDocument))) return 'leads to another site'
  if (withoutHash(url.href) === withoutHash(ownerDocument.URL)) return ''
  for (const tree of treesOf(live))
    for (const link of tree.querySelectorAll('a[href],area[href]'))
      if (leadsTo(link, url) && isReadable(link, live.options)) return ''
  return 'to which no link on the page leads'
}

/** With its fragment, which goes along when a server sends the browser elsewhere; the link may have one that this lacks. */
function leadsTo(link: Element, { href, hash }: URL): boolean {
  const address = URL.parse(link.getAttribute('href') ?? '', link.baseURI)?.href
  return address === href || (hash === '' && address !== undefined && withoutHash(address) === href)
}

function withoutHash(address: string): string {
  return address.replace(/#.*$/, '')
}
