import type { ReactiveController, ReactiveControllerHost } from 'lit'

/** How long a card that appeared, or moved by itself, is not to be pressed by a pointer. Milliseconds. */
const SETTLING = 500
/** What a person has scrolled, written or pressed moves things because of them. Milliseconds. */
const OWN_DOING = 300

interface Host extends ReactiveControllerHost {
  readonly renderRoot: HTMLElement | DocumentFragment
}

interface Card {
  readonly top: number
  readonly left: number
  readonly settledAt: number
}

/**
 * Keeps a press that was meant for something else from answering a card that came under the pointer: judged where the
 * pointer goes down. Keys press what has the focus, which no card takes by itself.
 */
export class CardGuard implements ReactiveController {
  readonly #host: Host
  readonly #cards = new Map<Element, Card>()
  #root: HTMLElement | DocumentFragment | null = null
  #actedAt = -Infinity
  #isTooEarly = false

  /** Of the page, too: where a card stands is known before it is pressed. */
  readonly #onScroll = (): void => this.#look()

  constructor(host: Host) {
    this.#host = host
  }

  hostConnected(): void {
    addEventListener('scroll', this.#onScroll, { passive: true, capture: true })
  }

  hostDisconnected(): void {
    removeEventListener('scroll', this.#onScroll, { capture: true })
  }

  hostUpdated(): void {
    this.#listen()
    this.#look()
  }

  #listen(): void {
    const { renderRoot } = this.#host
    if (this.#root === renderRoot) return
    this.#root = renderRoot
    const acts = (): void => {
      this.#actedAt = performance.now()
    }
    for (const type of ['wheel', 'touchmove', 'keydown', 'input', 'click'])
      renderRoot.addEventListener(type, acts, { passive: true, capture: true })
    renderRoot.addEventListener('scroll', this.#onScroll, { passive: true, capture: true })
    renderRoot.addEventListener('pointerdown', (event) => this.#press(event), { capture: true })
    renderRoot.addEventListener('click', (event) => this.#click(event), { capture: true })
  }

  /** Which cards there are now, and since when they stand where they do. */
  #look(): void {
    const cards = new Set(this.#host.renderRoot.querySelectorAll('.call.waiting'))
    for (const card of this.#cards.keys()) if (!cards.has(card)) this.#cards.delete(card)
    const now = performance.now()
    for (const card of cards) {
      const { top, left } = card.getBoundingClientRect()
      const before = this.#cards.get(card)
      const isSame = before?.top === top && before.left === left
      const isOwn = before && now - this.#actedAt < OWN_DOING
      if (!before || !(isSame || isOwn)) rest(card)
      this.#cards.set(card, {
        top,
        left,
        settledAt: before && (isSame || isOwn) ? before.settledAt : now,
      })
    }
  }

  #press(event: Event): void {
    this.#look()
    // Through the slot of a host's card, too. Only buttons answer: a field of a form may be used at once.
    const path = event.composedPath().filter((each) => each instanceof Element)
    const isButton = path.some((each) => each.matches('button, [role="button"]'))
    const card = isButton ? path.find((each) => each.matches('.call.waiting')) : undefined
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

/** Until when cards rest: the newest movement counts. */
const resting = new WeakMap<Element, ReturnType<typeof setTimeout>>()

/** Its buttons take no press until it has settled, unless a person is there by keys already. */
function rest(card: Element): void {
  if (card.querySelector(':focus, slot:focus-within')) return
  clearTimeout(resting.get(card))
  const rows = [...card.querySelectorAll<HTMLElement>('.buttons, slot')]
  for (const row of rows) row.inert = true
  const wake = (): void => {
    for (const row of rows) row.inert = false
  }
  resting.set(card, setTimeout(wake, SETTLING))
}
