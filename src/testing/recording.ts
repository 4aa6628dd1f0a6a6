import type { Agent } from '../client/api/agent.ts'
import type { CallOutcome } from '../client/execution/person-check.ts'
import { recordGesture } from '../client/execution/user-gestures.ts'
import type { Run } from '../client/runs/run.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { FactOf, Row, RunEnd } from '../protocol/fact.ts'
import type { FieldValues } from '../protocol/fields.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { Message, ToolOutput, UserMessage } from '../protocol/message.ts'
import type { ScriptStep } from '../protocol/model.ts'
import type { RunEvent } from '../protocol/event.ts'
import type { PendingCall, RunResult } from '../protocol/run.ts'
import { scriptedProvider } from '../providers/scripted.ts'
import type { ModelRequest, StreamProviderDefinition } from '../providers/provider.ts'

/** Options of `replay()`, all optional. */
export interface ReplayOptions {
  /**
   * Requires every call to end as in the recording, including failures. Default false: a call that is refused or fails
   * is reported even if it also failed in the recording. If it succeeds now, the rest of its run is skipped, because
   * the recorded model answered to the failure.
   */
  readonly exact?: boolean
  /** Also compares the outputs of calls. Default false. */
  readonly outputs?: boolean
}

interface RecordedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: JsonValue
  /** The executed input, if it differs from the model's. */
  ranWith?: JsonValue
  approvalRequest?: FactOf<'approval-requested'>
  approval?: FactOf<'approval-answered'>
  remember?: 'run' | 'conversation'
  answer?: FactOf<'question-answered'>
  end?: FactOf<'call-settled'>
  readonly nested: RecordedCall[]
}

interface RecordedStep {
  readonly step: number
  readonly answer: ScriptStep
  /** The whole answer in ACTION mode. */
  readonly actionText?: string
  readonly calls: readonly RecordedCall[]
}

/** A person's message, and the model's answers to it. A message that was sent during a run begins a new turn. */
interface Turn {
  readonly messageId: string
  readonly parts: UserMessage['parts']
  /** Number of the run, from 1. */
  readonly run: number
  readonly steps: RecordedStep[]
  /** Why the newest run of the turn can't be replayed. */
  failure?: string | undefined
}

/** Answer after the last recorded calls, for example of an aborted run. */
const LAST_ANSWER: ScriptStep = { text: 'The recording ends here.' }

/** Reads the turns of a conversation, in the order in which they ran. Branches follow one another. */
class TurnReader {
  readonly turns: Turn[] = []
  readonly #messages = new Map<string, UserMessage['parts']>()
  readonly #calls = new Map<string, RecordedCall>()
  #run = 0
  #lastApproved: RecordedCall | undefined

  readRow(row: Row): void {
    switch (row.type) {
      case 'run-started': {
        this.#run += 1
        if (row.message) this.#messages.set(row.message.id, row.message.parts)
        this.#beginTurn(row.message?.id ?? row.parentId ?? '')
        break
      }
      case 'message-queued':
        this.#messages.set(row.message.id, row.message.parts)
        break
      case 'message-delivered':
        this.#beginTurn(row.messageId)
        break
      case 'model-output':
        this.#readAnswer(row)
        break
      case 'run-ended': {
        const turn = this.turns.at(-1)
        if (turn) turn.failure = failureIn(row.end)
        break
      }
      case 'consent-given':
        if (this.#lastApproved?.toolName === row.scope.toolName)
          this.#lastApproved.remember = row.scope.within
        break
      default:
        if ('path' in row && row.path) this.#readCall(row, row.path)
    }
  }

  #beginTurn(messageId: string): void {
    const parts = this.#messages.get(messageId)
    const last = this.turns.at(-1)
    // A run without a message of its own continues the turn, unless it answers an earlier message again.
    if (!parts || (last?.messageId === messageId && last.steps.length === 0)) return
    this.turns.push({ messageId, parts, run: this.#run, steps: [] })
  }

  #readAnswer({ step, message, finishReason }: FactOf<'model-output'>): void {
    const calls: RecordedCall[] = []
    for (const part of message.parts) {
      if (part.type !== 'tool-call') continue
      // Uses the raw text for unreadable input, so that the replay refuses it, too.
      const input = part.error ? (part.rawInput ?? '') : part.input
      const { toolCallId, toolName } = part
      const call: RecordedCall = { toolCallId, toolName, input, nested: [] }
      calls.push(call)
      this.#calls.set(toolCallId, call)
    }
    // Skips an answer that the vendor interrupted, because the next answer contains the rest.
    if (finishReason === 'pause' && calls.length === 0) return
    const reasoning = textOf(message, 'reasoning')
    const answer: ScriptStep = {
      text: textOf(message, 'text'),
      ...(reasoning && { reasoning }),
      ...(calls.length > 0 && {
        toolCalls: calls.map(({ toolName, input }) => ({ toolName, input })),
      }),
    }
    const { actionText } = message
    const recorded = { step, answer, calls, ...(actionText !== undefined && { actionText }) }
    this.turns.at(-1)?.steps.push(recorded)
  }

  #readCall(row: Row, path: readonly string[]): void {
    if (row.type === 'call-proposed') {
      const { toolName, input } = row
      const call = { toolCallId: path.at(-1) ?? '', toolName, input, nested: [] }
      this.#calls.get(path.at(-2) ?? '')?.nested.push(call)
      this.#calls.set(call.toolCallId, call)
    }
    const call = this.#calls.get(path.at(-1) ?? '')
    if (!call) return
    if (row.type === 'approval-requested') call.approvalRequest = row
    if (row.type === 'approval-answered')
      this.#lastApproved = Object.assign(call, { approval: row })
    if (row.type === 'question-answered') call.answer = row
    if (row.type === 'call-started' && row.input !== undefined) call.ranWith = row.input
    // A call stays unfinished if its run was aborted, or was still open when the conversation was exported.
    if (row.type === 'call-settled' && row.status !== 'aborted') call.end = row
  }
}

