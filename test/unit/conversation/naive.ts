import type { CallPath, Fact, Row } from '../../../src/protocol/fact.ts'
import type {
  Message,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
  Usage,
} from '../../../src/protocol/message.ts'

interface NaiveNode {
  readonly id: string
  readonly parentId: string | null
  readonly message: Message
}

/** The messages of the newest era, their tree and the head, as slowly and plainly as can be. */
export class NaiveTree {
  readonly nodes: NaiveNode[] = []
  head: string | null = null
  /** Seq at which each message last became the head. */
  readonly #used = new Map<string, number>()
  /** Results that calls of `finish_task` reported. */
  readonly #results = new Map<string, string>()
  readonly #rows: readonly Row[]

  constructor(rows: readonly Row[]) {
    this.#rows = rows.slice(rows.findLastIndex(({ type }) => type === 'history-cleared') + 1)
    for (const row of this.#rows) this.#take(row, rows)
  }

  get path(): readonly string[] {
    return this.pathTo(this.head)
  }

  pathTo(id: string | null): readonly string[] {
    const path: string[] = []
    for (let at = id; at !== null; at = this.#node(at).parentId) path.unshift(at)
    return path
  }

  siblings(id: string): readonly string[] {
    const { parentId } = this.#node(id)
    return this.nodes.filter((node) => node.parentId === parentId).map((node) => node.id)
  }

  /** The leaf under a message that was the head last. */
  leafUnder(id: string): string {
    const leaves = this.nodes.filter(
      (node) =>
        !this.nodes.some(({ parentId }) => parentId === node.id) &&
        this.pathTo(node.id).includes(id),
    )
    const used = (node: NaiveNode): number => this.#used.get(node.id) ?? 0
    const [last] = leaves.toSorted((a, b) => used(b) - used(a))
    return last?.id ?? id
  }

  /** The path as models get it, with results moved to their places. */
  get messages(): readonly Message[] {
    return this.path.map((id) => {
      const { message, parentId } = this.#node(id)
      const before = parentId === null ? null : this.#node(parentId).message
      if (message.role !== 'tool' || before?.role !== 'assistant') return message
      const parts = before.parts.flatMap((part) =>
        part.type === 'tool-call' ? (this.#result(part, message.parts) ?? []) : [],
      )
      return { ...message, parts }
    })
  }

  #result(call: ToolCallPart, imported: readonly ToolResultPart[]): ToolResultPart | undefined {
    const { toolCallId, toolName, providerCallId } = call
    const settled = this.#rows.find(
      (row) => row.type === 'call-settled' && row.path.join() === toolCallId,
    )
    if (settled?.type !== 'call-settled')
      return imported.find((part) => part.toolCallId === toolCallId)
    const better = this.#results.get(toolCallId)
    return {
      type: 'tool-result',
      toolCallId,
      toolName,
      ...(providerCallId && { providerCallId }),
      output: better === undefined ? settled.output : { type: 'text', value: better },
      ...(better === undefined && settled.note && { note: settled.note }),
    }
  }

  #node(id: string): NaiveNode {
    const node = this.nodes.find((each) => each.id === id)
    if (!node) throw new Error(`no ${id}`)
    return node
  }

