import type { Delta, SentRequest } from '../../../src/protocol/delta.ts'
import type { CallDetails, Fact, Row, UserContent } from '../../../src/protocol/fact.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import type { AssistantMessage, ToolCallPart } from '../../../src/protocol/message.ts'
import { FORMAT } from '../../../src/protocol/fact.ts'
import type { StreamItem } from '../../../src/protocol/notices.ts'

type Part = AssistantMessage['parts'][number]

const REQUEST: SentRequest = {
  provider: 'scripted',
  model: 'm',
  toolMode: 'native',
  messages: [],
  tools: [],
  tokens: { instructions: 1, tools: 1, history: 1, snapshots: 1, context: 1 },
}

export interface SceneCall {
  readonly path: readonly string[]
  readonly parent: SceneCall | null
  status: 'proposed' | 'approval' | 'answer' | 'output' | 'approved' | 'executing' | 'decision'
}

interface SceneRun {
  readonly id: string
  step: number
  attempt: number
  phase: 'between' | 'asking' | 'calls' | 'crash-loop'
  /** The open step's fact is written. */
  isBegun: boolean
  messageId: string
  calls: SceneCall[]
}

/** Thrown when the choices are used up: a stream may stop anywhere. */
class Over extends Error {}

/**
 * A conversation in which everything happens that may happen, in an order that is lawful, as the choices
 * say. It keeps what it needs to stay lawful, and nothing of the fold's.
 */
export class Scene {
  readonly items: StreamItem[] = []
  readonly #choices: readonly number[]
  #next = 0
  #seq = 0
  #at = 1_000_000
  #ids = 0
  #nodes = new Map<string, string | null>()
  /** Under a message with calls hangs nothing but their results. */
  readonly #asking = new Set<string>()
  #head: string | null = null
  #run: SceneRun | null = null
  #waiting: SceneCall[] = []
  #imported: SceneCall[] = []
  #queue: string[] = []
  #afterRun: UserContent[] = []
  #consents: string[] = []

  constructor(choices: readonly number[]) {
    this.#choices = choices
    try {
      for (;;) this.#act()
    } catch (error) {
      if (!(error instanceof Over)) throw error
    }
  }