function textOf({ parts }: FactOf<'model-output'>['message'], type: 'text' | 'reasoning'): string {
  return parts.map((part) => (part.type === type ? part.text : '')).join('')
}

async function readTurns(agent: Agent, conversationId: string): Promise<Turn[]> {
  const reader = new TurnReader()
  for (let after = 0, hasMore = true; hasMore;) {
    const page = await agent.conversations.rows(conversationId, { after })
    if (page?.broken !== undefined) throw unreadable(page.broken)
    for (const row of page?.rows ?? []) reader.readRow(row)
    after = page?.rows.at(-1)?.seq ?? after
    hasMore = page?.hasMore === true
  }
  return reader.turns
}

/** Why a run failed. An import marks runs that were unfinished in the file as aborted. */
function failureIn(end: RunEnd): string | undefined {
  if (end.outcome === 'failed') return `It failed: ${end.error.message}`
  return end.outcome === 'aborted' ? 'It was stopped, or had not ended.' : undefined
}

function unreadable(reason: string, options?: ErrorOptions): Error {
  return new Error(`The recording can't be replayed: ${reason}`, options)
}

/** Reads a recording by importing it into an agent that `create` makes, which has no other conversations. */
export async function readRecording(
  create: () => Agent,
  recording: string | Blob,
): Promise<readonly Turn[]> {
  const reader = create()
  try {
    return await importTurns(reader, recording)
  } finally {
    await reader.dispose()
  }
}

async function importTurns(reader: Agent, recording: string | Blob): Promise<readonly Turn[]> {
  const { imported, refused } = await reader.conversations
    .import(recording)
    .catch((cause: Error) => {
      const isNoFile = OffstageError.is(cause) && cause.code === 'invalid-input'
      const hint = isNoFile ? ' Pass the text of a file that was exported.' : ''
      throw unreadable(`${cause.message}${hint}`, { cause })
    })
  const broken = imported.find((each) => each.broken)?.broken
  const fault = refused[0]?.error ?? (broken && { code: 'conversation-broken', message: broken })
  if (fault)
    throw unreadable(fault.message, { cause: new OffstageError(fault.code, fault.message) })
  const [record, ...otherRecords] = await reader.conversations.list()
  if (!record || otherRecords.length > 0)
    throw unreadable(`It has ${record ? otherRecords.length + 1 : 0} conversations instead of one.`)
  const turns = await readTurns(reader, record.conversationId)
  if (turns.length === 0) throw unreadable('Nobody sent a message in it.')
  return turns
}

/** Answers as the model and the person did in a recording. */
export class Replay {
  #turn: Turn | null = null
  #options: ReplayOptions = {}

