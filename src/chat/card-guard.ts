import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { SeenApprovals } from './seen-approvals.ts'

/** How long a card that appeared, or moved by itself, is not to be pressed by a pointer. Milliseconds. */
const SETTLING = 500
/** What a person has scrolled or written moves things because of them. Milliseconds. */
const OWN_DOING = 300
/** This soon after one another, what scrolls is still what a finger has thrown. Milliseconds. */
const OWN_SCROLL = 150
/** How long a card stands still after a finger's throw before a press is meant for it. Milliseconds. */
const AFTER_THROW = 150
/** Pages move cards without a word: so often it is looked where those that wait stand. Milliseconds. */
const BETWEEN_LOOKS = 100
/** What answers, and is judged by its own place: a card, and of one with several calls each, and what answers all. */
const GUARDED = '.call.waiting, .asked-call, .asked-all'

interface Host extends ReactiveControllerHost {
  readonly renderRoot: HTMLElement | DocumentFragment
  readonly isConnected: boolean
  getBoundingClientRect(): DOMRect
}

/** `top` and `left` are those within the chat. */
interface Card {
  readonly top: number
  readonly left: number
  readonly settledAt: number
}

/** A log that scrolls on by itself, since a finger has thrown it. */
interface Thrown {
  readonly at: number
  readonly height: number
}

/**
 * Keeps a press that was meant for something else from answering a card that came under the pointer: judged where the
 * pointer goes down. Keys press what has the focus, which no card takes by itself.
 */
export class CardGuard implements ReactiveController {
  readonly seen: SeenApprovals = new SeenApprovals()
  readonly #host: Host
  readonly #cards = new Map<Element, Card>()
  #root: HTMLElement | DocumentFragment | null = null
  /** Where the chat itself stands. */
  #at = { top: 0, left: 0 }
  #actedAt = -Infinity
  #thrown: Thrown = { at: -Infinity, height: 0 }
  #isTooEarly = false
  #looking: ReturnType<typeof setInterval> | undefined

  /** Of the page, too: where a card stands is known before it is pressed. */
  readonly #onScroll = ({ target }: Event): void => {
    const { at, height } = this.#thrown
    const now = performance.now()
    // What grows scrolls by itself, too.
    if (isLog(target) && target.scrollHeight === height && now - at < OWN_SCROLL)
      this.#thrown = { at: now, height }
    this.#look(now, { isScroll: true })
  }

  constructor(host: Host) {
    this.#host = host
  }

  hostConnected(): void {
    addEventListener('scroll', this.#onScroll, { passive: true, capture: true })
  }

  hostDisconnected(): void {
    removeEventListener('scroll', this.#onScroll, { capture: true })
    this.#lookOn(false)
  }

  hostUpdated(): void {
    this.#listen()
    this.#look()
    this.#lookOn(this.#host.isConnected && this.#cards.size > 0)
  }

  /** A press is judged by when its card moved: to look only then would take a movement of long ago for a new one. */
  #lookOn(isNeeded: boolean): void {
    if (isNeeded) this.#looking ??= setInterval(() => this.#look(), BETWEEN_LOOKS)
    else {
      clearInterval(this.#looking)
      this.#looking = undefined
    }
  }

  #listen(): void {
    const { renderRoot } = this.#host
    if (this.#root === renderRoot) return
    this.#root = renderRoot
    const acts = (event: Event): void => this.#acts(event)
    // No click: what the first of two has moved under the pointer is not what the second is for.
    for (const type of ['wheel', 'touchmove', 'keydown', 'input'])
      renderRoot.addEventListener(type, acts, { passive: true, capture: true })
    renderRoot.addEventListener('scroll', this.#onScroll, { passive: true, capture: true })
    renderRoot.addEventListener('focusin', () => this.#look())
    renderRoot.addEventListener('pointerdown', (event) => this.#press(event), { capture: true })
    renderRoot.addEventListener('click', (event) => this.#click(event), { capture: true })
  }

  #acts({ type, target }: Event): void {
    const element = target instanceof Element ? target : null
    this.#actedAt = performance.now()
    const log = type === 'touchmove' ? element?.closest('.log') : null
    this.#thrown = { at: log ? performance.now() : -Infinity, height: log?.scrollHeight ?? 0 }
  }

  /** Which cards there are now, and since when they stand where they do. */
  #look(now = performance.now(), { isScroll = false } = {}): void {
    const cards = new Set(this.#host.renderRoot.querySelectorAll(GUARDED))
    // To measure where the chat is has it laid out.
    if (cards.size === 0) return this.#cards.clear()
    const { top: above, left: beside } = this.#host.getBoundingClientRect()
    // What a person does in the chat moves its cards within it, or scrolls the page; nothing else of the page.
    const isChatMoved = above !== this.#at.top || beside !== this.#at.left
    const isOwn = now - this.#actedAt < OWN_DOING && (!isChatMoved || isScroll)
    this.#at = { top: above, left: beside }
    for (const card of this.#cards.keys()) if (!cards.has(card)) this.#cards.delete(card)
    for (const card of cards) {
      const place = card.getBoundingClientRect()
      const [top, left] = [place.top - above, place.left - beside]
      const settledAt = this.#settledAt(card, { top, left, now, isChatMoved, isOwn })
      this.#cards.set(card, { top, left, settledAt })
    }
    if (this.seen.look(this.#host.renderRoot)) this.#host.requestUpdate()
  }

  #settledAt(card: Element, { top, left, now, isChatMoved, isOwn }: Place): number {
    const before = this.#cards.get(card)
    const isSame = !isChatMoved && before?.top === top && before.left === left
    if (before && (isSame || isOwn)) return before.settledAt
    if (before && now === this.#thrown.at) return now - SETTLING + AFTER_THROW
    rest(card)
    return now
  }

  #press(event: Event): void {
    this.#look()
    // What moves from now on is not because of what was scrolled or written before.
    this.#actedAt = -Infinity
    // Through the slot of a host's card, too. Only buttons answer: a field of a form may be used at once.
    const path = event.composedPath().filter((each) => each instanceof Element)
    const isButton = path.some((each) => each.matches('button, [role="button"]'))
    const card = isButton ? path.find((each) => each.matches(GUARDED)) : undefined
    const settledAt = card ? this.#cards.get(card)?.settledAt : undefined
    this.#isTooEarly = settledAt !== undefined && performance.now() - settledAt < SETTLING
  }

  #click(event: Event): void {
    const isTooEarly = this.#isTooEarly
    this.#isTooEarly = false
    // A click without a pointer has no detail.
    if (!isTooEarly || !(event instanceof UIEvent) || event.detail === 0) return
    event.preventDefault()
    event.stopPropagation()
  }
}

interface Place {
  readonly top: number
  readonly left: number
  readonly now: number
  readonly isChatMoved: boolean
  /** A movement now is a person's doing. */
  readonly isOwn: boolean
}

function isLog(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.classList.contains('log')
}

/** Until when cards rest: the newest movement counts. */
const resting = new WeakMap<Element, ReturnType<typeof setTimeout>>()

/** Its buttons take no press until it has settled, unless a person is there by keys already. */
function rest(card: Element): void {
  if (card.querySelector(':focus, slot:focus-within')) return
  clearTimeout(resting.get(card))
  const rows = [...card.querySelectorAll<HTMLElement>('.buttons, slot')].filter(
    (row) => row.closest(GUARDED) === card,
  )
  for (const row of rows) row.inert = true
  const wake = (): void => {
    for (const row of rows) row.inert = false
  }
  resting.set(card, setTimeout(wake, SETTLING))
}
