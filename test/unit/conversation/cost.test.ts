import { describe, expect, it } from 'vitest'
import { emptyState } from '../../../src/conversation/state.ts'
import { fold } from '../../../src/conversation/fold.ts'
import { FORMAT, type Fact, type Row } from '../../../src/protocol/fact.ts'

/** Facts of a turn: five rows, two messages of the model, one call. */
function turn(index: number, parentId: string | null): { readonly facts: Fact[]; head: string } {
  const id = (kind: string): string => `${kind}${index}`
  const path = [id('call')]
  const by = { definition: 'd', replayable: true, reconcilable: false }
  const facts: Fact[] = [
    {
      type: 'run-started',
      parentId,
      message: { id: id('user'), parts: [{ type: 'text', text: 'hello' }] },
      limits: { maxSteps: 10, retries: 3 },
    },
    {
      type: 'model-output',
      step: 1,
      attempt: 1,
      parentId: id('user'),
      message: {
        role: 'assistant',
        id: id('answer'),
        parts: [{ type: 'tool-call', toolCallId: id('call'), toolName: 't', input: {} }],
      },
      toolsId: id('tools'),
      calls: [{ toolCallId: id('call'), known: true, parallel: false }],
      usage: {},
      finishReason: 'tool-calls',
      toolMode: 'native',
    },
    { type: 'call-started', path, executionId: id('x'), by, repeats: false },
    { type: 'call-settled', path, status: 'succeeded', output: { type: 'text', value: 'ok' } },
    { type: 'run-ended', end: { outcome: 'completed' } },
  ]
  return { facts, head: id('tools') }
}

function rows(turns: number, branchEvery: number): Row[] {
  const facts: Fact[] = []
  let head: string | null = null
  for (let index = 0; index < turns; index++) {
    // A branch begins under the message before the newest turn.
    const before: string | null =
      index % branchEvery === branchEvery - 1 ? `tools${index - 2}` : head
    const next = turn(index, before)
    facts.push(...next.facts)
    head = next.head
  }
  return facts.map((fact, index) => ({
    ...fact,
    format: FORMAT,
    conversationId: 'c',
    seq: index + 1,
    runId: `run${Math.floor(index / 5)}`,
    at: index,
    appendId: 'a',
  }))
}

let work = 0

/** Counts the entries that are copied or looked at; what is made of it counts on. */
class Counted extends Array<unknown> {}

for (const name of ['slice', 'filter', 'map', 'flatMap', Symbol.iterator] as const)
  override(name, (list) => void (work += list.length))
override('splice', (list, [from]) => void (work += list.length - Number(from)))
for (const name of ['find', 'findIndex', 'findLastIndex', 'some'] as const)
  override(name, (_, args) => {
    const test = args[0] as (entry: unknown) => unknown
    args[0] = (entry: unknown) => {
      work += 1
      return test(entry)
    }
  })

function override(
  name: keyof unknown[],
  before: (list: readonly unknown[], args: unknown[]) => void,
): void {
  const method = Array.prototype[name as 'slice'] as (...args: never[]) => unknown
  Object.defineProperty(Counted.prototype, name, {
    value(this: Counted, ...args: unknown[]) {
      before(this, args)
      return Reflect.apply(method, this, args)
    },
  })
}

function workOf(all: readonly Row[]): number {
  work = 0
  const lists = ['path', 'others', 'forks', 'leaves', 'context'] as const
  const counted = Object.fromEntries(lists.map((list) => [list, new Counted()]))
  const state = fold({ ...emptyState('c'), ...counted }, all)
  for (const list of lists) expect(state[list]).toBeInstanceOf(Counted)
  return work
}

describe('the cost of a fold', () => {
  it('is linear in the rows of a long history', () => {
    const short = rows(300, Infinity)
    const long = rows(3000, Infinity)
    expect(long).toHaveLength(15_000)
    const few = workOf(short)
    const many = workOf(long)
    expect(many).toBeLessThan(few * 11)
  })

  it('depends on the branches, and not on the whole history', () => {
    const plain = workOf(rows(3000, Infinity))
    const branched = workOf(rows(3000, 100))
    expect(branched).toBeLessThan(plain * 3)
  })

  it('for one more row is one copy of the lists that it changes', () => {
    const all = rows(1000, Infinity)
    const state = fold(emptyState('c'), all.slice(0, -1))
    const end = all.slice(-1)
    expect(fold(state, end).path).toBe(state.path)
  })
})