  /** The model of the agent that replays. */
  readonly provider: StreamProviderDefinition = {
    id: 'recording',
    stream: (request, config, options) =>
      scriptedProvider.stream(
        request,
        { ...config, script: { steps: this.#steps(request) } },
        options,
      ),
  }

  /** Replays a recording's turns. Rejects after the first turn that differs. */
  async run(agent: Agent, turns: readonly Turn[], options: ReplayOptions = {}): Promise<void> {
    const isAction = turns.some(({ steps }) =>
      steps.some(({ actionText }) => actionText !== undefined),
    )
    agent.configure({
      model: {
        provider: 'recording',
        model: 'recording',
        toolMode: isAction ? 'action' : 'native',
      },
    })
    this.#options = options
    const conversationId = agent.newConversationId()
    const runCount = turns.at(-1)?.run ?? 0
    for (const [at, turn] of turns.entries()) {
      this.#turn = turn
      const played = async (): Promise<Turn | undefined> =>
        (await readTurns(agent, conversationId))[at]
      const differences = await new TurnReplay(agent, turn, played).run(conversationId, options)
      if (differences.length === 0) continue
      const label = runCount > 1 ? `Run ${turn.run}, step` : 'Step'
      throw new Error(differences.map(({ step, text }) => `${label} ${step}: ${text}`).join('\n'))
    }
  }

  #steps({ answers = 0, messages, toolMode }: ModelRequest): ScriptStep[] {
    const recorded = this.#turn?.steps ?? []
    const steps = recorded.map(({ answer, actionText }) =>
      toolMode === 'action' && actionText !== undefined ? { text: actionText } : answer,
    )
    const isFixed = !this.#options.exact && isFixedStep(recorded[answers - 1], messages)
    return [...(isFixed ? steps.slice(0, answers) : steps), LAST_ANSWER]
  }
}

function isFixedStep(step: RecordedStep | undefined, messages: readonly Message[]): boolean {
  const results = messages.findLast((message) => message.role === 'tool')
  return (
    step?.calls.some(({ end }, at) => isFixedCall(end?.output, results?.parts[at]?.output)) === true
  )
}

/** The call failed in the recording, and succeeds now. */
function isFixedCall(recorded: ToolOutput | undefined, played: ToolOutput | undefined): boolean {
  return recorded?.type === 'error' && played !== undefined && played.type !== 'error'
}

interface Difference {
  readonly step: number
  readonly text: string
}

/** A recorded call, and the call that was played in its place. Either may be missing. */
interface CallPair {
  readonly step: number
  readonly recorded?: RecordedCall | undefined
  readonly played?: RecordedCall | undefined
  /** Pair of the containing calls, for a nested call. */
  readonly parent?: CallPair | undefined
}

/** Events of calls that wait for an answer. */
type WaitingEvent = Extract<
  RunEvent,
  { readonly type: 'tool-approval-request' | 'question' | 'tool-suspended' }
>

/** Plays one turn of a recording and compares it. */
class TurnReplay {
  readonly #agent: Agent
  readonly #turn: Turn
  readonly #played: () => Promise<Turn | undefined>
  readonly #differences: Difference[] = []
  /** The recording ends while a call waits. */
  #isAtEnd = false

  /** `played` returns the turn as played so far. */
  constructor(agent: Agent, turn: Turn, played: () => Promise<Turn | undefined>) {
    this.#agent = agent
    this.#turn = turn
    this.#played = played
  }

