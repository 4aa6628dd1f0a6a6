import { afterEach, expect, test, vi } from 'vitest'
import { SeenApprovals } from '../../../src/ui/chat/card-guard.ts'

afterEach(() => vi.unstubAllGlobals())

const box = (top: number, bottom: number, left: number, right: number): object => ({
  top,
  bottom,
  left,
  right,
})

/** A log that holds a card with one field, as far as the guard looks at them. */
function chatWith(log: object, field: object, isVisible: boolean): ParentNode {
  const part = {
    textContent: 'Bcc evil@attacker.test',
    tabIndex: -1,
    getBoundingClientRect: () => field,
    matches: () => false,
    querySelector: () => null,
  }
  const approval = {
    closest: () => ({ querySelectorAll: () => [part] }),
    dataset: { asks: 'card' },
  }
  const shown = { getBoundingClientRect: () => log, checkVisibility: () => isVisible }
  const root: object = { querySelector: () => shown, querySelectorAll: () => [approval] }
  return root as ParentNode
}

const ON_VIEW = box(0, 600, 0, 400)
const FIELD = box(100, 120, 10, 390)

test.each<[string, object, object, { readonly isVisible?: boolean }, boolean]>([
  ['on view', ON_VIEW, FIELD, {}, true],
  ['of a drawer that has slid in by most of its width', box(0, 600, 100, 500), FIELD, {}, true],
  ['of a chat that is not displayed', box(0, 0, 0, 0), box(0, 0, 0, 0), {}, false],
  ['of a chat without visibility', ON_VIEW, FIELD, { isVisible: false }, false],
  ['of a drawer beside the window', box(0, 600, 400, 800), FIELD, {}, false],
  ['of a drawer whose edge is in the window', box(0, 600, 370, 770), FIELD, {}, false],
  ['of a drawer on the other side', box(0, 600, -400, 0), FIELD, {}, false],
])('a card %s counts as seen only if it was', (_, log, field, { isVisible = true }, isSeen) => {
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal('innerHeight', 600)
  vi.stubGlobal('innerWidth', 400)
  const seen = new SeenApprovals()
  seen.update(chatWith(log, field, isVisible))
  expect(seen.has('card')).toBe(isSeen)
})
