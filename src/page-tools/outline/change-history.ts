import { cut } from '../clean-text.ts'
import { isReordered } from './order.ts'
import type { OutlineItem, OutlineNode } from './outline-node.ts'
import { isInEditor, ownText } from './removal-line.ts'

/** Entries of each kind that are kept. */
const MAX_ENTRIES = 200

export interface Removal {
  readonly at: number
  readonly line: string
  /** What it was in. */
  readonly around: Element | undefined
}

interface Reordering {
  readonly at: number
  readonly element: Element
}

/**
 * What no longer shows in an outline: what was removed, and where the order was another one. Each entry has
 * the version of the outline that it came with.
 */
export class ChangeHistory {
  #removals: Removal[] = []
  #reorderings: Reordering[] = []

  /** In the order in which they were recorded. */
  removedSince(version: number): Removal[] {
    return this.#removals.filter(({ at }) => at > version)
  }

  reorderedSince(version: number): Element[] {
    return this.#reorderings.filter(({ at }) => at > version).map(({ element }) => element)
  }

  recordRemoval(line: string, at: number, around?: Element): void {
    this.#removals.push({ at, line, around })
  }

  /**
   * Records a text that an element lost. Only for wrappers, whose text has a line of its own; a paragraph
   * of an editor has none, as the editor's value contains it.
   */
  recordTextRemoval(text: string, now: OutlineNode, at: number): void {
    if (text && !now.role && !ownText(now) && !isInEditor(now.element))
      this.recordRemoval(`text "${cut(text, 80)}"`, at, now.element)
  }

  /** Records the element if what is in both lists is in another order. */
  recordOrder(before: readonly OutlineItem[], { element, items }: OutlineNode, at: number): void {
    if (isReordered(before, items)) this.#reorderings.push({ at, element })
  }

  /** Drops the oldest entries. */
  trim(): void {
    this.#removals = this.#removals.slice(-MAX_ENTRIES)
    this.#reorderings = this.#reorderings.slice(-MAX_ENTRIES)
  }

  clear(): void {
    this.#removals = []
    this.#reorderings = []
  }
}