  async run(
    conversationId: string,
    { exact = false, outputs = false }: ReplayOptions,
  ): Promise<readonly Difference[]> {
    const { parts, steps } = this.#turn
    const result = await this.#follow(
      this.#agent.run(parts, {
        conversationId,
        values: false,
        // Allows more than recorded, because the recording ends where the limits of its run ended it.
        maxSteps: steps.length + 2,
        retries: steps.length + 1,
      }),
    )
    const played = await this.#played()
    for (const [at, step] of steps.entries()) {
      const playedStep = played?.steps[at]
      if (!playedStep) {
        if (!this.#isAtEnd && this.#differences.length === 0)
          this.#add(step.step, `was not reached: ${describeEnd(result)}`)
        break
      }
      const pairs = pairsOf(step, playedStep)
      for (const pair of pairs) this.#compare(pair, { exact, outputs })
      if (!exact && pairs.some(isFixedPair)) return this.#differences
    }
    const last = steps.at(-1)
    if ((played?.steps.length ?? 0) > steps.length && last?.calls.length === 0)
      this.#add(last.step, 'was the last one recorded, and the model was asked again')
    return this.#differences
  }

  /** Follows a run to its end, and answers as in the recording. */
  async #follow(run: Run): Promise<RunResult> {
    for await (const event of run)
      if (isWaiting(event) && !(await this.#answerCall(event))) run.abort('the replay ended')
    const result = await run.result
    if (result.outcome !== 'waiting') return result
    for (const call of result.pending) {
      const next = await this.#supplyOutput(call)
      if (next) return this.#follow(next)
    }
    return result
  }

  async #supplyOutput(call: PendingCall): Promise<Run | null> {
    const end = (await this.#pairOf(call.toolCallId))?.recorded?.end
    if (!end) {
      this.#isAtEnd = true
      return null
    }
    recordGesture()
    return this.#agent.supplyOutput(call, 'value' in end.output ? end.output.value : '')
  }

  /** Answers as the person did in the recording. Returns false without a recorded answer. */
  async #answerCall(event: WaitingEvent): Promise<boolean> {
    const pair = await this.#pairOf(event.toolCallId)
    // The difference is reported when the run ends.
    if (!pair) return false
    recordGesture()
    try {
      const isAnswered = await sendRecordedAnswer(this.#agent, event, pair)
      if (isAnswered !== null) return isAnswered
      const { recorded } = pair
      this.#isAtEnd = recorded !== undefined && !recorded.end
      if (!this.#isAtEnd)
        this.#add(pair.step, `${callText(pair)} waits for somebody, unlike in the recording`)
    } catch (thrown) {
      this.#add(pair.step, `${callText(pair)} could not be answered: ${describeThrown(thrown)}`)
    }
    return false
  }

  async #pairOf(toolCallId: string): Promise<CallPair | undefined> {
    const played = await this.#played()
    return this.#turn.steps
      .flatMap((step, at) => pairsOf(step, played?.steps[at]))
      .find((pair) => pair.played?.toolCallId === toolCallId)
  }

  #compare(pair: CallPair, { exact, outputs }: Required<ReplayOptions>): void {
    const { step, recorded, played } = pair
    const recordedEnd = recorded?.end
    // Skips calls that the recording left unfinished, because their outcome is unknown.
    if (recorded && !recordedEnd) return
    const failure = failureOf(played)
    const recordedFailure = failureOf(recorded)
    if (failure !== null && !(exact && recordedEnd && played?.end?.status === recordedEnd.status))
      return this.#add(step, `${callText(pair)} ${failure}`)
    if (recordedFailure !== null && exact && failure === null)
      return this.#add(step, `${callText(pair)} succeeded. In the recording, it ${recordedFailure}`)
    if (!exact && isAfterFailure(pair)) return
    const text = changeOf(pair, outputs)
    if (text !== null) this.#add(step, text)
  }

  #add(step: number, text: string): void {
    this.#differences.push({ step, text: text.endsWith('.') ? text : `${text}.` })
  }
}

function isFixedPair({ recorded, played, parent }: CallPair): boolean {
  return !parent && isFixedCall(recorded?.end?.output, played?.end?.output)
}

function isWaiting(event: RunEvent): event is WaitingEvent {
  return (
    event.type === 'tool-approval-request' ||
    event.type === 'question' ||
    event.type === 'tool-suspended'
  )
}

/** Sends the recorded answer to the waiting call. Null if none was recorded; false if it came too late. */
async function sendRecordedAnswer(
  agent: Agent,
  event: WaitingEvent,
  pair: CallPair,
): Promise<boolean | null> {
  const { approval, remember, answer, end } = pair.recorded ?? {}
  // Denied without an answer: by a message of the person, or together with a similar call.
  const denied = end?.output.type === 'denied' ? end.output : null
  switch (event.type) {
    case 'tool-approval-request': {
      if (!approval && denied) return agent.deny(event, denied.reason)
      if (!approval) return isAfterFailure(pair) ? agent.approve(event) : null
      const { approved, input, reason } = approval
      if (!approved) return agent.deny(event, reason)
      const edited = input === undefined ? {} : { input }
      return agent.approve(event, { ...edited, ...(remember && { remember }) })
    }
    case 'question': {
      if (!answer) return denied && agent.answer(event, { action: 'cancel' })
      const { action, values, answer: text } = answer
      if (action) return agent.answer(event, { action })
      const content = values as FieldValues | undefined
      return agent.answer(event, content ? { action: 'accept', content } : text)
    }
    case 'tool-suspended':
      return end ? agent.settle(event, outcomeOf(end.output)) : null
    default:
      return event satisfies never
  }
}

function outcomeOf(output: ToolOutput): CallOutcome {
  if (output.type === 'error') return { error: output.message }
  return output.type === 'denied' ? { error: output.reason } : { output: output.value }
}

/** Pairs the calls of a step by position, each before the calls nested in it. */
function pairsOf({ step, calls }: RecordedStep, played: RecordedStep | undefined): CallPair[] {
  return pairCalls({ step, recorded: calls, played: played?.calls ?? [] })
}

/** Whether the call, or a call that contains it, failed in the recording. */
function isAfterFailure({ recorded, parent }: CallPair): boolean {
  return recorded?.end?.output.type === 'error' || (parent !== undefined && isAfterFailure(parent))
}

