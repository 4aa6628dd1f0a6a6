import type { LitElement, ReactiveController } from 'lit'

/**
 * Parts of a card that must be seen before approval. Folded parts aren't included, because they only repeat the title.
 */
const PARTS = ':is(.call-title, .source, .because, .about, .asked-field, pre.asked):not(.fold *)'

/** Top and bottom edge of the visible log, in pixels of the viewport. */
interface Band {
  readonly above: number
  readonly below: number
}

/** A part of a card. It counts as seen once all of its lines have been in view, or it had keyboard focus. */
interface SeenPart {
  readonly text: string | null
  /** The range that has been in view without gaps, in pixels from the part's top. */
  from: number
  to: number
  isSeen: boolean
}

/**
 * Tracks which approval cards have been fully in view. A card with fields that were never scrolled into view can't be
 * approved.
 */
export class SeenApprovals {
  /** An entry is reset when the text of its part changes. */
  readonly #parts = new WeakMap<Element, SeenPart>()
  #whole: readonly (string | undefined)[] = []

  /** `key`: the `data-asks` attribute of an approval. */
  has(key: string): boolean {
    return this.#whole.includes(key)
  }

  /** Updates which approvals are seen. Returns whether any changed. */
  update(root: ParentNode): boolean {
    const band = bandOf(root.querySelector('.log'))
    const before = this.#whole.join()
    this.#whole = [...root.querySelectorAll<HTMLElement>('[data-asks]')]
      .filter((approval) => {
        const card = approval.closest('.asked-call, .call')
        const parts = [...(card?.querySelectorAll<HTMLElement>(PARTS) ?? [])]
        return parts.filter((part) => !this.#isSeen(part, band)).length === 0
      })
      .map(({ dataset }) => dataset['asks'])
    return before !== this.#whole.join()
  }

  #isSeen(part: HTMLElement, { above, below }: Band): boolean {
    const text = part.textContent
    let entry = this.#parts.get(part)
    if (entry?.text !== text)
      this.#parts.set(part, (entry = { text, from: Infinity, to: -Infinity, isSeen: false }))
    if (!entry.isSeen) {
      const { top, bottom } = part.getBoundingClientRect()
      const from = Math.max(top, above) - top
      const to = Math.min(bottom, below) - top
      const isNext = from <= entry.to + 2 && to >= entry.from - 2
      if (from <= to)
        Object.assign(
          entry,
          isNext ? { from: Math.min(from, entry.from), to: Math.max(to, entry.to) } : { from, to },
        )
      const isWhole = entry.from <= 2 && entry.to >= bottom - top - 2
      // A button inside means that the text is shortened, so its end hasn't been seen.
      entry.isSeen = (isWhole || part.matches(':focus-visible')) && !part.querySelector('button')
    }
    const { isSeen } = entry
    // Makes unseen parts focusable, so that the Tab key scrolls them into view.
    if (isSeen === (part.tabIndex === 0)) part.tabIndex = isSeen ? -1 : 0
    return isSeen
  }
}

function bandOf(log: Element | null): Band {
  const { top = 0, bottom = 0, left = 0, right = 0 } = log?.getBoundingClientRect() ?? {}
  const { offsetTop = 0, height = innerHeight } = globalThis.visualViewport ?? {}
  // Nothing is in view if the page is in the background, the chat isn't displayed, or the middle of a drawer is outside
  // the window.
  const isOnView =
    !document.hidden &&
    Math.abs(left + right - innerWidth) < innerWidth &&
    log?.checkVisibility?.({ visibilityProperty: true, opacityProperty: true }) !== false
  const above = isOnView ? Math.max(top, offsetTop) : Infinity
  return { above, below: Math.min(bottom, offsetTop + height) }
}

/** How long a card ignores pointers after it appeared, or moved without the person's action. Milliseconds. */
const SETTLING_MS = 500
/** Card movements this soon after a person scrolls or types count as caused by the person. Milliseconds. */
const OWN_ACTION_MS = 300
/** Scroll events this close together belong to one flick of a finger. Milliseconds. */
const FLICK_SCROLL_MS = 150
/** How long a card must be still after a flick before clicks on it are accepted. Milliseconds. */
const AFTER_FLICK_MS = 150
/** Interval at which waiting cards are measured, because a page can move them without an event. Milliseconds. */
const BETWEEN_MEASURES_MS = 100
/**
 * Elements with answer buttons: a card, each call in a card, and the buttons for all calls. The position of each is
 * tracked separately.
 */
const GUARDED = '.call.waiting, .asked-call, .asked-all'

/** `top` and `left` are relative to the chat. */
interface Card {
  readonly top: number
  readonly left: number
  readonly settledAt: number
}

/** The list of messages, while it still scrolls after a flick. */
interface Flick {
  readonly at: number
  readonly height: number
}

/**
 * Keeps a click meant for something else from answering a card that moved under the pointer. Decides on `pointerdown`.
 * Ignores keys: they press the focused element, and no card takes the focus by itself.
 */
export class CardGuard implements ReactiveController {
  readonly seen: SeenApprovals = new SeenApprovals()
  readonly #host: LitElement
  readonly #cards = new Map<Element, Card>()
  #root: HTMLElement | DocumentFragment | null = null
  /** Position of the chat itself. */
  #chatPosition = { top: 0, left: 0 }
  #actedAt = -Infinity
  #flick: Flick = { at: -Infinity, height: 0 }
  #isTooEarly = false
  #timer: ReturnType<typeof setInterval> | undefined

