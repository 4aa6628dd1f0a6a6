import { quoteSent } from '../as-sent.ts'
import { cleanText, quote, shorten } from '../clean-text.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import { PageError } from '../page-error.ts'
import { isMasked } from '../privacy.ts'
import { type PendingChoice, showsChoice } from './choice-signs.ts'
import { describeElement } from './describe.ts'

interface Seen {
  readonly live: LivePage
  readonly changed: boolean
}

const SHOWN = 60

/** What became of a choice in a native select: a page may set it back. */
export function toldNative(
  select: HTMLSelectElement,
  {
    wanted,
    chosen,
    live,
    changed,
  }: Seen & { readonly wanted: readonly string[]; readonly chosen: readonly HTMLOptionElement[] },
): string {
  const name = describeElement(select, live)
  const labels = wanted.map(quoteSent).join(', ')
  const isKept = chosen.every(({ label, value }) =>
    [...select.selectedOptions].some((one) => one.label === label && one.value === value),
  )
  // Of a masked list nothing is told, not even that it is set back.
  if (isKept || isMasked(select, live.options)) return `Chose ${labels} in ${name}.`
  if (!native.isConnected(select)) return `Chose ${labels} in ${name}; the page replaced it.`
  const now = [...select.selectedOptions].map(({ label }) =>
    quote(shorten(cleanText(label), SHOWN)),
  )
  const shows = now.length > 0 ? `it shows ${now.join(', ')}` : 'nothing is chosen in it'
  if (changed) return `Chose ${labels} in ${name}; now ${shows}.`
  throw new PageError('refused-value', `${name} did not keep ${labels}: ${shows}.`)
}

/** A choice in a component's own list. */
export interface CustomChoice {
  readonly label: string
  /** Chosen before. */
  readonly was?: boolean
  /** An item of a menu does something, and is not chosen afterwards. */
  readonly isMenu?: boolean
  readonly pending?: PendingChoice
}

/** What became of choices in a component's own list. */
export function toldCustom(
  element: HTMLElement,
  { choices, live, changed }: Seen & { readonly choices: readonly CustomChoice[] },
): string {
  const name = describeElement(element, live)
  const groups = { was: [] as string[], shown: [] as string[], clicked: [] as string[] }
  const missing: string[] = []
  const isSilent = isMasked(element, live.options) || !native.isConnected(element)
  for (const { label, was, isMenu, pending } of choices) {
    const text = quoteSent(label)
    if (was || !pending) groups.was.push(text)
    else if (isSilent || showsChoice(pending, element)) groups.shown.push(text)
    else if (isMenu) groups.clicked.push(text)
    else missing.push(text)
  }
  const lines = [
    groups.shown.length > 0 && `Chose ${groups.shown.join(', ')} in ${name}.`,
    groups.was.length > 0 && `${groups.was.join(', ')} was chosen already in ${name}.`,
    groups.clicked.length > 0 &&
      `Clicked ${groups.clicked.join(', ')} of ${name}.${changed ? '' : ' Nothing changed.'}`,
    missing.length > 0 &&
      `Clicked ${missing.join(', ')} in ${name}, but nothing shows that it was taken.`,
  ].filter((line) => line !== false)
  const text = lines.join(' ')
  if (missing.length > 0 && !changed) throw new PageError('refused-value', text)
  return text
}
