import { expect, onTestFinished, test, vi } from 'vitest'
import { FollowUps, followUpsOf } from '../../../src/ui/chat/views/answer.ts'
import { createLocalState } from '../../../src/ui/chat/element.ts'
import { emptySnapshot } from '../../../src/conversation/snapshot.ts'
import type { ConversationSnapshot, ShownMessage } from '../../../src/index.ts'
import { until } from '../client/fake-worker.ts'

function answered(id: string, more: Partial<ConversationSnapshot> = {}): ConversationSnapshot {
  const message: ShownMessage = {
    role: 'assistant',
    id,
    parts: [{ type: 'text', text: 'x' }],
    at: 1,
  }
  const ended = { runId: 'r1', outcome: 'completed' } as const
  return { ...emptySnapshot('c1', 'idle'), messages: [message], ended, ...more }
}

/** Records the requests for follow-ups, and returns those that are shown. */
function stage() {
  const local = createLocalState(() => {})
  const asked: { readonly id: string; readonly answer: (texts: readonly string[]) => void }[] = []
  const followUps = new FollowUps()
  const answers = {
    followUps: ({ id }: ShownMessage) =>
      new Promise<readonly string[]>((answer) => asked.push({ id, answer })),
  }
  return {
    asked,
    look: (snapshot: ConversationSnapshot) => followUps.update({ snapshot, answers, local }),
    shown: (snapshot: ConversationSnapshot) => followUpsOf({ snapshot, local }),
  }
}

test('follow-ups are requested once per answer and shown with it', async () => {
  const { asked, look, shown } = stage()
  const snapshot = answered('m1')
  look(snapshot)
  look({ ...snapshot })
  expect(asked.map(({ id }) => id)).toEqual(['m1'])
  asked[0]?.answer(['Go on'])
  await until(() => shown(snapshot).length)
  expect(shown(snapshot)).toEqual(['Go on'])
  expect(shown(answered('m2'))).toEqual([])
})

test.each<[string, Partial<ConversationSnapshot>]>([
  ['is open', { runId: 'r1' }],
  ['failed', { ended: { runId: 'r1', outcome: 'aborted', reason: 'x' } }],
])('follow-ups are not requested when a run %s', (_, more) => {
  const { asked, look } = stage()
  look(answered('m1', more))
  expect(asked).toEqual([])
})

test('follow-ups that arrive after a newer answer are not shown', async () => {
  const { asked, look, shown } = stage()
  look(answered('m1'))
  look(answered('m2'))
  asked[0]?.answer(['Old'])
  asked[1]?.answer(['New'])
  await until(() => shown(answered('m2')).length)
  expect(shown(answered('m1'))).toEqual([])
})

test.each([['a text'], [[undefined]], [{ 0: 'x', length: 1 }]])(
  'follow-ups that are not a list of texts (%j) are a page error',
  async (given) => {
    const reported: unknown[] = []
    vi.stubGlobal('reportError', (error: unknown) => reported.push(error))
    onTestFinished(() => void vi.unstubAllGlobals())
    const { asked, look, shown } = stage()
    look(answered('m1'))
    asked[0]?.answer(given as never)
    await until(() => reported.length)
    expect(reported).toEqual([expect.objectContaining({ name: 'TypeError' })])
    expect(shown(answered('m1'))).toEqual([])
  },
)
