/** The parts of a card that say what is to be approved. An input that the title says in full is folded. */
const PARTS = ':is(.call-title, .source, .because, .about, .asked-field, pre.asked):not(.fold *)'

/** The parts of the screen between which a log is in view. Pixels. */
interface Band {
  readonly above: number
  readonly below: number
}

/** A part of a card is seen once all of its lines have been in view, or once the keyboard's focus was on it. */
interface SeenPart {
  readonly text: string | null
  /** The lines that were in view, one screen next to the other. Pixels from the part's top. */
  from: number
  to: number
  isSeen: boolean
}

/** The approvals that a person has had in view as a whole: no field is approved below the fold. */
export class SeenApprovals {
  /** A part that says something else is another part. */
  readonly #parts = new WeakMap<Element, SeenPart>()
  #whole: readonly (string | undefined)[] = []

  /** By the `data-asks` of an approval. */
  has(key: string): boolean {
    return this.#whole.includes(key)
  }

  /** Whether an approval has become seen, or unseen, since the last look. */
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
      // A text that is cut has a button that shows all of it.
      seen.isSeen = (isWhole || part.matches(':focus-visible')) && !part.querySelector('button')
    }
    const { isSeen } = seen
    // The Tab key leads to what has not been in view, and brings it there.
    if (isSeen === (part.tabIndex === 0)) part.tabIndex = isSeen ? -1 : 0
    return isSeen
  }
}

function bandOf(log: Element | null): Band {
  const { top = 0, bottom = 0 } = log?.getBoundingClientRect() ?? {}
  const { offsetTop = 0, height = innerHeight } = globalThis.visualViewport ?? {}
  // Nobody looks at a page in the background.
  if (document.hidden) return { above: Infinity, below: -Infinity }
  return { above: Math.max(top, offsetTop), below: Math.min(bottom, offsetTop + height) }
}
