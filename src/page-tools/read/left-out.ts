import { isNode, type OutlineNode } from '../outline/outline-node.ts'
import { isInteractive } from '../outline/role.ts'
import { refOf } from '../refs.ts'

/** How much a part of an outline has. */
export interface Size {
  readonly lines: number
  /** Elements to act on among them. */
  readonly interactive: number
  /** False where some of it was only counted, so that there may be more to act on. */
  readonly isWhole: boolean
}

export const ONE_LINE: Size = { lines: 1, interactive: 0, isWhole: true }
const NOTHING: Size = { lines: 0, interactive: 0, isWhole: true }
const CELLS = /cell$|header$/

/** A cell is to be acted on where it is clickable: of those that only take the focus a grid may have any number. */
export function isToActOn(node: OutlineNode): boolean {
  return isInteractive(node) && (node.clickable || !CELLS.test(node.role))
}

/** An estimate of what a node would get, without making its lines. */
export function sizeOf(node: OutlineNode): Size {
  const { role, clickable, items } = node
  let lines = role || clickable ? 1 : 0
  let interactive = isToActOn(node) ? 1 : 0
  let isWhole = true
  let hasText = lines > 0
  for (const item of items) {
    if (isNode(item)) {
      const inner = sizeOf(item)
      lines += inner.lines
      interactive += inner.interactive
      isWhole &&= inner.isWhole
    } else if ('count' in item) {
      lines += item.count
      isWhole = false
    } else if (!hasText) {
      hasText = true
      lines += 1
    }
  }
  return { lines, interactive, isWhole }
}

export function sizeOfAll(parts: readonly { readonly size: () => Size }[]): Size {
  return parts.reduce((sum, { size }) => {
    const { lines, interactive, isWhole } = size()
    return {
      lines: sum.lines + lines,
      interactive: sum.interactive + interactive,
      isWhole: sum.isWhole && isWhole,
    }
  }, NOTHING)
}

/** The mark for what is left out: how much, how much of it to act on, and from which ref to read on. */
export function leftOutLine(size: Size, first: Element): string {
  return `… ${size.lines} more${interactiveIn(size)} [from=${refOf(first)}]`
}

/** The same of all that is in a line's element. */
export function leftOutInside(size: Size): string {
  return `… ${size.lines} inside${interactiveIn(size)}`
}

function interactiveIn({ interactive, isWhole }: Size): string {
  return interactive > 0 ? `, ${interactive}${isWhole ? '' : '+'} interactive` : ''
}