  #pick(count: number): number {
    const choice = this.#choices[this.#next++]
    if (choice === undefined) throw new Over()
    return choice % count
  }

  #chance(oneIn: number): boolean {
    return this.#pick(oneIn) === 1
  }

  #oneOf<Value>(values: readonly Value[]): Value {
    return values[this.#pick(values.length)] as Value
  }

  #id(prefix: string): string {
    return `${prefix}${++this.#ids}`
  }

  #row(fact: Fact, runId: string | null = this.#run?.id ?? null): void {
    this.#at += this.#oneOf([1, 40, 20_000])
    const place = { format: FORMAT, conversationId: 'c', seq: ++this.#seq, runId, at: this.#at }
    this.items.push({ ...fact, ...place, appendId: `a${this.#seq}` } as Row)
  }

  #delta(delta: Delta): void {
    this.items.push(delta)
  }

  #add(id: string, parentId: string | null): void {
    this.#nodes.set(id, parentId)
    this.#head = id
  }

  #act(): void {
    if (this.#chance(5)) return this.#aside()
    if (this.#run === null) return this.#idle()
    switch (this.#run.phase) {
      case 'between':
        return this.#between(this.#run)
      case 'asking':
        return this.#ask(this.#run)
      case 'calls':
        return this.#calls(this.#run)
      case 'crash-loop':
        this.#row({ type: 'run-continued' })
        this.#run.phase = 'asking'
        return
      default:
        this.#run.phase satisfies never
    }
  }

  /** Adds something that can happen at any time. */
  #aside(): void {
    const run = this.#run
    const after = this.#head
    const text = this.#id('t')
    switch (this.#pick(14)) {
      case 0: {
        const content = { id: this.#id('m'), parts: [{ type: 'text' as const, text }] }
        const isNext = this.#chance(3)
        if (isNext) this.#afterRun.push(content)
        else this.#queue.push(content.id)
        const message = isNext ? { ...content, when: 'after-run' as const } : content
        return this.#row({ type: 'message-queued', message })
      }
      case 1: {
        const messageId = this.#queue.pop()
        if (messageId !== undefined) this.#row({ type: 'message-withdrawn', messageId })
        return
      }
      case 2:
        if (this.#chance(3)) return this.#row({ type: 'row-set-aside', reason: text }, null)
        return this.#row({ type: 'renamed', title: text }, null)
      case 3: {
        const consentId = this.#id('consent')
        this.#consents.push(consentId)
        const until = this.#chance(2) ? { until: this.#at + 10 } : {}
        return this.#row({
          type: 'consent-given',
          consentId,
          scope: { toolName: text, definition: text, within: 'conversation' },
          ...until,
        })
      }
      case 4: {
        const consentId = this.#consents.pop()
        if (consentId !== undefined) this.#row({ type: 'consent-revoked', consentId })
        return
      }
      case 5:
        return this.#row({
          type: 'plan-changed',
          after,
          plan: [{ content: text, status: 'pending' }],
        })
      case 6:
        if (this.#chance(2))
          return this.#row({ type: 'context-tainted', after, origin: `https://${text}.example` })
        return this.#row({
          type: 'descriptions-changed',
          after,
          origins: this.#chance(3) ? [] : [text],
        })
      case 7:
        this.#row({ type: 'skill-activated', after, name: text, hash: text, text })
        if (this.#chance(3)) this.#row({ type: 'skill-dropped', after, name: text })
        return
      case 8:
        return this.#row({ type: 'memory-retrieved', after, items: [{ text }] })
      case 9:
        return this.#row({ type: 'results-cleared', after, paths: [[text]] })
      case 10: {
        const path = this.#path()
        const [from] = path
        if (from === undefined) return
        const kept = this.#pick(path.length)
        const to = path[Math.max(0, kept - 1)] ?? from
        const keptFrom = path[kept] ?? null
        return this.#row({ type: 'compacted', after, from, to, keptFrom, summary: text })
      }
      case 11:
        return this.#delta({
          type: 'ownership-changed',
          ownership: this.#oneOf(['this-tab', 'other-tab', 'none', 'other-device']),
        })
      case 12:
        if (run === null) return
        this.#delta({ type: 'storage-waits', runId: run.id, reason: 'storage-full' })
        if (this.#chance(2)) this.#delta({ type: 'storage-takes', runId: run.id })
        return
      default:
        // Left, and perhaps gone on with.
        if (run === null) return
        this.#delta({
          type: 'run-left',
          runId: run.id,
          outcome: { outcome: 'aborted', reason: this.#oneOf(['disposed', 'taken-over']) },
        })
    }
  }

  #path(): string[] {
    const path: string[] = []
    for (let at = this.#head; at !== null; at = this.#nodes.get(at) ?? null) path.push(at)
    return path.toReversed()
  }

  #idle(): void {
    switch (this.#pick(12)) {
      case 0:
        return this.#import()
      case 1: {
        if (this.#nodes.size === 0) return
        const to = this.#someLeafUnder(this.#oneOf([...this.#nodes.keys()]))
        this.#row({ type: 'head-moved', to }, null)
        this.#head = to
        return
      }
      case 2:
        if (this.#pick(4) > 0) return
        this.#row({ type: 'history-cleared' }, null)
        this.#nodes = new Map()
        this.#head = null
        this.#waiting = []
        this.#imported = []
        return
      case 3: {
        const call = this.#imported.pop() ?? this.#waiting.pop()
        if (call) this.#settle(call)
        return
      }
      case 4: {
        const runId = this.#id('run')
        const message = { id: this.#id('m'), parts: [{ type: 'text' as const, text: 'late' }] }
        this.#delta({ type: 'storage-waits', runId, reason: 'storage-full', message })
        if (this.#chance(2)) this.#delta({ type: 'storage-takes', runId })
        return this.#delta({
          type: 'run-left',
          runId,
          outcome: { outcome: 'aborted', reason: 'refused' },
        })
      }
      default:
        return this.#start()
    }
  }

  #someLeafUnder(id: string): string {
    const children = [...this.#nodes].filter(([, parentId]) => parentId === id)
    const [child] = children.length > 0 ? this.#oneOf(children) : []
    return child === undefined ? id : this.#someLeafUnder(child)
  }

  #start(): void {
    const id = this.#id('run')
    const ids = [...this.#nodes.keys()].filter((each) => !this.#asking.has(each))
    const isBranch = ids.length > 0 && this.#chance(3)
    const parentId = isBranch ? this.#oneOf([...ids, null]) : this.#head
    const messageId = this.#id('m')
    const text = `${messageId} ${'words '.repeat(this.#pick(20))}`
    const message =
      parentId !== null && this.#chance(4)
        ? null
        : { id: messageId, parts: [{ type: 'text' as const, text }] }
    if (this.#chance(5))
      this.#delta({
        type: 'storage-waits',
        runId: id,
        reason: 'storage-full',
        ...(message && { message }),
      })
    this.#run = {
      id,
      step: 0,
      attempt: 0,
      phase: 'between',
      isBegun: false,
      messageId: '',
      calls: [],
    }
    this.#waiting = []
    this.#row({ type: 'run-started', parentId, message, limits: { maxSteps: 10, retries: 3 } })
    this.#delta({ type: 'storage-takes', runId: id })
    if (message) this.#add(message.id, parentId)
    else this.#head = parentId
  }

  #between(run: SceneRun): void {
    if (run.step > 0 && this.#chance(3)) return this.#end(run)
    if (run.step > 0 && this.#chance(4)) this.#reflect(run)
    if (run.step > 0 && this.#chance(6)) {
      const message = { id: this.#id('m'), text: 'Again.' }
      this.#row({ type: 'answer-rejected', step: run.step, parentId: this.#head, message })
      this.#add(message.id, this.#head)
    }
    const messageId = this.#queue.shift()
    if (messageId !== undefined) {
      this.#row({ type: 'message-delivered', messageId, parentId: this.#head })
      this.#add(messageId, this.#head)
      if (this.#chance(3))
        this.#row({ type: 'message-amended', messageId, appended: this.#id('more') })
    }
    run.step += 1
    run.attempt = 0
    run.phase = 'asking'
    run.isBegun = this.#chance(2)
    if (run.isBegun) this.#row({ type: 'step-started', step: run.step, resumed: false })
    this.#attempt(run)
    if (run.isBegun) return
    this.#row({ type: 'step-started', step: run.step, resumed: false })
    run.isBegun = true
  }

  #reflect({ step, messageId }: SceneRun): void {
    const mode = this.#oneOf(['annotate', 'replace'] as const)
    const text = this.#chance(3) ? null : this.#id('better')
    const usage = { modelCalls: 1, ...this.#usage() }
    this.#row({ type: 'answer-reflected', step, messageId, mode, text, usage })
  }

  #attempt(run: SceneRun): void {
    run.attempt += 1
    run.messageId = this.#id('m')
    this.#delta({ type: 'attempt-started', ...ref(run), messageId: run.messageId })
  }

  #ask(run: SceneRun): void {
    const at = ref(run)
    switch (this.#pick(10)) {
      case 0: {
        const error = { code: 'provider-error', message: 'gone', retryable: true } as const
        if (this.#chance(2)) this.#delta({ type: 'step-reset', ...at, reason: error })
        if (this.#chance(2))
          this.#row({ type: 'attempt-failed', ...at, usage: this.#usage(), error })
        this.#delta({ type: 'retry', ...at, retries: run.attempt, delayMs: 10, error })
        return this.#attempt(run)
      }
      case 1:
        if (this.#chance(2)) this.#row({ type: 'run-resumed' })
        this.#row({ type: 'step-started', step: run.step, resumed: true })
        if (this.#chance(3)) {
          this.#row({ type: 'run-paused', reason: 'crash-loop' })
          run.phase = 'crash-loop'
          return
        }
        return this.#attempt(run)
      case 2:
        return this.#delta({ type: 'warning', ...at, code: 'w', message: 'warned' })
      case 3:
        this.#delta({ type: 'request', ...at, request: REQUEST })
        return this.#delta({ type: 'raw', ...at, data: { x: 1 } })
      case 4:
        if (this.#pick(3) > 0) return
        return this.#cut(run)
      case 5:
      case 6:
        return this.#output(run)
      default:
        return this.#write(run)
    }
  }

  /** Part of an answer. */
  #write(run: SceneRun): void {
    const at = ref(run)
    if (this.#chance(3)) {
      const toolCallId = this.#id('call')
      this.#delta({ type: 'tool-input-start', ...at, toolCallId, toolName: 'tool' })
      this.#delta({ type: 'tool-input-delta', ...at, toolCallId, delta: '{"a":' })
      if (this.#chance(2)) this.#delta({ type: 'tool-input-end', ...at, toolCallId })
      return
    }
    const kind = this.#oneOf(['text', 'reasoning'] as const)
    const partId = this.#id('p')
    this.#delta({ type: `${kind}-start`, ...at, partId })
    for (let deltas = this.#pick(3); deltas >= 0; deltas--)
      this.#delta({ type: `${kind}-delta`, ...at, partId, delta: this.#id('w') })
    if (this.#chance(2)) this.#delta({ type: `${kind}-end`, ...at, partId })
  }

  #usage(): { inputTokens?: number; outputTokens?: number } {
    const inputTokens = this.#pick(20)
    return { ...(inputTokens > 0 && { inputTokens }), outputTokens: this.#pick(9) }
  }

  #output(run: SceneRun): void {
    const calls = Array.from({ length: this.#pick(4) }, () => this.#callPart())
    const parts: Part[] = [{ type: 'text', text: this.#id('answer') }, ...calls]
    if (this.#chance(3)) parts.unshift({ type: 'reasoning', text: 'hm' })
    const toolsId = calls.length > 0 ? this.#id('m') : null
    const feedback = this.#chance(6)
      ? {
          id: this.#id('m'),
          error: { code: 'malformed' as const, message: 'no' },
          text: 'Observation',
        }
      : null
    this.#row({
      type: 'model-output',
      ...ref(run),
      parentId: this.#head,
      message: { role: 'assistant', id: run.messageId, parts },
      toolsId,
      calls: calls.map((part) => this.#facts(part)),
      usage: this.#usage(),
      finishReason: calls.length > 0 ? 'tool-calls' : 'stop',
      ...(this.#chance(2) && { rawFinishReason: 'raw' }),
      toolMode: 'native',
      ...(feedback && { feedback }),
    })
    this.#add(run.messageId, this.#head)
    if (toolsId !== null) {
      this.#asking.add(run.messageId)
      this.#add(toolsId, this.#head)
    }
    if (feedback) this.#add(feedback.id, this.#head)
    run.calls = calls.map(({ toolCallId }) => ({
      path: [toolCallId],
      parent: null,
      status: 'proposed',
    }))
    run.phase = 'calls'
    run.isBegun = false
  }

  #callPart(): ToolCallPart {
    const toolCallId = this.#id('call')
    const provider = this.#chance(2) ? { providerCallId: `p-${toolCallId}` } : {}
    const base = { type: 'tool-call', toolCallId, toolName: 'tool', ...provider } as const
    return this.#chance(5)
      ? { ...base, error: { code: 'invalid-json', message: 'cut' } }
      : { ...base, input: { n: toolCallId } }
  }

  #facts({ toolCallId }: ToolCallPart): CallDetails {
    const parallel = this.#chance(2)
    return {
      toolCallId,
      known: true,
      parallel,
      ...(this.#chance(3) && { title: 'A tool' }),
      ...(this.#chance(4) && { finishes: true }),
    }
  }

  #calls(run: SceneRun): void {
    if (this.#pick(25) === 7) return this.#cut(run)
    if (this.#pick(40) === 7) return this.#rest(run)
    const call = run.calls[0] && this.#oneOf(run.calls)
    if (call === undefined) {
      run.phase = 'between'
      return
    }
    this.#advance(run, call)
  }

  #advance(run: SceneRun, call: SceneCall): void {
    const { path } = call
    const by = { definition: 'd', replayable: true, reconcilable: false }
    const hasNested = run.calls.some(({ parent }) => parent === call)
    const input: JsonValue = { hooked: this.#pick(3) }
    switch (call.status) {
      case 'proposed':
        switch (this.#pick(6)) {
          case 0:
            this.#row({ type: 'approval-requested', path, input, by })
            call.status = 'approval'
            return
          case 1:
            this.#row({ type: 'question-asked', path, question: 'Q?', options: ['a', 'b'] })
            call.status = 'answer'
            return
          case 2:
            return this.#settle(call, 'invalid')
          default:
            return this.#begin(call)
        }
      case 'approval':
        if (this.#chance(3)) {
          this.#row({ type: 'approval-answered', path, approved: false, reason: 'no' })
          return this.#settle(call, 'denied')
        }
        this.#row({
          type: 'approval-answered',
          path,
          approved: true,
          ...(this.#chance(2) && { input: { edited: true } }),
        })
        call.status = 'approved'
        return
      case 'answer':
        this.#row({ type: 'question-answered', path, answer: 'a' })
        return this.#settle(call, 'succeeded')
      case 'approved':
        return this.#begin(call)
      case 'output':
        return
      case 'decision': {
        const verdict = this.#oneOf(['happened', 'did-not-happen', 'run-again'] as const)
        this.#row({ type: 'interruption-resolved', path, verdict })
        if (verdict === 'run-again') call.status = 'approved'
        else this.#settle(call, verdict === 'happened' ? 'succeeded' : 'failed')
        return
      }
      case 'executing':
        return hasNested && this.#chance(2) ? undefined : this.#execute(run, call, hasNested)
      default:
        call.status satisfies never
    }
  }

  #begin(call: SceneCall): void {
    this.#row({
      type: 'call-started',
      path: call.path,
      executionId: this.#id('x'),
      by: { definition: 'd', replayable: this.#chance(2), reconcilable: false, undoable: true },
      repeats: this.#chance(5),
      ...(this.#chance(3) && { input: { hooked: true } }),
    })
    call.status = 'executing'
  }

  #execute(run: SceneRun, call: SceneCall, hasNested: boolean): void {
    const { path } = call
    const runId = run.id
    switch (this.#pick(12)) {
      case 0:
        return this.#delta({ type: 'tool-progress', runId, path, progress: this.#pick(9) })
      case 1:
        return this.#delta({ type: 'tool-unavailable', runId, path, toolName: 'tool', waitMs: 9 })
      case 2:
        return this.#row({
          type: 'step-outcome',
          path,
          key: this.#oneOf([this.#id('key'), '__proto__']),
          value: this.#id('value'),
        })
      case 3:
        return this.#row({ type: 'call-suspended', path, token: this.#id('token'), until: 9 })
      case 4:
        this.#row({
          type: 'child-started',
          path,
          childConversationId: this.#id('c'),
          childRunId: this.#id('run'),
        })
        if (this.#oneOf([true, false]))
          this.#row({
            type: 'child-usage',
            path,
            usage: { modelCalls: 1, inputTokens: 7 },
            steps: 1,
            activeMs: 5,
            ended: this.#oneOf([true, false]),
          })
        return
      case 5: {
        const nested = [...path, this.#id('call')]
        this.#row({ type: 'call-proposed', path: nested, toolName: 'inner', input: { n: 1 } })
        run.calls.push({ path: nested, parent: call, status: 'proposed' })
        return
      }
      case 6:
        if (hasNested) return
        this.#row({ type: 'call-withdrawn', path })
        call.status = 'proposed'
        return
      case 7:
        this.#row({ type: 'call-interrupted', path })
        call.status = 'decision'
        return
      case 8:
        return this.#begin(call)
      default:
        if (!hasNested) this.#settle(call)
    }
  }

  #settle(
    call: SceneCall,
    status: 'succeeded' | 'failed' | 'denied' | 'invalid' | 'aborted' = this.#oneOf([
      'succeeded',
      'failed',
    ]),
  ): void {
    const run = this.#run
    const output =
      status === 'succeeded'
        ? this.#oneOf([
            { type: 'text', value: this.#id('out') } as const,
            { type: 'json', value: { a: 1 } } as const,
          ])
        : ({ type: 'error', code: 'failed', message: status } as const)
    const note = this.#chance(5) ? { note: 'noted' } : {}
    this.#row({ type: 'call-settled', path: call.path, status, output, ...note })
    if (run) run.calls = run.calls.filter((each) => each !== call)
    if (status !== 'succeeded' || !this.#chance(4)) return
    this.#row({ type: 'undo-started', path: call.path }, null)
    if (this.#chance(2))
      this.#row({ type: 'undo-settled', path: call.path, status: 'failed', message: 'no' }, null)
  }

  /** Ends the run in one-shot mode, so that its calls wait for their outputs. */
  #rest(run: SceneRun): void {
    if (run.calls.some(({ status, parent }) => status !== 'proposed' || parent !== null)) return
    for (const call of run.calls) {
      this.#row({
        type: 'output-requested',
        path: call.path,
        input: { n: 1 },
        asks: this.#chance(2),
      })
      call.status = 'output'
    }
    this.#row({ type: 'run-ended', end: { outcome: 'waiting', pending: [] } })
    this.#waiting = run.calls
    this.#run = null
  }

  /** The run is stopped, or fails, wherever it is. */
  #cut(run: SceneRun): void {
    if (run.phase === 'asking') {
      const { messageId } = run
      const part = this.#oneOf(['text', 'reasoning'] as const)
      const message = this.#chance(2)
        ? { id: messageId, parts: [{ type: part, text: this.#id('half') }] }
        : null
      this.#row({
        type: 'step-cut',
        ...ref(run),
        parentId: this.#head,
        message,
        usage: this.#chance(2) ? this.#usage() : {},
      })
      if (message) this.#add(messageId, this.#head)
    }
    this.#end(run)
  }

  #end(run: SceneRun): void {
    for (const call of run.calls.toReversed()) this.#settle(call, 'aborted')
    const isFollowed = this.#afterRun.length > 0 && this.#chance(2)
    if (isFollowed) {
      const next = this.#id('run')
      this.#row({ type: 'run-ended', end: { outcome: 'completed' }, next })
      return this.#follow(next)
    }
    this.#row({
      type: 'run-ended',
      end: this.#oneOf([
        { outcome: 'completed' },
        { outcome: 'max-steps' },
        { outcome: 'limit', limit: 'tokens' },
        { outcome: 'aborted', reason: 'user' },
        { outcome: 'failed', error: { code: 'provider-error', message: 'x', retryable: false } },
      ] as const),
    })
    this.#run = null
  }

  /** The run that begins with the end of the one before. */
  #follow(id: string): void {
    const [message, ...others] = this.#afterRun.splice(0)
    if (!message) return
    const base = { step: 0, attempt: 0, isBegun: false, messageId: '' }
    this.#run = { id, phase: 'between', calls: [], ...base }
    this.#waiting = []
    const limits = { maxSteps: 10, retries: 3 }
    this.#row({ type: 'run-started', parentId: this.#head, message, limits })
    this.#add(message.id, this.#head)
    for (const other of others) {
      this.#row({ type: 'message-delivered', messageId: other.id, parentId: this.#head })
      this.#add(other.id, this.#head)
    }
  }

  #import(): void {
    const parentId = this.#head
    const results = this.#chance(2)
    const part = this.#callPart()
    const { toolCallId } = part
    const assistant = this.#id('m')
    const tools = this.#id('m')
    const first = this.#id('m')
    this.#row(
      {
        type: 'messages-imported',
        parentId,
        messages: [
          { role: 'user', id: first, parts: [{ type: 'text', text: 'before' }] },
          { role: 'assistant', id: assistant, parts: [part] },
          {
            role: 'tool',
            id: tools,
            parts: results
              ? [
                  {
                    type: 'tool-result',
                    toolCallId,
                    toolName: 'tool',
                    output: this.#oneOf([
                      { type: 'text', value: 'done' } as const,
                      { type: 'denied' } as const,
                      { type: 'error', code: 'failed', message: 'no' } as const,
                    ]),
                  },
                ]
              : [],
          },
        ],
      },
      null,
    )
    this.#asking.add(assistant)
    for (const id of [first, assistant, tools]) this.#add(id, this.#head)
    if (!results && part.error === undefined)
      this.#imported.push({ path: [toolCallId], parent: null, status: 'output' })
  }
}

function ref({ id, step, attempt }: SceneRun): { runId: string; step: number; attempt: number } {
  return { runId: id, step, attempt }
}