interface CallLists {
  readonly step: number
  readonly recorded: readonly RecordedCall[]
  readonly played: readonly RecordedCall[]
  readonly parent?: CallPair
}

function pairCalls({ step, recorded, played, parent }: CallLists): CallPair[] {
  return Array.from({ length: Math.max(recorded.length, played.length) }).flatMap((_, at) => {
    const pair: CallPair = { step, recorded: recorded[at], played: played[at], parent }
    const nested = pairCalls({
      step,
      recorded: pair.recorded?.nested ?? [],
      played: pair.played?.nested ?? [],
      parent: pair,
    })
    return [pair, ...nested]
  })
}

/** Why a call did not succeed. Null if it did, or if a person denied it. */
function failureOf(call: RecordedCall | undefined): string | null {
  const { output, status } = call?.end ?? {}
  if (output?.type !== 'error') return null
  const reason = output.message.replace(/^Invalid parameters for [^:]*: /, '')
  return `${status === 'invalid' ? 'was refused' : status}: ${reason}`
}

/** Compares two calls that both succeeded or were denied. */
function changeOf(pair: CallPair, outputs: boolean): string | null {
  const { recorded, played, parent } = pair
  if (!recorded || !played) {
    const call = callText(pair)
    return recorded ? `${call} is missing` : `${call} is new`
  }
  const playedText = callText(pair)
  const playedCall = callText(pair, literalOf)
  const recordedCall = callText({ ...pair, played: undefined }, literalOf)
  if (parent && playedCall !== recordedCall) return describeDifference(playedCall, recordedCall)
  const [recordedOutput, playedOutput] = [recorded.end?.output, played.end?.output]
  if (playedOutput?.type === 'denied' && recordedOutput?.type !== 'denied')
    return `${playedText} was denied${playedOutput.reason ? `: ${playedOutput.reason}` : ''}`
  if (recordedOutput?.type === 'denied' && playedOutput?.type !== 'denied')
    return `${playedText} was not denied`
  const { approvalRequest } = recorded
  const { because } = approvalRequest ?? {}
  // A replay has only the untrusted content of its calls. Approvals for content from elsewhere aren't expected.
  const isExpected = approvalRequest && (!because || because.path)
  if (isExpected && !played.approvalRequest)
    return `${playedText} ran without the approval that the recording has`
  const playedInput = literalOf(played.ranWith ?? played.input)
  const recordedInput = literalOf(recorded.ranWith ?? recorded.input)
  if (playedInput !== recordedInput)
    return `${playedText} ran with ${describeDifference(playedInput, recordedInput)}`
  if (!outputs || JSON.stringify(recordedOutput) === JSON.stringify(playedOutput)) return null
  return `${playedText} returned ${describeDifference(outputText(playedOutput), outputText(recordedOutput))}`
}

function outputText(output: ToolOutput | undefined): string {
  return output && 'value' in output ? literalOf(output.value as JsonValue) : 'nothing'
}

function callText({ recorded, played, parent }: CallPair, format = literal): string {
  const call = played ?? recorded
  if (!call) return ''
  const caller = parent?.played ?? parent?.recorded
  return `${caller ? `${caller.toolName} → ` : ''}${call.toolName}(${format(call.input)})`
}

function describeEnd(result: RunResult): string {
  if (result.outcome === 'failed') return `the run failed: ${result.error.message}`
  return `the run ended as ${result.outcome}`
}

const LONGEST_LITERAL = 300

/** Writes a value as in source code, shortened. */
function literal(value: JsonValue): string {
  return shortened(literalOf(value))
}

function shortened(text: string): string {
  return text.length > LONGEST_LITERAL ? `${text.slice(0, LONGEST_LITERAL)}…` : text
}

/** Shortens both texts so that their first difference stays visible. */
function describeDifference(actual: string, expected: string): string {
  let sameLength = 0
  while (sameLength < actual.length && actual[sameLength] === expected[sameLength]) sameLength += 1
  const [shownActual, shownExpected] = [actual, expected].map((text) =>
    shortened(
      sameLength < LONGEST_LITERAL ? text : `${text.slice(0, 100)}…${text.slice(sameLength - 20)}`,
    ),
  )
  return `${shownActual} instead of ${shownExpected}`
}

function literalOf(value: JsonValue): string {
  if (typeof value === 'string') {
    const quoted = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"')
    return `'${quoted.replaceAll("'", "\\'")}'`
  }
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map((each) => literalOf(each)).join(', ')}]`
  const entries = Object.entries(value).map(
    ([name, each]) =>
      `${/^[\p{L}_$][\w$]*$/u.test(name) ? name : literalOf(name)}: ${literalOf(each)}`,
  )
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
