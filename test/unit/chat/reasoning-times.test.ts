import { expect, test } from 'vitest'
import { createLocalState } from '../../../src/ui/chat/element.ts'
import { ReasoningTimes, thinkingMs } from '../../../src/ui/chat/reasoning-times.ts'
import { emptySnapshot } from '../../../src/conversation/snapshot.ts'
import type { ConversationSnapshot } from '../../../src/index.ts'

const THOUGHT = { type: 'reasoning', text: 'Hm.' } as const
const TEXT = { type: 'text', text: 'Done.' } as const

/** An element that is drawn at given times. */
function watch() {
  const local = createLocalState(() => {})
  let now = 0
  const times = new ReasoningTimes(() => now)
  return {
    look(at: number, snapshot: ConversationSnapshot) {
      now = at
      times.update({ snapshot, local })
    },
    took: (id: string) => thinkingMs(local, { id }),
  }
}

/** A conversation while an answer is written, or once that is whole. */
function answer(
  parts: readonly (typeof THOUGHT | typeof TEXT)[],
  { id = 'm1', conversationId = 'c1', isWhole = false } = {},
): ConversationSnapshot {
  return {
    ...emptySnapshot(conversationId, isWhole ? 'idle' : 'running'),
    messages: [{ id, role: 'assistant', parts, ...(isWhole && { at: 1 }) }],
  }
}

const IDLE = emptySnapshot('c1', 'idle')
const WHOLE = { isWhole: true }

test('reasoning that began in view is timed until other output or its end', () => {
  const { look, took } = watch()
  look(0, IDLE)
  look(100, answer([THOUGHT]))
  look(400, answer([THOUGHT]))
  expect(took('m1')).toBeUndefined()
  look(2100, answer([THOUGHT, TEXT]))
  expect(took('m1')).toBe(2000)
  look(9000, answer([THOUGHT, TEXT], WHOLE))
  expect(took('m1')).toBe(2000)
  look(9100, answer([THOUGHT], { id: 'm2' }))
  look(9600, answer([THOUGHT], { id: 'm2', isWhole: true }))
  expect(took('m2')).toBe(500)
})

test('two periods of reasoning in one answer are added up', () => {
  const { look, took } = watch()
  look(0, IDLE)
  look(0, answer([THOUGHT]))
  look(1000, answer([THOUGHT, TEXT]))
  look(5000, answer([THOUGHT, TEXT, THOUGHT]))
  look(7000, answer([THOUGHT, TEXT, THOUGHT], WHOLE))
  expect(took('m1')).toBe(3000)
})

test('reasoning already under way when it came on view has no duration', () => {
  for (const parts of [[THOUGHT], [THOUGHT, TEXT]]) {
    const { look, took } = watch()
    look(0, emptySnapshot('c1', 'loading'))
    look(0, answer(parts))
    look(1000, answer([THOUGHT, TEXT, THOUGHT]))
    look(2000, answer([THOUGHT, TEXT, THOUGHT, TEXT]))
    expect(took('m1')).toBeUndefined()
    // The next one is seen from its beginning.
    look(3000, answer([THOUGHT], { id: 'm2' }))
    look(3500, answer([THOUGHT], { id: 'm2', isWhole: true }))
    expect(took('m2')).toBe(500)
  }
})

test('reasoning has no duration when its run is shown before its text', () => {
  const { look, took } = watch()
  look(0, emptySnapshot('c1', 'running'))
  look(100, answer([THOUGHT]))
  look(200, answer([THOUGHT], WHOLE))
  expect(took('m1')).toBeUndefined()
})

test('a message sent while its conversation loads is timed from the beginning', () => {
  const { look, took } = watch()
  look(0, emptySnapshot('c1', 'loading'))
  look(0, emptySnapshot('c1', 'running'))
  look(0, { ...emptySnapshot('c1', 'running'), ownership: 'this-tab' })
  look(100, answer([THOUGHT]))
  look(400, answer([THOUGHT], WHOLE))
  expect(took('m1')).toBe(300)
})

test('reasoning written while another conversation was on view has no duration', () => {
  const { look, took } = watch()
  look(0, IDLE)
  look(0, answer([THOUGHT]))
  look(1000, answer([THOUGHT, TEXT]))
  expect(took('m1')).toBe(1000)
  look(1100, emptySnapshot('c2', 'idle'))
  look(9000, answer([THOUGHT, TEXT, THOUGHT], WHOLE))
  expect(took('m1')).toBeUndefined()
})
