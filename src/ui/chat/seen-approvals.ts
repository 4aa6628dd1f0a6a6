/** Parts of a card that must be seen before approval. Folded parts only repeat what the title says. */
const PARTS = ':is(.call-title, .source, .because, .about, .asked-field, pre.asked):not(.fold *)'

/** Top and bottom edge of the visible log, in pixels of the viewport. */
interface Band {
  readonly above: number
  readonly below: number
}

/** A part of a card. Seen once all of its lines have been in view or it had keyboard focus. */
interface SeenPart {
  readonly text: string | null
  /** The range that has been in view without gaps, in pixels from the part's top. */
  from: number
  to: number
  isSeen: boolean
}

/** Tracks which approval cards have been fully in view. A card with fields that nobody scrolled to can't be approved. */
export class SeenApprovals {
  /** Entries start anew when a part's text changes. */
  readonly #parts = new WeakMap<Element, SeenPart>()
  #whole: readonly (string | undefined)[] = []

  /** `key`: the `data-asks` attribute of an approval. */
  has(key: string): boolean {
    return this.#whole.includes(key)
  }

  /** Updates which approvals are seen. Returns whether any changed. */
  look(root: ParentNode): boolean {
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
    let seen = this.#parts.get(part)
    if (seen?.text !== text)
      this.#parts.set(part, (seen = { text, from: Infinity, to: -Infinity, isSeen: false }))
    if (!seen.isSeen) {
      const { top, bottom } = part.getBoundingClientRect()
      const from = Math.max(top, above) - top
      const to = Math.min(bottom, below) - top
      const isNext = from <= seen.to + 2 && to >= seen.from - 2
      if (from <= to)
        Object.assign(
          seen,
          isNext ? { from: Math.min(from, seen.from), to: Math.max(to, seen.to) } : { from, to },
        )
      const isWhole = seen.from <= 2 && seen.to >= bottom - top - 2
      // A button means that the text is shortened: the rest hasn't been seen.
      seen.isSeen = (isWhole || part.matches(':focus-visible')) && !part.querySelector('button')
    }
    const { isSeen } = seen
    // Unseen parts can be focused, so that the Tab key scrolls them into view.
    if (isSeen === (part.tabIndex === 0)) part.tabIndex = isSeen ? -1 : 0
    return isSeen
  }
}

function bandOf(log: Element | null): Band {
  const { top = 0, bottom = 0 } = log?.getBoundingClientRect() ?? {}
  const { offsetTop = 0, height = innerHeight } = globalThis.visualViewport ?? {}
  // Nothing is seen while the page is in the background.
  if (document.hidden) return { above: Infinity, below: -Infinity }
  return { above: Math.max(top, offsetTop), below: Math.min(bottom, offsetTop + height) }
}
