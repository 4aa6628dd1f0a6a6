import type { PageApi, RunRef, StartRun, WorkerNotice } from '../protocol/api.ts'
import { toErrorData } from '../protocol/error.ts'
import type { RunEnd } from '../protocol/journal.ts'
import { LEFT_OPEN, type RunResult } from '../protocol/run.ts'
import { importHistory } from '../providers/history/import-history.ts'
import type { ProviderRegistry } from '../providers/registry.ts'
import { busy, callsPending, parkedRun } from './busy.ts'
import type { ResumeOptions } from './drive.ts'
import type { Effects } from './effects.ts'
import type { Engines } from './engines.ts'
import type { ModelMemory } from './model-memory.ts'
import { RunDriver } from './run-driver.ts'
import type { RunEvents } from './run-events.ts'
import { runResult } from './run-result.ts'
import { runSnapshot } from './run-snapshot.ts'
import type { Admission, Seat } from './seat.ts'
import type { Seats } from './seats.ts'
import { pendingCalls } from './state.ts'
import { sharedValidator } from './validation/create-validator.ts'
import { watchedValidator } from './validation/watched-validator.ts'

export interface RunsOptions {
  readonly page: PageApi
  readonly pageId: string
  readonly providers: ProviderRegistry
  readonly effects: Effects
  readonly memory: ModelMemory
  readonly engines: Engines
  readonly seats: Seats
  readonly notify: (notice: WorkerNotice) => void
  /** A sender of the run's events. */
  readonly eventsOf: (ref: RunRef & { readonly agentId: string }) => RunEvents
}

export interface Resume extends ResumeOptions {
  /** The run whose end is emitted again if it has ended. */
  readonly runId?: string
  /** The agent gets the events of a run that another one drives. */
  readonly follows?: boolean
}

export const TELL_MODEL: Resume = { interrupted: 'tell-model', waitForToolsMs: 10_000 }

/** Begins runs and takes them up: at most one in a conversation, journaled before it is driven. */
export class Runs {
  readonly #options: RunsOptions
  /** Agents that are gone: what was asked for in their name is not driven any more. */
  readonly #released = new Set<string>()

  constructor(options: RunsOptions) {
    this.#options = options
  }

  /** Never rejects: whatever refuses the run becomes its `failed` end. */
  async start(command: StartRun): Promise<void> {
    const { seats, eventsOf } = this.#options
    const events = eventsOf(command)
    const { agentId, runId } = command
    const admission: Admission = { agentId, runId, stop: new AbortController(), isParked: false }
    const { signal } = admission.stop
    try {
      const seat = await seats.take(command)
      // Asked for twice: of the first it is known whether it began.
      if (isKnown(seat, runId)) return
      if (command.ifBusy === 'refuse' && seat.parked) throw busy(command.conversationId)
      if (command.ifBusy === 'replace') stopAdmissions(seat, 'replaced')
      seat.admissions.set(runId, admission)
      await seat
        .inLane(async () => {
          signal.throwIfAborted()
          await this.#makeRoom(seat, command, { events, admission })
          signal.throwIfAborted()
          await this.#admit(seat, command, { events, admission })
        })
        .finally(() => seat.admissions.delete(runId))
    } catch (error) {
      const end: RunEnd = signal.aborted
        ? { outcome: 'aborted', reason: String(signal.reason) }
        : { outcome: 'failed', error: toErrorData(error) }
      tellEnd(events, runResult(command, [], end))
    }
  }

  /** Stops what the agent drives or is about to begin, without an end: whoever resumes it goes on. */
  release(agentId: string): void {
    this.#released.add(agentId)
    const { seats } = this.#options
    for (const seat of seats.drivenBy(agentId)) seat.driver?.release()
    for (const seat of seats.all())
      for (const admission of seat.admissions.values())
        if (admission.agentId === agentId) admission.stop.abort(LEFT_OPEN.disposed)
  }

  /** Begins a run in a conversation that the caller has the lane of. */
  async begin(seat: Seat, command: StartRun, events: RunEvents): Promise<void> {
    await this.#commitStart(seat, command)
    this.#launch(seat, command, events)
  }

