import type { CompactionChoice, CompactionPolicy } from '../../protocol/compaction.ts'
import { signalWithin } from '../../lib/abort.ts'
import { describeThrown } from '../../protocol/error.ts'
import type { CompactionQuery, CompactionAnswer } from '../../protocol/page-calls.ts'
import type { RunRef } from '../../protocol/conversation.ts'
import type { ChooseCompaction } from '../api/options.ts'
import { disposedError } from '../api/failures.ts'
import { retryWhenLeaving } from '../page-life/page-leaving.ts'
import { untilAborted } from '../runs/until-aborted.ts'

const CHOOSE_MS = 60_000

interface OpenChoice {
  readonly key: string
  readonly answer: Promise<CompactionAnswer>
  readonly stop: AbortController
}

/** Asks the app's policy function what to leave out of a request. A repeated question shares the pending answer. */
export class CompactionChooser {
  readonly #choose: ChooseCompaction
  /** Aborted when the agent is disposed. */
  readonly #agentSignal: AbortSignal
  /** Unanswered questions by run. */
  readonly #open = new Map<string, OpenChoice>()

  constructor(choose: ChooseCompaction, agentSignal: AbortSignal) {
    this.#choose = choose
    this.#agentSignal = agentSignal
  }

  choose({ agentId: _agent, ...situation }: CompactionQuery): Promise<CompactionAnswer> {
    const { runId, occasion, messages } = situation
    const key = `${messages.at(-1)?.id} ${occasion}`
    const open = this.#open.get(runId)
    if (open?.key === key) return open.answer
    open?.stop.abort()
    const stop = new AbortController()
    const answer = this.#askChoice(situation, stop).finally(() => {
      if (this.#open.get(runId)?.stop === stop) this.#open.delete(runId)
    })
    this.#open.set(runId, { key, answer, stop })
    return answer
  }

  stop({ runId }: RunRef): void {
    this.#open.get(runId)?.stop.abort()
    this.#open.delete(runId)
  }

  async #askChoice(
    situation: Omit<CompactionQuery, 'agentId'>,
    { signal: stopped }: AbortController,
  ): Promise<CompactionAnswer> {
    const signal = signalWithin(CHOOSE_MS, stopped, this.#agentSignal)
    try {
      const choice: unknown = await retryWhenLeaving(() =>
        untilAborted(async () => this.#choose({ ...situation, signal }), signal),
      )
      return { type: 'chosen', choice: readChoice(choice) }
    } catch (thrown) {
      if (this.#agentSignal.aborted) throw disposedError()
      const isLate = signal.aborted && !stopped.aborted
      const reason = isLate ? `it took longer than ${CHOOSE_MS} ms` : describeThrown(thrown)
      return { type: 'failed', message: reason }
    }
  }
}

const POLICIES: Readonly<Record<CompactionPolicy, true>> = {
  auto: true,
  'clear-results': true,
  summarize: true,
  'drop-oldest': true,
}

/** Copies the known fields of a choice. Throws a `TypeError` if they have the wrong types. */
function readChoice(choice: unknown): CompactionChoice | CompactionPolicy | null {
  if (choice === null || isPolicy(choice)) return choice
  const { clearUpTo, except, summary, firstKept } = (choice ?? {}) as Record<string, unknown>
  if (typeof clearUpTo === 'string' && (except === undefined || isTexts(except)))
    return { clearUpTo, ...(except && { except: [...except] }) }
  if (typeof summary === 'string' && typeof firstKept === 'string')
    return { summary: summary.trim(), firstKept }
  throw new TypeError(
    'return { clearUpTo }, { summary, firstKept }, the name of a policy, or null.',
  )
}

function isPolicy(choice: unknown): choice is CompactionPolicy {
  return typeof choice === 'string' && Object.hasOwn(POLICIES, choice)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