  /** Measures cards on each scroll of the log or the page, so that their positions are known before a click. */
  readonly #onScroll = ({ target }: Event): void => {
    const { at, height } = this.#flick
    const now = performance.now()
    // Requires an unchanged height, because a growing log scrolls by itself, too.
    if (isLog(target) && target.scrollHeight === height && now - at < FLICK_SCROLL_MS)
      this.#flick = { at: now, height }
    this.#measureCards(now, true)
  }

  constructor(host: LitElement) {
    this.#host = host
  }

  hostConnected(): void {
    addEventListener('scroll', this.#onScroll, { passive: true, capture: true })
  }

  hostDisconnected(): void {
    removeEventListener('scroll', this.#onScroll, { capture: true })
    this.#measureRegularly(false)
  }

  hostUpdated(): void {
    this.#listen()
    this.#measureCards()
    this.#measureRegularly(this.#host.isConnected && this.#cards.size > 0)
  }

  /** Starts or stops regular measuring. Measuring only on a click would mistake an old movement for a new one. */
  #measureRegularly(isNeeded: boolean): void {
    if (isNeeded) this.#timer ??= setInterval(() => this.#measureCards(), BETWEEN_MEASURES_MS)
    else {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #listen(): void {
    const { renderRoot } = this.#host
    if (this.#root === renderRoot) return
    this.#root = renderRoot
    const onAction = (event: Event): void => this.#onAction(event)
    // Omits clicks: a second click may hit something that the first click moved under the pointer.
    for (const type of ['wheel', 'touchmove', 'keydown', 'input'])
      renderRoot.addEventListener(type, onAction, { passive: true, capture: true })
    renderRoot.addEventListener('scroll', this.#onScroll, { passive: true, capture: true })
    renderRoot.addEventListener('focusin', () => this.#measureCards())
    renderRoot.addEventListener('pointerdown', (event) => this.#press(event), { capture: true })
    renderRoot.addEventListener('click', (event) => this.#click(event), { capture: true })
  }

  #onAction({ type, target }: Event): void {
    const element = target instanceof Element ? target : null
    this.#actedAt = performance.now()
    const log = type === 'touchmove' ? element?.closest('.log') : null
    this.#flick = { at: log ? this.#actedAt : -Infinity, height: log?.scrollHeight ?? 0 }
  }

  /** Records which cards exist, and since when each has been at its position. */
  #measureCards(now = performance.now(), isScroll = false): void {
    const cards = new Set(this.#host.renderRoot.querySelectorAll(GUARDED))
    // Skips `getBoundingClientRect()`, which forces a layout.
    if (cards.size === 0) return this.#cards.clear()
    const { top: chatTop, left: chatLeft } = this.#host.getBoundingClientRect()
    // A person's own actions move cards within the chat, or scroll the page. Any other movement of the chat was caused
    // by the page.
    const isChatMoved = chatTop !== this.#chatPosition.top || chatLeft !== this.#chatPosition.left
    const isOwn = now - this.#actedAt < OWN_ACTION_MS && (!isChatMoved || isScroll)
    this.#chatPosition = { top: chatTop, left: chatLeft }
    for (const card of this.#cards.keys()) if (!cards.has(card)) this.#cards.delete(card)
    for (const card of cards) {
      const rect = card.getBoundingClientRect()
      const [top, left] = [rect.top - chatTop, rect.left - chatLeft]
      const settledAt = this.#settledAt(card, { top, left, now, isChatMoved, isOwn })
      this.#cards.set(card, { top, left, settledAt })
    }
    if (this.seen.update(this.#host.renderRoot)) this.#host.requestUpdate()
  }

  #settledAt(card: Element, { top, left, now, isChatMoved, isOwn }: Measurement): number {
    const before = this.#cards.get(card)
    const isSame = !isChatMoved && before?.top === top && before.left === left
    if (before && (isSame || isOwn)) return before.settledAt
    if (before && now === this.#flick.at) return now - SETTLING_MS + AFTER_FLICK_MS
    makeInert(card)
    return now
  }

  #press(event: Event): void {
    this.#measureCards()
    // Earlier scrolling or typing doesn't explain later movements.
    this.#actedAt = -Infinity
    // The path includes a host's slotted cards. Only buttons are blocked: form fields may be used at once.
    const path = event.composedPath().filter((each) => each instanceof Element)
    const isButton = path.some((each) => each.matches('button, [role="button"]'))
    const card = isButton ? path.find((each) => each.matches(GUARDED)) : undefined
    const settledAt = card ? this.#cards.get(card)?.settledAt : undefined
    this.#isTooEarly = settledAt !== undefined && performance.now() - settledAt < SETTLING_MS
  }

  #click(event: Event): void {
    const isTooEarly = this.#isTooEarly
    this.#isTooEarly = false
    // Lets keyboard clicks through: their `detail` is 0.
    if (!isTooEarly || !(event as UIEvent).detail) return
    event.preventDefault()
    event.stopPropagation()
  }
}

interface Measurement {
  readonly top: number
  readonly left: number
  readonly now: number
  readonly isChatMoved: boolean
  /** The person caused the movement. */
  readonly isOwn: boolean
}

function isLog(target: EventTarget | null): target is Element {
  return target instanceof Element && target.classList.contains('log')
}

/** Timers of inert cards; a new movement restarts them. */
const inertTimers = new WeakMap<Element, ReturnType<typeof setTimeout>>()

/** Makes a card's buttons inert for `SETTLING_MS`, unless the focus is inside the card. */
function makeInert(card: Element): void {
  if (card.querySelector(':focus, slot:focus-within')) return
  clearTimeout(inertTimers.get(card))
  const rows = [...card.querySelectorAll<HTMLElement>('.buttons, slot')].filter(
    (row) => row.closest(GUARDED) === card,
  )
  const setInert = (isInert: boolean): void => {
    for (const row of rows) row.inert = isInert
  }
  setInert(true)
  inertTimers.set(card, setTimeout(setInert, SETTLING_MS, false))
}