  async #commitStart(seat: Seat, command: StartRun): Promise<void> {
    const { conversation } = seat
    const { runId, message, limits } = command
    const history = importHistory(command.history ?? [])
    await seat.own()
    try {
      const { run } = conversation
      if (run?.end === null) throw busy(command.conversationId)
      if (conversation.messages.length === 0 && history.length > 0) {
        const entry = { type: 'messages-imported', messages: history } as const
        await conversation.append([entry], { runId: null })
      }
      // Of an imported history, too, which is kept: its calls take their outputs first.
      const pending = [...(run === null ? [] : pendingCalls(run)), ...conversation.importedCalls]
      if (message !== null && pending.length > 0) throw callsPending(pending)
      const first = { type: 'step-started', step: 1, resumed: false } as const
      await conversation.append([{ type: 'run-started', message, limits }, first], { runId })
    } catch (error) {
      seat.disown()
      throw error
    }
  }

  #launch(seat: Seat, command: StartRun, events: RunEvents): void {
    if (this.#released.has(command.agentId)) return seat.disown()
    events.push({ type: 'run-start', message: command.message })
    this.#drive(seat, command, { events, resume: null })
  }

  /** Null when there is no open run; the end of the run that was asked for is emitted again. */
  async resume(seat: Seat, agentId: string, resume: Resume): Promise<RunRef | null> {
    const { conversation } = seat
    const { conversationId } = seat.scope
    if (seat.driver?.isLeaving) await seat.idle()
    if (seat.driver) return seat.driven(agentId, resume)
    await conversation.refresh()
    conversation.refuseBroken()
    const newest = conversation.run
    if (newest === null) return null
    const ref = { agentId, conversationId, runId: newest.runId }
    if (newest.end !== null) {
      if (newest.runId !== resume.runId) return null
      const result = runResult(ref, conversation.runEntries, newest.end)
      tellEnd(this.#options.eventsOf(ref), result)
      return { conversationId, runId: newest.runId }
    }
    await seat.own({ create: false })
    const { run } = conversation
    if (run === null || run.end !== null || this.#released.has(agentId)) {
      seat.disown()
      return null
    }
    const events = this.#options.eventsOf({ ...ref, runId: run.runId })
    events.push(runSnapshot(conversation, run))
    if (run.parked !== null) events.push({ type: 'run-parked', reason: run.parked })
    this.#drive(seat, { agentId, runId: run.runId }, { events, resume })
    return { conversationId, runId: run.runId }
  }

  /** Begins the run; while the storage is full it waits, and the person's message is kept. */
  async #admit(seat: Seat, command: StartRun, { events, admission }: Asked): Promise<void> {
    const { patience } = seat.conversation
    const { signal } = admission.stop
    patience.waiter = {
      signal,
      waitsFor: (reason) => reason === 'storage-full',
      onPark: () => parkAdmission(command, { events, admission }),
      onContinue: () => continueAdmission({ events, admission }),
    }
    try {
      await patience.persist(() => this.#commitStart(seat, command))
    } finally {
      patience.waiter = null
    }
    this.#launch(seat, command, events)
    if (signal.aborted) seat.driver?.abort(String(signal.reason))
  }

  /** Refuses, waits or ends what runs, as the command wishes. */
  async #makeRoom(seat: Seat, command: StartRun, asked: Asked): Promise<void> {
    const { agentId, conversationId, ifBusy } = command
    const { conversation } = seat
    const { signal } = asked.admission.stop
    switch (ifBusy) {
      case 'refuse': {
        if (seat.driver && !seat.driver.isStopped) throw busy(conversationId)
        // What is being stopped is as good as ended, but for a full storage.
        const isFull = conversation.patience.waitsFor !== null
        if (isFull) parkAdmission(command, asked)
        await seat.idle(signal)
        if (isFull && !signal.aborted) continueAdmission(asked)
        return
      }
      case 'queue':
        // A run that nobody drives would never make room.
        await conversation.refresh()
        if (conversation.run?.parked) throw parkedRun(conversationId, conversation.run.parked)
        await this.resume(seat, agentId, TELL_MODEL)
        return seat.idle(signal)
      case 'replace':
        await this.resume(seat, agentId, TELL_MODEL)
        return seat.abort('replaced')
      default:
        ifBusy satisfies never
    }
  }

  #drive(
    seat: Seat,
    ref: { readonly agentId: string; readonly runId: string },
    how: { readonly events: RunEvents; readonly resume: ResumeOptions | null },
  ): void {
    const { page, pageId, providers, effects, memory, engines } = this.#options
    const shared = { page, pageId, providers, effects, memory, engines }
    const { agentId, runId } = ref
    const { conversation, ownership } = seat
    const validator = watchedValidator(sharedValidator(), (risk) =>
      this.#options.notify({ type: 'risk', agentId, runId, risk }),
    )
    const driver = new RunDriver(
      { agentId, runId, conversation, validator, ...shared, ...how },
      ownership,
    )
    seat.drive(driver)
  }
}

/** A run that was asked for, on its way into the journal. */
interface Asked {
  readonly events: RunEvents
  readonly admission: Admission
}

function parkAdmission({ message }: StartRun, { events, admission }: Asked): void {
  admission.isParked = true
  events.push({ type: 'run-parked', reason: 'storage-full', ...(message && { message }) })
  events.flush()
}

function continueAdmission({ events, admission }: Asked): void {
  admission.isParked = false
  events.push({ type: 'run-continued' })
}

function isKnown({ admissions, driver, conversation }: Seat, runId: string): boolean {
  return admissions.has(runId) || driver?.runId === runId || conversation.run?.runId === runId
}

function stopAdmissions(seat: Seat, reason: string): void {
  for (const { stop } of seat.admissions.values()) stop.abort(reason)
}

export function tellEnd(events: RunEvents, result: RunResult): void {
  events.push({ type: 'run-end', result })
  events.flush()
}
