import { contextOn } from '../../../src/conversation/context.ts'
import { emptyState } from '../../../src/conversation/state.ts'
import { fold } from '../../../src/conversation/fold.ts'
import { FORMAT, type Fact, type Row } from '../../../src/protocol/fact.ts'
import type { ConversationState } from '../../../src/protocol/state.ts'
import { applyContext } from '../../../src/worker/model/compaction.ts'

const ORIGINS = ['reviews', 'mails', 'pages']
const MARK = /«(\w+)»/g

/**
 * A conversation of a model that repeats all marks it reads, so that what its next request was made of can be read in the
 * request itself. Each choice does one thing.
 */
export class Talk {
  state: ConversationState = emptyState('c')
  readonly rows: Row[] = []
  #ids = 0

  act(choice: number): void {
    const more = Math.floor(choice / 12)
    switch (choice % 12) {
      case 0:
      case 1:
      case 10:
        return this.#say(more)
      case 2:
      case 3:
        return this.#answer()
      case 4:
      case 5:
      case 6:
        return this.#call(more % 2 === 0 ? ORIGINS[more % ORIGINS.length] : undefined)
      case 7:
        return this.#clear(more)
      case 8:
        return this.#compact(more)
      case 9:
        return this.#move(more)
      default:
        if (more % 4 === 0) this.#add({ type: 'history-cleared' })
    }
  }

  /** Origins whose marks are in the next request. */
  get marks(): readonly string[] {
    return marksIn(this.#request())
  }

  #request(): string {
    return JSON.stringify(applyContext(this.state.path, contextOn(this.state)))
  }

  #add(...facts: Fact[]): void {
    const place = { format: FORMAT, conversationId: 'c', runId: 'r', at: 1, appendId: 'a' } as const
    const rows = facts.map((fact): Row => ({ ...fact, ...place, seq: this.rows.length + 1 }))
    // Each by itself: their seq is counted from what is there.
    for (const [index, row] of rows.entries()) {
      const placed = { ...row, seq: this.rows.length + 1 }
      rows[index] = placed
      this.rows.push(placed)
      this.state = fold(this.state, [placed])
    }
  }

  #id(prefix: string): string {
    return `${prefix}${++this.#ids}`
  }

  get #head(): string | null {
    return this.state.path.at(-1)?.id ?? null
  }

  #say(more: number): void {
    const id = this.#id('u')
    const origin = ORIGINS[more % 7]
    const text = origin === undefined ? 'go on' : `a file «${origin}»`
    this.#add(
      {
        type: 'run-started',
        parentId: this.#head,
        message: { id, parts: [{ type: 'text', text }] },
        limits: { maxSteps: 10, retries: 3 },
      },
      ...(origin === undefined
        ? []
        : [{ type: 'context-tainted', after: id, origin } satisfies Fact]),
    )
  }

  #repeated(): string {
    return this.marks.map((mark) => `«${mark}»`).join(' ')
  }

  #answer(): void {
    this.#add(this.#output([], null))
  }

  #call(origin: string | undefined): void {
    const toolCallId = this.#id('c')
    const toolsId = this.#id('t')
    this.#add(this.#output([toolCallId], toolsId))
    const value = origin === undefined ? 'done' : `they wrote «${origin}»`
    this.#add(
      ...(origin === undefined
        ? []
        : [
            {
              type: 'context-tainted',
              after: toolsId,
              origin,
              path: [toolCallId],
            } satisfies Fact,
          ]),
      {
        type: 'call-settled',
        path: [toolCallId],
        status: 'succeeded',
        output: { type: 'text', value },
      },
    )
  }

  #output(calls: readonly string[], toolsId: string | null): Fact {
    return {
      type: 'model-output',
      step: 1,
      attempt: 1,
      parentId: this.#head,
      message: {
        role: 'assistant',
        id: this.#id('a'),
        parts: [
          { type: 'text', text: this.#repeated() },
          ...calls.map((toolCallId) => ({
            type: 'tool-call' as const,
            toolCallId,
            toolName: 'look',
            input: {},
          })),
        ],
      },
      toolsId,
      calls: calls.map((toolCallId) => ({ toolCallId, known: true, parallel: false })),
      usage: {},
      finishReason: 'stop',
      toolMode: 'native',
    }
  }

  #clear(more: number): void {
    const ids = this.state.path.flatMap(({ message }) =>
      message.role === 'tool' ? message.parts.map(({ toolCallId }) => toolCallId) : [],
    )
    const id = ids[more % Math.max(1, ids.length)]
    if (id !== undefined) this.#add({ type: 'results-cleared', after: this.#head, paths: [[id]] })
  }

  #compact(more: number): void {
    const { path } = this.state
    const [first] = path
    const last = path[more % Math.max(1, path.length)]
    if (!first || !last) return
    const keptFrom = path[path.indexOf(last) + 1]?.id ?? null
    const summary = more % 3 === 0 ? `summed up ${this.#repeated()}` : ''
    const after = this.#head
    this.#add({ type: 'compacted', after, from: first.id, to: last.id, keptFrom, summary })
  }

  #move(more: number): void {
    const { path, others } = this.state
    const nodes = [...path, ...others].filter(({ message }) => message.role !== 'assistant')
    const to = nodes[more % Math.max(1, nodes.length)]
    if (to) this.#add({ type: 'head-moved', to: to.id })
  }
}

function marksIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(MARK)].map(([, mark = '']) => mark))].toSorted()
}
