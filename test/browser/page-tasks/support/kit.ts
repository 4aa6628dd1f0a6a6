/** Building blocks for a task's page. Everything runs in the page. */
export interface Kit {
  /** The whole page's body. */
  readonly body: HTMLElement
  /** An integer from `low` to `high`, both included. */
  int(low: number, high: number): number
  pick<Item>(list: readonly Item[]): Item
  /** Two different ones: what is asked for, and what a wrong solver does instead. */
  two<Item>(list: readonly Item[]): [Item, Item]
  shuffle<Item>(list: readonly Item[]): Item[]
  /**
   * An element: `text` is its text, `on…` a listener, a boolean an attribute that is there or not, all else an
   * attribute.
   */
  h<Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag,
    given?: Given,
    ...inside: readonly (Node | string)[]
  ): HTMLElementTagNameMap[Tag]
}

export type Given = Readonly<
  Record<string, string | number | boolean | ((event: never) => unknown) | undefined>
>

/** The page's goal, and whether it is reached. Goals are plain data. */
export interface Aim<Goal> {
  readonly goal: Goal
  /** Another goal that this page could have. Reaching it earns no reward. */
  readonly decoy: Goal
  /** Checks the app's real state. */
  isReached(): boolean
}

/** Runs in the page, to which it is sent as text. Nothing outside the function exists there. */
export function startTask<Goal>(app: (kit: Kit) => Aim<Goal>, seed: number): void {
  let state = (seed * 2654435761) >>> 0
  const random = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return (Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 8) / 0x1000000
  }
  const int = (low: number, high: number): number =>
    low + Math.floor(Math.abs(random()) * (high - low + 1))
  const shuffle = <Item>(list: readonly Item[]): Item[] =>
    list
      .map((item) => ({ item, key: random() }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ item }) => item)
  const h = (
    tag: string,
    given: Given = {},
    ...inside: readonly (Node | string)[]
  ): HTMLElement => {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(given)) {
      if (typeof value === 'function')
        element.addEventListener(name.slice(2), value as EventListener)
      else if (name === 'text') element.textContent = String(value)
      else if (typeof value === 'boolean') element.toggleAttribute(name, value)
      else if (value !== undefined) element.setAttribute(name, String(value))
    }
    element.append(...inside)
    return element
  }
  const aim = app({
    body: document.body,
    int,
    shuffle,
    pick: (list) => list[int(0, list.length - 1)] as (typeof list)[number],
    two: (list) => shuffle(list).slice(0, 2) as [(typeof list)[number], (typeof list)[number]],
    h: h as Kit['h'],
  })
  Object.assign(window, { aims: { goal: aim.goal, decoy: aim.decoy } })
  Object.defineProperty(window, 'reward', { get: () => (aim.isReached() ? 1 : 0) })
}