  #add(parentId: string | null, message: Message, seq: number): void {
    const id = message.id ?? ''
    this.nodes.push({ id, parentId, message })
    this.#use(id, seq)
  }

  /** The text, or what `finish_task` was given and said, and with it what the provider had to say of the text. */
  #replace(id: string, text: string, at: Row): void {
    const output = this.#rows.find((row) => row.type === 'model-output' && row.message.id === id)
    const index = this.nodes.findIndex((node) => node.id === id)
    const node = this.nodes[index]
    if (output?.type !== 'model-output' || node?.message.role !== 'assistant') return
    const finishing = finishingOf(output, (callId) => this.#settled(callId, at))
    const { parts } = node.message
    const { actionText: _written, providerMetadata: _own, ...kept } = node.message
    const message: Message = finishing
      ? {
          ...kept,
          parts: parts.map((part) =>
            part.type === 'tool-call' && !part.error && part.toolCallId === finishing
              ? ({ ...part, input: { result: text } } as ToolCallPart)
              : part,
          ),
        }
      : {
          role: 'assistant',
          id,
          parts: [
            { type: 'text', text },
            ...parts.filter(({ type }) => type !== 'text' && type !== 'reasoning'),
          ],
        }
    this.nodes[index] = { ...node, message }
    if (finishing) this.#results.set(finishing, text)
  }

  #settled(toolCallId: string, { seq }: Row): ToolOutput | undefined {
    return settledOf(
      this.#rows.filter((row) => row.seq < seq),
      [toolCallId],
    )?.output
  }

  #use(id: string | null, seq: number): void {
    this.head = id
    if (id !== null) this.#used.set(id, seq)
  }

  #take(row: Row, all: readonly Row[]): void {
    const { seq } = row
    switch (row.type) {
      case 'run-started':
        if (row.message) this.#add(row.parentId, { role: 'user', ...row.message }, seq)
        else this.#use(row.parentId, seq)
        return
      case 'model-output': {
        const { message, toolsId, feedback } = row
        this.#add(row.parentId, message, seq)
        if (toolsId) this.#add(message.id, { role: 'tool', id: toolsId, parts: [] }, seq)
        if (feedback)
          this.#add(
            this.head,
            {
              role: 'user',
              id: feedback.id,
              synthetic: true,
              parts: [{ type: 'text', text: feedback.text }],
            },
            seq,
          )
        return
      }
      case 'step-cut':
        if (row.message)
          this.#add(row.parentId, { role: 'assistant', ...row.message, partial: true }, seq)
        return
      case 'messages-imported':
        for (const [index, message] of row.messages.entries())
          this.#add(index === 0 ? row.parentId : this.head, message, seq)
        return
      case 'message-delivered': {
        const queued = all.find(
          (each) => each.type === 'message-queued' && each.message.id === row.messageId,
        )
        if (queued?.type !== 'message-queued') return
        const { id, parts } = queued.message
        return this.#add(row.parentId, { role: 'user', id, parts }, seq)
      }
      case 'answer-rejected': {
        const { id, text } = row.message
        const told = { role: 'user', id, synthetic: true, parts: [{ type: 'text', text }] } as const
        return this.#add(row.parentId, told, seq)
      }
      case 'answer-reflected':
        if (row.mode === 'replace' && row.text !== null) this.#replace(row.messageId, row.text, row)
        return
      case 'head-moved':
        return this.#use(row.to, seq)
      default:
    }
  }
}

/** The id of the call that ended the run with a text. */
function finishingOf(
  { calls }: Extract<Fact, { type: 'model-output' }>,
  outputOf: (toolCallId: string) => ToolOutput | undefined,
): string | undefined {
  return calls.findLast(
    ({ toolCallId, finishes }) => finishes && outputOf(toolCallId)?.type === 'text',
  )?.toolCallId
}

/** A run's result, computed from its rows. */
export function naiveResult(rows: readonly Row[], runId: string): NaiveResult {
  const own = rows.filter((row) => row.runId === runId)
  const outputs = own.filter((row) => row.type === 'model-output')
  const costs: Usage[] = own.flatMap((row) => {
    if (row.type === 'model-output') return row.usage
    if (row.type === 'answer-reflected') return row.usage
    if (row.type !== 'attempt-failed' && row.type !== 'step-cut') return []
    return Object.keys(row.usage).length > 0 ? row.usage : []
  })
  const calls = outputs.flatMap(({ message }) =>
    message.parts.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : [])),
  )
  const last = outputs.at(-1)
  const partial = own.findLast((row) => row.type === 'step-cut')?.message
  const cut = partial ? textOf(partial.parts) : ''
  const outputOf = (toolCallId: string) => settledOf(own, [toolCallId])?.output
  const better = new Map<string, string>()
  for (const row of own)
    if (row.type === 'answer-reflected' && row.mode === 'replace' && row.text !== null)
      better.set(row.messageId, row.text)
  const finishing = last && finishingOf(last, outputOf)
  const output = finishing === undefined ? undefined : outputOf(finishing)
  const said = output?.type === 'text' ? output.value : textOf(last?.message.parts ?? [])
  return {
    steps: outputs.length,
    modelCalls: costs.length,
    inputTokens: sum(costs.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(costs.map(({ outputTokens }) => outputTokens)),
    finishReason: last?.finishReason ?? 'other',
    text: cut === '' ? (better.get(last?.message.id ?? '') ?? said) : cut,
    calls: calls.map((toolCallId) => {
      const { status = null, output: came = null } = settledOf(own, [toolCallId]) ?? {}
      const given = outputs.find((each) => finishingOf(each, outputOf) === toolCallId)
      const value = better.get(given?.message.id ?? '')
      return { toolCallId, status, output: value === undefined ? came : { type: 'text', value } }
    }),
  }
}

export interface NaiveResult {
  readonly steps: number
  readonly modelCalls: number
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly finishReason: string
  readonly text: string
  readonly calls: readonly {
    readonly toolCallId: string
    readonly status: string | null
    readonly output: unknown
  }[]
}

function settledOf(
  rows: readonly Row[],
  path: CallPath,
): Extract<Fact, { type: 'call-settled' }> | undefined {
  return rows.find((row) => row.type === 'call-settled' && row.path.join() === path.join()) as
    | Extract<Fact, { type: 'call-settled' }>
    | undefined
}

function textOf(parts: readonly { readonly type: string }[]): string {
  return parts
    .map((part) => (part.type === 'text' && 'text' in part ? String(part.text) : ''))
    .join('')
}

function sum(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0)
}
